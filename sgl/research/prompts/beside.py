"""Make what stands beside an item: a string that the grammar does not derive, or an item of the same words.

A *string* is written down as how it is made, so that a reader can make it again::

    word 3 dogs                    the item with another word of training at a place
    swap 3                         the item with the words of two places exchanged
    join train-7 4 train-9 2       the first 4 words of a sentence, and the words of another one from place 2

All have the length of the item.  A join is of training sentences, or of one and the item, and its ends meet in the same
word: every pair of neighbours is one of training or of the item, and only the structure is wrong.  Those strings come
first that have as many pairs of neighbours that training lacks as the item has; whether edits or joins come first among
equals is decided by chance.  The first that the parser does not derive is taken.

A *matched item* is a derivation of training with the words of the item, in their order or backwards, each in the place
of one of its category; nothing is held out in it.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from itertools import islice, pairwise, product
from typing import Any

from sgl.diagnostics import Diagnostics, SourceMap
from sgl.foreign import BENCHMARK, lines_of, read_text
from sgl.parsing import Parser, TooLongError, UnparsableLayerError
from sgl.pipeline.matches import occurrence_search
from sgl.research.evaluate.benchmark import BenchmarkRow, grammar_of
from sgl.research.prompts.material import Material, Prompt, PromptRow, PromptsError, sentence_of
from sgl.sampling.engine import stream_key
from sgl.verify.conllu import Sentence, WordForm
from sgl.verify.derivation import Interpreter
from sgl.verify.items import LAYER

#: Words of a text, each with what is between it and the next one.
Words = tuple[tuple[str, str], ...]

#: How a string is made, or the derivation of a matched item.
Made = Sequence[str | int]

#: Strings that are parsed for one item, training sentences that are joined, joins of two of them, and other words for
#: one place.
_TRIED, _JOINED, _JOINS, _OTHERS = 40, 500, 80, 8


def text_of(words: Iterable[tuple[str, str]]) -> str:
    """Return words as a text."""
    return "".join(form + gap for form, gap in words)


class Strings:
    """The words of all rows, and which of them training has beside one another."""

    def __init__(self, material: Material) -> None:
        self._material = material
        #: The words of a row, as its graph has them, or else between spaces.
        self.words = cache(self._words)
        self._train = {of.row.id: self.words(of.row.id) for of in material.train}
        self._pairs = {pair for words in self._train.values() for pair in pairwise(form for form, _ in words)}
        # Words that are not only the first one of a sentence, without signs.
        own = {form for words in self._train.values() for form, _ in words[1:]}
        self._inside = sorted(form for form in own if any(map(str.isalnum, form)))
        self._usable = frozenset(self._inside)
        self._joined = list(islice(self._train, _JOINED))

    def _words(self, name: str) -> Words:
        own = self._material.known[name]
        forms = [(word.form, " " * word.space_after) for word in own.graph.words]
        found: Words = (*forms[:-1], (forms[-1][0], "")) if forms else ()
        *first, last = own.row.source.split(" ")
        return found if text_of(found) == own.row.source else (*((form, " ") for form in first), (last, ""))

    def strange(self, words: Words) -> int:
        """Return how many pairs of neighbours no training sentence has."""
        return sum(pair not in self._pairs for pair in pairwise(form for form, _ in words))

    def made(self, name: str, how: Made) -> Words:
        """Return the string that is made of a row; raises ``ValueError`` if that is not how strings are made."""
        own = self.words(name)
        match how:
            case ["word", int(at), str(form)] if 0 < at < len(own) and form in self._usable:
                return (*own[:at], (form, own[at][1]), *own[at + 1 :])
            case ["swap", int(at)] if 0 < at < len(own) - 1:
                (one, gap), (other, behind) = own[at : at + 2]
                return (*own[:at], (other, gap), (one, behind), *own[at + 2 :])
            case ["join", str(first), int(at), str(second), int(begin)] if first != second and all(
                one == name or one in self._train for one in (first, second)
            ):
                head, tail = self.words(first)[:at], self.words(second)
                if min(at, begin) > 0 and head[-1:] == tail[begin - 1 : begin] and at + len(tail) - begin == len(own):
                    return (*head, *tail[begin:])
        raise ValueError(f"{how} is no way to make a string of {name}")

    @cached_property
    def _places(self) -> tuple[dict[tuple[object, int], list[tuple[str, int]]], ...]:
        """Places behind a word in training sentences, by how many words stand before them, and by how many behind."""
        before, behind = (defaultdict[tuple[object, int], list[tuple[str, int]]](list) for _ in range(2))
        for name in self._joined:
            words = self.words(name)
            for at in range(1, len(words)):
                before[words[at - 1], at].append((name, at))
                behind[words[at - 1], len(words) - at].append((name, at))
        return before, behind

    def _edits(self, name: str, seed: int) -> Iterator[Made]:
        """Yield edits of a row."""
        own = self.words(name)
        within = [at for at in range(1, len(own)) if any(map(str.isalnum, own[at][0]))]
        yield from (("swap", at) for at in within if at + 1 in within)
        for at in within:
            drawn = (stream_key(seed, f"{name} {at} {number}") for number in range(_OTHERS))
            yield from dict.fromkeys(("word", at, self._inside[number % len(self._inside)]) for number in drawn)

    def _joins(self, name: str, seed: int) -> Iterator[Made]:
        """Yield joins of the length of a row: of the row and training sentences, then of two of these."""
        before, behind = self._places
        size, start = len(self.words(name)), stream_key(seed, f"{name} joins") % len(self._joined)
        for first in (name, *self._joined[start:], *self._joined[:start]):
            words = self.words(first)
            for at in range(1, min(len(words), size)):
                if ends := behind.get((words[at - 1], size - at)):
                    yield "join", first, at, *ends[stream_key(seed, f"{name} {first} {at}") % len(ends)]
                if first == name and (heads := before.get((words[at - 1], at))):
                    yield "join", *heads[stream_key(seed, f"{name} {at}") % len(heads)], name, at

    def string(self, name: str, seed: int, readings: Callable[[str], int]) -> Made | None:
        """Return how to make a string that is not derived, or None if none is found."""
        usual, chance = self.strange(self.words(name)), stream_key(seed, name) % 2
        joins = (how for how in self._joins(name, seed) if how[1] != how[3])
        ways = dict.fromkeys([*self._edits(name, seed), *islice(joins, _JOINS)])

        def rank(how: Made) -> tuple[int, bool, int]:
            far = abs(self.strange(self.made(name, how)) - usual)
            return far, (how[0] == "join") == chance, stream_key(seed, f"{name} {how}")

        tried = sorted(ways, key=rank)[:_TRIED]
        return next((how for how in tried if not readings(text_of(self.made(name, how)))), None)


class Matching:
    """Finds items of the same words whose structures are in training."""

    def __init__(self, material: Material) -> None:
        self._material, self.interpreter = material, Interpreter(material.core)
        if any(word.get(LAYER) for word in material.train[0].graph.words):
            raise PromptsError("patterns of several layers have no matched items")
        # The sentences of all splits, which no matched item may equal.
        files = sorted((material.directory / "data").glob("*.tsv"))
        rows = (line.partition("\t")[0] for path in files for line in lines_of(read_text(path, BENCHMARK)))
        self.known = set(map(sentence_of, rows))
        held_out = list(dict.fromkeys(text for own in material.held_out.values() for text in own))
        self._search = occurrence_search(material.directory, held_out)
        self._skeletons = defaultdict[tuple[int, ...], list[str]](list)
        for of in material.train:
            self._skeletons[self._categories(of.row.id)].append(of.row.id)

    def _categories(self, name: str) -> tuple[int, ...]:
        """Return the categories of the words of a row, in the order of their numbers."""
        rules = self._material.core.rules
        return tuple(sorted(rules[rule].lhs for rule in self._material.known[name].derivation if not rules[rule].rhs))

    def read(self, name: str, how: Made) -> PromptRow:
        """Return what is made of an item by a training sentence and a direction; raises ``ValueError``."""
        known, rules, words = self._material.known, self._material.core.rules, defaultdict[int, list[int]](list)
        skeleton, backwards = how if len(how) == 2 and how[1] in (0, 1) else ("", 0)
        if skeleton not in self._skeletons.get(self._categories(name), ()):
            raise ValueError(f"{how} is no way to make a matched item of {name}")
        for rule in known[name].derivation[:: 1 if backwards else -1]:
            words[rules[rule].lhs] += [] if rules[rule].rhs else [rule]
        own = tuple(x if rules[x].rhs else words[rules[x].lhs].pop() for x in known[str(skeleton)].derivation)
        asked = self._material.asked
        nodes, edges, _, forms = self.interpreter.graph(self._material.layer, own)
        attributes = {node.word: node.attributes for node in nodes}
        of = tuple(WordForm(form, attributes.get(at, ()), True, False) for at, form in enumerate(forms))
        placed = sorted((nodes[edge.source].word, edge.label, nodes[edge.target].word) for edge in edges)
        lengths = self.interpreter.lengths(list(self.interpreter.texts), own).items()
        source, target = (self.interpreter.text(of, own) for of in (asked.source, asked.target))
        row = BenchmarkRow(name, source, target, known[name].row.category)
        return PromptRow(row, Sentence(0, tuple(lengths), of, tuple(placed)), self._material.rules(own), own)

    def item(self, name: str, seed: int, readings: Callable[[str], int]) -> Made | None:
        """Return how to make a matched item that has one reading and is no row of the dataset, or None."""
        skeletons = sorted(
            self._skeletons.get(self._categories(name), ()), key=lambda x: stream_key(seed, f"{name} {x}")
        )
        for how in product(skeletons[:_TRIED], (0, 1)):
            made = self.read(name, how)
            if sentence_of(made.row.source) in self.known or any(self._search([made.graph])):
                continue
            if readings(made.row.source) == 1:
                return how
        return None


def things_beside(
    material: Material,
    prompts: Sequence[Prompt],
    settings: Mapping[str, Any],
    progress: Callable[[str, int, int], None],
) -> dict[str, list[str | int]]:
    """Return what stands beside items, and for strings beside their shots too, by the names of rows."""
    names = dict.fromkeys(prompt.id for prompt in prompts)
    find: Callable[[str, int, Callable[[str], int]], Made | None]
    if settings["matched"]:
        find = Matching(material).item
    elif settings["task"] == "judge":
        find = Strings(material).string
        names |= dict.fromkeys(shot for prompt in prompts for shot in prompt.shots)
    else:
        return {}
    readings, found = _parser(material), dict[str, list[str | int]]()
    for done, name in enumerate(names):
        progress("beside items", done, len(names))
        if (made := find(name, settings["seed"], readings)) is not None:
            found[name] = [*made]
    return found


def _parser(material: Material) -> Callable[[str], int]:
    """Return how many readings a text has in the grammar of a dataset; what is too long for the parser has several."""
    told = Diagnostics()
    compiled = grammar_of(material.asked, None, {}, SourceMap(), told)
    if compiled is None or list(told):
        raise PromptsError("the grammar of the dataset cannot be compiled, or is another one")
    try:
        parser = Parser(compiled.grammar, compiled.grammar.text_layer(material.asked.source))
    except UnparsableLayerError as problem:
        raise PromptsError(f"whether a string is in the language cannot be told: {problem}") from None

    def readings(text: str) -> int:
        try:
            forest = parser.forest(text)
        except TooLongError:
            return 2
        return 0 if forest is None else forest.count

    return readings
