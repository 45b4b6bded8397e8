"""Penman notation, in which meaning representations such as AMR are written.

``The baby hoped to smile``, on one line::

    (h / hope :agent (b / baby :definite +) :xcomp (s / smile :agent b))

Every node has a variable, the first letter of its concept, with a number from the
second node on that would have the same.  A node is opened where it is first reached;
later its variable is written: a re-entrancy.  Names and wh-words are written as in
AMR, ``(n / name :op1 "Emma")`` and ``(a / amr-unknown)``.  A colon in a label becomes
a hyphen (``:nmod-in``), since no role of Penman contains one.
"""

from __future__ import annotations

import re

from sgl.rendering.meaning import ENTITY, NAME, WH, Meaning, ViewError
from sgl.rendering.registry import View, register
from sgl.rendering.views.varfree import DEEPEST

_SYMBOL = re.compile(r"[^\s()/:~\"]+")


def penman(meaning: Meaning) -> str:
    """Return the Penman form of a semantic graph, on one line.

    Raises:
        ViewError: if a word hangs on nothing, or on a chain of more than 100 words.
    """
    writer = _Writer(meaning)
    text = writer.opened(meaning.head, 1)
    for number in meaning.nodes:
        if number not in writer.variables:
            word = meaning.constant(number) or meaning.lemma[number]
            raise ViewError(f"'{word}' hangs on no other word")
    return text


class _Writer:
    """Hands out variables in the order in which nodes are opened."""

    def __init__(self, meaning: Meaning) -> None:
        self.variables: dict[int, str] = {}
        self._meaning = meaning
        self._taken: dict[str, int] = {}

    def opened(self, number: int, depth: int) -> str:
        if depth > DEEPEST:
            raise ViewError(f"more than {DEEPEST} words hang on one another")
        concept = self._concept(number)
        variable = self.variables[number] = self._variable(concept)
        parts = [f"{variable} / {_symbol(concept)}", *self._attributes(number)]
        for label, target in self._meaning.edges[number]:
            value = self.variables.get(target) or self.opened(target, depth + 1)
            parts.append(f":{label.replace(':', '-')} {value}")
        return f"({' '.join(parts)})"

    def _concept(self, number: int) -> str:
        kind = self._meaning.type[number]
        if kind == WH:
            return "amr-unknown"
        return "name" if kind == NAME else self._meaning.lemma[number]

    def _variable(self, concept: str) -> str:
        letter = concept[0].lower()
        if not "a" <= letter <= "z":
            letter = "x"
        count = self._taken[letter] = self._taken.get(letter, 0) + 1
        return letter if count == 1 else f"{letter}{count}"

    def _attributes(self, number: int) -> list[str]:
        meaning = self._meaning
        found = []
        if meaning.type[number] == NAME:
            found.append(f":op1 {_quoted(meaning.lemma[number])}")
        if meaning.open[number]:
            found.append(f":open {_quoted(meaning.open[number])}")
        elif meaning.type[number] == ENTITY:
            found.append(f":definite {'+' if meaning.definite[number] else '-'}")
        return found


def _symbol(text: str) -> str:
    return text if _SYMBOL.fullmatch(text) else _quoted(text)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _kept(lemma: str) -> int | None:
    """Return 1, since variables are called by the first letter; None for lemmas in quotes."""
    return 1 if _SYMBOL.fullmatch(lemma) and "\\" not in lemma else None


register(View("penman", "Penman notation with variables and re-entrancies", penman, kept=_kept))
