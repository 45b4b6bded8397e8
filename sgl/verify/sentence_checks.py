"""Checks on sentences and words: new words, repeated sentences, repeated lemmas."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial

from sgl.verify.conllu import Word
from sgl.verify.dataset import Dataset
from sgl.verify.items import GENERALIZATION, PART, TRAIN, Split, repetitions
from sgl.verify.report import Tally, Violation

_EXAMPLES = 10


def words_exposed(data: Dataset, tally: Tally) -> None:
    """Every lemma of a generalization item occurs in train.

    New word forms, and lemmas that train has as another part of speech only, are
    counted without being violations: an inflected form may be what is to be
    generalized to.
    """
    train = _distinct_words(data, TRAIN)
    lemmas = {_lemma(word) for word in train}
    gen = _distinct_words(data, GENERALIZATION)
    first: dict[str, tuple[Split, int]] = {}
    for word, place in gen.items():
        first.setdefault(_lemma(word), place)
    for lemma, place in first.items():
        tally.checked += 1
        if lemma not in lemmas:
            message = f"the lemma {lemma!r} does not occur in train"
            tally.add_later(partial(data.violation_by, message, *place))
    forms = {word.form.lower() for word in train}
    _report_new(tally, "word forms of gen that are not in train", gen, forms, _form)
    tagged = {_tagged(word) for word in train}
    _report_new(tally, "lemmas with a part of speech that train lacks", gen, tagged, _tagged)


def splits_disjoint(data: Dataset, tally: Tally) -> None:
    """No source sentence occurs in two splits.

    Where the dataset does not declare distinct sentences, this is asked of the
    generalization items alone; sentences that train, dev and test share are counted.
    """
    shared = 0
    tally.checked += data.items()
    for (split, entry), (other, before) in repetitions(data.splits):
        if other is split:
            continue
        if data.manifest.distinct_sentences or GENERALIZATION in (split.name, other.name):
            tally.add_later(partial(_twice, data, split, entry, other, before))
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
        tally.checked += len(split) - len(split.malformed)
        for (_, entry), (_, before) in repetitions([split]):
            repeated += 1
            category = split.group(entry).category
            own = category == split.group(before).category and category in free
            if data.manifest.distinct_sentences and not own:
                tally.add_later(partial(_twice, data, split, entry, split, before))
    tally.figure("repeated sentences", repeated)


def lemmas_distinct(data: Dataset, tally: Tally) -> None:
    """No lemma of the declared parts of speech occurs twice in a sentence.

    Parts of train whose lemmas may be repeated are exempt.
    """
    exempt = {PART + part.name for part in data.manifest.parts if part.repeated_lemmas}
    for split in data.splits:
        for kind in data.categories_of(split.name):
            if not _is_exempt(split, kind.category, exempt):
                tally.checked += kind.items()
        for entry in split.repeating:
            if not _is_exempt(split, split.group(entry).category, exempt):
                tally.add_later(partial(_repeated_lemma, data, split, entry))


def _is_exempt(split: Split, category: str, exempt: set[str]) -> bool:
    return split.name == TRAIN and category in exempt


def _repeated_lemma(data: Dataset, split: Split, entry: int) -> Violation:
    item = data.item(split, entry)
    tags = data.manifest.distinct_lemmas
    lemmas = Counter(word.get("lemma") for word in item.words if word.get("upos") in tags)
    lemma = next(lemma for lemma, times in lemmas.items() if times > 1)
    return data.violation(f"the lemma {lemma!r} occurs twice", item)


def _twice(data: Dataset, split: Split, entry: int, other: Split, before: int) -> Violation:
    first = data.item(other, before)
    return data.violation_by(f"the sentence is {first.sent_id} as well", split, entry)


def _report_new(
    tally: Tally, label: str, words: Iterable[Word], known: set[str], key: Callable[[Word], str]
) -> None:
    """Report how many different words of gen are new under ``key``, with examples."""
    new = dict.fromkeys(key(word) for word in words if key(word) not in known)
    tally.figure(label, len(new), ", ".join(list(new)[:_EXAMPLES]))


def _distinct_words(data: Dataset, name: str) -> dict[Word, tuple[Split, int]]:
    """The words of a split in their order, each with the first entry that has it."""
    return {
        word: (split, entry)
        for split in data.splits
        if split.name == name
        for word, entry in split.words.items()
    }


def _form(word: Word) -> str:
    return word.form.lower()


def _lemma(word: Word) -> str:
    return word.get("lemma") or word.form


def _tagged(word: Word) -> str:
    return f"{_lemma(word)}/{word.get('upos')}"
