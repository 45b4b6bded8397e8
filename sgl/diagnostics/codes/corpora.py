"""SGL11xx: sentences and corpora that a grammar is asked to read."""

from __future__ import annotations

from sgl.diagnostics.codes.code import Code

CODES = (
    Code(
        "SGL1101",
        "The grammar does not derive a sentence",
        "`sglc parse` and `sglc translate` read sentences as the layer writes them: with its "
        "capital letters, its separators and its full stop. The mark shows where the sentence "
        "stops being the beginning of any sentence of the grammar; the notes list the words and "
        "categories that could have stood there. `--normalise all` forgives differences of "
        "finishing, such as a space before a comma.",
        no_example="it is about a sentence of the command line: "
        '`sglc parse farm.sgl "The dog slepped."`',
    ),
    Code(
        "SGL1102",
        "A corpus cannot be read",
        "A file that `sglc audit`, `sglc fit` or `sglc analyse` was to read is not there, is a "
        "directory, or may not be opened. A line that cannot be read is another matter: it is "
        "counted and listed with its number, and the others are read.",
        no_example="it depends on the computer, not on the grammar",
    ),
    Code(
        "SGL1103",
        "A result cannot be written",
        "The file after `--out`, `--json`, `--html`, `--latex`, `--svg` or `--certificate` cannot "
        "be written: the operating system refuses; or there is something of that name, which "
        "only `--force` replaces; or a text cannot stand in a file of this kind. What was shown "
        "in the terminal holds all the same.",
        no_example="it depends on the computer, not on the grammar",
    ),
    Code(
        "SGL1104",
        "Rows of a corpus cannot be read",
        "A row is a line in UTF-8 with the columns that the first row has: a sentence, its "
        "translation, and perhaps a kind. Rows that are none are counted as unreadable and "
        "listed with the number of their line; everything else that was found holds for the "
        "other rows. The file after `--json` lists the first thousand.",
        no_example="it depends on the corpus, not on the grammar",
    ),
    Code(
        "SGL1105",
        "A corpus has no row that weights can be estimated from",
        "`sglc fit` counts how often each rule is used in the readings of the sentences. It "
        "needs sentences that the grammar derives: perhaps `--only` names another kind than the "
        "file has, the file has other columns, or its spelling differs, which `--normalise` "
        "forgives. `sglc audit` says why sentences have no reading.",
        no_example="it depends on the corpus, not on the grammar",
    ),
)
