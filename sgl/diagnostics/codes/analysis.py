"""SGL15xx: treebanks, and what systems have made of their sentences."""

from __future__ import annotations

from sgl.diagnostics.codes.code import Code

_TREEBANK = "it is about a treebank, not about a grammar: "

CODES = (
    Code(
        "SGL1501",
        "Sentences of a treebank cannot be read",
        "CoNLL-U has lines of ten columns, words that are numbered from 1, and governors that "
        "make a tree with one root. Sentences that are not so are left out of the analysis and "
        "listed with the line where it shows; everything that was found holds for the others. "
        "Multiword tokens, empty nodes and enhanced edges are read and not counted.",
        no_example=_TREEBANK + "a word whose HEAD is a word that does not exist",
    ),
    Code(
        "SGL1502",
        "A treebank has no sentence",
        "The file is empty, or has empty lines only. Nothing can be said of it: means over no "
        "sentence are not defined.",
        no_example=_TREEBANK + "an empty file",
    ),
    Code(
        "SGL1505",
        "Outputs have the right text, but not the words of the treebank",
        "Outputs are compared word by word. These are the text of their sentence, character by "
        "character, but were cut into other words than the treebank has, so that they count "
        "as wrong: other outputs will suffer as well, unseen. Another `--tokenize` may "
        "help; for languages without spaces the outputs have to come as words.",
        no_example=_TREEBANK + "an output in Japanese without spaces",
    ),
    Code(
        "SGL1506",
        "Sentences are left out of error mining",
        "The number of structures in a tree grows with the number of dependents of a word, by "
        "a power. Trees with very broad words have too many to be listed. They are part of "
        "everything else that is reported.",
        no_example=_TREEBANK + "a word with three hundred dependents, each with another relation",
    ),
    Code(
        "SGL1507",
        "Outputs are not in the language of the treebank",
        "Hardly any letter of the outputs is of a script that the treebank is written in, and "
        "hardly any of their words occurs in it. Their scores are those of the wrong file: most "
        "likely it has the sources, or translations into another language. They are shown all "
        "the same.",
        no_example=_TREEBANK + "English outputs for a treebank in Japanese",
    ),
)
