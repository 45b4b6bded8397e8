"""Analyse a treebank together with the outputs of all systems.

Statistics are computed on columns, and structures are mined in tables.  Each system has its own failed sentences: a
structure that is suspicious for many systems is hard in itself; one that is suspicious for a single system is that
system's weakness.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import numpy as np

from sgl.corpus.audit import DeclaredStructure
from sgl.research.analyse import mining, scoring, statistics
from sgl.research.analyse.outputs import PredictionsError, SystemOutput
from sgl.research.analyse.structures import impossible, marked_words, sentences_with
from sgl.research.analyse.words import SAMPLED, SEGMENTERS, language_of
from sgl.research.treebank import TreebankSentence

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

    From time to time ``advance`` is called with how much of a step is done, and the total.  The ``declared`` structures
    are searched in the trees; ``OccurrenceError`` is raised if that takes too long.
    """
    chosen = settings or scoring.AnalysisSettings()
    treebank = scoring.TreebankMeasures(path, chosen, advance)
    if predictions and chosen.tokenizer == "marks":
        chosen = _segmented(treebank, chosen)
    systems, unusable = _scored(predictions, chosen, treebank, advance)
    having = list(zip(declared, sentences_with(declared, treebank.sentences), strict=True))
    never = [one for one, inside in having if not len(inside)]
    failed = {system.name: failed_sentences(system, chosen.failure) for system in systems}
    data = {
        "settings": chosen._asdict() | {"judgements": chosen.judgements and str(chosen.judgements)},
        "judged": list(systems[0].columns)[2:] if systems else [],
        "treebank": treebank.data(),
        "groups": [_group(name, inside, treebank, systems) for name, inside in treebank.groups.items()],
        "structures": [_structure(one, inside, treebank, systems) for one, inside in having],
        "impossible": impossible(never, treebank.sentences) if never else {},
        "systems": [system.data(int(failed[system.name].sum())) for system in systems],
        "unusable": [{"path": str(p), "message": f.message, "details": list(f.notes)} for p, f in unusable],
        **_tests(treebank, systems),
        "mined": [find_suspects(treebank, systems, failed, view, chosen, advance) for view in chosen.views if systems],
    }
    return Analysis(treebank, systems, unusable, data)


def _scored(
    predictions: Iterable[tuple[str, Path]],
    settings: scoring.AnalysisSettings,
    bank: scoring.TreebankMeasures,
    advance: Callable[[int, int], None],
) -> tuple[tuple[scoring.SystemScores, ...], tuple[tuple[Path, PredictionsError], ...]]:
    """Return the scores of systems, and the files that cannot be scored, each with its error."""
    scored, unusable = list[scoring.SystemScores](), list[tuple[Path, PredictionsError]]()
    for name, file in predictions:
        try:
            scored.append(scoring.SystemScores(name, file, settings, bank, advance))
        except PredictionsError as fault:
            unusable.append((file, fault))
    return tuple(scored), tuple(unusable)


def _segmented(bank: scoring.TreebankMeasures, settings: scoring.AnalysisSettings) -> scoring.AnalysisSettings:
    """Return settings with the segmenter for the language of a treebank, if it is installed."""
    language = language_of(word.form for sentence in bank.sentences[:SAMPLED] for word in sentence.words)
    found = language == "ja" or (language == "zh" and find_spec("jieba"))
    return settings._replace(tokenizer=SEGMENTERS[language]) if found else settings


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


def _structure(
    one: DeclaredStructure,
    inside: scoring.Ints,
    bank: scoring.TreebankMeasures,
    systems: Sequence[scoring.SystemScores],
) -> scoring.Json:
    """Return the means of the sentences with a declared structure, with the shortest of them as an example."""
    lines, example = [bank.sentences[place].line for place in inside], None
    if len(inside):
        sentence = bank.sentences[inside[bank.columns["length"][inside].argmin()]]
        example = _drawn(sentence) | {"marked": marked_words(one, sentence)}
    own = {"structure": str(one.structure), "pattern": one.pattern, "role": one.role, "lines": lines}
    return _group(one.name, inside, bank, systems) | own | {"example": example}


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
    view: str,
    settings: scoring.AnalysisSettings,
    advance: Callable[[int, int], None],
) -> scoring.Json:
    """Return the suspicious structures of one view, those with the worst mean over their systems first."""
    read = zip(treebank.sentences, treebank.skeletons, strict=True)
    trees = [(skeleton.heads, mining.labels_of(sentence.words, skeleton, view)) for sentence, skeleton in read]
    mined = mining.MinedTrees(trees, lambda tree: mining.subtrees(tree[0], tree[1], *settings.nodes), advance)
    table = mining.collapsed(mining.frequent(mined.table(), settings.support))
    by_tree = [mined.by_tree(failed[system.name]) for system in systems]
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
    for suspect, at in zip(suspects, order[:_WITH_EXAMPLE], strict=False):
        system = systems[worst[at]]
        fitting = np.isin(mined.of_sentence, table.times[[at]].indices)
        places = np.flatnonzero(fitting & failed[system.name])
        place = int(places[lengths[places].argmin()])
        suspect["example"] = _example(treebank, system, place, suspect["structure"], view)
    return {"view": view, "structures": len(table.subtrees), "too_broad": mined.too_broad, "suspects": suspects}


def _example(
    bank: scoring.TreebankMeasures, system: scoring.SystemScores, place: int, structure: str, view: str
) -> scoring.Json:
    """Return a sentence that has a structure, with the output of a system."""
    sentence, skeleton = bank.sentences[place], bank.skeletons[place]
    labels = mining.labels_of(sentence.words, skeleton, view)
    marked = mining.occurrence(skeleton.heads, labels, structure) or ()
    text, said = (system.said[place] or SystemOutput(""))[:2]
    return _drawn(sentence) | {
        "system": system.name,
        "bleu": float(system.bleu[place]),
        "marked": sorted(skeleton.kept[at] for at in marked),
        "output": text if said is None else " ".join(said),
    }


def _drawn(sentence: TreebankSentence) -> scoring.Json:
    """Return the tree of a sentence as it is drawn."""
    return {
        "sent_id": sentence.sent_id or "",
        "line": sentence.line,
        "words": [{"form": word.form, "upos": word.upos} for word in sentence.words],
        "arcs": [
            {"governor": word.head - 1, "label": word.deprel, "dependent": place}
            for place, word in enumerate(sentence.words)
            if word.head
        ],
        "root": sentence.heads.index(0),
    }
