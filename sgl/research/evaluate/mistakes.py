"""What is wrong with a prediction of a text, by comparing the trees of words of derivations.

The words of the likeliest reading are compared with those of the gold item; of what is left, a word may be another
form of one on the other side.  Where the trees are otherwise the same, a kind is special::

    confusion    one other word, in the same place and with the same attributes but for the lemma
    recursion    a level is missing: a word with all below it, whose relation is above, below or beside it once more;
                 what has this relation next below takes its place
    phrase       any other word is missing with all below it

A prediction without a reading is compared word by word, in the order of the text: what differs may be one span.
"""

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from enum import Enum
from itertools import product

from sgl.research.evaluate.realization import GrammarEdges, Lemmas, Realization, WordTree, tree_of


class Mistake(Enum):
    """The kind of a mistake; the last four are those of predictions without a reading."""

    EMPTY = "empty"
    ROLES = "roles"
    FORM = "form"
    CONFUSION = "confusion"
    WORDS = "words"
    RECURSION = "recursion"
    PHRASE = "phrase"
    MISSING = "missing"
    EXTRA = "extra"
    REPLACED = "span replaced"
    LOST = "span missing"
    ADDED = "span added"
    UNPARSED = "not a sentence"


def mistake_of(
    target: str, gold: Realization | None, text: str, read: Sequence[Realization], edges: GrammarEdges, lemmas: Lemmas
) -> Mistake:
    """Return the kind of the mistake of a prediction, from the readings of the gold text and of the prediction."""
    if not text.strip():
        return Mistake.EMPTY
    if gold is None or not read:
        return _of_span(edges.words(target), edges.words(text))
    one, other = (Counter(filter(None, said.words)) for said in (gold, read[0]))
    kind = _of_words(one - other, other - one, lemmas)
    if kind not in (Mistake.WORDS, Mistake.MISSING):
        return kind
    tree, *others = map(tree_of, (gold, *read))
    one, other = Counter(tree.words), Counter(others[0].words)
    lacking, more = one - other, other - one
    found: Iterable[tuple[Mistake, _Paths]] = ()
    if lacking.total() == more.total() == 1:
        found = _confused(tree, *lacking, *more)
    elif not more:
        found = _shortened(tree, lacking)
    # Of several readings one is enough that has nothing else wrong.
    paths = list(map(_paths, others))
    return next((special for special, wanted in found if wanted in paths), kind)


def _of_words(lacking: Counter[str], other: Counter[str], lemmas: Lemmas) -> Mistake:
    if not lacking and not other:
        return Mistake.ROLES
    if lacking.total() != other.total():
        return Mistake.MISSING if lacking.total() > other.total() else Mistake.EXTRA
    none = frozenset[str]()
    for word in lacking.elements():
        form = next((o for o in other.elements() if lemmas.get(o, none) & lemmas.get(word, none)), None)
        if form is None:
            return Mistake.WORDS
        other[form] -= 1
    return Mistake.FORM


#: What an edit of words is called.
_SPANS = {"replace": Mistake.REPLACED, "delete": Mistake.LOST, "insert": Mistake.ADDED}


def _of_span(gold: Sequence[str], said: Sequence[str]) -> Mistake:
    edits = [edit for edit in SequenceMatcher(None, gold, said, autojunk=False).get_opcodes() if edit[0] != "equal"]
    # Where less than half is right, nothing can be said of the rest.
    if len(edits) != 1 or 2 * (edits[0][2] - edits[0][1]) > len(gold):
        return Mistake.UNPARSED
    return _SPANS[edits[0][0]]


#: What each word of a tree and all words above it are: trees are compared by this.
_Paths = Counter[tuple[object, ...]]


def _lines(heads: Sequence[int]) -> list[list[int]]:
    """Return for each word its number, and those of all words above it."""
    lines = [[word] for word in range(1, len(heads) + 1)]
    for line in lines:
        while (head := heads[line[-1] - 1]) and head not in line:
            line.append(head)
    return lines


def _paths(tree: WordTree, gone: Container[int] = ()) -> _Paths:
    shown = list(zip(tree.labels, tree.words, tree.kinds, strict=True))
    return Counter(tuple([shown[word - 1] for word in line]) for line in _lines(tree.heads) if line[0] not in gone)


def _confused(tree: WordTree, old: str, new: str) -> Iterator[tuple[Mistake, _Paths]]:
    """Yield the trees with another word in the place of one."""
    for place, word in enumerate(tree.words):
        if word == old:
            words = *tree.words[:place], new, *tree.words[place + 1 :]
            yield Mistake.CONFUSION, _paths(tree._replace(words=words))


def _shortened(tree: WordTree, lacking: Counter[str]) -> Iterator[tuple[Mistake, _Paths]]:
    """Yield the trees without a level or a phrase of these words."""
    lines = _lines(tree.heads)
    for top, relation, whole in product(range(1, len(lines) + 1), set(tree.labels), (False, True)):
        above, own = tree.heads[top - 1], tree.labels[top - 1]
        within = [line[: line.index(top)] for line in lines if top in line]
        levels = [[word for word in line if tree.labels[word - 1] == relation] for line in within]
        nested = max(map(len, levels))
        under = {level[-1] for level in levels if level and not whole}
        gone = {top, *(line[0] for line in within if line and under.isdisjoint(line))}
        # The outermost level has no relation; it is one if what takes its place has another below it.
        level = own == relation or (not above and nested > 1)
        if level and Counter(tree.words[word - 1] for word in gone) == lacking:
            beside = [word for word, head in enumerate(tree.heads, 1) if head == above and word != top]
            around = any(tree.labels[word - 1] == relation for word in (*lines[top - 1][1:], *beside))
            heads = [above if word in under else head for word, head in enumerate(tree.heads, 1)]
            labels = [own if word in under else label for word, label in enumerate(tree.labels, 1)]
            shorter = tree._replace(heads=tuple(heads), labels=tuple(labels))
            kind = Mistake.RECURSION if under or (around and not nested) else Mistake.PHRASE
            yield kind, _paths(shorter, gone)
