"""What do phrases in several parts cost a parser?

Parses sentences of growing length, with grammars whose phrases have one, two and three parts, and prints the CPU time
of each in milliseconds, and its *growth*: the power of the length with which the time has grown since the previous
length::

    python benchmarks/fan_out.py --lengths 6,12,24

`clauses` are sentences as in a grammar of a language: verbs at the end in the order of their objects, with one reading
each.  `any` are the worst case: any two phrases make a third, part by part, and all words are equal, so that every
division of the sentence is a reading.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import pairwise
from math import log
from time import process_time

from common import command_line, print_table
from sgl.core.grammar import Category, CoreGrammar, Cut, Item, Rule, Slot, TextLayer, Token
from sgl.foreign import limited
from sgl.parsing import Parser

#: Seconds after which longer sentences are left out.
_PATIENCE = 2.0


def main() -> int:
    """Print the table."""
    parser = command_line(__doc__)
    parser.add_argument("--lengths", default="6,12,24,48,96")
    lengths = [int(length) for length in parser.parse_args().lengths.split(",")]
    rows = []
    with limited({"steps": 1 << 40}):
        for name, grammar_of in (("clauses", clauses), ("any", anything)):
            for parts in (1, 2, 3):
                grammar = grammar_of(parts)
                times = [0.0] * len(lengths)
                for number, length in enumerate(lengths):
                    if max(times) < _PATIENCE:
                        times[number] = seconds(grammar, length)
                rows.append((name, parts, *map(_shown, times), _growth(lengths, times)))
    print_table(("grammar", "parts", *(f"{n} words" for n in lengths), "growth"), rows)
    return 0


def seconds(grammar: CoreGrammar, length: int) -> float:
    """Return the CPU time that a sentence of a given ``length`` takes."""
    parser = Parser(grammar)
    own = sorted(parser.vocabulary)
    words = [own[place * len(own) // length] for place in range(length)]
    start = process_time()
    forest = parser.forest(words)
    assert forest is not None
    assert forest.count >= 1
    return process_time() - start


def clauses(parts: int) -> CoreGrammar:
    """Return a grammar of nouns, then as many verbs, and so on, each part in the same order: one reading."""
    own = [Token(f"w{part}") for part in range(parts)]
    longer: list[list[Item]] = [[own[part], Slot(0, part=parts > 1 and part + 1)] for part in range(parts)]
    return _grammar(parts, [(1, (), [[word] for word in own]), (1, (1,), longer)])


def anything(parts: int) -> CoreGrammar:
    """Return a grammar in which any two phrases make a third, part by part."""
    own = [Token("w")] * parts
    both = [[Slot(child, part=parts > 1 and part + 1) for child in (0, 1)] for part in range(parts)]
    return _grammar(parts, [(1, (), [[word] for word in own]), (1, (1, 1), both)])


def _grammar(parts: int, phrases: Sequence[tuple[int, tuple[int, ...], Sequence[Sequence[Item]]]]) -> CoreGrammar:
    """Return a grammar of texts whose only phrase has its parts one after the other."""
    whole: list[Item] = [Slot(0, part=parts > 1 and part + 1) for part in range(parts)]
    rules: list[Rule] = []
    for lhs, rhs, pieces in [(0, (1,), [whole]), *phrases]:
        template: list[Item] = []
        for number, piece in enumerate(pieces):
            template += [*([Cut()] if number else []), *piece]
        rules.append(Rule(len(rules), "r", lhs, rhs, 0.5, (tuple(template),), ()))
    named = tuple(f"en.p{part}" for part in range(1, parts))
    categories = (Category("S"), Category("X", parts=named))
    return CoreGrammar("cost", categories, tuple(rules), 0, (TextLayer("en"),), ())


def _shown(time: float) -> str:
    return f"{1000 * time:,.1f}" if time else "–"


def _growth(lengths: list[int], times: list[float]) -> str:
    known = [(log(n), log(time)) for n, time in zip(lengths, times, strict=True) if time]
    steps = [(y - b) / (x - a) for (a, b), (x, y) in pairwise(known)]
    return f"{steps[-1]:.1f}" if steps else "–"


if __name__ == "__main__":
    sys.exit(main())
