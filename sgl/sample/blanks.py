"""Texts with blanks: what derivations that differ in their words only have in common.

Such a text is worked out once, by the functions that define it, from rules whose words are
marks; ``a⟨0⟩`` here is an ``a``, so that a capital shows, and a character that no
grammar has::

    derivation   statement  a⟨0⟩  intransitive  a⟨1⟩
    text         A⟨0⟩ a⟨1⟩ .
    sheet        "%s %s ."  filled with the capital of word 0 and with word 1
    logical form * a⟨0⟩ ( x _ 1 ) ; a⟨1⟩ . agent ( x _ 1 , x _ 0 )
    sheet        "* %s ( x _ 1 ) ; %s . agent ( x _ 1 , x _ 0 )"  with lemmas 0 and 1

To fill in a sheet is all that is left for a sentence, and a column of sentences is filled
in by few calls.

This module needs nothing but the standard library of Python 3.9, because the standalone
sampler contains it as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, count, islice, repeat
from typing import NamedTuple

from sgl.core.gluing import glue
from sgl.core.graph import Graph
from sgl.sample.engine import PackedText, PackedView, Tables
from sgl.sample.forks import MOST_DRAWS, picking
from sgl.sample.kinds import Kinds, WordClass, with_lemma
from sgl.sample.rows import text_of
from sgl.sample.views import NOTATIONS

#: Marks are characters for private use.
_FIRST_MARK = 0xF0000
_MARK = f"[{chr(_FIRST_MARK)}-{chr(_FIRST_MARK + MOST_DRAWS)}]"
_MARKED = re.compile(f"([aA])({_MARK})")

#: What texts must not have: marks, and the ends of fields and lines.
_STRANGE = re.compile(f"[\\t\\n\\v\\f\\r\\x1c-\\x1e\\x85\\u2028\\u2029]|{_MARK}")

#: The strings that derivations have in one column of the entries of one word.
Column = Sequence[str]

#: Picks some of the columns of derivations of a shape.
Pick = Callable[[Sequence[Iterable[str]]], tuple[Iterable[str], ...]]

#: Sheets are kept for so many shapes.
MOST_SHAPES = 1 << 14


class Sheet(NamedTuple):
    """A text with blanks: its constant pieces, each as a column, and how they go together.

    ``pick`` is given the columns of derivations with the constants behind them.
    """

    constants: list[Iterable[str]]
    pick: Pick

    def filled(self, columns: Sequence[Column], number: int) -> list[str]:
        """The texts of so many derivations."""
        parts = zip(*self.pick([*columns, *self.constants]))
        return list(map("".join, islice(parts, number) if len(self.constants) == 1 else parts))


class Lemmas(NamedTuple):
    """The lemmas of derivations of one shape: of its own rules, and how to pick the others'."""

    fixed: tuple[str, ...]
    number: int
    pick: Pick


class Shape(NamedTuple):
    """What derivations that differ in their words only have in common.

    ``words`` are the lemmas that have to be exposed, ``once`` those that may not be
    repeated, as far as one can be equal to another; ``repeats`` says that two always are.
    """

    words: Lemmas
    once: Lemmas
    repeats: bool
    #: The sheets of the source and the targets, as far as they were asked for.
    sheets: list[Sheet | None]


class Shapes:
    """Works out shapes and their sheets."""

    def __init__(self, tables: Tables, kinds: Kinds) -> None:
        self._tables = tables
        self._classes = kinds.classes
        self._shapes: dict[tuple[int, ...], Shape] = {}
        self._outputs = [_copied(output) for output in (tables.source, *tables.targets)]
        #: For each output the first that is equal but for its notation: views of one graph.
        self._same_graph = [
            next(i for i, other in enumerate(self._outputs) if _rules(other) == _rules(output))
            for output in self._outputs
        ]
        self._marked = tables._replace(arity=list(tables.arity))
        #: The number of the rule that has mark ``i`` instead of the words of a class.
        self._marks: dict[tuple[int, int], int] = {}

    def shape(self, key: tuple[int, ...]) -> Shape:
        """The shape of these rules, of words the complement of their class."""
        shape = self._shapes.get(key)
        if shape is None:
            if len(self._shapes) >= MOST_SHAPES:
                self._shapes.clear()
            shape = self._shapes[key] = self._worked_out(key)
        return shape

    def _worked_out(self, key: tuple[int, ...]) -> Shape:
        classes = [self._classes[~rule] for rule in key if rule < 0]
        starts = _starts(classes)
        rules = [rule for rule in key if rule >= 0]
        words = [word for rule in rules for word in self._tables.words[rule]]
        fixed = [lemma for rule in rules for lemma in self._tables.lemmas[rule]]
        once = [
            starts[word] + of.lemma
            for word, of in enumerate(classes)
            if of.lemma is not None and _may_repeat(word, classes, fixed)
        ]
        exposed = [starts[word] + of.word for word, of in enumerate(classes) if of.word is not None]
        return Shape(
            words=Lemmas(tuple(words), len(exposed), picking(exposed)),
            once=Lemmas(tuple(fixed) if once else (), len(once), picking(once)),
            repeats=len(set(fixed)) < len(fixed),
            sheets=[None] * len(self._outputs),
        )

    def sheet(self, key: tuple[int, ...], output: int) -> Sheet:
        """The sheet of a shape in an output; the source is output 0."""
        sheets = self.shape(key).sheets
        sheet = sheets[output]
        if sheet is None:
            # Who asks for one of the targets asks for the others as well.
            several = range(1, len(sheets)) if output else range(1)
            for number, text in zip(several, self._texts(key, several)):
                sheets[number] = self._sheet(key, number, text)
            sheet = self.sheet(key, output)
        return sheet

    def _texts(self, key: tuple[int, ...], outputs: Iterable[int]) -> Iterator[str]:
        """The texts of a shape in these outputs, with marks; views may share their graph."""
        words = count()
        derivation = [self._mark(~rule, next(words)) if rule < 0 else rule for rule in key]
        arity = self._marked.arity
        graphs: dict[int, Graph] = {}
        for number in outputs:
            output, same = self._outputs[number], self._same_graph[number]
            if isinstance(output, PackedView):
                if same not in graphs:
                    graphs[same] = glue(output.rules, arity, derivation, written=True)
                yield NOTATIONS[output.kind](graphs[same])
            else:
                yield text_of(self._marked, output, derivation)

    def _sheet(self, key: tuple[int, ...], output: int, text: str) -> Sheet:
        classes = [self._classes[~rule] for rule in key if rule < 0]
        parts = _MARKED.split(text)
        starts = _starts(classes)
        places = [starts[-1]]
        for number, (letter, mark) in enumerate(zip(parts[1::3], parts[2::3]), 1):
            word = ord(mark) - _FIRST_MARK
            column = classes[word].texts[output][letter == "A"]
            places += [starts[word] + column, starts[-1] + number]
        return Sheet(list(map(repeat, parts[::3])), picking(places))

    def _mark(self, number: int, word: int) -> int:
        """The rule of a class whose words are a mark."""
        rule = self._marks.get((number, word))
        if rule is None:
            rule = self._marks[number, word] = len(self._marked.arity)
            self._marked.arity.append(0)
            for output in self._outputs:
                _add_mark(output, self._classes[number], "a" + chr(_FIRST_MARK + word))
        return rule


def _starts(classes: Sequence[WordClass]) -> list[int]:
    """Where the entry of each word begins among all columns, and their end."""
    return list(accumulate((of.width for of in classes), initial=0))


def _may_repeat(word: int, classes: Sequence[WordClass], fixed: Iterable[str]) -> bool:
    """Whether the lemma of a word can be that of another one, or is among ``fixed``."""
    lemmas = classes[word].lemmas
    return not lemmas.isdisjoint(fixed) or any(
        not lemmas.isdisjoint(other.lemmas) for place, other in enumerate(classes) if place != word
    )


def _copied(output: PackedText | PackedView) -> PackedText | PackedView:
    """The output with a list of its own, to which rules can be added."""
    if isinstance(output, PackedView):
        return output._replace(rules=list(output.rules))
    return output._replace(templates=list(output.templates))


def _rules(output: PackedText | PackedView) -> Sequence[object]:
    return output.rules if isinstance(output, PackedView) else output.templates


def _add_mark(output: PackedText | PackedView, words: WordClass, mark: str) -> None:
    """Add the rule that has a mark instead of the words of a class."""
    if isinstance(output, PackedView):
        example = next(iter(words.entries))
        output.rules.append(with_lemma(output.rules[example], mark))
    else:
        output.templates.append((mark,))


def is_plain(tables: Tables) -> bool:
    """Whether no text of the tables has a mark, or the end of a field or line."""
    texts = [
        output for output in (tables.source, *tables.targets) if isinstance(output, PackedText)
    ]
    views = [output for output in tables.targets if isinstance(output, PackedView)]
    strings = [stratum.category for stratum in tables.strata]
    for text in texts:
        strings.append(text.join)
        strings += [item for words in text.templates for item in words if isinstance(item, str)]
    for view in views:
        for rule in view.rules:
            strings += [label for _, label, _ in (*rule.edges, *rule.last)]
            strings += [
                text for node in rule.nodes for pair in node.attributes or () for text in pair
            ]
    return _STRANGE.search(" ".join(strings)) is None
