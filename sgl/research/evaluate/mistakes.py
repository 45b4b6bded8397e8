"""Find what is wrong with a prediction, which may be several things.

What a prediction says is a graph of words.  A logical form is one; a text has the tree of the reading that is most like
the gold item.  To a text without a reading the gold tree is projected along the alignment of both texts (Hwa et al.
2005).  Words without a node, such as particles, are compared in the alignment alone.  Before anything is compared,
repetitions are taken out, and an end that is missing is taken from the gold text.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from sgl.rendering.views import VIEWS
from sgl.research.analyse.words import is_punctuation
from sgl.research.evaluate.benchmark import BenchmarkRow
from sgl.research.evaluate.edits import Cost, Edit, Pair, aligned, runs, without_repetitions
from sgl.research.evaluate.equivalence import exact, normal
from sgl.research.evaluate.meanings import (
    MODIFIERS,
    Found,
    Meaning,
    Mistake,
    Node,
    compared,
    of_atoms,
    of_term,
    of_tree,
    overlap,
)
from sgl.research.evaluate.realization import Realization, WordTree
from sgl.research.evaluate.vocabulary import Vocabulary
from sgl.research.logical_forms.notation import LogicalFormError

#: A prediction with less of the words of its item is compared no further; one with less than half may be another's.
_UNRELATED, _OTHER = 1 / 3, 1 / 2

Findings = tuple[Found, ...]


class KnownAnswers:
    """The right answers of all items."""

    def __init__(self, rows: Iterable[BenchmarkRow]) -> None:
        self._items: dict[str, str] = {}
        for row in rows:
            self._items.setdefault(normal(row.target), row.id)

    def judge(self, text: str, right: float, found: Iterable[Found]) -> Findings:
        """Return what is found, unless the prediction has too few of the right words, by their share."""
        item = self._items.get(normal(text)) if right < _OTHER else None
        if item is not None:
            return (Found(Mistake.ITEM, said=item),)
        return tuple(found) if right >= _UNRELATED else (Found(Mistake.UNRELATED),)


def no_answer(row: BenchmarkRow, text: str) -> Findings:
    """Return what a prediction is that is no answer to the item."""
    if not text.strip():
        return (Found(Mistake.EMPTY),)
    return (Found(Mistake.SOURCE, row.source, text),) if exact(row.source, text) else ()


def form_mistakes(gold: str, text: str, view: str, known: KnownAnswers) -> Findings:
    """Return what is wrong with a logical form that has another meaning."""
    read = of_term if VIEWS[view].syntax == "terms" else of_atoms
    found: list[Found] = []
    try:
        wanted = read(gold)
        try:
            said = read(text)
        except LogicalFormError:
            words, twice = without_repetitions(text.split(), gold.split())
            mended = _mended(gold.split(), text.split(), words, twice, _same)
            found = mended.found
            said = read(" ".join(mended.words))
    except LogicalFormError:
        return (*found, Found(Mistake.UNREADABLE))
    # Functions may have their binders in another order.
    differ = compared(wanted, said) or ([] if found else [Found(Mistake.BINDING)])
    right = overlap(wanted.words.values(), said.words.values())
    return known.judge(text, right, found + differ)


def _same(word: str, other: str) -> int:
    return 0 if word == other else 30


#: What each repetition costs, so that a word which repeats the one before it by mistake is another word.
_TWICE = 10


class _Mended(NamedTuple):
    """What a text says twice and lacks at its end, its words without that, and their alignment."""

    found: list[Found]
    words: list[str]
    pairs: list[Pair]


def _mended(
    gold: Sequence[str],
    given: Sequence[str],
    said: Sequence[str],
    twice: Sequence[str],
    cost: Cost,
    *,
    late: bool = True,
) -> _Mended:
    """Complete a text; ``said`` are the words without what is there ``twice``, if these are nearer to the gold text."""
    alignment = aligned(gold, said, cost, late=late)
    found = [Found(Mistake.REPETITION, said=part) for part in twice]
    before = aligned(gold, given, cost, late=late) if twice else None
    if before is not None and alignment is not None and before.cost <= alignment.cost + _TWICE * len(twice):
        # What stands twice is what something else was left out between, or one of them another word.
        alignment, said, found = before, given, []
    if alignment is None or alignment.end is None:
        return _Mended(found, list(said), [] if alignment is None else alignment.pairs)
    pairs, rest = alignment.pairs, range(alignment.end, len(gold))
    if not any(gold[old] == said[new] for old, new in pairs if old is not None and new is not None):
        return _Mended(found, list(said), [*pairs, *((old, None) for old in rest)])
    # The last word may have been cut itself.
    kept, lost = said[: sum(new is not None for _, new in pairs)], gold[alignment.end :]
    pairs += [(old, new) for new, old in enumerate(rest, len(kept))]
    return _Mended([*found, Found(Mistake.TRUNCATION, " ".join(lost))], [*kept, *lost], pairs)


class Draft(NamedTuple):
    """What is wrong with a text apart from its tree, the text without that, and the edits of words that are left."""

    found: list[Found]
    text: str = ""
    edits: list[Edit] | None = None
    right: float = 1.0


class TextMistakes:
    """Finds mistakes in predictions of one text layer of a grammar."""

    def __init__(self, words: Vocabulary, known: KnownAnswers) -> None:
        self._words, self._known = words, known

    def draft(self, target: str, text: str, *, read: bool) -> Draft:
        """Return what is wrong with a text that has no reading; of one that is ``read``, only repetitions."""
        join = self._words.join
        pieces, twice = without_repetitions(self._words.pieces(text), self._words.pieces(target))
        if read and not twice:
            return Draft([])
        return self._compared(target, self._words.words(text), self._words.words(join.join(pieces)), twice)

    def _compared(self, target: str, given: list[str], said: list[str], twice: Sequence[str]) -> Draft:
        """Compare a text with the gold text word by word."""
        gold, join = self._words.words(target), self._words.join
        found, words, pairs = _mended(gold, given, said, twice, self._words.cost, late=bool(join))
        kept, every = list[str](), list[Edit]()
        for run in runs(gold, words, pairs):
            wrong, left = self._of_run(run, join.join(words), gold)
            found += wrong
            kept += [edit.new for edit in left if edit.new]
            every += [edit for edit in left if edit.old != edit.new]
        edits = [edit for edit in every if self._words.has_content(edit.old or edit.new)]
        if _moved(edits):
            # What has moved may have got another particle on its way.
            beside = _bags(edit for edit in every if edit not in edits)
            found += [Found(Mistake.PARTICLE, said=word) for word in (beside[1] - beside[0])]
        own = self._words.has_content
        share = overlap(filter(own, gold), filter(own, given), self._words.alike)
        return Draft(found, join.join(kept), edits, share)

    def _of_run(self, run: Sequence[Edit], text: str, gold: Sequence[str]) -> tuple[list[Found], list[Edit]]:
        """Return what is wrong with the particles of some edits in a row, and the edits without that."""
        own, more = self._words.has_content, self._words.join.join(edit.new for edit in run)
        if 2 * more in text and not any(edit.old for edit in run):
            # Less than a word of the grammar is repeated.
            return [Found(Mistake.REPETITION, said=more)], []
        torn = self._is_torn(run, gold)
        # Particles come and go with the words beside them.
        lost, added = (any(map(own, bag)) for bag in _bags(run))
        found, left = list[Found](), list[Edit]()
        for old, new, place, _ in run:
            beside = not (old and new) and (lost if old else added)
            loose = old != new and not own(old or new) and not beside
            if loose:
                kind = Mistake.NOTATION if is_punctuation(old or new) else Mistake.PARTICLE
                found.append(Found(kind, old, new))
            left.append(Edit(old, old if loose else new, place, torn))
        return found, left

    def _is_torn(self, run: Sequence[Edit], gold: Sequence[str]) -> bool:
        """Tell whether the last gold word that edits leave out leaves its particle behind."""
        last = next((edit.place for edit in reversed(run) if edit.place is not None and not edit.new), len(gold))
        return last + 1 < len(gold) and not self._words.has_content(gold[last + 1])

    def of(
        self, target: str, gold: Realization | None, text: str, read: Sequence[Realization], draft: Draft
    ) -> Findings:
        """Return the mistakes of a prediction, from the readings of the gold text and of the draft."""
        tree = WordTree((), (), ()) if gold is None else self._words.tree(gold)
        wanted, alike = of_tree(tree), self._words.alike
        if gold is not None and read:
            best = max(read, key=lambda reading: _likeness(tree, self._words.tree(reading)))
            said = of_tree(self._words.tree(best))
            found = draft.found + compared(wanted, said, alike)
            found += [Found(Mistake.PARTICLE, *words) for words in self._words.particles(gold, best)]
            if found:
                right = overlap(wanted.words.values(), said.words.values(), alike)
                return self._known.judge(text, right, found)
        if draft.edits is None:
            words = self._words.words(text)
            draft = self._compared(target, words, words, ())
        projected = dict(wanted.words)
        found = draft.found + list(self._projected(draft.edits or [], tree, self._words.words(target), projected))
        edges = Counter(edge for edge in wanted.edges if edge[0] in projected and edge[2] in projected)
        found += compared(wanted, Meaning(projected, edges), alike)
        return self._known.judge(text, draft.right, found or [Found(Mistake.NOTATION)])

    def _projected(
        self, edits: Sequence[Edit], tree: WordTree, gold: Sequence[str], words: dict[Node, str]
    ) -> Iterator[Found]:
        """Change the ``words`` of the gold tree; yield what is no difference of trees."""
        moved, nodes, before = _moved(edits), _places(tree, gold), False
        lost = {nodes.get(edit.place) for edit in edits if not edit.new and edit.old in moved}
        for number, (old, new, place, torn) in enumerate(edits):
            node, both = nodes.get(place), bool(old and new)
            alike = both and self._words.alike(old, new)
            if not both and (old or new) in moved:
                yield from _of_moved(old, node, tree, lost)
            elif node and new:
                words[node] = new
            elif node and not torn:
                del words[node]
            elif old:
                yield Found(_of_changed(new, alike=alike), old, new)
            elif not before or new in self._words.lemmas:
                # The rest of a word that is none belongs to it.
                words["", number] = new
            before = alike or (before and not old)


def _bags(edits: Iterable[Edit]) -> tuple[Counter[str], Counter[str]]:
    """Return the words that are only in the gold text, and those that are only in the prediction."""
    edits = list(edits)
    return Counter(edit.old for edit in edits if not edit.new), Counter(edit.new for edit in edits if not edit.old)


def _moved(edits: Iterable[Edit]) -> Counter[str]:
    """Return the words that are in another place."""
    old, new = _bags(edits)
    return old & new


def _of_changed(new: str, *, alike: bool) -> Mistake:
    """Return what is wrong where another word is in the place of one, perhaps a form of it, or none."""
    return Mistake.FORM if alike else Mistake.WORD if new else Mistake.MISSING


def _of_moved(word: str, node: int | None, tree: WordTree, moved: Collection[int | None]) -> Iterator[Found]:
    """Yield what is wrong with a word in another place, unless it has moved with the word that it depends on."""
    if node and tree.heads[node - 1] not in moved:
        modifier = tree.labels[node - 1].partition(":")[0] in MODIFIERS - {"obl"}
        yield Found(Mistake.ATTACHMENT if modifier else Mistake.ROLE, word, word)


def _places(tree: WordTree, gold: Sequence[str]) -> dict[int | None, int]:
    """Return the node of each word of the gold text that has one."""
    found: dict[int | None, int] = {}
    at = 0
    for node, word in enumerate(tree.words, 1):
        if word in gold[at:]:
            at = gold.index(word, at) + 1
            found[at - 1] = node
    return found


def _likeness(tree: WordTree, other: WordTree) -> int:
    """Return how many words of two trees have the same relation to the same word."""
    one, two = (
        Counter((word, label, each.words[head - 1] if head else "") for word, head, label in zip(*each, strict=True))
        for each in (tree, other)
    )
    return (one & two).total()
