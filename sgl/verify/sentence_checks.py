"""Checks on sentences and words: new words, repeated sentences, repeated lemmas."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

from sgl.verify.conllu import Word
from sgl.verify.dataset import GENERALIZATION, PART, TRAIN, Dataset, Item
from sgl.verify.report import Tally

_EXAMPLES = 10


def words_exposed(data: Dataset, tally: Tally) -> None:
    """Every lemma of a generalization item occurs in train.

    New word forms, and lemmas that train has as another part of speech only, are
    counted without being violations: an inflected form may be what is to be
    generalized to.
    """
    train = _distinct_words(data.items(TRAIN))
    lemmas = {_lemma(word) for word in train}
    first: dict[str, Item] = {}
    gen: list[Word] = []
    for item in data.items(GENERALIZATION):
        for word in item.words:
            first.setdefault(_lemma(word), item)
        gen.extend(item.words)
    for lemma, item in first.items():
        tally.checked += 1
        if lemma not in lemmas:
            tally.add(data.violation(f"the lemma {lemma!r} does not occur in train", item))
    forms = {word.form.lower() for word in train}
    _report_new(tally, "word forms of gen that are not in train", gen, forms, _form)
    tagged = {_tagged(word) for word in train}
    _report_new(tally, "lemmas with a part of speech that train lacks", gen, tagged, _tagged)


def splits_disjoint(data: Dataset, tally: Tally) -> None:
    """No source sentence occurs in two splits.

    Where the dataset does not declare distinct sentences, this is asked of the
    generalization items alone; sentences that train, dev and test share are counted.
    """
    first: dict[str, Item] = {}
    shared = 0
    for item in data.items():
        tally.checked += 1
        other = first.setdefault(item.source, item)
        if other.split == item.split:
            continue
        if data.manifest.distinct_sentences or GENERALIZATION in (item.split, other.split):
            tally.add(data.violation(f"the sentence is {other.sent_id} as well", item))
        else:
            shared += 1
    if not data.manifest.distinct_sentences:
        tally.figure("sentences that train, dev and test share", shared)


def sentences_distinct(data: Dataset, tally: Tally) -> None:
    """No source sentence occurs twice in a split, if the dataset declares so.

    Categories that the manifest marks as repeated (bare words) may repeat their own.
    """
    repeated = 0
    for split in data.splits:
        strata = data.manifest.splits.get(split.name, ())
        free = {stratum.category for stratum in strata if stratum.repeated}
        first: dict[str, Item] = {}
        for item in split.items:
            tally.checked += 1
            other = first.setdefault(item.source, item)
            if other is item:
                continue
            repeated += 1
            own = item.category == other.category and item.category in free
            if data.manifest.distinct_sentences and not own:
                tally.add(data.violation(f"the sentence is {other.sent_id} as well", item))
    tally.figure("repeated sentences", repeated)


def lemmas_distinct(data: Dataset, tally: Tally) -> None:
    """No lemma of the declared parts of speech occurs twice in a sentence.

    Parts of train whose lemmas may be repeated are exempt.
    """
    tags = frozenset(data.manifest.distinct_lemmas)
    exempt = {PART + part.name for part in data.manifest.parts if part.repeated_lemmas}
    for item in data.items():
        if item.split == TRAIN and item.category in exempt:
            continue
        tally.checked += 1
        lemmas = [word.get("lemma") for word in item.words if word.get("upos") in tags]
        if len(set(lemmas)) < len(lemmas):
            lemma = next(lemma for lemma, times in Counter(lemmas).items() if times > 1)
            tally.add(data.violation(f"the lemma {lemma!r} occurs twice", item))


def _report_new(
    tally: Tally, label: str, words: Iterable[Word], known: set[str], key: Callable[[Word], str]
) -> None:
    """Report how many different words of gen are new under ``key``, with examples."""
    new = dict.fromkeys(key(word) for word in words if key(word) not in known)
    tally.figure(label, len(new), ", ".join(list(new)[:_EXAMPLES]))


def _distinct_words(items: Iterable[Item]) -> list[Word]:
    return list(dict.fromkeys(word for item in items for word in item.words))


def _form(word: Word) -> str:
    return word.form.lower()


def _lemma(word: Word) -> str:
    return word.get("lemma") or word.form


def _tagged(word: Word) -> str:
    return f"{_lemma(word)}/{word.get('upos')}"
