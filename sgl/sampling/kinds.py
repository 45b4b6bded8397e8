"""Kinds of alternatives: those of a state that differ in their words only are one.

What a derivation looks like does not depend on its words, so that it is drawn like this::

    state 12     the | a | dog | cat | fox           three kinds of alternatives
    kinds        the     (a function word: one rule)
                 a
                 dog cat fox                         a class of rules, with entries
                     ("dog", "Dog", "犬")  ("cat", "Cat", "猫")  ...

Rules are of a class if they have no children, and nothing but the words themselves would
show that one was taken for another: in no text does one of them attach to the word before,
in a graph they have the same nodes and edges but for the lemma.  The entry of a rule has
what is written for it: plain and with a capital in each text, its lemma in each view, and
the lemmas that candidates are judged by.

The pieces of random numbers (``sgl.sampling.lanes``) are looked up in tables of 4,096 cells.
Where a cell is of several alternatives, the whole number has to decide.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeVar, cast

from sgl.core.gluing import GluingRule
from sgl.rendering.meaning import is_word
from sgl.sampling.engine import PackedText, PackedView, State, Tables, capitalised, joined
from sgl.sampling.lanes import PIECE_BITS

#: The strings of a rule that has words.
Entry = tuple[str, ...]

_Value = TypeVar("_Value")

#: The attribute of a node in which words of a class differ.
LEMMA = "lemma"


class WordClass(NamedTuple):
    """Rules that differ in their words only.

    ``texts[o]`` are the columns of entries that output ``o`` (the source is 0) is written
    with: the words plain and with a capital, or the lemma twice.  ``word`` and ``lemma`` are
    the columns of what rules have in ``Tables.words`` and ``Tables.lemmas``, if they have it;
    ``lemmas`` is all that there is of the latter.
    """

    number: int
    width: int
    entries: dict[int, Entry]
    texts: list[tuple[int, int]]
    word: int | None
    lemma: int | None
    lemmas: frozenset[str]


class Kind(NamedTuple):
    """Alternatives of a state that differ in their words only.

    Either one rule over ``children``, or rules of a class, whose entries are in ``cells``.
    """

    rule: int
    children: tuple[int, ...]
    words: WordClass | None
    cells: list[Entry]


class Choice(NamedTuple):
    """The kinds of a state: the kind of each cell, one more where there are several."""

    state: State
    kinds: list[Kind]
    kind_of: list[int]
    guide: Sequence[int]

    def exact(self, bits: int) -> int:
        """The alternative that a random number chooses."""
        bounds = self.state.bounds
        return bisect_right(bounds, bits * bounds[-1] >> 64)

    def exact_kind(self, bits: int) -> int:
        """The kind that a random number chooses."""
        return self.kind_of[self.exact(bits)]

    def entry(self, bits: int) -> Entry:
        """The entry of the words that a random number chooses."""
        alternative = self.exact(bits)
        words = self.kinds[self.kind_of[alternative]].words
        return words.entries[self.state.rules[alternative]] if words else ()


class Kinds:
    """Finds the classes of rules, and the kinds of a state when they are asked for."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._outputs = [tables.source, *tables.targets]
        self._choices: dict[int, Choice] = {}
        self.classes: list[WordClass] = []
        self._class_of: dict[int, WordClass] = {}
        of_key: dict[object, list[int]] = {}
        for rule, arity in enumerate(tables.arity):
            key = None if arity else self._without_words(rule)
            if key is not None:
                of_key.setdefault(key, []).append(rule)
        for rules in of_key.values():
            words = self._class(len(self.classes), rules)
            self.classes.append(words)
            self._class_of.update(dict.fromkeys(rules, words))
        #: For a rule that is in no class the first that does the same.
        self._same = self._first_of_equals()

    def choice(self, number: int) -> Choice:
        """The kinds of a state."""
        choice = self._choices.get(number)
        if choice is None:
            choice = self._choices[number] = self._kinds(self._tables.states[number])
        return choice

    def _first_of_equals(self) -> dict[int, int]:
        """Of rules that say the same in all outputs, and have the same lemmas, the first."""
        tables = self._tables
        said = [
            output.rules if isinstance(output, PackedView) else output.templates
            for output in self._outputs
        ]
        first: dict[object, int] = {}
        rows = enumerate(zip(tables.arity, tables.words, tables.lemmas, *said))
        return {
            rule: first.setdefault(row, rule) for rule, row in rows if rule not in self._class_of
        }

    def _without_words(self, rule: int) -> object:
        """What a rule is but for its words; ``None`` if there is more to them."""
        glued: list[tuple[GluingRule, int]] = []
        for output in self._outputs:
            if isinstance(output, PackedView):
                lemmas = _lemmas(output.rules[rule])
                if len(lemmas) > 1 or not all(map(is_word, lemmas)):
                    return None
                # One that has no lemma is not as others that have one.
                glued.append((with_lemma(output.rules[rule], ""), len(lemmas)))
            elif not _stands_alone(output, template_of(output, rule)):
                return None
        judged = len(self._tables.words[rule]), len(self._tables.lemmas[rule])
        return (tuple(glued), *judged) if max(judged) < 2 else None

    def _class(self, number: int, rules: list[int]) -> WordClass:
        """The class of these rules; columns that are equal are there once."""
        columns: dict[tuple[str, ...], int] = {}

        def column(strings: Iterable[str]) -> int:
            return columns.setdefault(tuple(strings), len(columns))

        def lemmas(of_rule: Sequence[tuple[str, ...]]) -> int | None:
            return column(of_rule[rule][0] for rule in rules) if of_rule[rules[0]] else None

        texts: list[tuple[int, int]] = []
        for output in self._outputs:
            if isinstance(output, PackedView):
                lemma = column("".join(_lemmas(output.rules[rule])) for rule in rules)
                texts.append((lemma, lemma))
                continue
            templates = [template_of(output, rule) for rule in rules]
            plain = column(joined(output, words) for words in templates)
            raised = column(joined(output, capitalised(words)) for words in templates)
            texts.append((plain, raised))
        word, lemma_once = lemmas(self._tables.words), lemmas(self._tables.lemmas)
        return WordClass(
            number=number,
            width=len(columns),
            entries=dict(zip(rules, zip(*columns))),
            texts=texts,
            word=word,
            lemma=lemma_once,
            lemmas=frozenset(lemma for rule in rules for lemma in self._tables.lemmas[rule]),
        )

    def _kinds(self, state: State) -> Choice:
        members: dict[object, list[int]] = {}
        for alternative, (rule, children) in enumerate(zip(state.rules, state.children)):
            words = self._class_of.get(rule)
            key = (self._same.get(rule, rule), children) if words is None else words.number
            members.setdefault(key, []).append(alternative)
        kinds = [self._kind(state, alternatives) for alternatives in members.values()]
        kind_of = [0] * len(state.rules)
        for kind, alternatives in enumerate(members.values()):
            for alternative in alternatives:
                kind_of[alternative] = kind
        guide = cells(state.bounds, kind_of, len(kinds))
        return Choice(state, kinds, kind_of, bytes(guide) if len(kinds) < 256 else guide)

    def _kind(self, state: State, alternatives: list[int]) -> Kind:
        rule = state.rules[alternatives[0]]
        words = self._class_of.get(rule)
        if words is None or len(alternatives) == 1:
            return Kind(self._same.get(rule, rule), state.children[alternatives[0]], None, [])
        entries: list[Entry] = [()] * len(state.rules)
        for alternative in alternatives:
            entries[alternative] = words.entries[state.rules[alternative]]
        return Kind(rule, (), words, cells(state.bounds, entries, ()))


def template_of(text: PackedText, rule: int) -> tuple[str, ...]:
    """The template of a rule without children."""
    return cast("tuple[str, ...]", text.templates[rule])


def with_lemma(rule: GluingRule, lemma: str) -> GluingRule:
    """What a rule does to a graph, with another lemma where it has one."""
    nodes = tuple(
        node._replace(
            attributes=tuple(
                (name, lemma if name == LEMMA and value else value)
                for name, value in node.attributes
            )
        )
        if node.attributes
        else node
        for node in rule.nodes
    )
    return rule._replace(nodes=nodes)


def _lemmas(rule: GluingRule) -> list[str]:
    return [
        value
        for node in rule.nodes
        for name, value in node.attributes or ()
        if name == LEMMA and value
    ]


def _stands_alone(text: PackedText, words: tuple[str, ...]) -> bool:
    """Whether these words are written alike wherever they stand, but for a capital."""
    raised = capitalised(words)
    return (
        bool(words)
        and all(words)
        and text.attach.isdisjoint((*words, *raised))
        and capitalised(raised) == raised
    )


def cells(bounds: Sequence[int], values: Sequence[_Value], several: _Value) -> list[_Value]:
    """The values of a state's alternatives by the highest bits of a random number.

    ``several`` stands where these bits do not tell the value.
    """
    total, bits = bounds[-1], 64 - PIECE_BITS
    found = [several] * (1 << PIECE_BITS)
    first = number = 0
    while number < len(values):
        value = values[number]
        while number < len(values) and values[number] == value:
            number += 1
        # The least 64 bits that choose the next value.
        end = -((-bounds[number - 1] << 64) // total)
        begin, behind = -((-first) >> bits), end >> bits
        if begin < behind:
            found[begin:behind] = [value] * (behind - begin)
        first = end
    return found
