"""Go through a treebank once, with the outputs of all systems beside it.

Of a sentence some hundred bytes are kept, and the structures of its tree if that is new.  Then the
statistics are computed on columns, structures are mined in tables, and the few sentences that are
shown as examples are read again.  Each system has its own failed sentences: a structure that is
suspicious for many systems is hard in itself; one for a single system is that system's weakness.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from os import SEEK_END
from pathlib import Path

import numpy as np

from sgl.foreign import TREEBANK, opened
from sgl.research.analyse import mining, scoring, statistics
from sgl.research.analyse.metrics import skeleton_of
from sgl.research.analyse.predictions import PredictionsError, SystemOutput, some_outputs
from sgl.research.treebank import Malformed, TreebankReader, TreebankSentence

#: Relations with fewer edges say little about their freedom.
_FEWEST_EDGES = 10

#: So many structures are kept, and so many of them have an example.
_KEPT = 100
_WITH_EXAMPLE = 20

#: Told so many sentences after the last time; the bytes read, and all.
_EVERY = 500
Advance = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Analysis:
    """Everything that was found.

    ``unusable`` has the paths of predictions that could not be scored, with what is wrong.
    ``data`` is the object of ``--json`` (``docs/analyse.md``), from which all tables are made.
    """

    treebank: scoring.TreebankMeasures
    systems: tuple[scoring.SystemScores, ...]
    unusable: tuple[tuple[Path, PredictionsError], ...]
    data: scoring.Json


def analyse(
    path: Path,
    predictions: Sequence[tuple[str, Path]] = (),
    settings: scoring.AnalysisSettings | None = None,
    advance: Advance = lambda _done, _all: None,
) -> Analysis:
    """Analyse a treebank and the predictions of systems (name and file) for its sentences."""
    chosen = settings or scoring.AnalysisSettings()
    given = [scoring.SystemScores(name, file, chosen) for name, file in predictions]
    _each(given, scoring.SystemScores.open)
    collectors = [mining.Collector(view, *chosen.nodes) for view in chosen.views] if given else []
    treebank = scoring.TreebankMeasures(path, chosen.by)
    with opened(path, TREEBANK) as stream:
        size = stream.seek(0, SEEK_END)
    for number, block in enumerate(TreebankReader().read(path)):
        if number % _EVERY == 0:
            advance(block.end, size)
        if isinstance(block, Malformed):
            treebank.skip(block)
            _each(given, scoring.SystemScores.skip, block)
            continue
        skeleton = skeleton_of(block, punctuation=chosen.keep_punctuation)
        treebank.add(number, block, skeleton)
        for collector in collectors:
            collector.add(block.words, skeleton)
        if given:
            _each(given, scoring.SystemScores.add, scoring.GoldSentence(block, skeleton, chosen))
    _each(given, scoring.SystemScores.finish)
    systems = tuple([system for system in given if system.fault is None])
    unusable = tuple([(s.path, s.fault) for s in given if s.fault is not None])
    failed = {system.name: failed_sentences(system, chosen.failure) for system in systems}
    data = {
        "settings": asdict(chosen),
        "treebank": treebank.data(),
        "groups": _groups(treebank, systems),
        "systems": [system.data(int(failed[system.name].sum())) for system in systems],
        "unusable": [
            {"path": str(file), "message": fault.message, "details": list(fault.details)} for file, fault in unusable
        ],
        **_tests(treebank, systems),
        "mined": [
            find_suspects(treebank, systems, failed, collector, chosen) for collector in (collectors if systems else ())
        ],
    }
    return Analysis(treebank, systems, unusable, data)


def _each(systems: Sequence[scoring.SystemScores], step: Callable[..., None], *given: object) -> None:
    for system in systems:
        if system.fault is None:
            try:
                step(system, *given)
            except PredictionsError as problem:
                system.fault = problem


def _groups(bank: scoring.TreebankMeasures, systems: Sequence[scoring.SystemScores]) -> list[scoring.Json]:
    return [
        {
            "group": name,
            "sentences": len(inside),
            "projective": int(bank.projective[inside].sum()),
            "measures": {key: scoring.mean(column[inside]) for key, column in bank.columns.items()},
            "systems": {
                system.name: {
                    **{key: scoring.mean(column[inside]) for key, column in system.columns.items()},
                    "exact": int(system.exact[inside].sum()),
                }
                for system in systems
            },
        }
        for name, inside in bank.groups.items()
    ]


def _tests(treebank: scoring.TreebankMeasures, systems: Sequence[scoring.SystemScores]) -> scoring.Json:
    """Return the tests by system; each is corrected for those of its family.

    Correlations are a family for each system, or without systems the treebank alone.  The
    projectivity tests of all scores of all systems are one.  So are the tests of freedom,
    which tell over relations whether edges with a freer order are kept less.
    """
    columns: dict[str, Mapping[str, statistics.Values]]
    columns = {system.name: {**treebank.columns, **system.columns} for system in systems}
    projectivity = iter(
        statistics.corrected(
            [
                statistics.projectivity_test(score, values, treebank.projective)
                for system in systems
                for score, values in system.columns.items()
            ]
        )
    )
    labels = [label for label, sides in treebank.relations.items() if sides.edges >= _FEWEST_EDGES]
    entropy = np.array([treebank.relations[label].entropy for label in labels], np.float64)
    freedom = statistics.corrected(
        [
            statistics.spearman(
                "entropy", "dea", entropy, np.array([system.relations[label].share for label in labels], np.float64)
            )
            for system in systems
        ]
    )
    return {
        "correlations": {
            name: [asdict(test) for test in statistics.correlations(found)]
            for name, found in (columns or {"": treebank.columns}).items()
        },
        "projectivity": {system.name: [asdict(next(projectivity)) for _ in system.columns] for system in systems},
        "freedom": {s.name: asdict(test) for s, test in zip(systems, freedom, strict=True)},
    }


def failed_sentences(system: scoring.SystemScores, failure: str | float) -> scoring.Flags:
    """Return the sentences that a system has failed.

    With ``quartile`` they have a BLEU in the lowest quarter and are not exact: a perfect output of
    two words has a low BLEU, too.
    """
    if failure == scoring.INEXACT:
        return ~system.exact
    if failure == scoring.QUARTILE:
        limit = float(np.quantile(system.bleu, 0.25)) if len(system.bleu) else 0.0
        return (system.bleu <= limit) & ~system.exact
    return (system.bleu < float(failure)) & ~system.exact


def find_suspects(
    treebank: scoring.TreebankMeasures,
    systems: Sequence[scoring.SystemScores],
    failed: Mapping[str, scoring.Flags],
    collector: mining.Collector,
    settings: scoring.AnalysisSettings,
) -> scoring.Json:
    """Return the suspicious structures of one view, the worst mean over their systems first."""
    table = mining.collapsed(mining.frequent(collector.table(), settings.support))
    by_tree = [collector.by_tree(failed[system.name]) for system in systems]
    blamed = np.array([mining.suspicion(table, counts, settings.rounds) for counts in by_tree])
    scored = mining.scores(table, blamed)
    failing = np.array([table.failing(counts) for counts in by_tree])
    suspicious = blamed > 0
    coverage = suspicious.sum(axis=0)
    average = (scored * suspicious).sum(axis=0) / np.maximum(coverage, 1)
    support = table.support
    order = sorted(
        np.flatnonzero(coverage).tolist(), key=lambda at: (-coverage[at], -average[at], table.subtrees[at].text)
    )
    suspects: list[scoring.Json] = [
        {
            "structure": table.subtrees[at].text,
            "words": table.subtrees[at].words,
            "sentences": int(support[at]),
            "score": float(average[at]),
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
    # Examples are of the system for which the structure is worst.
    worst = np.where(suspicious, scored, -np.inf).argmax(axis=0)
    lengths = treebank.columns["length"]
    chosen: list[tuple[int, int]] = []
    for at in order[:_WITH_EXAMPLE]:
        fitting = np.isin(collector.of_sentence, table.times[[at]].indices)
        places = np.flatnonzero(fitting & failed[systems[worst[at]].name])
        chosen.append((int(places[lengths[places].argmin()]), int(worst[at])))
    _add_examples(suspects, chosen, collector.view, treebank, systems, settings)
    return {
        "view": collector.view,
        "structures": len(table.subtrees),
        "too_broad": collector.too_broad,
        "suspects": suspects,
    }


def _add_examples(
    suspects: Sequence[scoring.Json],
    chosen: Sequence[tuple[int, int]],
    view: str,
    treebank: scoring.TreebankMeasures,
    systems: Sequence[scoring.SystemScores],
    settings: scoring.AnalysisSettings,
) -> None:
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
        labels = mining.labels_of(sentence.words, skeleton, view)
        marked = mining.occurrence(skeleton.heads, labels, suspect["structure"]) or ()
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
