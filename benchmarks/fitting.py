r"""How close to the published training data of SGET are the sentences of a setting?

    python benchmarks/fitting.py grammars/sget.sgl train.tsv --only in_distribution \
        --set published=on

draws sentences of the in-distribution part of training, with the declared weights and with ``--set weights=published``,
and compares them with the published ones:

- **constructs**: the 18 kinds of main clauses, distinguished by the tense of the main verb
  and its dependents, and counted in the published sentences.  The figure is the total
  variation distance: the share of sentences that would have to be of another kind.  It is
  shown with the distance expected of a sample of this size from the published
  distribution itself.
- **words**: for each lexicon with enough words, Spearman's rank correlation between their
  frequency in the corpus and their expected frequency, over the words that the corpus has
  and the split may contain.

The sample may repeat a sentence, as the published data may.  *Distinct* are the figures for as many sentences as the
dataset asks for, all different, as ``sglc compile`` draws them where the grammar says ``distinct sentences``.

The exit status is 1 if the estimated weights miss what is promised: at most 0.01 for constructs, at least 0.98 for
words (except adjectives, which are equally frequent).
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import pi, sqrt
from pathlib import Path

import numpy as np

from common import Json, command_line, print_table, write_json
from opening import opened
from sgl.core.grammar import LEXICONS, CoreGrammar
from sgl.core.graph import Graph
from sgl.core.interpret import Derivation, derive_graph, derive_tokens, finish
from sgl.corpus import Normalizer
from sgl.corpus.fit import collect
from sgl.frontend import Compiled
from sgl.parsing import Parser
from sgl.pipeline.expectations import SplitSelection

#: What is promised of the estimated weights.
DISTANCE, CORRELATION = 0.01, 0.98

SETTINGS = {"declared": "declared", "estimated": "published"}

#: In-distribution training sentences of SGET (Kumon, Matsuoka & Yanaka 2024) by their main clause: tense and voice of
#: the verb, and its dependents.
PUBLISHED: Mapping[str, int] = {
    "past nsubj": 6270,
    "past nsubj obj": 4167,
    "pres nsubj obj": 1967,
    "past iobj nsubj obj": 1799,
    "past nsubj obj obl:to": 1755,
    "passive nsubj:pass": 4388,
    "passive nsubj:pass obl:agent": 4212,
    "passive nsubj:pass obj": 1986,
    "passive nsubj:pass obj obl:agent": 1877,
    "passive nsubj:pass obl:to": 2114,
    "passive nsubj:pass obl:agent obl:to": 1903,
    "past ccomp nsubj": 3236 + 48,
    "past nsubj xcomp": 1808,
    "did nsubj ~obj=what": 905,
    "did nsubj ~obj=who": 707,
    "past nsubj=who obj": 629,
    "past nsubj ~obj": 168,
    "past iobj nsubj ~obj": 37,
}

#: How often each rule is used.
Uses = Mapping[int, float]

#: The number of words, and of uses in the corpus, that a class needs for a rank correlation.
_ENOUGH_WORDS, _ENOUGH_USES = 10, 300

#: Classes whose words are equally frequent in the published data except for chance, so that their ranks say nothing.
_UNIFORM = frozenset({"animate_adjectives", "inanimate_adjectives"})

#: Features that divide a lexicon into classes.
_DIVIDED = re.compile(r"(?:prep|kind)=(\w+)")

#: Dependents of a verb that do not distinguish constructs.
_IGNORED = frozenset({"punct", "aux:pass", "mark", "cc", "conj", "case", "~nsubj:xsubj"})


def main() -> int:
    """Run the comparison and return the exit status."""
    options = _options()
    started = time.process_time()
    result: Json = {"items": options.items}
    for name, value in SETTINGS.items():
        settings = {**dict(pair.split("=", 1) for pair in options.set), "weights": value}
        compiled = opened(options.grammar, settings)
        result[name] = compare(compiled, options.corpus, options.only, options.items)
    report(result)
    print(f"{time.process_time() - started:.0f} s of processor time")
    write_json(options.json, result)
    return int(not as_promised(result["estimated"]))


def _options() -> argparse.Namespace:
    parser = command_line(__doc__, results=True)
    parser.add_argument("grammar", type=Path)
    parser.add_argument("corpus", type=Path, nargs="+", help="the published training sentences")
    parser.add_argument("--only", action="append", default=[], help="rows of this kind")
    parser.add_argument("--set", action="append", default=[], help="NAME=VALUE, as for sglc")
    parser.add_argument("--items", type=int, default=200_000, help="sentences of a sample")
    return parser.parse_args()


def compare(compiled: Compiled, corpora: Sequence[Path], kinds: Sequence[str], items: int) -> Json:
    """Return the figures of one setting."""
    corpus = corpus_uses(compiled, corpora, kinds)
    selection = SplitSelection(compiled, "train")
    weights = np.array([rule.weight for rule in compiled.grammar.rules])
    selection.refresh(weights)
    expected = dict(enumerate(selection.kept(weights).tolist()))
    drawn = selection.draw(weights, items)
    kept = [tuple(derivation) for derivation in drawn if not selection.repeats(derivation)]
    constructs = Constructs(compiled.grammar)
    distinct = constructs.count(_distinct(compiled, kept))
    return {
        "accepted": len(kept) / items,
        "constructs": distance(constructs.count(kept), PUBLISHED),
        "by chance": by_chance(PUBLISHED, len(kept)),
        "constructs, distinct": distance(distinct, PUBLISHED),
        "distinct": distinct.total(),
        "words": correlations(compiled, corpus, expected),
        "words left out": left_out(compiled, corpus, expected),
        "shares": {
            name: [PUBLISHED.get(name, 0) / sum(PUBLISHED.values()), number / len(kept)]
            for name, number in sorted(constructs.count(kept).items())
        },
    }


# ---- constructs


@dataclass
class Constructs:
    """Count the main clauses of derivations by construct."""

    grammar: CoreGrammar

    def count(self, derivations: Iterable[Derivation]) -> Counter[str]:
        """Count the derivations of each construct."""
        return Counter(construct(derive_graph(self.grammar, d, 0)) for d in derivations)


def construct(graph: Graph) -> str:
    """Return the tense or voice of the main verb, with its dependents: ``past nsubj obj``."""
    verb = graph.nodes[graph.head]
    tense = "passive" if verb.get("Voice") == "Pass" else verb.get("Tense").lower()
    labels = []
    for source, label, target in graph.edges:
        if source != graph.head or label in _IGNORED:
            continue
        dependent = graph.nodes[target]
        if label == "aux":
            tense = "did"
        else:
            asked = dependent.get("PronType") == "Int"
            labels.append(f"{label}={dependent.get('lemma')}" if asked else label)
    return " ".join([tense, *sorted(labels, key=lambda label: (label.startswith("~"), label))])


def distance(first: Mapping[str, int], second: Mapping[str, int]) -> float:
    """Return the total variation distance between two distributions given by counts."""
    left, right = sum(first.values()), sum(second.values())
    names = {*first, *second}
    return sum(abs(first.get(n, 0) / left - second.get(n, 0) / right) for n in names) / 2


def by_chance(counts: Mapping[str, int], items: int) -> float:
    """Return the expected distance between a distribution and a sample of it."""
    total = sum(counts.values())
    shares = [number / total for number in counts.values()]
    return sum(sqrt(2 * p * (1 - p) / (pi * items)) for p in shares) / 2


def _distinct(compiled: Compiled, derivations: Iterable[Derivation]) -> list[Derivation]:
    """Return the first derivations of different sentences, as many as training asks for."""
    (stratum,) = [s for s in compiled.plan.strata if s.stream == "train/in_distribution"]
    layer = compiled.grammar.text_layer(compiled.plan.source)
    found: dict[str, Derivation] = {}
    for derivation in derivations:
        text = finish(compiled.grammar.text_layers[layer], derive_tokens(compiled.grammar, derivation, layer))
        found.setdefault(text, derivation)
        if len(found) == stratum.count:
            break
    return list(found.values())


# ---- words


def corpus_uses(compiled: Compiled, corpora: Sequence[Path], kinds: Sequence[str]) -> Uses:
    """Return how often each rule is used in the corpus."""
    parser = Parser(compiled.grammar)
    normalizer = Normalizer(compiled.grammar.text_layers[0], parser.vocabulary, ("spacing",))
    return collect(parser, corpora, lambda *_: None, kinds=kinds, normalizer=normalizer).certain


def correlations(compiled: Compiled, corpus: Uses, expected: Uses) -> dict[str, Json]:
    """Return Spearman's correlation for each class of words, over those that the corpus has."""
    classes: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for (name, _), numbers in by_word(compiled, corpus, expected).items():
        if all(numbers):
            classes[name].append(numbers)
    return {
        name: {"words": len(numbers), "correlation": spearman([c for c, _ in numbers], [e for _, e in numbers])}
        for name, numbers in sorted(classes.items())
        if len(numbers) >= _ENOUGH_WORDS and sum(c for c, _ in numbers) >= _ENOUGH_USES
    }


def left_out(compiled: Compiled, corpus: Uses, expected: Uses) -> dict[str, int]:
    """Return the words of the corpus that the split may not contain, with their uses."""
    uses = by_word(compiled, corpus, expected)
    return {word: int(c) for (_, word), (c, e) in sorted(uses.items()) if c and not e}


def by_word(compiled: Compiled, corpus: Uses, expected: Uses) -> dict[tuple[str, str], tuple[float, float]]:
    """Return the uses of each word of a class in any form: in the corpus, and as expected.

    A class is a lexicon; the lexicon of places is divided by the preposition.
    """
    found: dict[tuple[str, str], tuple[float, float]] = defaultdict(lambda: (0.0, 0.0))
    for rule, key in enumerate(compiled.rule_keys):
        if key.section == LEXICONS:
            kind = _DIVIDED.search(key.category)
            name = f"{key.name} {kind[1]}" if kind is not None else key.name
            before = found[name, key.part]
            found[name, key.part] = (before[0] + corpus[rule], before[1] + expected[rule])
    return found


def spearman(first: Sequence[float], second: Sequence[float]) -> float:
    """Return the rank correlation; equal values share the mean of their ranks."""
    return float(np.corrcoef(_ranks(first), _ranks(second))[0, 1])


def _ranks(values: Sequence[float]) -> list[float]:
    order = sorted(values)
    mean = {value: (order.index(value) + len(order) - 1 - order[::-1].index(value)) / 2 for value in set(values)}
    return [mean[value] for value in values]


# ---- the result


def as_promised(figures: Json) -> bool:
    """Return whether one setting is as close as promised."""
    lowest = min(entry["correlation"] for name, entry in figures["words"].items() if name not in _UNIFORM)
    return bool(figures["constructs"] <= DISTANCE and lowest >= CORRELATION)


def report(result: Json) -> None:
    """Print the tables."""
    rows = [
        ["constructs", *(result[name]["constructs"] for name in SETTINGS)],
        ["  by chance alone", *(result[name]["by chance"] for name in SETTINGS)],
        ["constructs, distinct", *(result[name]["constructs, distinct"] for name in SETTINGS)],
    ]
    print_table(["total variation distance", *SETTINGS], _written(rows, 4))
    print()
    rows = [
        [f"{name} ({entry['words']})", *(result[setting]["words"][name]["correlation"] for setting in SETTINGS)]
        for name, entry in result["estimated"]["words"].items()
    ]
    print_table(["rank correlation of words", *SETTINGS], _written(rows, 3))
    found = result["estimated"]["words left out"]
    print("of the corpus, but not of this split:", ", ".join(f"{w} {n}" for w, n in found.items()))
    print()
    shares = {setting: result[setting]["shares"] for setting in SETTINGS}
    rows = [
        [name, number / sum(PUBLISHED.values()), *(shares[setting].get(name, (0, 0.0))[1] for setting in SETTINGS)]
        for name, number in PUBLISHED.items()
    ]
    print_table(["share of sentences", "published", *SETTINGS], _written(rows, 4))


def _written(rows: Iterable[Sequence[object]], digits: int) -> list[list[object]]:
    return [[f"{c:.{digits}f}" if isinstance(c, float) else c for c in row] for row in rows]


if __name__ == "__main__":
    sys.exit(main())
