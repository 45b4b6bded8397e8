"""How fast are sentences parsed, compared with other parsers, and how does length count?

All sides read the same grammar (the rules of one text layer) and the same sentences, drawn from it: the others as
sequences of tokens, the kernel as text that it cuts into words itself.  The kernel finds the number of readings, and
the derivation if there is only one; the others find what they are made for: all trees (NLTK ChartParser), the best tree
(NLTK ViterbiParser), a packed forest (Lark Earley)::

    python benchmarks/parsing.py grammars/sget.sgl --peers 60
    python benchmarks/parsing.py grammars/slog.sgl --peers 10 --tokens 54 --json parsing.json

Times are CPU seconds of one core, without building the parsers and loading compiled code.  The sides take turns, so
that a busy machine slows them all; the median of the rounds is shown.  Numbers of readings and probabilities are
compared, so that nobody is fast by doing less.  A peer that is not installed is skipped with a note, and one that uses
up its time reads fewer sentences.

With ``--tokens N``, sentences have at least N tokens and at most a quarter more.  Where these are rare, ``--longer``
draws recursive rules more often than the grammar says.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from math import isclose, prod
from pathlib import Path
from statistics import median
from typing import NamedTuple

import networkx as nx

from common import Json, command_line, print_table, write_json
from opening import opened
from parsing_peers import Read, Reader, Sentence, lark_reader, nltk_reader, viterbi_reader
from sgl.automata import StructureCompiler
from sgl.core.extent import Extent
from sgl.core.grammar import CoreGrammar
from sgl.core.interpret import Derivation, derive_tokens, finish
from sgl.core.plan import Constraint, Stratum
from sgl.frontend import Compiled
from sgl.parsing import BatchParser, Parser, best_readings
from sgl.sampling import pack
from sgl.sampling.engine import candidate_key, derive, stream_key

#: Sentences given to the kernel at once; fewer are repeated, because it is too quick.
BATCH = 20_000

#: Sentences of one length that are enough to measure it.
ENOUGH = 20

#: Candidates drawn for the sentences.
CANDIDATES = 3_000_000

#: The widest bar of the plot, in characters.
BAR = 50

PEERS: dict[str, Callable[[CoreGrammar], Reader]] = {
    "NLTK ChartParser": nltk_reader,
    "NLTK ViterbiParser": viterbi_reader,
    "Lark Earley": lark_reader,
}


class Timed(NamedTuple):
    """What one side found in some sentences, and its speed in sentences per CPU second."""

    found: list[Read]
    speed: float


def main() -> int:
    """Run the comparison; the exit status is 1 if a side finds something else."""
    parser = command_line(__doc__, results=True)
    parser.add_argument("grammar", type=Path)
    parser.add_argument("--sentences", type=int, default=20_000, help="sentences for the kernel")
    parser.add_argument("--peers", type=int, default=60, help="sentences for the others")
    parser.add_argument("--tokens", type=int, default=1, help="only sentences of so many tokens")
    parser.add_argument("--longer", type=float, default=1, help="factor for recursive rules")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=60, help="CPU seconds of a peer's round")
    options = parser.parse_args()
    compiled = opened(options.grammar)
    sentences = list(drawn(compiled, options.sentences, options.tokens, options.longer))
    if not sentences:
        print("no sentence of so many tokens was drawn", file=sys.stderr)
        return 2
    result = {
        "grammar": options.grammar.name,
        "rules": len(compiled.grammar.rules),
        "peers": beside_peers(compiled.grammar, sentences[: options.peers], options.rounds, options.seconds),
        "lengths": by_length(compiled.grammar, sentences),
    }
    show(result)
    write_json(options.json, result)
    return 0 if all(peer["agrees"] for peer in result["peers"]) else 1


def drawn(compiled: Compiled, number: int, tokens: int = 1, longer: float = 1) -> Iterator[Sentence]:
    """Yield different sentences of the grammar with at least ``tokens`` tokens, and at most a quarter more.

    There are fewer than ``number`` if they are too rare.
    """
    grammar, plan = lengthened(compiled.grammar, longer), compiled.plan
    stratum = Stratum("parsing", "parsing", "parsing", Extent(number, repeated=True), Constraint())
    split = StructureCompiler(grammar).split(stratum.constraint)
    tables = pack(grammar, replace(plan, strata=(stratum,)), {"parsing": split})
    key, candidate = stream_key(1, "parsing"), 0
    most = tokens * 5 // 4 if tokens > 1 else sys.maxsize
    seen: set[Sentence] = set()
    while len(seen) < number and candidate < CANDIDATES:
        derivation = derive(tables.states, tables.strata[0].start, candidate_key(key, candidate))
        candidate += 1
        if derivation is not None:
            sentence = tuple(derive_tokens(grammar, tuple(derivation), 0))
            if sentence not in seen and tokens <= len(sentence) <= most:
                seen.add(sentence)
                yield sentence


def lengthened(grammar: CoreGrammar, factor: float) -> CoreGrammar:
    """Return the grammar with the weights of recursive rules multiplied by ``factor``, then normalized."""
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(range(len(grammar.categories)))
    graph.add_edges_from((rule.lhs, child) for rule in grammar.rules for child in rule.rhs)
    circle = {c: n for n, part in enumerate(nx.strongly_connected_components(graph)) for c in part}
    weights = [
        rule.weight * (factor if any(circle[c] == circle[rule.lhs] for c in rule.rhs) else 1) for rule in grammar.rules
    ]
    totals = [sum(weights[rule.id] for rule in rules) for rules in grammar.rules_of]
    rules = tuple(replace(rule, weight=weights[rule.id] / totals[rule.lhs]) for rule in grammar.rules)
    return replace(grammar, rules=rules)


def beside_peers(grammar: CoreGrammar, sentences: Sequence[Sentence], rounds: int, seconds: float) -> list[Json]:
    """Compare each peer with the kernel on the same sentences, in turns."""
    kernel = kernel_reader(grammar)
    results: list[Json] = []
    for name, make in PEERS.items():
        try:
            reader = make(grammar)
        except ImportError:
            print(f"{name} is not installed", file=sys.stderr)
            continue
        pairs = []
        for _ in range(rounds):
            theirs = measured(reader, sentences, seconds)
            if not theirs.found:
                break
            pairs.append((theirs, kernel(sentences[: len(theirs.found)])))
        if not pairs:
            print(f"{name} does not read one of these sentences in its time", file=sys.stderr)
            continue
        theirs, ours = pairs[0]
        results.append(
            {
                "name": name,
                "sentences": len(theirs.found),
                "tokens": sum(map(len, sentences[: len(theirs.found)])) / len(theirs.found),
                "theirs": median(pair[0].speed for pair in pairs),
                "ours": median(pair[1].speed for pair in pairs),
                "times": median(pair[1].speed / pair[0].speed for pair in pairs),
                "agrees": all(map(alike, theirs.found, ours.found)),
            }
        )
    return results


def alike(theirs: Read, ours: Read) -> bool:
    """Return whether a peer found the same, as far as it looked."""
    return theirs.readings in (None, ours.readings) and (
        theirs.probability is None or isclose(theirs.probability, ours.probability or 0, rel_tol=1e-4)
    )


def measured(reader: Reader, sentences: Sequence[Sentence], seconds: float) -> Timed:
    """Return what a parser finds, one sentence after the other, until time is up."""
    found: list[Read] = []
    started = time.process_time()
    for sentence in sentences:
        try:
            found.append(reader(sentence))
        except TimeoutError:  # NLTK's own limit of a few seconds for a sentence
            break
        if time.process_time() - started > seconds:
            break
    return Timed(found, len(found) / max(time.process_time() - started, 1e-9))


def kernel_reader(grammar: CoreGrammar) -> Callable[[Sequence[Sentence]], Timed]:
    """Return a reader by the kernel, given texts; the parser weighs ambiguous ones outside the measured time."""
    parser = Parser(grammar)
    batch = BatchParser(parser)
    layer = grammar.text_layers[0]

    def read(sentences: Sequence[Sentence]) -> Timed:
        texts = [finish(layer, sentence) for sentence in sentences]
        many = texts * max(1, BATCH // len(texts))
        batch.read_compiled(texts)
        started = time.process_time()
        readings = batch.read_compiled(many)
        speed = len(many) / max(time.process_time() - started, 1e-9)
        found = [
            Read(count, probability(parser, text, derivation))
            for text, count, derivation in zip(texts, readings.counts.tolist(), readings.derivations, strict=False)
        ]
        return Timed(found, speed)

    return read


def probability(parser: Parser, text: str, derivation: Derivation) -> float:
    """Return the probability of the best reading of a text, which may be its only one."""
    if derivation:
        return prod(parser.grammar.rules[rule].weight for rule in derivation)
    forest = parser.forest(text)
    return best_readings(forest, 1)[0].probability if forest is not None else 0


def by_length(grammar: CoreGrammar, sentences: Sequence[Sentence]) -> list[Json]:
    """Return the kernel's microseconds per sentence for each length that has enough of them."""
    kernel = kernel_reader(grammar)
    groups: dict[int, list[Sentence]] = {}
    for sentence in sentences:
        groups.setdefault(len(sentence), []).append(sentence)
    return [
        {"tokens": tokens, "sentences": len(group), "microseconds": 1e6 / kernel(group).speed}
        for tokens, group in sorted(groups.items())
        if len(group) >= ENOUGH
    ]


def show(result: Json) -> None:
    """Print the table of the peers and the plot of cost against length."""
    print(f"{result['grammar']}: {result['rules']:,} rules")
    rows = [
        [
            peer["name"],
            peer["sentences"],
            round(peer["tokens"], 1),
            round(peer["theirs"], 1),
            round(peer["ours"]),
            f"{peer['times']:,.0f}",
            "agree" if peer["agrees"] else "DIFFER",
        ]
        for peer in result["peers"]
    ]
    print_table(["peer", "sentences", "tokens", "its/s", "kernel/s", "times", "readings"], rows)
    most = max((length["microseconds"] for length in result["lengths"]), default=1)
    for length in result["lengths"]:
        bar = "#" * round(BAR * length["microseconds"] / most)
        print(f"{length['tokens']:4} tokens {length['microseconds']:8.2f} microseconds {bar}")


if __name__ == "__main__":
    sys.exit(main())
