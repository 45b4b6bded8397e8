"""Write Penman notation, which is used for meaning representations such as AMR.

On one line: ``(h / hope :agent (b / baby :definite +) :xcomp (s / smile :agent b))``.  A node has a variable, the first
letter of its concept, with a number from the second one on.  The node is written in full where it is first reached;
after that, only its variable is.  Names and wh-words are as in AMR, ``(n / name :op1 "Emma")`` and ``(a /
amr-unknown)``.  A colon in a label becomes a hyphen.
"""

import re
from collections import Counter

from sgl.rendering.meaning import CLOSE, ENTITY, NAME, OPEN, WH, Meaning, View, ViewError, register
from sgl.rendering.views.varfree import DEEPEST

_SYMBOL = re.compile(r"[^\s()/:~\"]+")

_MARKED = re.compile(f"{OPEN}[0-9]+{CLOSE}")

#: A variable where its node is written in full, with the first character of the concept.
_OPENED = re.compile(f'\\(({OPEN}[0-9]+{CLOSE}) / "?(.)', re.DOTALL)


def penman(meaning: Meaning) -> str:
    """Return the Penman form, with marks for variables; raises ``ViewError`` if it is impossible."""
    opened: set[int] = set()
    special = {WH: "amr-unknown", NAME: "name"}

    def written(number: int, depth: int) -> str:
        """Write a node in full where it is first reached."""
        if depth > DEEPEST:
            raise ViewError(f"more than {DEEPEST} words are attached to one another")
        opened.add(number)
        kind, lemma = meaning.type[number], meaning.lemma[number]
        parts = [f"{_mark(number)} / {_symbol(special.get(kind, lemma))}"]
        if kind == NAME:
            parts.append(f":op1 {_quoted(lemma)}")
        if meaning.open[number]:
            parts.append(f":open {_quoted(meaning.open[number])}")
        elif kind == ENTITY:
            parts.append(f":definite {'+' if meaning.definite[number] else '-'}")
        for label, target in meaning.edges[number]:
            value = _mark(target) if target in opened else written(target, depth + 1)
            parts.append(f":{label.replace(':', '-')} {value}")
        return f"({' '.join(parts)})"

    text = written(meaning.head, 1)
    meaning.check_shown(opened)
    return text


def _mark(number: int) -> str:
    return f"{OPEN}{number}{CLOSE}"


def _named(unfinished: str) -> str:
    taken: Counter[str] = Counter()
    variables: dict[str, str] = {}
    for mark, first in _OPENED.findall(unfinished):
        letter = first.lower()
        if not "a" <= letter <= "z":
            letter = "x"
        taken[letter] += 1
        variables[mark] = letter if taken[letter] == 1 else f"{letter}{taken[letter]}"
    return _MARKED.sub(lambda mark: variables[mark[0]], unfinished)


def _symbol(text: str) -> str:
    return text if _SYMBOL.fullmatch(text) else _quoted(text)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _kept(lemma: str) -> int | None:
    """Return 0, or None for lemmas that need quotes or have an escaped character."""
    return 0 if _SYMBOL.fullmatch(lemma) and "\\" not in lemma else None


register(View("penman", "Penman notation with variables and re-entrancies", penman, kept=_kept, finish=_named))
