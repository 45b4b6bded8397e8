"""Does every sentence parse back to what it was drawn from, from every language?

Draws sentences from every part of every split of a grammar, without any rejection, and
from the grammar as it is written; writes each in every text layer, joined as that layer
is, and parses the text with the whole grammar.  Among the readings has to be one with
the same texts in the other layers and the same graphs::

    python benchmarks/models.py roundtrip grammars/sget.sgl --items 5000 --json roundtrip.json

So many sentences are drawn of each category (the in-distribution part of train, the
exposures of a pattern, its items, …) and ten times as many of the grammar; a sentence
that is drawn again is counted and not parsed again.  Failures are printed with their
sentences, and the exit status is then 1.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from operator import contains
from pathlib import Path

from common import Json, Workers, command_line, print_table, run_tasks, write_json
from opening import candidates, opened
from sgl.core.extent import Extent
from sgl.core.grammar import CoreGrammar
from sgl.core.interpret import Derivation, Item, fold, interpret
from sgl.core.plan import Constraint, Stratum
from sgl.frontend import Compiled
from sgl.parsing import BatchParser, Forest, Parser

#: The grammar as it is written, and how many times as many sentences of it are drawn.
WHOLE, FACTOR = "grammar as written", 10

#: Readings that are compared with the sentence where none is the derivation itself.
COMPARED = 1_000

#: Sentences that are parsed together.
CHUNK = 5_000

#: Failures that are kept of each part.
KEPT = 20


def main() -> int:
    """Run the round trips; the exit status is 1 if a sentence does not come back."""
    parser = command_line(__doc__, results=True)
    parser.add_argument("grammar", type=Path)
    parser.add_argument("--items", type=int, default=5_000, help="sentences of each category")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    compiled = opened(options.grammar)
    result = round_trips(compiled, options.items, options.seed, Workers(options.jobs))
    show(result)
    write_json(options.json, result)
    return 1 if result["failures"] else 0


def round_trips(compiled: Compiled, items: int, seed: int, workers: Workers) -> Json:
    """The figures of every part, their sums, and the sentences that do not come back."""
    parts = parts_of(compiled, items)
    layers = compiled.grammar.text_layers
    parsers = [Parser(compiled.grammar, number) for number in range(len(layers))]
    batches = [BatchParser(parser) for parser in parsers]
    for batch in batches:
        batch.read_compiled([""])  # what is loaded here need not be loaded by every worker
    grammar = compiled.grammar

    def work(name: str) -> Json:
        return of_part(candidates(compiled, parts[name], seed), parsers, batches, grammar)

    results = run_tasks(list(parts), work, workers, "")
    sums: Counter[str] = Counter()
    for found in results.values():
        sums.update(found["figures"])
    return {
        "layers": [layer.name for layer in layers],
        "parts": {name: found["figures"] for name, found in results.items()},
        "all": dict(sums),
        "failures": [failure for found in results.values() for failure in found["failures"]],
    }


def parts_of(compiled: Compiled, items: int) -> dict[str, list[Stratum]]:
    """The strata of each category of each split, sharing its sentences, and the grammar."""
    groups: dict[str, list[Stratum]] = {}
    for stratum in compiled.plan.strata:
        groups.setdefault(f"{stratum.split}/{stratum.category}", []).append(stratum)
    parts = {
        name: [replace(s, extent=replace(s.extent, count=-(-items // len(strata)), repeated=True)) for s in strata]
        for name, strata in groups.items()
    }
    parts[WHOLE] = [Stratum(WHOLE, WHOLE, WHOLE, Extent(FACTOR * items, repeated=True), Constraint())]
    return parts


def of_part(
    derivations: Iterator[Derivation], parsers: Sequence[Parser], batches: Sequence[BatchParser], grammar: CoreGrammar
) -> Json:
    """The figures of one part; times are CPU seconds of parsing alone."""
    figures: Counter[str] = Counter()
    failures: list[Json] = []
    for items in items_of(derivations, grammar, figures):
        figures["sentences"] += len(items)
        for parser, batch in zip(parsers, batches, strict=True):
            name = parser.grammar.text_layers[parser.layer].name
            started = time.process_time()
            read = readings(parser, batch, [item.texts[parser.layer] for item in items])
            figures[f"{name} seconds"] += time.process_time() - started  # type: ignore[assignment]
            for item, found in zip(items, read, strict=True):
                figures[f"{name} ambiguous"] += isinstance(found, Forest) and found.count > 1
                if found != item.derivation and not comes_back(packed(parser, found), item):
                    figures[f"{name} failures"] += 1
                    if len(failures) < KEPT:
                        failures.append({"from": name, "texts": list(item.texts)})
    return {"figures": dict(figures), "failures": failures}


def items_of(derivations: Iterator[Derivation], grammar: CoreGrammar, figures: Counter[str]) -> Iterator[list[Item]]:
    """The different derivations with their texts, many at a time; all are counted."""
    seen: set[Derivation] = set()
    while drawn := list(islice(derivations, CHUNK)):
        figures["drawn"] += len(drawn)
        new = [derivation for derivation in dict.fromkeys(drawn) if derivation not in seen]
        seen.update(new)
        yield [interpret(grammar, derivation) for derivation in new]


def readings(parser: Parser, batch: BatchParser, texts: Sequence[str]) -> list[Derivation | Forest | None]:
    """The only reading of each text, or its forest where there are several."""
    found = batch.read_compiled(texts)
    return [
        derivation if count == 1 else parser.forest(text)
        for text, count, derivation in zip(texts, found.counts.tolist(), found.derivations, strict=True)
    ]


def packed(parser: Parser, found: Derivation | Forest | None) -> Forest | None:
    """The readings as a forest."""
    return Forest.of_one(parser.grammar, found) if isinstance(found, tuple) else found


def has_reading(forest: Forest, derivation: Derivation) -> bool:
    """Whether a derivation is one of the readings of a forest, which may have more than can be listed."""
    uses: dict[int, list[tuple[int, tuple[int, ...]]]] = {}
    for number, node in enumerate(forest.nodes):
        for alternative in node.alternatives:
            uses.setdefault(alternative.rule, []).append((number, alternative.children))

    def places(rule: int, below: tuple[set[int], ...]) -> set[int]:
        return {number for number, children in uses.get(rule, ()) if all(map(contains, below, children))}

    return len(forest.nodes) - 1 in fold(derivation, forest.grammar.arity, places)


def comes_back(forest: Forest | None, item: Item) -> bool:
    """Whether some reading says what the item says in every layer.

    Where a layer drops a child that could have been infinitely many things, a reading
    other than the derivation may do.
    """
    if forest is None:
        return False
    return has_reading(forest, item.derivation) or any(
        (reading.texts, reading.graphs) == (item.texts, item.graphs)
        for reading in (interpret(forest.grammar, d) for d in forest.readings(COMPARED))
    )


def show(result: Json) -> None:
    """One line for each part, the sum, and what failed."""
    header = ["part", "drawn", "sentences"]
    for layer in result["layers"]:
        header += [f"{layer}/s", "ambiguous", "failures"]
    rows = [*result["parts"].items(), ("all", result["all"])]
    print_table(header, [_row(name, figures, result["layers"]) for name, figures in rows])
    for failure in result["failures"]:
        print(f"not read back from {failure['from']}: {' | '.join(failure['texts'])}")


def _row(name: str, figures: Json, layers: Sequence[str]) -> list[object]:
    row: list[object] = [name, figures.get("drawn", 0), figures.get("sentences", 0)]
    for layer in layers:
        seconds = figures.get(f"{layer} seconds", 0.0)
        row += [
            round(figures.get("sentences", 0) / seconds) if seconds else 0,
            figures.get(f"{layer} ambiguous", 0),
            figures.get(f"{layer} failures", 0),
        ]
    return row
