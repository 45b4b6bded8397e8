"""Mine the failed sentences of several systems, and put together what is found.

Each system has its own failed sentences, and so its own suspicion for each structure.  A
structure that is suspicious for many systems is hard in itself; one that is for a single
system is that system's weakness::

    structure            support   coverage   mean score
    (acl (nsubj))           212        3/3         1.07
    (conj (conj))            40        1/3         0.66
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from sgl.research.analyse.collect import Collector
from sgl.research.analyse.examples import Choice, add_examples
from sgl.research.analyse.mining import (
    Floats,
    Ints,
    Occurrences,
    collapsed,
    frequent,
    scores,
    suspicion,
)
from sgl.research.analyse.result import (
    INEXACT,
    QUARTILE,
    Blame,
    Flags,
    Mined,
    Settings,
    Suspect,
    System,
    Treebank,
)

#: So many structures are kept, and so many of them have an example.
_KEPT = 100
_WITH_EXAMPLE = 20


def failed_sentences(system: System, failure: str | float) -> Flags:
    """The sentences that a system has failed.

    With ``quartile`` they have a BLEU in the lowest quarter and are not exact: a perfect
    output of two words has a low BLEU, too.
    """
    if failure == INEXACT:
        return ~system.exact
    if failure == QUARTILE:
        limit = float(np.quantile(system.bleu, 0.25)) if len(system.bleu) else 0.0
        return (system.bleu <= limit) & ~system.exact
    return (system.bleu < float(failure)) & ~system.exact


def find_suspects(
    treebank: Treebank,
    systems: Sequence[System],
    failed: Mapping[str, Flags],
    collector: Collector,
    settings: Settings,
) -> Mined:
    """The suspicious structures of one view."""
    table = collapsed(frequent(collector.table(), settings.support))
    by_tree = [collector.by_tree(failed[system.name]) for system in systems]
    found = [suspicion(table, counts, settings.rounds) for counts in by_tree]
    suspects, ranks = _ranked(table, systems, by_tree, found)
    choices = [
        _choice(table, rank, suspect, systems, failed, collector, treebank)
        for rank, suspect in zip(ranks[:_WITH_EXAMPLE], suspects, strict=False)
    ]
    shown = add_examples(suspects, choices, collector.view, treebank, systems, settings)
    return Mined(collector.view, len(table.structures), collector.too_broad, tuple(shown))


def _ranked(
    table: Occurrences,
    systems: Sequence[System],
    by_tree: Sequence[Ints],
    found: Sequence[Floats],
) -> tuple[list[Suspect], list[int]]:
    """The worst structures, and their places in the table."""
    blamed = np.array(found).reshape(len(found), -1)
    scored = np.array([scores(table, values) for values in found]).reshape(blamed.shape)
    failing = np.array([table.failing(counts) for counts in by_tree]).reshape(blamed.shape)
    suspicious = blamed > 0
    coverage = suspicious.sum(axis=0)
    mean = np.divide(
        (scored * suspicious).sum(axis=0),
        coverage,
        out=np.zeros(blamed.shape[1]),
        where=coverage > 0,
    )
    texts = np.array([structure.text for structure in table.structures], object)
    order = sorted(
        np.flatnonzero(coverage).tolist(), key=lambda at: (-coverage[at], -mean[at], texts[at])
    )[:_KEPT]
    support = table.support
    suspects = [
        Suspect(
            table.structures[at],
            int(support[at]),
            float(mean[at]),
            tuple(
                Blame(
                    system.name,
                    float(blamed[rank, at]),
                    float(scored[rank, at]),
                    int(failing[rank, at]),
                )
                for rank, system in enumerate(systems)
                if suspicious[rank, at]
            ),
        )
        for at in order
    ]
    return suspects, order


def _choice(
    table: Occurrences,
    rank: int,
    suspect: Suspect,
    systems: Sequence[System],
    failed: Mapping[str, Flags],
    collector: Collector,
    treebank: Treebank,
) -> Choice:
    """The shortest sentence with a structure that the system it is worst for has failed."""
    worst = max(suspect.blame, key=lambda blame: blame.score).system
    trees = table.tree[table.structure == rank]
    fitting = np.isin(collector.of_sentence, trees) & failed[worst]
    places = np.flatnonzero(fitting)
    shortest = int(places[np.argmin(treebank.columns["length"][places])])
    return Choice(shortest, next(at for at, entry in enumerate(systems) if entry.name == worst))
