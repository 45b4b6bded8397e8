"""All forgeries, a module for each kind of thing that is forged."""

from __future__ import annotations

from forgeries import (
    answers,
    automata,
    certificate_text,
    claims,
    derivations,
    files,
    grammars,
    graphs,
    layers,
    parquet,
    promises,
    rows,
    rule_trees,
    signed,
    splits,
    whole,
)

__all__ = [
    "answers",
    "automata",
    "certificate_text",
    "claims",
    "derivations",
    "files",
    "grammars",
    "graphs",
    "layers",
    "parquet",
    "promises",
    "rows",
    "rule_trees",
    "signed",
    "splits",
    "whole",
]
