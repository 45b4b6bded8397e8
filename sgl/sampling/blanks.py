"""Texts with blanks: what derivations that differ in their words only have in common.

What a shape says is put together from its phrases (``sgl.sampling.phrases``); logical forms are
written of a graph whose lemmas are marks, ``a`` and a character that no grammar has, here
``a⟨0⟩``::

    derivation   statement  ⟨0⟩  intransitive  ⟨1⟩
    text         ⟨0 with a capital⟩ ⟨1⟩ .
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
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate, islice, repeat
from typing import NamedTuple

from sgl.rendering.meaning import Meaning
from sgl.sampling.engine import PackedText, PackedView, Tables
from sgl.sampling.forks import MOST_DRAWS, picking
from sgl.sampling.kinds import Kinds, WordClass
from sgl.sampling.phrases import Phrase, Phrases, TextItem, graph_of
from sgl.sampling.views import NOTATIONS

#: Marks are characters for private use.
_FIRST_MARK = 0xF0000
_MARK = f"[{chr(_FIRST_MARK)}-{chr(_FIRST_MARK + MOST_DRAWS)}]"
_MARKED = re.compile(f"a({_MARK})")
_MARKS = ["a" + chr(_FIRST_MARK + blank) for blank in range(MOST_DRAWS + 1)]

#: What texts must not have: marks, and the ends of fields and lines.
_STRANGE = re.compile(f"[\\t\\n\\v\\f\\r\\x1c-\\x1e\\x85\\u2028\\u2029]|{_MARK}")

#: The strings that derivations have in one column of the entries of one word.
Column = Sequence[str]

#: Picks some of the columns of derivations of a shape.
Pick = Callable[[Sequence[Iterable[str]]], Sequence[Iterable[str]]]

#: Sheets are kept for so many shapes.
MOST_SHAPES = 1 << 14


class Sheet(NamedTuple):
    """A text with blanks: its constant pieces, each as a column, and how they go together.

    ``pick`` is given the columns of derivations with the constants behind them.
    """

    constants: list[Iterable[str]]
    pick: Pick

    def filled(self, columns: Sequence[Iterable[str]], number: int) -> list[str]:
        """The texts of so many derivations."""
        texts = map("".join, zip(*self.pick([*columns, *self.constants])))
        # A text without blanks would go on for ever.
        return list(islice(texts, number) if len(self.constants) == 1 else texts)


class Said(NamedTuple):
    """What is said about the lemmas of shapes that have the same ones.

    The entry of word ``i`` begins at column ``starts[i]``.  ``words`` picks the lemmas that
    have to be exposed, ``once`` those that may not be repeated, as far as one can be equal to
    another or to one of ``lemmas``, which are those of other rules; ``repeats`` says that two
    of these are equal.
    """

    classes: tuple[WordClass, ...]
    starts: list[int]
    words: Pick
    once: Pick
    lemmas: tuple[str, ...]
    repeats: bool


class Shape(NamedTuple):
    """What derivations that differ in their words only have in common.

    ``words`` are the lemmas of rules that are in no class which have to be exposed.  The
    shape as a ``phrase``, and the sheets of the source and the targets, are there as far as
    they were asked for.
    """

    key: tuple[int, ...]
    said: Said
    words: tuple[str, ...]
    phrase: list[Phrase]
    sheets: list[Sheet]


class Shapes:
    """Works out shapes and their sheets."""

    def __init__(self, tables: Tables, kinds: Kinds) -> None:
        self._tables = tables
        self._outputs = [tables.source, *tables.targets]
        self._classes = kinds.classes
        self._phrases = Phrases(tables, kinds)
        self._shapes: dict[tuple[int, ...], Shape] = {}
        self._said: dict[tuple[tuple[int, ...], tuple[str, ...]], Said] = {}
        #: Rules that have lemmas.
        self._speaking = {
            rule for rule, of in enumerate(zip(tables.words, tables.lemmas)) if any(of)
        }

    def shape(self, key: tuple[int, ...]) -> Shape:
        """The shape of these rules, of words the complement of their class."""
        shape = self._shapes.get(key)
        if shape is None:
            if len(self._shapes) >= MOST_SHAPES:
                self._shapes.clear()
                self._said.clear()
            classes = tuple([~rule for rule in key if rule < 0])
            speaking = list(filter(self._speaking.__contains__, key))
            lemmas = tuple([lemma for rule in speaking for lemma in self._tables.lemmas[rule]])
            said = self._said.get((classes, lemmas))
            if said is None:
                said = self._said[classes, lemmas] = self._what_is_said(classes, lemmas)
            words = tuple([word for rule in speaking for word in self._tables.words[rule]])
            shape = self._shapes[key] = Shape(key, said, words, [], [])
        return shape

    def _what_is_said(self, numbers: Sequence[int], lemmas: tuple[str, ...]) -> Said:
        classes = tuple([self._classes[number] for number in numbers])
        starts = list(accumulate((of.width for of in classes), initial=0))
        often = Counter(numbers)
        repeated = {number for number in often if self._may_repeat(number, often, lemmas)}
        once = [
            starts[word] + of.lemma
            for word, of in enumerate(classes)
            if of.lemma is not None and of.number in repeated
        ]
        exposed = [starts[word] + of.word for word, of in enumerate(classes) if of.word is not None]
        repeats = len(set(lemmas)) < len(lemmas)
        return Said(classes, starts, picking(exposed), picking(once), lemmas, repeats)

    def _may_repeat(self, number: int, often: Mapping[int, int], fixed: Iterable[str]) -> bool:
        """Whether a lemma of a class can be that of another word, or is among ``fixed``."""
        lemmas = self._classes[number].lemmas
        return (
            often[number] > 1
            or not lemmas.isdisjoint(fixed)
            or any(
                not lemmas.isdisjoint(self._classes[other].lemmas)
                for other in often
                if other != number
            )
        )

    def source(self, shape: Shape) -> Sheet:
        """The sheet of the source sentence, filled with the columns of words."""
        if not shape.sheets:
            shape.phrase.append(self._phrases.whole(shape.key))
            constants, columns = self._text(shape, 0)
            shape.sheets.append(_sheet(constants, columns, shape.said.starts[-1], []))
        return shape.sheets[0]

    def row(self, shape: Shape, target: int) -> Sheet:
        """The sheet of a row with a target: the source sentence, the target, the category.

        It is filled with the columns of words, then those of source sentences and of what
        stands behind the target.
        """
        if len(shape.sheets) == 1:
            # Views of the same graph have its meaning in common.
            meanings: dict[int, Meaning] = {}
            source = shape.said.starts[-1]
            for output in range(1, len(self._outputs)):
                constants, columns = self._text(shape, output, meanings)
                constants[0] = "\t" + constants[0]
                shape.sheets.append(_sheet(constants, columns, source + 2, [source, source + 1]))
        return shape.sheets[1 + target]

    def _text(
        self, shape: Shape, number: int, meanings: dict[int, Meaning] | None = None
    ) -> tuple[list[str], list[int]]:
        """What a shape says in an output: constants, and the columns between them."""
        output, place = self._outputs[number], self._phrases.place[number]
        if isinstance(output, PackedView):
            meanings = {} if meanings is None else meanings
            if place not in meanings:
                graph = self._phrases.graph(shape.phrase[0], place)
                meanings[place] = Meaning(graph_of(graph, _MARKS))
            pieces = _MARKED.split(NOTATIONS[output.kind](meanings[place]))
            constants, blanks = (
                pieces[::2],
                [2 * (ord(mark) - _FIRST_MARK) for mark in pieces[1::2]],
            )
        else:
            constants, blanks = _joined(output, self._phrases.text(shape.phrase[0], place))
        starts, classes = shape.said.starts, shape.said.classes
        columns = [
            starts[blank >> 1] + classes[blank >> 1].texts[number][blank & 1] for blank in blanks
        ]
        return constants, columns


def _joined(text: PackedText, words: Iterable[TextItem]) -> tuple[list[str], list[int]]:
    """The constants of a text, joined as in the engine, and the blanks between them.

    Words of a class never attach to the word before.
    """
    constants, blanks = [], []
    constant, join = "", ""
    for word in words:
        if isinstance(word, int):
            constants.append(constant + join)
            blanks.append(word)
            constant = ""
        else:
            constant += word if word in text.attach else join + word
        join = text.join
    return [*constants, constant], blanks


def _sheet(
    constants: Sequence[str], columns: Sequence[int], width: int, around: Sequence[int]
) -> Sheet:
    """The sheet of a text for so many columns, two of which may stand ``around`` it."""
    places = [width]
    for number, column in enumerate(columns, width + 1):
        places += [column, number]
    if around:
        before, behind = around
        places = [before, *places, behind]
    return Sheet(list(map(repeat, constants)), picking(places))


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
