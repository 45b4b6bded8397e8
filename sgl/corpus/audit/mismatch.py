"""Explain why an output differs from the published one by the smallest phrases that differ.

The two texts are aligned character by character.  From the whole text downwards, the borders between the parts of a
phrase are looked up in the other text.  The text between two neighbouring borders is compared on its own: a single part
that differs is explained in turn, several parts are charged to the phrase.  So each difference is charged to a word, to
the order in which a rule puts its parts, or to the words that it puts between them.
"""

from collections import Counter
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import NamedTuple

from sgl.core.grammar import CoreGrammar, Cut, Slot
from sgl.core.graph import parts_of
from sgl.core.interpret import Derivation, all_tokens, derive_tokens, finish
from sgl.rendering import Output
from sgl.values import dataclass

#: Longer texts are not aligned; their difference is charged to the whole.
LONGEST = 2_000

WORD, ORDER, PARTS = "word", "order", "parts"


@dataclass(frozen=True, slots=True)
class Difference:
    """A text that a rule (by id) gives, and the published text in its place.

    ``kind`` is ``word`` (a lexical entry), ``order`` (the same characters in another order) or ``parts`` (other words
    between the parts, or more or fewer of them).
    """

    rule: int
    kind: str
    given: str
    published: str


def explain_difference(
    grammar: CoreGrammar, derivation: Derivation, output: Output, published: str
) -> tuple[Difference, ...]:
    """Return the differences between an output of a derivation and the published one.

    A view is not composed from the views of phrases, so its difference is charged to the rule of the whole text.
    """
    if output.layer is None:
        given, published = _trimmed(output(derivation), published)
        return (Difference(derivation[0], PARTS, given, published),)
    return tuple(_AlignedTexts(grammar, derivation, output.layer, published).differences())


#: A rule by its position in the derivation, and the number of a part of its phrase.
_Node = tuple[int, int]


class _TemplatePart(NamedTuple):
    """An item of a template over a span of tokens; a word of the rule has no node."""

    start: int
    end: int
    node: _Node | None


class _AlignedTexts:
    """A derivation laid out over its text and aligned with the published one."""

    def __init__(self, grammar: CoreGrammar, derivation: Derivation, layer: int, published: str) -> None:
        self._rules = [grammar.rules[rule] for rule in derivation]
        self._published = published
        #: For each node, the nodes of its items, with None for words, and its number of tokens.
        self._items: dict[_Node, list[_Node | None]] = {}
        self._size: dict[_Node, int] = {}
        stack: list[int] = []
        for node in range(len(derivation) - 1, -1, -1):
            rule = self._rules[node]
            children = [stack.pop() for _ in rule.rhs]
            for part, items in enumerate(parts_of(rule.templates[layer], Cut())):
                below = [(children[i.child], i.number) if isinstance(i, Slot) else None for i in items]
                self._items[node, part] = below
                self._size[node, part] = sum(1 if n is None else self._size[n] for n in below)
            stack.append(node)
        spelling = grammar.text_layers[layer]
        tokens = derive_tokens(grammar, derivation, layer)
        self._text = finish(spelling, all_tokens(grammar, derivation, layer))
        self._altered = spelling.finish is not None
        self._altered |= any(rule.applies_functions(layer) for rule in self._rules)
        #: The end of each token in the text; a separator belongs to the token after it.
        self._ends = [0]
        for token in tokens:
            end = self._ends[-1]
            separated = end and spelling.join and token not in spelling.attach
            self._ends.append(end + len(token) + (len(spelling.join) if separated else 0))
        self._borders = _aligned(self._text, published)

    def differences(self) -> Iterator[Difference]:
        """Yield the differences of the whole text; only one if words are not spelt as rules write them."""
        if self._altered:
            yield Difference(self._rules[0].id, PARTS, *_trimmed(self._text, self._published))
            return
        pending = [((0, 0), 0, 0, len(self._published))]
        while pending:
            node, token, low, high = pending.pop()
            rule = self._rules[node[0]]
            given = self._given(token, token + self._size[node])
            published = self._published[low:high]
            if not any(part.node is not None for part in self._parts(node, token)):
                kind = WORD if rule.lexical else PARTS
                yield Difference(rule.id, kind, *_shown(given, published))
                continue
            groups = list(self._groups(node, token, low, high))
            if len(groups) > 1 and sorted(given) == sorted(published):
                yield Difference(rule.id, ORDER, *_trimmed(given, published))
                continue
            for parts, start, end in reversed(groups):
                first = parts[0]
                if len(parts) == 1 and first.node is not None:
                    pending.append((first.node, first.start, start, end))
                    continue
                # Several parts at once, or a word that the rule writes.
                given = self._given(first.start, parts[-1].end)
                published = self._published[start:end]
                kind = ORDER if sorted(given) == sorted(published) else PARTS
                yield Difference(rule.id, kind, *_trimmed(given, published))

    def _groups(self, node: _Node, token: int, low: int, high: int) -> Iterator[tuple[list[_TemplatePart], int, int]]:
        group: list[_TemplatePart] = []
        start = low
        parts = list(self._parts(node, token))
        for part in parts:
            group.append(part)
            first, last = group[0].start, parts[-1].end
            end = high if part is parts[-1] else self._border(first, part.end, last, start, high)
            if end is None:
                continue
            if self._given(first, part.end) != self._published[start:end]:
                yield group, start, end
            group, start = [], end

    def _border(self, start: int, token: int, end: int, low: int, high: int) -> int | None:
        """Return where the end of a token is in the other text, between ``low`` and ``high``.

        Text inserted at a border belongs to the side that lacks it, so a word that has moved does not affect its old
        neighbours.  If neither side lacks it, it belongs to the side that differs anyway.  Return None if that does not
        decide.
        """
        places = self._borders.get(self._ends[token], set())
        within = sorted(place for place in places if low <= place <= high)
        if len(within) <= 1:
            return next(iter(within), None)
        left, right = self._given(start, token), self._given(token, end)

        def odd(place: int) -> tuple[int, int]:
            before, after = self._published[low:place], self._published[place:high]
            lacking = _unlike(left, before) + _unlike(right, after)
            return lacking, (left != before) + (right != after)

        first, second = within[0], within[-1]
        if odd(first) == odd(second):
            return None
        return min(first, second, key=odd)

    def _parts(self, node: _Node, token: int) -> Iterator[_TemplatePart]:
        end = token
        for child in self._items[node]:
            start, end = end, end + (1 if child is None else self._size[child])
            if end > start:
                yield _TemplatePart(start, end, child)

    def _given(self, start: int, end: int) -> str:
        return self._text[self._ends[start] : self._ends[end]]


def _aligned(text: str, other: str) -> dict[int, set[int]]:
    if max(len(text), len(other)) > LONGEST:
        return {}
    found: dict[int, set[int]] = {0: {0}, len(text): {len(other)}}
    matcher = SequenceMatcher(None, text, other, autojunk=False)
    for start, there, size in matcher.get_matching_blocks():
        for step in range(size + 1):
            found.setdefault(start + step, set()).add(there + step)
    return found


def _unlike(first: str, second: str) -> int:
    ours, theirs = Counter(first), Counter(second)
    return (ours - theirs).total() + (theirs - ours).total()


def _trimmed(given: str, published: str) -> tuple[str, str]:
    start = _common(given, published)
    given, published = given[start:], published[start:]
    end = _common(given[::-1], published[::-1])
    return _shown(given[: len(given) - end], published[: len(published) - end])


def _common(first: str, second: str) -> int:
    pairs = enumerate(zip(first, second, strict=False))
    return next((n for n, (one, other) in pairs if one != other), min(len(first), len(second)))


def _shown(given: str, published: str) -> tuple[str, str]:
    if given.strip() != published.strip():
        return given.strip(), published.strip()
    return given.replace(" ", "␣"), published.replace(" ", "␣")
