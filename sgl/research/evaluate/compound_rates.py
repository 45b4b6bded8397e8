"""The error rates of systems on compounds, beside those of the gold texts, as plain data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from typing import Any

from sgl.research.evaluate.benchmark import Benchmark
from sgl.research.evaluate.compounds import (
    CompoundLexicon,
    ErrorRate,
    Occurrence,
    Part,
    error_rates,
    parts,
)
from sgl.research.evaluate.published_compounds import (
    PublishedStop,
    published_correct,
    published_rate,
)
from sgl.research.evaluate.scoring import System

Json = dict[str, Any]

#: The references, as if they were a system.
GOLD = "gold"


def compound_data(
    benchmark: Benchmark,
    systems: Sequence[System],
    lexicon: CompoundLexicon,
    occurrences: Sequence[Occurrence],
    *,
    published: bool,
    segment: Callable[[str], str] = str,
    segmented: str = "spaces",
) -> Json:
    """The rates of each run and of the gold texts, by kind of compound and by pattern.

    Texts are cut into words by ``segment``, whose name is ``segmented``.
    """
    texts = [(GOLD, "", tuple(row.target for row in benchmark.rows))]
    texts += [(system.name, run.file, run.texts) for system in systems for run in system.runs]
    lexicon = lexicon.cut(segment)
    rates: list[Json] = []
    stopped = 0
    known: dict[str, str] = {}
    for system, file, outputs in texts:
        known |= {text: segment(text) for text in set(outputs) - known.keys()}
        hypotheses = [known[outputs[occurrence.row]] for occurrence in occurrences]
        if published:
            found, stops = _published(lexicon, occurrences, hypotheses)
            stopped += stops
        else:
            found = error_rates(lexicon, occurrences, hypotheses)
        rates += _entries(system, file, found.items())
    return {
        "rule": "the published rule" if published else "whole words, compounds by name",
        "segmented": segmented,
        "rates": rates,
        "unchecked_atoms": sorted(
            text
            for atoms in lexicon.entries.values()
            for text, translations in atoms.items()
            if "" in translations
        ),
        "published_script_stops": stopped,
    }


def _entries(system: str, file: str, rates: Iterable[tuple[Part, ErrorRate]]) -> Iterable[Json]:
    for part, rate in rates:
        yield {
            "system": system,
            "file": file,
            "by": part.by,
            "kind": part.name,
            **asdict(rate),
            "instance": rate.instance,
            "aggregate": rate.aggregate,
        }


def _published(
    lexicon: CompoundLexicon, occurrences: Sequence[Occurrence], hypotheses: Sequence[str]
) -> tuple[dict[Part, ErrorRate], int]:
    """The rates by the published rule, and how many outputs would have stopped its script.

    Those count as wrong.
    """
    right: list[bool] = []
    stops = 0
    for occurrence, hypothesis in zip(occurrences, hypotheses, strict=True):
        try:
            right.append(
                published_correct(lexicon, occurrence.source, occurrence.compound, hypothesis)
            )
        except PublishedStop:
            right.append(False)
            stops += 1
    return {
        part: published_rate([right[place] for place in part.places])
        for part in parts(lexicon, occurrences)
    }, stops
