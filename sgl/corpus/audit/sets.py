"""Find what sets of rows share: held-out structures, words and sentences.

A *set* is the rows of one kind in one file.  If the kind, or the file, has the name or title of a pattern, it is a
*generalization set*, and its rows are *items*.

A *frame* is a sentence without one of its words, wherever the word occurs: for items without a target word, for other
rows without each word in turn.  Sets with common frames have the same sentences with different words filled in::

    A ▢ ate .     A shark ate .  (prim_to_subj)     A cockroach ate .  (obj_to_subj)
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from itertools import chain, combinations
from typing import Any, NamedTuple

import numpy as np

from sgl.core.grammar import CoreGrammar
from sgl.core.interpret import Derivation, capitalised, derive_tokens
from sgl.core.plan import Pattern, Plan, introduced_lemmas
from sgl.corpus.audit.judgement import DeclaredStructure
from sgl.corpus.rows import ListedRow

#: Replaces the omitted word in a frame.
_BLANK = "\0"


def hash_text(text: str) -> int:
    """Return an eight-byte hash of a text."""
    content = text.encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(content, digest_size=8).digest(), "little")


def is_word(text: str) -> bool:
    """Return whether a token is a word rather than punctuation."""
    return any(map(str.isalnum, text))


def pattern_of(file: str, kind: str, patterns: Iterable[Pattern], given: Mapping[str, str]) -> Pattern | None:
    """Return the pattern that a kind, or else a file, is named after or is ``given``; None if there is none."""
    names = {pattern.name: pattern for pattern in patterns}
    known = {_letters(pattern.title): pattern for pattern in names.values()}
    known |= {_letters(name): pattern for name, pattern in names.items()}
    name = file.replace("\\", "/").rpartition("/")[2]
    for text in (kind, name, name.partition(".")[0]):
        if text in given:
            return names[given[text]]
        if (letters := _letters(text)) and letters in known:
            return known[letters]
    return None


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


@dataclass
class RowSet:
    """A set of readable rows, of the file with this index.

    ``own`` counts items that contain what their pattern requires; ``isolated`` counts those of them that contain no
    structure held out by another pattern; ``seconds`` has the others, by the other pattern.  ``words`` counts rows for
    each word of each column; ``targets`` are forms of target words.  ``sentences`` has the hash of each row, and
    ``frames`` the hashes of all frames, each of the row whose number is in ``framed``.
    """

    file: int
    kind: str
    pattern: Pattern | None
    rows: int = 0
    parsed: int = 0
    own: int = 0
    isolated: int = 0
    seconds: dict[str, dict[str, Any]] = field(default_factory=dict)
    words: Counter[tuple[str, str]] = field(default_factory=Counter)
    targets: set[tuple[str, str]] = field(default_factory=set)
    sentences: array[int] = field(default_factory=lambda: array("Q"))
    frames: array[int] = field(default_factory=lambda: array("Q"))
    framed: array[int] = field(default_factory=lambda: array("Q"))

    @property
    def training(self) -> bool:
        """Whether the set is training: in the first file, and not items."""
        return self.file == 0 and self.pattern is None

    def add_words(self, column: str, words: Iterable[str]) -> None:
        """Count the distinct words of a row in a column."""
        self.words.update([(column, word) for word in set(words)])


class SharedRows(NamedTuple):
    """The ``rows`` of set ``second`` with a sentence of ``first`` (``distinct`` ones), or ``framed`` by its frames."""

    first: int
    second: int
    rows: int
    distinct: int
    framed: int


class SetCollector:
    """A collector that sorts rows into sets and keeps what the sets may share."""

    def __init__(
        self,
        grammar: CoreGrammar,
        layer: int,
        plan: Plan,
        declared: Sequence[DeclaredStructure],
        given: Mapping[str, str],
    ) -> None:
        """Compare sets in the parsed text ``layer``; ``given`` maps kinds and files to patterns."""
        self.sets: dict[tuple[int, str], RowSet] = {}
        self._grammar, self._layer = grammar, layer
        self._pattern_of = partial(pattern_of, patterns=plan.patterns, given=given)
        self._relations = {p.name: _relations_of(p, plan.patterns, declared) for p in plan.patterns}
        self._lemmas = introduced_lemmas(grammar, plan)
        self._framing = any(pattern.targets for pattern in plan.patterns)
        #: For each text layer, the words that each rule writes there.
        self._words = [
            [tuple(filter(is_word, rule.words(number))) for rule in grammar.rules]
            for number in range(len(grammar.text_layers))
        ]
        self._vocabulary = frozenset(chain.from_iterable(self._words[layer]))

    def add(self, file: int, name: str, kind: str, text: str) -> RowSet:
        """Return the set of a row of a file, and count its sentence."""
        if (rows := self.sets.get((file, kind))) is None:
            rows = self.sets[file, kind] = RowSet(file, kind, self._pattern_of(name, kind))
        rows.rows += 1
        rows.sentences.append(hash_text(text))
        return rows

    def add_unparsed(self, rows: RowSet, layer: str, text: str) -> None:
        """Count the words of a sentence without a reading, if its layer separates words."""
        if not self._grammar.text_layers[self._layer].join:
            return
        words = re.findall(r"\w+", text)
        # Only the first word may be spelt differently in the middle of a sentence.
        if words and words[0] not in self._vocabulary:
            words[0] = words[0][:1].lower() + words[0][1:]
        rows.add_words(layer, words)

    def add_reading(self, rows: RowSet, place: ListedRow, derivation: Derivation, contained: frozenset[int]) -> None:
        """Count the structures that a row contains, and keep its frames."""
        rows.parsed += 1
        if (pattern := rows.pattern) is not None:
            asked, held_out = self._relations[pattern.name]
            own = not asked.isdisjoint(contained)
            others = [name for name, held in held_out.items() if not held.isdisjoint(contained)]
            rows.own += own
            rows.isolated += own and not others
            for name in others:
                # Every example in the JSON of an audit has a detail; this one has nothing to say.
                allowed, example = name in pattern.allow, {**place, "detail": ""}
                second = {"pattern": name, "allowed": allowed, "example": example, "rows": 0}
                rows.seconds.setdefault(name, second)["rows"] += 1
        if self._framing and (pattern is None or pattern.targets):
            for frame in self._frames(pattern, derivation):
                rows.frames.append(frame)
                rows.framed.append(rows.rows)

    def add_words(self, rows: RowSet, column: str, derivation: Derivation, layer: int) -> None:
        """Count the words that the rules of a reading write in a text layer."""
        words = self._words[layer]
        rows.add_words(column, chain.from_iterable([words[rule] for rule in derivation]))
        if rows.pattern is not None and rows.pattern.targets:
            own = self._target_rules(rows.pattern, derivation)
            rows.targets.update((column, word) for rule in own for word in words[rule])

    def _target_rules(self, pattern: Pattern, derivation: Derivation) -> Iterator[int]:
        targets = frozenset(pattern.targets)
        return (rule for rule in derivation if not targets.isdisjoint(self._lemmas[rule]))

    def _frames(self, pattern: Pattern | None, derivation: Derivation) -> Iterator[int]:
        """Yield the hashes of a sentence's frames: without each target of its pattern, or else without each word."""
        tokens = derive_tokens(self._grammar, derivation, self._layer)
        omitted = dict.fromkeys(filter(is_word, tokens))
        if pattern is not None:
            own = self._target_rules(pattern, derivation)
            words = {word for rule in own for word in self._words[self._layer][rule]}
            words |= set(map(capitalised, words))
            omitted = {word: None for word in omitted if word in words}
        for word in omitted:
            yield hash_text(" ".join([_BLANK if token == word else token for token in tokens]))


def _relations_of(
    pattern: Pattern, patterns: Iterable[Pattern], declared: Sequence[DeclaredStructure]
) -> tuple[frozenset[int], dict[str, frozenset[int]]]:
    """Return the structures, by index, that items of a pattern must contain, and those that other patterns hold out.

    A structure that the pattern holds out itself does not count for the others.
    """
    canonical = [entry.structure.canonical() for entry in declared]
    asked = {structure.canonical() for structure in pattern.gen}
    known = asked | {structure.canonical() for structure in pattern.held_out}
    others: dict[str, set[int]] = {other.name: set() for other in patterns if other.name != pattern.name}
    own = set()
    for index, entry in enumerate(declared):
        if entry.pattern == pattern.name and canonical[index] in asked:
            own.add(index)
        elif entry.pattern in others and entry.held_out and canonical[index] not in known:
            others[entry.pattern].add(index)
    return frozenset(own), {name: frozenset(held) for name, held in others.items()}


def new_words(sets: Sequence[RowSet]) -> list[Counter[tuple[str, str]]]:
    """Return for each set its words, with their columns, that training lacks."""
    known = frozenset(chain.from_iterable(rows.words for rows in sets if rows.training))
    return [Counter({w: n for w, n in rows.words.items() if known and w not in known}) for rows in sets]


def shared_rows(sets: Sequence[RowSet]) -> list[SharedRows]:
    """Return what each two sets have in common, if anything; frames only if one of the two has items."""
    if not sets:
        return []
    distinct = [np.unique(np.array(rows.sentences, np.uint64)) for rows in sets]
    values, numbers = np.unique(np.concatenate(distinct), return_counts=True)
    several = frozenset(values[numbers > 1].tolist())
    counted = [Counter(text for text in rows.sentences if text in several) for rows in sets]
    items = frozenset(chain.from_iterable(rows.frames for rows in sets if rows.pattern))
    framed: list[dict[int, set[int]]] = [{} for _ in sets]
    for rows, found in zip(sets, framed, strict=True):
        for frame, number in zip(rows.frames, rows.framed, strict=True):
            if frame in items:
                found.setdefault(frame, set()).add(number)
    pairs = []
    for first, second in combinations(range(len(sets)), 2):
        same = counted[first].keys() & counted[second].keys()
        frames = framed[first].keys() & framed[second].keys()
        if not (sets[first].pattern or sets[second].pattern):
            frames = set()
        rows_of_second = sum(counted[second][text] for text in same)
        alike = len(set().union(*(framed[second][frame] for frame in frames)))
        if same or alike:
            pairs.append(SharedRows(first, second, rows_of_second, len(same), alike))
    return pairs
