"""Tell whether a grammar derives a text, by a search that shares nothing with the compiler's parser.

It works on letters: *category C at place p* ends at some places, found from the rules of the certificate until nothing
is new.  A layer whose words are changed after the rules have written them (``docs/texts.md``), or whose phrases have
several parts, is not read; ``unread`` says why.
"""

from collections import defaultdict
from collections.abc import Iterable

from sgl.verify.schema_grammar import CertifiedGrammar, TemplateItem

#: A category at a place, perhaps with its first letter raised.
_Goal = tuple[int, int, bool]


class Recognizer:
    """The recognizer of a text layer of a certified grammar."""

    def __init__(self, core: CertifiedGrammar, layer: str) -> None:
        number = core.text(layer)
        self._layer, self._start, self._text = core.text_layers[number], core.start, ""
        #: Rules by their category and the letter that they begin with, which is a capital; none if it is a category.
        self._rules = defaultdict[tuple[int, str], list[tuple[tuple[TemplateItem, ...], tuple[int, ...]]]](list)
        for rule in core.rules:
            begin = rule.templates[number][0].text if rule.templates[number] else None
            self._rules[rule.lhs, _initial(begin or "")].append((rule.templates[number], rule.rhs))
        items = [item for rule in core.rules for item in rule.templates[number]]
        plain = all(not (item.part or item.functions) and (item.child is not None or item.text) for item in items)
        plain &= self._layer.finish is None and not any(item.text in ("\1", "\2") for item in items)
        self.unread = "" if plain else f"what rules write in `{layer}` is changed, or has parts"

    def derives(self, text: str) -> bool:
        """Return whether the grammar derives a text."""
        first = self._start, 0, False
        #: Where each goal ends, which goals depend on it, and those to look at again.
        self._text, self._ends, self._callers = text, {first: set[int]()}, {first: set[_Goal]()}
        self._waiting = {first: None}
        while self._waiting:
            goal, _ = self._waiting.popitem()
            ahead = text[goal[1] : goal[1] + len(self._layer.join) + 1]
            begins = {"", _initial(ahead), _initial(ahead.removeprefix(self._layer.join))}
            rules = (rule for begin in begins for rule in self._rules.get((goal[0], begin), ()))
            found = {end for rule in rules for end in self._through(goal, *rule)}
            if not found <= self._ends[goal]:
                self._ends[goal] |= found
                self._waiting |= dict.fromkeys(self._callers[goal])
        return len(text) in self._ends[first]

    def _through(self, goal: _Goal, template: Iterable[TemplateItem], children: tuple[int, ...]) -> set[int]:
        """Return where a rule ends that begins at the place of a goal."""
        places = {goal[1]}
        for item in template:
            after = set[int]()
            for place in places:
                # The first letter is raised of the first word that there is.
                raised = goal[2] and place == goal[1]
                if item.child is None:
                    after |= self._word(item.text or "", place, raised=raised)
                    continue
                inside = children[item.child], place, raised or item.capital
                if inside not in self._ends:
                    self._ends[inside], self._callers[inside], self._waiting[inside] = set(), set(), None
                after |= self._ends[inside]
                self._callers[inside].add(goal)
            places = after
        return places

    def _word(self, word: str, place: int, *, raised: bool) -> set[int]:
        word = word[:1].upper() + word[1:] if raised else word
        shown = word if not place or word in self._layer.attach else self._layer.join + word
        return {place + len(shown)} if self._text.startswith(shown, place) else set()


def _initial(text: str) -> str:
    """Return the first letter of a text as a capital."""
    return text[:1].upper()[:1]
