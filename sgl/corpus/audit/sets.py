"""Sort rows into sets, and find what items contain besides their structure and what training lacks.

A *set* is the rows of one kind in one file.  If the kind, or the file, has the name or title of a pattern, it is a
*generalization set*, and its rows are *items*.

A *frame* is a sentence without one of its words, wherever the word occurs: for items without a target word, for other
rows without each word in turn.  Sets with common frames have the same sentences with different words filled in::

    A ▢ ate .     A shark ate .  (prim_to_subj)     A cockroach ate .  (obj_to_subj)
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import partial
from hashlib import blake2b
from itertools import chain
from unicodedata import category

import numpy as np

from sgl.core.grammar import CoreGrammar
from sgl.core.graph import Graph
from sgl.core.interpret import Derivation, capitalised, derive_graph, derive_tokens
from sgl.core.plan import Pattern, Plan, introduced_lemmas
from sgl.corpus.audit.judgement import DeclaredStructure
from sgl.corpus.audit.leaks import Leaks, Place
from sgl.corpus.audit.relations import Relation, TestedRelations, relations_of
from sgl.corpus.rows import CorpusRow
from sgl.values import dataclass, field

#: Replaces the omitted word in a frame.
_BLANK = "\0"

#: A word in a column, or with a relation.
Use = tuple[str, str] | Relation


def hash_text(text: str) -> int:
    """Return an eight-byte hash of a text."""
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


def is_word(text: str) -> bool:
    """Return whether a token is a word rather than punctuation."""
    return any(map(str.isalnum, text))


def pattern_of(file: str, kind: str, patterns: Iterable[Pattern], given: Mapping[str, str]) -> Pattern | None:
    """Return the ``given`` pattern, or the one that a kind, or else a file, is named after; None if no name fits."""
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

    ``lines`` are the lines of its rows.  ``texts`` has the hashes of what may be shared, by the line of the report; a
    row may have several frames, each of the row with the index in ``framed``.  ``candidates`` has the lines of rows
    with something that training may lack.
    """

    file: int
    kind: str
    pattern: Pattern | None
    lines: array[int] = field(default_factory=lambda: array("Q"))
    texts: defaultdict[str, array[int]] = field(default_factory=lambda: defaultdict(partial(array, "Q")))
    framed: array[int] = field(default_factory=lambda: array("Q"))
    candidates: dict[tuple[str, Use], array[int]] = field(default_factory=dict)

    @property
    def training(self) -> bool:
        """Whether the set is training: in the first file, and not items."""
        return self.file == 0 and self.pattern is None

    def place(self, detail: str = "") -> Place:
        """Return the place of findings in the set."""
        return self.file, self.kind, detail


class SetCollector:
    """A collector that sorts rows into sets and finds what they share and what they lack.

    Sets are compared in a text layer of the grammar by the patterns of a plan, in the order of their splits.
    """

    def __init__(
        self,
        grammar: CoreGrammar,
        layer: int,
        plan: Plan | None = None,
        declared: Sequence[DeclaredStructure] = (),
        given: Mapping[str, str] | None = None,
        same: Mapping[str, str] | None = None,
    ) -> None:
        """Compare sets in ``layer``; ``given`` maps kinds and files to patterns, ``same`` words to their spelling."""
        patterns = plan.patterns if plan else ()
        self.sets: dict[tuple[int, str], RowSet] = {}
        self.leaks = Leaks()
        self._grammar, self._layer = grammar, layer
        self._same = {word.casefold(): spelling.casefold() for word, spelling in (same or {}).items()}
        self._pattern_of = partial(pattern_of, patterns=patterns, given=given or {})
        self._relations = {p.name: _relations_of(p, patterns, declared) for p in patterns}
        self._lemmas = introduced_lemmas(grammar, plan) if plan else []
        self._graphs = grammar.graph_layer(plan.lemma_layer) if plan and plan.lemma_layer else None
        #: The patterns of items, with the relations that they test.
        self._tested: dict[str, TestedRelations] = {}
        self._framing = False
        #: The words of training, in each column, and their relations.
        self._known: set[Use] = set()
        #: For each text layer, the words that each rule writes there.
        self._words = [
            [tuple(filter(is_word, rule.words(number))) for rule in grammar.rules]
            for number in range(len(grammar.text_layers))
        ]
        self._vocabulary = frozenset(chain.from_iterable(self._words[layer]))

    def expect(self, kinds: Iterable[tuple[str, str]]) -> None:
        """Prepare for rows of these files and kinds: without items there is nothing to compare with training."""
        patterns = set(filter(None, (self._pattern_of(*kind) for kind in kinds)))
        self._tested = {pattern.name: TestedRelations(pattern) for pattern in patterns}
        self._framing = any(pattern.targets for pattern in patterns)

    def add(self, file: int, name: str, row: CorpusRow, sentence: str, output: str) -> RowSet:
        """Return the set of a row of a file, and record its sentence and its output."""
        if (rows := self.sets.get((file, row.kind))) is None:
            rows = self.sets[file, row.kind] = RowSet(file, row.kind, self._pattern_of(name, row.kind))
        rows.lines.append(row.line)
        words = (self._same.get(word, word) for word in _words_in(sentence.casefold()))
        spelling = self._grammar.text_layers[self._layer].join.join(words)
        # A text that is missing is no reason to take two rows for the same.
        texts = {"sentence": sentence, "spelling": spelling or sentence, "answer": output or sentence}
        for key, text in texts.items():
            rows.texts[key].append(hash_text(text))
        return rows

    def add_unparsed(self, rows: RowSet, column: str, text: str) -> None:
        """Record the words of a sentence without a reading, if its layer separates words."""
        if not self._grammar.text_layers[self._layer].join:
            return
        words = _words_in(text)
        # Only the first word may be spelt differently in the middle of a sentence.
        if words and words[0] not in self._vocabulary:
            words[0] = words[0][:1].lower() + words[0][1:]
        self.add_words(rows, column, words, "word")

    def add_reading(self, rows: RowSet, derivation: Derivation, contained: frozenset[int]) -> None:
        """Record the structures of other patterns and the relations in a reading, and keep its frames."""
        line = rows.lines[-1:]
        if (pattern := rows.pattern) is not None:
            asked, held_out = self._relations[pattern.name]
            if asked.isdisjoint(contained):
                self.leaks.add("lacking", rows.place(), line)
            for name in (name for name, held in held_out.items() if not held.isdisjoint(contained)):
                self.leaks.add("allowed" if name in pattern.allow else "second", rows.place(name), line)
        if self._graphs is not None and self._tested and (rows.training or pattern is not None):
            self._add_relations(rows, derive_graph(self._grammar, derivation, self._graphs))
        if self._framing and (pattern is None or pattern.targets):
            for frame in self._frames(pattern, derivation):
                rows.texts["frame"].append(frame)
                rows.framed.append(len(rows.lines) - 1)

    def _add_relations(self, rows: RowSet, graph: Graph) -> None:
        if rows.pattern is None:
            self._known.update(relations_of(graph))
            return
        tested = self._tested[rows.pattern.name]
        for relation in set(relations_of(graph)):
            if key := tested.novelty(relation):
                self._use(rows, key, {relation})

    def add_words(self, rows: RowSet, column: str, words: Iterable[str], key: str) -> None:
        """Record the words of a row in a column, under the line of the report for those that training lacks."""
        self._use(rows, key, {(column, word) for word in words})

    def add_written(self, rows: RowSet, column: str, derivation: Derivation, layer: int, key: str) -> None:
        """Record the words that the rules of a reading write in a text layer; target words have their own line."""
        words = self._words[layer]
        own = set(self._target_rules(rows.pattern, derivation)) if rows.pattern else frozenset[int]()
        self.add_words(rows, column, chain.from_iterable([words[rule] for rule in own]), "target")
        self.add_words(rows, column, chain.from_iterable([words[r] for r in derivation if r not in own]), key)

    def _use(self, rows: RowSet, key: str, uses: AbstractSet[Use]) -> None:
        if rows.training:
            self._known.update(uses)
            return
        # The words of training are complete when the second file begins.
        for use in uses if rows.file == 0 else uses - self._known:
            rows.candidates.setdefault((key, use), array("Q")).append(rows.lines[-1])

    def distinct(self, file: int) -> int:
        """Return the number of different sentences in a file."""
        own = [np.array(rows.texts["sentence"], np.uint64) for rows in self.sets.values() if rows.file == file]
        return len(np.unique(np.concatenate(own))) if own else 0

    def find_unseen(self) -> None:
        """Record the rows with words and relations that training lacks."""
        for rows in self.sets.values() if self._known else ():
            for (key, use), lines in rows.candidates.items():
                # A word that training lacks altogether has no other line.
                known = not isinstance(use, Relation) or Relation(use.lemma) in self._known
                if known and use not in self._known:
                    detail = str(use) if isinstance(use, Relation) else ": ".join(use)
                    for line in (key, "relation") if key == "modifier" else (key,):
                        self.leaks.add(line, rows.place(detail), lines)

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


class _Unmarked(dict[int, str]):
    """A table for ``str.translate`` that makes spaces of punctuation; signs such as ``+`` and ``_`` are words."""

    def __missing__(self, code: int) -> str:
        kind = category(chr(code))
        self[code] = " " if kind[0] in "PZC" and kind != "Pc" else chr(code)
        return self[code]


_UNMARKED = _Unmarked()


def _words_in(text: str) -> list[str]:
    """Return the words of a text, without punctuation."""
    return text.translate(_UNMARKED).split()
