"""All forgeries, a module for each kind of thing that is forged."""

from __future__ import annotations

from forgeries import (
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
