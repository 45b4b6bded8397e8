"""The names that authors use for kinds of declarations."""

from sgl.lang import syntax as s

#: The names that authors use for kinds of declarations.
KINDS: dict[type, str] = {
    s.Layer: "layer",
    s.ViewDecl: "view",
    s.ColumnDecl: "column",
    s.Feature: "feature",
    s.CategoryDecl: "category",
    s.Labels: "label set",
    s.WordSet: "word set",
    s.StructureDecl: "structure",
    s.Paradigm: "paradigm",
    s.Function: "function",
    s.Rule: "rule",
    s.Literal: "literal",
    s.Lexicon: "lexicon",
    s.Forms: "block of forms",
    s.PatternDecl: "pattern",
    s.PartDecl: "part",
    s.Quota: "quota",
    s.Relation: "relation",
    s.Table: "table",
    s.Weights: "set of weights",
}

#: The keywords of kinds that differ from these names.
KEYWORDS = {s.Labels: "labels", s.WordSet: "words", s.Forms: "forms", s.Weights: "weights"}
