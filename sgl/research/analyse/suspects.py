"""Mine the failed sentences of several systems, and compare what is found.

Each system has its own failed sentences, and so its own suspicion for each structure.  A
structure that is suspicious for many systems is hard in itself; one that is for a single
system is that system's weakness::

    structure            support   coverage   mean score
    (acl (nsubj))           212        3/3         1.07
    (conj (conj))            40        1/3         0.66

The worst structures have an example: some dozens of sentences are read again from their
places in the file, and the file of each system's predictions is read once more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from sgl.research.analyse.mining import (
    Collector,
    Floats,
    Ints,
    Occurrences,
    collapsed,
    frequent,
    scores,
    suspicion,
)
from sgl.research.analyse.predictions import Output, some_outputs
from sgl.research.analyse.result import (
    INEXACT,
    QUARTILE,
    AnalysisSettings,
    Blame,
    Example,
    Flags,
    Mined,
    Suspect,
    SystemScores,
    TreebankMeasures,
)
from sgl.research.analyse.subtrees import labels_of, occurrence
from sgl.research.analyse.tree import skeleton_of
from sgl.research.treebank import Malformed, TreebankReader, TreebankSentence

#: So many structures are kept, and so many of them have an example.
_KEPT = 100
_WITH_EXAMPLE = 20


def failed_sentences(system: SystemScores, failure: str | float) -> Flags:
    """Return the sentences that a system has failed.

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
    treebank: TreebankMeasures,
    systems: Sequence[SystemScores],
    failed: Mapping[str, Flags],
    collector: Collector,
    settings: AnalysisSettings,
) -> Mined:
    """Return the suspicious structures of one view."""
    table = collapsed(frequent(collector.table(), settings.support))
    by_tree = [collector.by_tree(failed[system.name]) for system in systems]
    found = [suspicion(table, counts, settings.rounds) for counts in by_tree]
    suspects, ranks = _ranked(table, systems, by_tree, found)
    choices = [
        _choice(table, rank, suspect, systems, failed, collector, treebank)
        for rank, suspect in zip(ranks[:_WITH_EXAMPLE], suspects, strict=False)
    ]
    shown = add_examples(suspects, choices, collector.view, treebank, systems, settings)
    return Mined(collector.view, len(table.subtrees), collector.too_broad, tuple(shown))


def _ranked(
    table: Occurrences,
    systems: Sequence[SystemScores],
    by_tree: Sequence[Ints],
    found: Sequence[Floats],
) -> tuple[list[Suspect], list[int]]:
    """Return the worst structures, and their places in the table."""
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
    texts = np.array([structure.text for structure in table.subtrees], object)
    order = sorted(
        np.flatnonzero(coverage).tolist(), key=lambda at: (-coverage[at], -mean[at], texts[at])
    )[:_KEPT]
    support = table.support
    suspects = [
        Suspect(
            table.subtrees[at],
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
    systems: Sequence[SystemScores],
    failed: Mapping[str, Flags],
    collector: Collector,
    treebank: TreebankMeasures,
) -> ExampleChoice:
    """Return the shortest sentence with a structure that the system it is worst for has failed."""
    worst = max(suspect.blame, key=lambda blame: blame.score).system
    trees = table.tree[table.structure == rank]
    fitting = np.isin(collector.of_sentence, trees) & failed[worst]
    places = np.flatnonzero(fitting)
    shortest = int(places[np.argmin(treebank.columns["length"][places])])
    return ExampleChoice(
        shortest, next(at for at, entry in enumerate(systems) if entry.name == worst)
    )


class ExampleChoice(NamedTuple):
    """A sentence of the treebank (its rank) and a system (its rank) that has failed it."""

    sentence: int
    system: int


def add_examples(
    suspects: Sequence[Suspect],
    choices: Sequence[ExampleChoice],
    view: str,
    treebank: TreebankMeasures,
    systems: Sequence[SystemScores],
    settings: AnalysisSettings,
) -> list[Suspect]:
    """Return the suspects, of which the first have the chosen sentences as examples."""
    reader = TreebankReader()
    sentences: dict[int, TreebankSentence] = {}
    for at in {choice.sentence for choice in choices}:
        line, offset = int(treebank.lines[at]), int(treebank.offsets[at])
        block = reader.read_again(Path(treebank.path), line, offset)
        if not isinstance(block, Malformed):
            sentences[at] = block
    outputs = [
        _outputs(system, {c.sentence for c in choices if c.system == rank}, treebank, sentences)
        for rank, system in enumerate(systems)
    ]
    shown = list(suspects)
    for number, choice in enumerate(choices):
        sentence = sentences.get(choice.sentence)
        if sentence is None:
            continue
        marked = _marked(sentence, view, suspects[number], settings)
        system = systems[choice.system]
        output = outputs[choice.system].get(int(treebank.blocks[choice.sentence]), "")
        bleu = float(system.bleu[choice.sentence])
        example = _example(sentence, marked, system.name, bleu, output)
        shown[number] = replace(shown[number], example=example)
    return shown


def _outputs(
    system: SystemScores,
    places: set[int],
    treebank: TreebankMeasures,
    sentences: dict[int, TreebankSentence],
) -> dict[int, Output]:
    wanted = {
        int(treebank.blocks[at]): sentences[at].comment("sent_id")
        for at in places
        if at in sentences
    }
    return some_outputs(Path(system.path), "form", wanted) if wanted else {}


def _marked(
    sentence: TreebankSentence, view: str, suspect: Suspect, settings: AnalysisSettings
) -> tuple[int, ...]:
    """Return the words of the sentence that are the structure."""
    skeleton = skeleton_of(sentence, punctuation=settings.keep_punctuation)
    labels = labels_of(sentence.words, skeleton, view)
    found = occurrence(skeleton.heads, labels, suspect.structure) or frozenset()
    return tuple(sorted(skeleton.kept[place] for place in found))


def _example(
    sentence: TreebankSentence, marked: tuple[int, ...], system: str, bleu: float, output: Output
) -> Example:
    words = sentence.words
    return Example(
        sent_id=sentence.comment("sent_id") or "",
        line=sentence.line,
        system=system,
        bleu=bleu,
        words=tuple([(word.form, word.upos) for word in words]),
        arcs=tuple([(w.head - 1, w.deprel, at) for at, w in enumerate(words) if w.head]),
        root=next(at for at, word in enumerate(words) if not word.head),
        marked=marked,
        output=output if isinstance(output, str) else " ".join(output.words),
    )
