"""Syntax of the declarations of a grammar that are not rules."""

from sgl.lang.syntax.rules import Condition, Entry, FormsUse, LayerClause, Weight, When
from sgl.lang.syntax.structures import Amount, Application, Expression, GraphRef, Name, NamedDeclaration, SyntaxNode


class Module(SyntaxNode):
    """``module toy "A toy grammar"``."""

    name: Name
    title: Name | None


class LeaveOut(SyntaxNode):
    """``part concatenation``: a declaration to omit from a used file; without a kind, of any kind."""

    kind: Name | None
    name: Name


class Use(SyntaxNode):
    """``use stdlib.ja.verb (past, nonpast)``, or ``use farm without (pp_in_subject)``.

    ``names`` is None for all names except those ``left_out``.
    """

    path: tuple[Name, ...]
    names: tuple[Name, ...] | None
    left_out: tuple[LeaveOut, ...] | None


class Param(SyntaxNode):
    """``param topics = on``."""

    name: Name
    value: Name
    title: Name | None


class Limit(SyntaxNode):
    """``limit parts = 4``."""

    name: Name
    value: Name


class Place(SyntaxNode):
    """``before "." ","``, ``after "("`` or ``first``: the neighbouring words, or the position in a text."""

    kind: Name
    words: tuple[Name, ...]


class Option(SyntaxNode):
    """An option of a layer: ``attach "." "?"``, ``absorb "," before "." when not spaced``."""

    name: Name
    values: tuple[Name, ...]
    place: Place | None
    when: When | None


class Elision(SyntaxNode):
    """``"de" + "le" -> "du"``: two words that are contracted."""

    left: Name
    right: Name
    form: Name
    when: When | None
    place: None = None


class WordForm(SyntaxNode):
    """``"a" before "a…" "e…" -> "an"``: the form of a word before others."""

    left: Name
    place: Place
    form: Name
    when: When | None


class Contrast(SyntaxNode):
    """``contrast en``: the layer equals another one except for one difference in each sentence."""

    layer: Name
    place: None = None
    when: None = None


class Like(SyntaxNode):
    """``as en``: what is not said of the layer, in its options, rules and words, is as another one has it."""

    layer: Name
    place: None = None
    when: None = None


LayerOption = Option | Elision | WordForm | Contrast | Like


class Layer(NamedDeclaration):
    """``layer syn : graph on en``."""

    kind: Name
    anchor: Name | None
    options: tuple[LayerOption, ...]


class ViewDecl(NamedDeclaration):
    """``view conllu = conllu(syn)``, ``view roles = template(sem) from "roles.j2"``."""

    kind: Name
    arguments: tuple[Name, ...]
    path: Name | None


class ColumnDecl(NamedDeclaration):
    """``column answer(derivation) from "answer.j2"``, ``column words(en) = "{{ en.split() | length }}"``."""

    arguments: tuple[Name, ...]
    template: Name | None
    path: Name | None


class FeatureValue(SyntaxNode):
    """``yes ~ 2``."""

    name: Name
    weight: Amount | None


class Feature(NamedDeclaration):
    """``feature anim = yes ~ 2 | no``, ``feature slot = 1 < 2 < 3``, ``feature who = names of people``."""

    values: tuple[FeatureValue, ...]
    ordered: bool
    names: bool


class Port(SyntaxNode):
    """``gap`` or, for one graph layer only, ``subj in sem``; ``de.prefix`` is a part of texts, and has a ``kind``."""

    name: Name
    layer: Name | None
    kind: Name | None = None


class CategoryDecl(NamedDeclaration):
    """``category RC[anim] with gap "relative clause"``."""

    features: tuple[Name, ...]
    ports: tuple[Port, ...]
    title: Name | None


class Share(SyntaxNode):
    """``per target``: a number for ``each`` target; or ``shared``: a number for all targets together."""

    each: bool


class Range(SyntaxNode):
    """``for n in 5..12``: repeat a clause or an item of ``size`` for each number."""

    name: Name
    low: Amount
    high: Amount


class StructureClause(SyntaxNode):
    """A structure with its ``kind``: ``forbid``, ``only`` and so on; ``gen { … } example "…"`` has one."""

    kind: str
    amount: Amount | None
    share: Share | None
    numbers: Range | None
    graph: GraphRef
    like: "LikeClause | None"
    repeated: bool


class AllowClause(SyntaxNode):
    """``allow p q``."""

    names: tuple[Name, ...]


class Unseen(SyntaxNode):
    """``unseen forms rules``: kinds of ingredients that items have but training need not show."""

    kinds: tuple[Name, ...]


class TargetsClause(SyntaxNode):
    """``targets dancer goat seen only in exposures``."""

    words: tuple[Name, ...]
    only_exposed: bool


class SizeCondition(SyntaxNode):
    """``within cp`` or ``outside rc``."""

    graph: GraphRef
    outside: bool


class Copies(SyntaxNode):
    """``repeated 3``: each sentence three times; ``instances in 5 contexts``: each instance five times."""

    number: Amount


class SizeItem(SyntaxNode):
    """``at most 500 repeated 3 per target in dev for n in 1..3 within cp outside rc when topics``.

    Instead of a number there may be a quota: ``halves``, which looks like a parameter, or ``halves(500)``.
    """

    most: bool
    amount: Amount | Application
    copies: Copies | None
    contexts: Copies | None
    share: Share | None
    split: Name | None
    numbers: Range | None
    conditions: tuple[SizeCondition, ...]
    when: When | None


class SizeClause(SyntaxNode):
    """``size 500 within cp, 500 outside cp``."""

    items: tuple[SizeItem, ...]


class Quota(NamedDeclaration):
    """``quota halves(n) = n outside cp, n within cp``."""

    parameters: tuple[Name, ...]
    items: tuple[SizeItem, ...]


class LikeClause(SyntaxNode):
    """``train example "…"`` or ``example "…"``, an item: it must belong there, optionally under a ``when``."""

    split: str
    sentence: Name
    when: When | None


PatternClause = StructureClause | AllowClause | TargetsClause | SizeClause | LikeClause | Unseen | When


class PatternDecl(NamedDeclaration):
    """``pattern name "title" (groups)`` with its clauses."""

    title: Name | None
    groups: tuple[Name, ...]
    clauses: tuple[PatternClause, ...]


class RepeatedLemmas(SyntaxNode):
    """``repeated lemmas``."""


PartClause = StructureClause | AllowClause | SizeClause | RepeatedLemmas | When


class PartDecl(NamedDeclaration):
    """``part name "title"`` with its clauses; its structures follow ``only``."""

    title: Name | None
    clauses: tuple[PartClause, ...]


class Variant(SyntaxNode):
    """``variant published when published``: alternative cells of rows."""

    name: Name
    when: When | None


class Lexicon(NamedDeclaration):
    """``lexicon nouns from "nouns.yaml"``: a table that expands into words."""

    path: Name
    where: tuple[Condition, ...]
    weight: Weight | None
    shared: tuple[LayerClause, ...]
    entries: tuple[Entry | FormsUse, ...]
    variants: tuple[Variant, ...]
    when: tuple[When, ...]


class ParadigmLine(SyntaxNode):
    """``godan "く" -> "いた", "う" -> "った"``."""

    inflection_class: Name
    rewrites: tuple[tuple[Name, Name], ...]


class Paradigm(NamedDeclaration):
    """A table of rewrites by inflection class: of endings, or as its ``place`` says."""

    place: Name | None
    title: Name | None
    lines: tuple[ParadigmLine, ...]


class Function(NamedDeclaration):
    """``function f(x) = …``: an abbreviation for an expression."""

    parameters: tuple[Name, ...]
    body: Expression


class Relation(NamedDeclaration):
    """``relation takes from "takes.yaml"``."""

    path: Name


class Table(NamedDeclaration):
    """``table concord[cl, number] from "concord.yaml"``: forms for values of features.

    In ``table compose[first:kin, then:kin]``, ``columns`` have the values of ``features``.
    """

    columns: tuple[Name, ...]
    features: tuple[Name, ...]
    path: Name


class Restrict(SyntaxNode):
    """``restrict { V -[obj]-> N } to takes(V, N) when selection``."""

    graph: GraphRef
    relation: Name
    first: Name
    second: Name
    when: tuple[When, ...]


class Weights(NamedDeclaration):
    """``weights published from "published.weights.yaml" when weights = published``."""

    path: Name
    when: tuple[When, ...]
