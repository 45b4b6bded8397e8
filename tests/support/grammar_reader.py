"""A reader of the grammar in a prompt, who knows nothing but its text, and writes down all that it derives.

It takes the lines of rules and the tables apart, tries all values of letters, and combines phrases of a few words until
nothing is new.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import product, takewhile

Phrase = tuple[tuple[str, ...], ...]
_NAME = re.compile(r'"(?:[^"\\]|\\.)*"|capital\(|\)|\w+(?:\[[^\]]*\])?')


def values_of(text: str) -> list[dict[str, str]]:
    """The assignments of letters that the end of a line allows."""
    if not text:
        return [{}]
    if text.startswith("("):
        names, _, rows = text.partition(" = ")
        letters = names.strip("()").split(", ")
        return [
            dict(zip(letters, values, strict=True))
            for row in re.findall(r"\(([^)]*)\)", rows)
            for values in alternatives(row.split(", "))
        ]
    each = [part.partition(" = ") for part in text.split("; ")]
    return [
        dict(zip([letter for letter, _, _ in each], row, strict=True))
        for row in product(*(values.split(", ") for _, _, values in each))
    ]


def alternatives(cells: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """All rows that a row with `a/b` in some cells stands for."""
    return product(*(cell.split("/") for cell in cells))


def category(text: str, letters: dict[str, str]) -> tuple[str, tuple[tuple[str, str], ...]]:
    """A category with its features; a number that tells children apart is no part of its name."""
    name, _, inside = text.removesuffix("]").partition("[")
    pairs = (pair.partition("=") for pair in inside.split(", ") if pair)
    return name.rstrip("0123456789"), tuple(sorted((of, letters.get(value, value)) for of, _, value in pairs))


def choices(parts: Sequence[Sequence[Phrase]], longest: int) -> Iterator[tuple[Phrase, ...]]:
    """All choices of one phrase of each part that have at most so many words together."""
    if not parts:
        yield ()
        return
    for phrase in takewhile(lambda phrase: len(phrase[0]) <= longest, parts[0]):
        yield from ((phrase, *rest) for rest in choices(parts[1:], longest - len(phrase[0])))


class Grammar:
    """The rules and words of a grammar as it is written in a prompt."""

    def __init__(self, text: str) -> None:
        found = re.search(r"An input is a (\w+)\.", text)
        assert found
        self.start = found[1]
        self.rules: list[tuple[object, list[list[object]], list[object]]] = []
        self.words: dict[object, set[Phrase]] = {}
        for line in re.findall(r"(?m)^- (.*)$", text):
            rule, _, values = line.partition("   (")
            left, _, right = rule.partition(": ")
            for letters in values_of(values.removesuffix(")")):
                sides = [self.side(side, letters) for side in right.split("  =>  ")]
                children = [x for side in sides for x in side if isinstance(x, tuple)]
                # Features stand where a phrase is first named.
                named = dict(reversed(children))
                known = [[(x[0], named[x[0]]) if isinstance(x, tuple) else x for x in side] for side in sides]
                self.rules.append((category(left, letters), known, list(named.items())))
        for table in re.findall(r"(?m)^\| .*\n\|(?: --- \|)+\n(?:\| .*\n?)*", text):
            head, _, *rows = table.strip().split("\n")
            name, *columns = head.strip("| ").split(" | ")
            size = 1 + columns.count("output")
            for row in rows:
                cells = [cell.strip() for cell in row[2:-2].split(" | ")]
                for values in alternatives(cells[size:]):
                    pairs = zip(columns[size - 1 :], values, strict=True)
                    of = name, tuple(sorted((feature, value) for feature, value in pairs if value != "–"))
                    self.words.setdefault(of, set()).add(
                        tuple(tuple(map(json.loads, cell.split())) for cell in cells[:size])
                    )

    @staticmethod
    def side(text: str, letters: dict[str, str]) -> list[object]:
        return [
            json.loads(part)
            if part[0] == '"'
            else part
            if part in ("capital(", ")")
            else (part.partition("[")[0], category(part, letters))
            for part in _NAME.findall(text)
            if text != "nothing"
        ]

    def phrases(self, longest: int) -> set[Phrase]:
        """All texts of at most so many words, with their outputs."""
        found: dict[object, set[Phrase]] = {name: set(words) for name, words in self.words.items()}
        changed = True
        while changed:
            changed = False
            for left, sides, children in self.rules:
                own = found.setdefault(left, set())
                before = len(own)
                parts = [sorted(found.get(child[1], ()), key=lambda phrase: len(phrase[0])) for child in children]  # type: ignore[index]
                for choice in choices(parts, longest):
                    of = dict(zip(children, choice, strict=True))
                    made = tuple(self.filled(side, of, number) for number, side in enumerate(sides))
                    if len(made[0]) <= longest:
                        own.add(made)
                changed |= len(own) > before
        return {phrase for (name, _), own in found.items() if name == self.start for phrase in own}  # type: ignore[misc]

    @staticmethod
    def filled(side: list[object], of: dict[object, Phrase], number: int) -> tuple[str, ...]:
        words: list[str] = []
        raising: int | None = None
        for part in side:
            if part == "capital(":
                raising = len(words)
            elif part == ")":
                words[raising:] = [
                    words[raising or 0][:1].upper() + words[raising or 0][1:],
                    *words[(raising or 0) + 1 :],
                ]
            else:
                words += [part] if isinstance(part, str) else of[part][number]
        return tuple(words)
