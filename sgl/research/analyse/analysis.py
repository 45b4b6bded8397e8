"""Go through a treebank once, together with the outputs of all systems.

About a hundred bytes are kept for each sentence, plus the structures of its tree if that is new.  Then statistics are
computed on columns, structures are mined in tables, and the few sentences shown as examples are read again.  Each
system has its own failed sentences: a structure that is suspicious for many systems is hard in itself; one that is
suspicious for a single system is that system's weakness.
"""

from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from itertools import islice
from os import SEEK_END
from pathlib import Path
from typing import NamedTuple

import numpy as np

from sgl.corpus.audit import DeclaredStructure
from sgl.foreign import TREEBANK, opened
from sgl.research.analyse import mining, scoring, statistics
from sgl.research.analyse.metrics import Skeleton, without_punctuation
from sgl.research.analyse.outputs import PredictionsError, SystemOutput
from sgl.research.analyse.predictions import some_outputs
from sgl.research.analyse.structures import StructureColumns, marked_words
from sgl.research.analyse.words import SAMPLED, SEGMENTERS, language_of
from sgl.research.treebank import Malformed, TreebankReader, TreebankSentence

#: Relations with fewer edges say little about the freedom of their order.
_FEWEST_EDGES = 10

#: The most structures that are kept, and how many of them have an example.
_KEPT, _WITH_EXAMPLE = 100, 20


class Analysis(NamedTuple):
    """All findings of an analysis.

    ``unusable`` has the paths of predictions that could not be scored, each with its error.  ``data`` is the object of
    ``--json`` (``docs/analyse.md``), from which all tables are made.
    """

    treebank: scoring.TreebankMeasures
    systems: tuple[scoring.SystemScores, ...]
    unusable: tuple[tuple[Path, PredictionsError], ...]
    data: scoring.Json


def analyse(
    path: Path,
    predictions: Sequence[tuple[str, Path]] = (),
    settings: scoring.AnalysisSettings | None = None,
    advance: Callable[[int, int], None] = lambda _done, _all: None,
    declared: Sequence[DeclaredStructure] = (),
) -> Analysis:
    """Analyse a treebank and the predictions of systems (name and file) for its sentences.

    From time to time ``advance`` is called with the bytes read and the total.  The ``declared`` structures are searched
    in the trees; ``OccurrenceError`` is raised if that takes too long.
    """
    chosen = settings or scoring.AnalysisSettings()
    if predictions and chosen.tokenizer == "marks":
        chosen = _segmented(path, chosen)
    given = [scoring.SystemScores(name, file, chosen) for name, file in predictions]
    _each(given, scoring.SystemScores.open)
    collectors = [mining.Collector(view, *chosen.nodes) for view in chosen.views] if given else []
    treebank, columns = scoring.TreebankMeasures(path, chosen.by), StructureColumns(declared)
    _collect(treebank, columns, given, collectors, chosen, advance)
    _each(given, scoring.SystemScores.finish)
    treebank.finish()
    columns.finish()
    systems = tuple([system for system in given if system.fault is None])
    unusable = tuple([(s.path, s.fault) for s in given if s.fault is not None])
    failed = {system.name: failed_sentences(system, chosen.failure) for system in systems}
    data = {
        "settings": chosen._asdict() | {"judgements": chosen.judgements and str(chosen.judgements)},
        "judged": list(systems[0].columns)[2:] if systems else [],
        "treebank": treebank.data(),
        "groups": [_group(name, inside, treebank, systems) for name, inside in treebank.groups.items()],
        "structures": _structures(columns, treebank, systems),
        "impossible": columns.impossible(),
        "systems": [system.data(int(failed[system.name].sum())) for system in systems],
        "unusable": [{"path": str(p), "message": f.message, "details": list(f.notes)} for p, f in unusable],
        **_tests(treebank, systems),
        "mined": [find_suspects(treebank, systems, failed, c, chosen) for c in collectors] if systems else [],
    }
    return Analysis(treebank, systems, unusable, data)


def _segmented(path: Path, settings: scoring.AnalysisSettings) -> scoring.AnalysisSettings:
    """Return settings with the segmenter for the language of a treebank, if it is installed."""
    blocks = islice(TreebankReader().read(path), SAMPLED)
    forms = (word.form for block in blocks if isinstance(block, TreebankSentence) for word in block.words)
    language = language_of(forms)
    found = language == "ja" or (language == "zh" and find_spec("jieba"))
    return settings._replace(tokenizer=SEGMENTERS[language]) if found else settings


def _collect(
    treebank: scoring.TreebankMeasures,
    columns: StructureColumns,
    systems: Sequence[scoring.SystemScores],
    collectors: Sequence[mining.Collector],
    settings: scoring.AnalysisSettings,
    advance: Callable[[int, int], None],
) -> None:
    """Add every sentence of the treebank to all measures, searches, scores and collectors."""
    with opened(treebank.path, TREEBANK) as stream:
        size = stream.seek(0, SEEK_END)
    for number, block in enumerate(TreebankReader().read(treebank.path)):
        if number % 500 == 0:
            advance(block.end, size)
        if isinstance(block, Malformed):
            treebank.skip(block)
            _each(systems, scoring.SystemScores.skip, block)
            continue
        skeleton = skeleton_of(block, settings)
        treebank.add(number, block, skeleton)
        columns.add(block)
        for collector in collectors:
            collector.add(block.words, skeleton)
        if systems:
            _each(systems, scoring.SystemScores.add, scoring.GoldSentence(block, skeleton, settings))


def skeleton_of(sentence: TreebankSentence, settings: scoring.AnalysisSettings) -> Skeleton:
    """Return the tree of a sentence, with or without its punctuation."""
    whole = Skeleton(sentence.heads, tuple(range(len(sentence.words))))
    return whole if settings.keep_punctuation else without_punctuation(sentence.words)


def _each(systems: Sequence[scoring.SystemScores], step: Callable[..., None], *given: object) -> None:
    for system in (system for system in systems if system.fault is None):
        try:
            step(system, *given)
        except PredictionsError as problem:
            system.fault = problem


def _group(
    name: str, inside: scoring.Ints, bank: scoring.TreebankMeasures, systems: Sequence[scoring.SystemScores]
) -> scoring.Json:
    """Return the means of some sentences of the treebank."""
    return {
        "group": name,
        "sentences": len(inside),
        "projective": int(bank.projective[inside].sum()),
        "measures": {key: scoring.mean(column[inside]) for key, column in bank.columns.items()},
        "systems": {
            system.name: {key: scoring.mean(column[inside]) for key, column in system.columns.items()}
            | {"exact": int(system.exact[inside].sum())}
            for system in systems
        },
    }


def _structures(
    columns: StructureColumns, bank: scoring.TreebankMeasures, systems: Sequence[scoring.SystemScores]
) -> list[scoring.Json]:
    """Return the means of the sentences with each declared structure, with the shortest of them as an example."""
    reader, found = TreebankReader(), list[scoring.Json]()
    for one, inside in zip(columns.declared, columns.places(), strict=True):
        lines, example = bank.places[inside, 1].tolist(), None
        if len(inside):
            shortest = inside[bank.columns["length"][inside].argmin()]
            sentence = reader.read_again(bank.path, *bank.places[shortest, 1:].tolist())
            if isinstance(sentence, TreebankSentence):
                example = _drawn(sentence) | {"marked": marked_words(one, sentence)}
        own = {"structure": str(one.structure), "pattern": one.pattern, "role": one.role, "lines": lines}
        found.append(_group(one.name, inside, bank, systems) | own | {"example": example})
    return found


def _tests(treebank: scoring.TreebankMeasures, systems: Sequence[scoring.SystemScores]) -> scoring.Json:
    """Return the tests by system, each corrected for its family.

    Correlations are a family for each system, or for the treebank alone if there are no systems.  The projectivity
    tests of all scores of all systems are one family.  So are the tests of freedom, which correlate over relations how
    free the order of an edge is with how often outputs keep it.
    """
    columns: dict[str, Mapping[str, statistics.Values]]
    columns = {system.name: {**treebank.columns, **system.columns} for system in systems}
    tests = [
        statistics.projectivity_test(score, values, treebank.projective)
        for system in systems
        for score, values in system.columns.items()
    ]
    projectivity = (test._asdict() for test in statistics.corrected(tests))
    free = {label: sides.entropy for label, sides in treebank.relations.items() if sides.edges >= _FEWEST_EDGES}
    freedom = []
    for system in systems:
        shares = np.array([system.relations[label].share for label in free], np.float64)
        freedom.append(statistics.spearman("entropy", "dea", np.array([*free.values()]), shares))
    return {
        "correlations": {
            name: [test._asdict() for test in statistics.correlations(found)]
            for name, found in (columns or {"": treebank.columns}).items()
        },
        "projectivity": {system.name: [next(projectivity) for _ in system.columns] for system in systems},
        "freedom": {s.name: test._asdict() for s, test in zip(systems, statistics.corrected(freedom), strict=True)},
    }


def failed_sentences(system: scoring.SystemScores, failure: str | float) -> scoring.Flags:
    """Return the sentences that a system has failed.

    With ``quartile``, these have a BLEU in the lowest quarter and are not exact, as even a perfect output of two words
    has a low BLEU.
    """
    if failure == "inexact":
        return ~system.exact
    if failure == "quartile":
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
    """Return the suspicious structures of one view, those with the worst mean over their systems first."""
    table = mining.collapsed(mining.frequent(collector.table(), settings.support))
    by_tree = [collector.by_tree(failed[system.name]) for system in systems]
    blamed = np.array([mining.suspicion(table, counts, settings.rounds) for counts in by_tree])
    scored = mining.scores(table, blamed)
    found = blamed, scored, np.array([table.failing(counts) for counts in by_tree])
    suspicious = blamed > 0
    coverage = suspicious.sum(axis=0)
    average = (scored * suspicious).sum(axis=0) / np.maximum(coverage, 1)
    texts, support = [subtree.text for subtree in table.subtrees], table.support.tolist()
    order = sorted(np.flatnonzero(coverage).tolist(), key=lambda at: (-coverage[at], -average[at], texts[at]))
    suspects: list[scoring.Json] = [
        {
            "structure": texts[at],
            "words": table.subtrees[at].words,
            "sentences": support[at],
            "score": float(average[at]),
            "coverage": int(coverage[at]),
            "systems": [
                {"system": system.name, "suspicion": blame, "score": score, "failed": number}
                for system, blame, score, number in zip(
                    systems, *(column[:, at].tolist() for column in found), strict=True
                )
                if blame > 0
            ],
            "example": None,
        }
        for at in order[:_KEPT]
    ]
    # An example comes from the system for which the structure is worst.
    worst = np.where(suspicious, scored, -np.inf).argmax(axis=0)
    lengths = treebank.columns["length"]
    reader = TreebankReader()
    examples: dict[scoring.SystemScores, list[_Example]] = {}
    for suspect, at in zip(suspects, order[:_WITH_EXAMPLE], strict=False):
        system = systems[worst[at]]
        fitting = np.isin(collector.of_sentence, table.times[[at]].indices)
        places = np.flatnonzero(fitting & failed[system.name])
        place = int(places[lengths[places].argmin()])
        number, line, offset = treebank.places[place].tolist()
        sentence = reader.read_again(treebank.path, line, offset)
        if isinstance(sentence, TreebankSentence):
            examples.setdefault(system, []).append((suspect, sentence, number, float(system.bleu[place])))
    for system, chosen in examples.items():
        _add_examples(system, chosen, collector.view, settings)
    return {
        "view": collector.view,
        "structures": len(table.subtrees),
        "too_broad": collector.too_broad,
        "suspects": suspects,
    }


#: A suspect, a sentence that has it, the index of the sentence's block, and the BLEU of the output.
_Example = tuple[scoring.Json, TreebankSentence, int, float]


def _add_examples(
    system: scoring.SystemScores, examples: Sequence[_Example], view: str, settings: scoring.AnalysisSettings
) -> None:
    wanted = {number: sentence.comment("sent_id") for _, sentence, number, _ in examples}
    outputs = some_outputs(system.path, "form", wanted)
    for suspect, sentence, number, bleu in examples:
        skeleton = skeleton_of(sentence, settings)
        labels = mining.labels_of(sentence.words, skeleton, view)
        marked = mining.occurrence(skeleton.heads, labels, suspect["structure"]) or ()
        text, said = outputs.get(number, SystemOutput(""))[:2]
        suspect["example"] = _drawn(sentence) | {
            "system": system.name,
            "bleu": bleu,
            "marked": sorted(skeleton.kept[place] for place in marked),
            "output": text if said is None else " ".join(said),
        }


def _drawn(sentence: TreebankSentence) -> scoring.Json:
    """Return the tree of a sentence as it is drawn."""
    return {
        "sent_id": sentence.comment("sent_id") or "",
        "line": sentence.line,
        "words": [{"form": word.form, "upos": word.upos} for word in sentence.words],
        "arcs": [
            {"governor": word.head - 1, "label": word.deprel, "dependent": place}
            for place, word in enumerate(sentence.words)
            if word.head
        ],
        "root": sentence.heads.index(0),
    }
