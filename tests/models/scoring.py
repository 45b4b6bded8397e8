"""Is Partial Match right about predictions whose faults are known, and how quick is it?

Takes a dataset of the SGET grammar, and makes from some items of each pattern predictions
with one known fault::

    python benchmarks/models.py scoring out/sget --items 100

==============  ==========================================  ==============================
fault           made by                                     Partial Match should be
==============  ==========================================  ==============================
none            the gold text, judged as a prediction       1
other noun      another word for a noun that is no target   1 where targets are asked for
other target    another word for a target                   0
roles           subject and object exchanged                0 if the target is one, else 1
form            another form of a target verb               0
stutter         the first word twice: no sentence any more  1 where targets are asked for
==============  ==========================================  ==============================

What should come out follows from the targets of the pattern and from the fault, not from
what the metric asks for; so patterns without targets have the first row only.  The exit
status is 1 if a gold text is wrong.  Times are CPU time.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Generic, NamedTuple, TypeVar

from common import Json, command_line, print_table, write_json
from sgl.core.grammar import CoreGrammar, Rule, Token
from sgl.core.interpret import Derivation
from sgl.core.plan import Pattern
from sgl.diagnostics import Diagnostics, SourceMap
from sgl.parsing import BatchParser, Parser
from sgl.rendering import outputs
from sgl.research.evaluate.benchmark import Benchmark, BenchmarkRow, grammar_of, read_benchmark
from sgl.research.evaluate.partial import PartialMatch
from sgl.research.evaluate.surface import Surface

#: A clause of one subject, one object and a verb.
_SIMPLE = re.compile(r"^([^がを]+)が([^がを]+)を([^がを]+。)$")
_NOUNS = ("NOUN", "PROPN")


T = TypeVar("T")


@dataclass(frozen=True)
class _Timed(Generic[T]):
    """What something has given, and the time it took."""

    value: T
    seconds: float


class Faulty(NamedTuple):
    """A prediction with a known fault, and whether it has what its pattern asks for."""

    fault: str
    row: BenchmarkRow
    text: str
    right: bool


def main() -> int:
    """Run the comparison; the result is the exit status."""
    parser = command_line(__doc__, results=True)
    parser.add_argument("dataset", type=Path)
    parser.add_argument("--items", type=int, default=100, help="of each pattern")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    result = run(options.dataset, options.items, options.seed)
    report(result)
    write_json(options.json, result)
    return 1 if result["gold wrong"] else 0


def run(dataset: Path, items: int, seed: int) -> Json:
    """The verdicts on all predictions, and the times."""
    benchmark = read_benchmark(dataset, None, None)
    compiled = grammar_of(benchmark, None, {}, SourceMap(), Diagnostics())
    if compiled is None:
        raise SystemExit("the grammar of the dataset is not at hand")
    core, plan = compiled.grammar, compiled.plan
    rows = _some(benchmark, items)
    made = list(Maker(core, plan.patterns, Random(seed)).faulty(rows))  # noqa: S311
    decide = PartialMatch(core, plan.patterns, plan.source, plan.target, plan.lemma_layer)
    decide.read([row.target for row in rows])  # compiled code is loaded
    golds = _timed(lambda: decide.golds([f.row.source for f in made], [f.row.target for f in made]))
    reads = _timed(lambda: decide.read([f.text for f in made]))
    verdicts = _timed(
        lambda: [
            decide.decide(f.row.category, gold, f.text, read)
            for f, gold, read in zip(made, golds.value, reads.value, strict=True)
        ]
    )
    counts: Counter[tuple[str, str, bool, bool]] = Counter(
        (f.fault, why.value, f.right, right) for f, (right, why) in zip(made, verdicts.value, strict=True)
    )
    gold_wrong = [
        f.row.target for f, (right, _) in zip(made, verdicts.value, strict=True) if f.fault == "none" and not right
    ]
    surface = Surface(benchmark.target)
    texts = ([f.row.target for f in made], [f.text for f in made])
    times = {
        "what the gold items say": golds.seconds,
        "what the predictions say": reads.seconds,
        "comparing both": verdicts.seconds,
        "BLEU and chrF++": _timed(lambda: surface.count(texts[0], {"": [texts[1]]})).seconds,
    }
    parser = BatchParser(Parser(core, core.text_layer(plan.target)))
    times["parsing alone"] = _timed(lambda: parser.read(texts[1])).seconds
    return {
        "patterns": len({row.category for row in rows}),
        "predictions": len(made),
        "gold wrong": gold_wrong,
        "verdicts": [[*key, number] for key, number in sorted(counts.items())],
        "microseconds": {name: 1e6 * seconds / len(made) for name, seconds in times.items()},
    }


def _timed(work: Callable[[], T]) -> _Timed[T]:
    started = time.process_time()
    value = work()
    return _Timed(value, time.process_time() - started)


def _some(benchmark: Benchmark, items: int) -> list[BenchmarkRow]:
    """The first items of each pattern."""
    met: Counter[str] = Counter()
    found: list[BenchmarkRow] = []
    for row in benchmark.rows:
        met[row.category] += 1
        if row.category in benchmark.patterns and met[row.category] <= items:
            found.append(row)
    return found


class Maker:
    """Makes predictions with known faults from gold items."""

    def __init__(self, grammar: CoreGrammar, patterns: Sequence[Pattern], random: Random) -> None:
        self._grammar = grammar
        self._targets = {pattern.name: set(pattern.targets) for pattern in patterns}
        self._random = random
        self._parser = BatchParser(Parser(grammar, grammar.text_layer("en")))
        self._ja = grammar.text_layer("ja")
        self._text = outputs(grammar)["ja"]
        self._forms: dict[tuple[str, str], list[Rule]] = {}
        for rule in grammar.rules:
            if rule.lexical:
                self._forms.setdefault(self._lemma(rule), []).append(rule)

    def faulty(self, rows: Sequence[BenchmarkRow]) -> Iterator[Faulty]:
        """The predictions for some items."""
        read = self._parser.read([row.source for row in rows])
        for row, derivation in zip(rows, read.derivations, strict=True):
            yield Faulty("none", row, row.target, True)
            if derivation and self._targets[row.category] and self._text(derivation) == row.target:
                yield from self._faults(row, derivation)

    def _faults(self, row: BenchmarkRow, derivation: Derivation) -> Iterator[Faulty]:
        rules = [self._grammar.rules[number] for number in derivation]
        targets = self._targets[row.category]
        words = [(place, rule, self._lemma(rule)[0] in targets) for place, rule in enumerate(rules) if rule.lexical]
        noun = all(self._lemma(rule)[1] in _NOUNS for _, rule, asked in words if asked)
        # With two targets in an item it is not known which of them the pattern is about.
        single = sum(asked for _, _, asked in words) == 1
        for place, rule, asked in words:
            kind = self._lemma(rule)[1]
            other = self._other_word(rule, {self._word(r) for r in rules})
            if other is not None and (single if asked else kind in _NOUNS):
                text = self._text((*derivation[:place], other.id, *derivation[place + 1 :]))
                yield Faulty("other target" if asked else "other noun", row, text, not asked)
            form = self._other_form(rule) if asked and single and not noun else ""
            if form and row.target.count(self._word(rule)) == 1:
                text = row.target.replace(self._word(rule), form)
                yield Faulty("form", row, text, False)
        simple = _SIMPLE.match(row.target)
        if simple and single:
            (target,) = (self._word(rule) for _, rule, asked in words if asked)
            moved = (noun and simple[1].endswith(target)) or simple[2].endswith(target)
            yield Faulty("roles", row, f"{simple[2]}が{simple[1]}を{simple[3]}", not moved)
        first = next((self._word(rule) for _, rule, asked in words if not asked), "")
        if first and row.target.startswith(first + "が"):
            yield Faulty("stutter", row, f"{first}、{row.target}", True)

    def _other_word(self, rule: Rule, taken: set[str]) -> Rule | None:
        """Another word of the same category, which the sentence does not have."""
        others = [r for r in self._grammar.rules_of[rule.lhs] if self._word(r) not in taken]
        return self._random.choice(others) if others else None

    def _other_form(self, rule: Rule) -> str:
        """Another form of the same verb that governs the same particle; empty without one."""
        own = self._word(rule)
        others = sorted({self._word(r) for r in self._forms[self._lemma(rule)]} - {own})
        alike = [word for word in others if word[:1] == own[:1]]
        return self._random.choice(alike) if alike else ""

    def _word(self, rule: Rule) -> str:
        return "".join(i.text for i in rule.templates[self._ja] if isinstance(i, Token))

    def _lemma(self, rule: Rule) -> tuple[str, str]:
        """The lemma and the part of speech of a word."""
        nodes = rule.fragments[0].nodes
        attributes = dict(nodes[0].attributes or ()) if nodes else {}
        return attributes.get("lemma", ""), attributes.get("upos", "")


def report(result: Json) -> None:
    """Print the tables."""
    print(f"{result['predictions']:,} predictions, {result['patterns']} patterns")
    rows = [
        [fault, why, "yes" if should else "no", "yes" if found else "no", number]
        for fault, why, should, found, number in result["verdicts"]
    ]
    print_table(("fault", "decided by", "should be right", "judged right", "number"), rows)
    agree = sum(number for _, _, should, found, number in result["verdicts"] if should == found)
    print(f"agreement: {agree:,} of {result['predictions']:,}")
    print("\nmicroseconds for a prediction (CPU time)")
    print_table(("step", "time"), [[k, round(v, 1)] for k, v in result["microseconds"].items()])
