"""The registry of diagnostic codes: every code that the compiler can give, with its page.

The pages are written in :mod:`sgl.diagnostics.codes`; a test compares the registry
with the codes that occur in the compiler.
"""

from __future__ import annotations

from sgl.diagnostics.codes import (
    analysis,
    baselines,
    corpora,
    evaluation,
    exchange,
    features,
    files,
    graphs,
    lexicons,
    licensing,
    morphology,
    names,
    output,
    patterns,
    rules,
    splits,
    syntax,
    weights,
)
from sgl.diagnostics.codes.code import Code

__all__ = ["CODES", "TOPICS", "Code"]

#: The codes by topic, in the order of their numbers.
TOPICS: dict[str, tuple[Code, ...]] = {
    "Files": files.CODES,
    "What cannot be read": syntax.CODES,
    "Names": names.CODES,
    "Rules and layers": rules.CODES,
    "Features": features.CODES,
    "Graphs": graphs.CODES,
    "Tables and morphology": (*lexicons.CODES, *morphology.CODES),
    "Weights and recursion": weights.CODES,
    "Patterns and the dataset": (*patterns.CODES, *licensing.CODES),
    "The run as a whole": output.CODES,
    "Sentences and corpora": corpora.CODES,
    "Other formats": exchange.CODES,
    "Splits by divergence": splits.CODES,
    "Predictions": evaluation.CODES,
    "Treebanks and outputs": analysis.CODES,
    "Baselines": baselines.CODES,
}

#: All codes by their names.
CODES: dict[str, Code] = {entry.code: entry for topic in TOPICS.values() for entry in topic}
