"""SGL14xx: predictions that are scored."""

from __future__ import annotations

from sgl.diagnostics.codes.code import Code

CODES = (
    Code(
        "SGL1401",
        "A dataset cannot be evaluated",
        "`sglc eval` needs a directory that `sglc compile` has written, with its manifest, or a "
        "file of rows: a sentence, its target and perhaps a kind, with tabs between them. All "
        "rows have to be readable, for a prediction stands beside each of them. `sglc prove "
        "--data` needs such a directory, too.",
        no_example="it depends on files, not on the grammar",
    ),
    Code(
        "SGL1402",
        "Predictions do not fit the rows",
        "Without ids there has to be one prediction for each row of the dataset, or sentence of "
        "the treebank, in their order; with ids (`.tsv`, `.jsonl`, `.conllu`), each has to be that "
        "of a row, and occur once. Scores of predictions that may stand beside the wrong rows "
        "would mean nothing, so that none are given. `sglc analyse` leaves this system out and "
        "scores the others.",
        no_example="it depends on the predictions, not on the grammar",
    ),
    Code(
        "SGL1403",
        "Predictions are missing, empty or off by a line",
        "A row without a prediction, or with an empty one, counts as wrong for every metric: "
        "leaving it out would reward a system for saying nothing. A file most of whose lines are "
        "right for the next row has probably lost a line, or has one too many.",
        no_example="it depends on the predictions, not on the grammar",
    ),
    Code(
        "SGL1404",
        "The grammar is not the one that the dataset was made from",
        "Partial Match parses predictions with the grammar of the dataset. The manifest has its "
        "fingerprint, and this grammar has another one: it was changed since, or the parameters "
        "differ. It is used nevertheless; gold texts that it does not derive are counted.",
        no_example="it depends on a dataset, not on the grammar alone",
    ),
    Code(
        "SGL1405",
        "A metric was not computed",
        "The note says what is missing: a library (`pip install 'sgl-compiler[eval]'`), the "
        "grammar, or the dependency trees of the dataset. The other metrics do not depend on it. "
        "What was not computed is in no table.",
        no_example="it depends on the installation and on the dataset, not on the grammar",
    ),
    Code(
        "SGL1406",
        "Compounds cannot be scored",
        "The compound translation error rate needs the compound of each row. Its atoms are all in "
        "the lexicon, and it stands in the source sentence, word by word. Datasets of patterns of "
        "the group `compound` have both in `compounds.json`; of other data the author writes them.",
        no_example="it depends on files, not on the grammar",
    ),
    Code(
        "SGL1407",
        "Partial Match does not accept all gold texts",
        "Some gold texts of each pattern are judged as if they were predictions. All should be "
        "right; the note says of which patterns some are not. The metric then undercounts these "
        "patterns, by about that share: perhaps the grammar has changed since the dataset was "
        "made.",
        no_example="it depends on a dataset, not on the grammar alone",
    ),
)
