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

import numpy as np

from sgl.research.analyse.measures import (
    INEXACT,
    QUARTILE,
    AnalysisSettings,
    Flags,
    Json,
    TreebankMeasures,
)
from sgl.research.analyse.metrics import skeleton_of
from sgl.research.analyse.mining import (
    Collector,
    collapsed,
    frequent,
    labels_of,
    occurrence,
    scores,
    suspicion,
)
from sgl.research.analyse.predictions import SystemOutput, some_outputs
from sgl.research.analyse.scoring import SystemScores
from sgl.research.treebank import TreebankReader, TreebankSentence

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
) -> Json:
    """Return the suspicious structures of one view, the worst first.

    A structure is suspicious for some systems; its score is the mean over these.
    """
    table = collapsed(frequent(collector.table(), settings.support))
    by_tree = [collector.by_tree(failed[system.name]) for system in systems]
    blamed = np.array([suspicion(table, counts, settings.rounds) for counts in by_tree])
    scored = scores(table, blamed)
    failing = np.array([table.failing(counts) for counts in by_tree])
    suspicious = blamed > 0
    coverage = suspicious.sum(axis=0)
    mean = (scored * suspicious).sum(axis=0) / np.maximum(coverage, 1)
    support = table.support
    order = sorted(
        np.flatnonzero(coverage).tolist(),
        key=lambda at: (-coverage[at], -mean[at], table.subtrees[at].text),
    )
    suspects: list[Json] = [
        {
            "structure": table.subtrees[at].text,
            "words": table.subtrees[at].words,
            "sentences": int(support[at]),
            "score": float(mean[at]),
            "coverage": int(coverage[at]),
            "systems": [
                {
                    "system": system.name,
                    "suspicion": float(blamed[rank, at]),
                    "score": float(scored[rank, at]),
                    "failed": int(failing[rank, at]),
                }
                for rank, system in enumerate(systems)
                if suspicious[rank, at]
            ],
            "example": None,
        }
        for at in order[:_KEPT]
    ]
    chosen: list[_Choice] = []
    for at in order[:_WITH_EXAMPLE]:
        # The shortest sentence that the system has failed for which the structure is worst.
        worst = int(np.argmax(np.where(suspicious[:, at], scored[:, at], -np.inf)))
        fitting = np.isin(collector.of_sentence, table.times[[at]].indices)
        places = np.flatnonzero(fitting & failed[systems[worst].name])
        chosen.append((int(places[np.argmin(treebank.columns["length"][places])]), worst))
    _add_examples(suspects, chosen, collector.view, treebank, systems, settings)
    return {
        "view": collector.view,
        "structures": len(table.subtrees),
        "too_broad": collector.too_broad,
        "suspects": suspects,
    }


#: The sentence that is the example of a structure, and the number of the system that failed it.
_Choice = tuple[int, int]


def _add_examples(
    suspects: Sequence[Json],
    chosen: Sequence[_Choice],
    view: str,
    treebank: TreebankMeasures,
    systems: Sequence[SystemScores],
    settings: AnalysisSettings,
) -> None:
    """Give the first suspects the chosen sentences as examples."""
    sentences: dict[int, TreebankSentence] = {}
    reader = TreebankReader()
    for at in {sentence for sentence, _ in chosen}:
        _, line, offset = treebank.places[at].tolist()
        block = reader.read_again(treebank.path, line, offset)
        if isinstance(block, TreebankSentence):
            sentences[at] = block
    outputs: list[Mapping[int, SystemOutput]] = []
    for rank, system in enumerate(systems):
        wanted = {
            int(treebank.places[at, 0]): sentences[at].comment("sent_id")
            for at, by in chosen
            if by == rank and at in sentences
        }
        outputs.append(some_outputs(system.path, "form", wanted) if wanted else {})
    for suspect, (at, rank) in zip(suspects, chosen, strict=False):
        if at not in sentences:
            continue
        sentence = sentences[at]
        skeleton = skeleton_of(sentence, punctuation=settings.keep_punctuation)
        labels = labels_of(sentence.words, skeleton, view)
        marked = occurrence(skeleton.heads, labels, suspect["structure"]) or ()
        text, said = outputs[rank].get(int(treebank.places[at, 0]), SystemOutput(""))
        suspect["example"] = {
            "sent_id": sentence.comment("sent_id") or "",
            "line": sentence.line,
            "system": systems[rank].name,
            "bleu": float(systems[rank].bleu[at]),
            "words": [{"form": word.form, "upos": word.upos} for word in sentence.words],
            "arcs": [
                {"governor": word.head - 1, "label": word.deprel, "dependent": place}
                for place, word in enumerate(sentence.words)
                if word.head
            ],
            "root": sentence.heads.index(0),
            "marked": sorted(skeleton.kept[place] for place in marked),
            "output": text if said is None else " ".join(said),
        }
