"""Mine errors: which structures are to blame for failed sentences?

A *structure* of a tree is a connected set of its words with the edges between them, written as its top word followed by
the structures below, sorted and in brackets: ``(conj (advmod (aux)))``.  Structures are counted from the leaves up,
equal choices of dependents together.

A structure is the more suspicious the fewer other sentences have it, and sentences explained by one structure need no
other (Sagot & de la Clergerie 2006; for trees Gardent & Narayan 2012).  With n the number of occurrences of a structure
in a sentence, and |s| the number of all occurrences there::

    at first          the blame in a failed sentence is divided evenly: n / |s|
    suspicion S       the mean blame of an occurrence, over all sentences
    in each round     the blame in a failed sentence is divided by suspicion: n S / sum of n S
    score             S · ln(number of occurrences)

Structures that occur in the same trees would share their blame, so the smallest represents them all.  Rare structures
are left out, as a single occurrence explains its sentence perfectly.  The results can be written as patterns of a
grammar, which hold these structures out of training and test them.
"""

import itertools
import re
from array import array
from ast import literal_eval
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sgl.research.analyse.metrics import Skeleton, upwards, word_depths
from sgl.research.analyse.scoring import Json
from sgl.research.analyse.tables import analysis_environment
from sgl.research.treebank import TreebankWord

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

#: The parts of word labels, by the parts of the name of a view: ``pos-dep``.
_LABELS: Mapping[str, Callable[[TreebankWord], str]] = {
    "dep": attrgetter("deprel"),
    "pos": attrgetter("upos"),
    "lemma": attrgetter("lemma"),
}

#: A tree with more different structures at one word than this is not taken apart; trees between reports of progress.
_MOST, _OFTEN = 20_000, 500

#: Brackets in labels would be mistaken for brackets of structures.
_SPELT = str.maketrans({"(": "⟨", ")": "⟩", " ": "_"})


class TooManySubtreesError(Exception):
    """A tree has more structures than can be listed."""


class Subtree(NamedTuple):
    """A structure: its label with the labels of its parts, and its number of words."""

    text: str
    words: int


#: Structures with a given top word, and how often each occurs.
_Rooted = dict[Subtree, int]


def labels_of(words: Sequence[TreebankWord], skeleton: Skeleton, view: str) -> tuple[str, ...]:
    """Return the labels of the words that are kept."""
    parts = [_LABELS[part] for part in view.split("-")]
    return tuple(["-".join(part(words[at]) for part in parts).translate(_SPELT) for at in skeleton.kept])


def subtrees(heads: Sequence[int], labels: Sequence[str], smallest: int, largest: int) -> Counter[Subtree]:
    """Count the structures with ``smallest`` to ``largest`` words; raises ``TooManySubtreesError``."""
    below: list[list[_Rooted]] = [[] for _ in heads]
    found: Counter[Subtree] = Counter()
    for word in upwards(word_depths(heads)):
        rooted = _rooted(labels[word], below[word], largest)
        below[word] = []
        for structure, number in rooted.items():
            if structure.words >= smallest:
                found[structure] += number
        if len(found) > 10 * _MOST:
            raise TooManySubtreesError
        if heads[word]:
            below[heads[word] - 1].append(rooted)
    return found


def _rooted(label: str, below: Sequence[_Rooted], largest: int) -> _Rooted:
    chosen: dict[tuple[int, tuple[str, ...]], int] = {(1, ()): 1}
    for rooted in below:
        for (size, parts), number in list(chosen.items()):
            for (text, more), times in rooted.items() if size < largest else ():
                if size + more <= largest:
                    key = (size + more, tuple(sorted((*parts, text))))
                    chosen[key] = chosen.get(key, 0) + number * times
            if len(chosen) > _MOST:
                raise TooManySubtreesError
    return {Subtree(f"({' '.join((label, *parts))})", size): number for (size, parts), number in chosen.items()}


def occurrence(heads: Sequence[int], labels: Sequence[str], text: str) -> frozenset[int] | None:
    """Return the words (from 0) of the first occurrence of a structure in a tree, or None."""
    below: list[list[int]] = [[] for _ in heads]
    for word, head in enumerate(heads):
        if head:
            below[head - 1].append(word)

    def filled(parts: Sequence[Parsed], free: Sequence[int]) -> Iterator[frozenset[int]]:
        if not parts:
            yield frozenset()
            return
        (label, inner), *others = parts
        for word in free:
            if labels[word] == label:
                for words in filled(inner, below[word]):
                    for more in filled(others, [other for other in free if other != word]):
                        yield words | more | {word}

    return next(filled([parsed(text)], range(len(heads))), None)


#: A structure as the label of its top word and its parts.
Parsed = tuple[str, tuple["Parsed", ...]]


def parsed(text: str) -> Parsed:
    """Parse a structure into the label of its top word and its parts."""
    # Rewrite it as a Python tuple: every word is its label and the tuple of its parts.
    literal = re.sub(r"\(([^() ]+)", lambda top: f"({top[1]!r}, (", text).replace(")", ")),")
    found: tuple[Parsed] = literal_eval(literal)
    return found[0]


class Occurrences(NamedTuple):
    """How often structures (rows of ``times``) occur in trees (columns), and trees in sentences."""

    subtrees: tuple[Subtree, ...]
    times: "csr_array"
    sentences: Ints

    @property
    def support(self) -> Ints:
        """The number of sentences in which each structure occurs."""
        return self.failing(self.sentences)

    @property
    def total(self) -> Ints:
        """The number of occurrences of each structure in all sentences."""
        return np.asarray(self.times @ self.sentences)

    def failing(self, failed: Ints) -> Ints:
        """Return how many failed sentences have each structure; ``failed`` counts them by tree."""
        return np.asarray(self.times.astype(np.bool_) @ failed)

    def only(self, kept: Sequence[int]) -> "Occurrences":
        """Return the table with only these structures."""
        return Occurrences(tuple([self.subtrees[at] for at in kept]), self.times[kept], self.sentences)


def frequent(table: Occurrences, least: int) -> Occurrences:
    """Return the structures that occur in at least ``least`` sentences."""
    return table.only(np.flatnonzero(table.support >= least).tolist())


def collapsed(table: Occurrences) -> Occurrences:
    """Keep only the smallest of structures that occur in the same trees."""
    trees = np.split(table.times.indices, table.times.indptr[1:-1])
    ranks = [(entry.words, len(entry.text), entry.text) for entry in table.subtrees]
    best: dict[bytes, int] = {}
    for at in sorted(range(len(ranks)), key=ranks.__getitem__):
        best.setdefault(trees[at].tobytes(), at)
    return table.only(sorted(best.values()))


def suspicion(table: Occurrences, failed: Ints, rounds: int) -> Floats:
    """Return the suspicion of each structure; ``failed`` counts failed sentences by tree."""
    total = table.total
    # Dividing the blame evenly is dividing it by equal suspicions.
    found = np.ones(len(total))
    for _ in range(rounds + 1):
        size = found @ table.times
        blame = np.divide(failed, size, out=np.zeros(len(size)), where=size > 0)
        found = found * (table.times @ blame) / total
    return found


def scores(table: Occurrences, suspicions: Floats) -> Floats:
    """Return suspicions, weighted by the number of occurrences of each structure."""
    return suspicions * np.log(table.total)


class MinedTrees:
    """The structures of the trees of sentences; ``too_broad`` sentences have too many, and count as having none."""

    def __init__(
        self,
        trees: Sequence[Any],
        structures: Callable[[Any], Mapping[Subtree, int]],
        advance: Callable[[int, int], None] = lambda _done, _all: None,
    ) -> None:
        """Count the ``structures`` of each different tree; the function may raise ``TooManySubtreesError``."""
        numbers = {tree: number for number, tree in enumerate(dict.fromkeys(trees))}
        self.of_sentence: Ints = np.array([numbers[tree] for tree in trees], np.int64)
        self._trees, self._kinds = len(numbers), dict[Subtree, int]()
        self._rows = array("q"), array("q"), array("q")
        broad = []
        for tree, number in numbers.items():
            if number % _OFTEN == 0:
                advance(number, len(numbers))
            try:
                counts = structures(tree)
            except TooManySubtreesError:
                broad.append(number)
                continue
            for structure, count in counts.items():
                kind = self._kinds.setdefault(structure, len(self._kinds))
                for row, value in zip(self._rows, (number, kind, count), strict=True):
                    row.append(value)
        self.too_broad = int(np.isin(self.of_sentence, broad).sum())

    def by_tree(self, chosen: NDArray[np.bool_]) -> Ints:
        """Return the number of chosen sentences with each tree."""
        return np.bincount(self.of_sentence[chosen], minlength=self._trees).astype(np.int64)

    def table(self) -> Occurrences:
        """Return the table of all structures."""
        from scipy.sparse import csr_array

        trees, kinds, times = (np.array(row, np.int64) for row in self._rows)
        sentences = self.by_tree(np.ones(len(self.of_sentence), np.bool_))
        table = csr_array((times, (kinds, trees)), (len(self._kinds), self._trees))
        return Occurrences(tuple(self._kinds), table, sentences)


#: A relation that a pattern can contain, and a text that can be quoted.
_LABEL, _QUOTED = re.compile(r"[^\W\d]\w*(:\w+)*|\*"), re.compile(r'[^"\\⟨⟩]+')

#: The most patterns that are written.
_WRITTEN = 20


def write_patterns(data: Json, name: str) -> str:
    """Return a file of patterns, with this name, from the data of an analysis: from all views, the worst first."""
    suspects = [(suspect, mined["view"]) for mined in data["mined"] for suspect in mined["suspects"]]
    suspects.sort(key=lambda pair: (-pair[0]["coverage"], -pair[0]["score"]))
    found = [(suspect, body_of(suspect["structure"], view)) for suspect, view in suspects]
    patterns = [pair for pair in found if pair[1]][:_WRITTEN]
    name = re.sub(r"\W|^(?=\d)", "_", name)
    template = analysis_environment().get_template("patterns.sgl.j2")
    return template.render(name=name, patterns=patterns, systems=len(data["systems"]))


def body_of(structure: str, view: str) -> str:
    """Return a mined structure in the notation of patterns, or "" if a label cannot be written there.

    >>> body_of("(VERB-acl (ADP-mark))", "pos-dep")
    '{ A -[acl]-> B[upos=VERB]; B -[mark]-> C[upos=ADP] }'
    """
    kinds = view.split("-")
    names = map(chr, itertools.count(ord("A")))
    steps: list[str] = []

    def add(part: Parsed, above: str) -> bool:
        labels = dict(zip(kinds, part[0].rsplit("-", len(kinds) - 1), strict=False))
        edge = labels.pop("dep", "*")
        shown = {kind: label if label.isidentifier() else f'"{label}"' for kind, label in labels.items()}
        tests = ", ".join(f"{kind.replace('pos', 'upos')}={label}" for kind, label in shown.items())
        # The root has no edge to it, and any top word can be the top of a larger tree.
        known = above or ("" if edge in ("*", "root") else next(names))
        word = next(names)
        if known or tests:
            steps.append((f"{known} -[{edge}]-> " if known else "") + (f"{word}[{tests}]" if tests else word))
        fits = _LABEL.fullmatch(edge) and all(map(_QUOTED.fullmatch, labels.values()))
        return bool(fits) and all(add(inner, word) for inner in part[1])

    return f"{{ {'; '.join(steps)} }}" if add(parsed(structure), "") and steps else ""
