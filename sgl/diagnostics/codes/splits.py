"""SGL13xx: items that are to be divided by divergence."""

from __future__ import annotations

from sgl.diagnostics.codes.code import Code

CODES = (
    Code(
        "SGL1301",
        "A file gives no items that could be divided",
        "`sglc split` reads Parquet files with the columns `id` and `derivation`, which "
        "`sglc compile` writes, and treebanks in CoNLL-U. A file may be missing, be of another "
        "kind, have no items, or have something wrong with it; the message says what and where. "
        "Nothing is left out silently: the divergence of half a treebank is not that of the "
        "whole one.",
        no_example="it depends on the files, not on the grammar",
    ),
    Code(
        "SGL1302",
        "No split keeps to the bounds",
        "The share of test (`--test`) and the number of items that may be left out "
        "(`--discard`) are hard bounds. Of three items none is between 0.4 and 0.6 of them, so "
        "nothing can be searched for. A wider range or more items help.",
        no_example="it depends on the files, not on the grammar",
    ),
    Code(
        "SGL1303",
        "Atoms diverge more than they should",
        "`--atom-limit` is the most that the atoms of train and test may diverge. Annealing "
        "keeps to it if it can; what it found is written all the same, with its figures, and "
        "this warning. Wider bounds or more items leave it more room.",
        no_example="it depends on the files, not on the grammar",
    ),
)
