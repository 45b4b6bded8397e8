"""Sentences planted, moved, dropped and changed, alike in every format.

All of this is careful: the formats agree, and the counts and hashes in the manifest fit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import pairwise

from tampering.copy import DEPREL, HEAD, LEMMA, UPOS, Copy, Row, Tampering

IID = "in_distribution"
HELD_OUT, RESERVED, EXPOSURES, LICENSED = "V009", "V010", "V016", "V012"
INSTANCES, QUOTAS, EXPOSED = "V013", "V016", "V017"
DISJOINT, REPEATED, LEMMAS = "V018", "V030", "V030"


def tamperings(copy: Copy) -> Iterator[Tampering]:
    """All of these ways of tampering with a dataset."""
    names = [p["name"] for p in copy.manifest["patterns"] if p["forbid"] and p["quotas"]]
    yield from _planted(names)
    yield from _moved(copy, names)
    yield from _dropped(copy)
    yield from _relabelled()
    yield from _reworded(copy)
    yield from _unclaimed()


def _planted(names: list[str]) -> Iterator[Tampering]:
    for number, name in enumerate(names):
        claim = f"training contains what {name} holds out"
        yield Tampering("planted in train", name, claim, HELD_OUT, partial(_plant, name, "train"))
        if number % 6 == 0:
            for split in ("dev", "test"):
                act = partial(_plant, name, split)
                yield Tampering(f"planted in {split}", name, claim, HELD_OUT, act)


def _plant(name: str, split: str, copy: Copy) -> None:
    """An item of a pattern in place of an in-distribution sentence."""
    item = next(row for row in copy.read("gen") if row.category == name)
    rows = copy.read(split)
    at = next(n for n, row in enumerate(rows) if row.category == IID)
    rows[at] = item.called(IID)
    copy.write(split, rows)
    copy.settle()


def _moved(copy: Copy, names: list[str]) -> Iterator[Tampering]:
    for first, second in list(pairwise(names))[::5]:
        act = partial(_rename, "gen", first, second)
        claim = f"an item of {first} is called one of {second}"
        yield Tampering("renamed", f"{first} to {second}", claim, INSTANCES, act)
    for name in names[::8]:
        act = partial(_move_to_gen, name)
        claim = "a training sentence is called an item"
        yield Tampering("moved to gen", name, claim, INSTANCES, act)
    exposed = [p["name"] for p in copy.manifest["patterns"] if p["expose"]]
    for name in exposed[::5]:
        act = partial(_rename, "train", f"exposure:{name}", IID)
        claim = f"a sentence outside the exposures contains what {name} reserves for them"
        yield Tampering("renamed", f"exposure of {name}", claim, RESERVED, act)


def _rename(split: str, old: str, new: str, copy: Copy) -> None:
    """One sentence of a category called by another."""
    rows = copy.read(split)
    at = next(n for n, row in enumerate(rows) if row.category == old)
    rows[at] = rows[at].called(new)
    copy.write(split, rows)
    copy.settle()


def _move_to_gen(name: str, copy: Copy) -> None:
    train, gen = copy.read("train"), copy.read("gen")
    at = next(n for n, row in enumerate(gen) if row.category == name)
    moved = next(n for n, row in enumerate(train) if row.category == IID)
    gen[at] = train.pop(moved).called(name)
    copy.write("train", train)
    copy.write("gen", gen)
    copy.settle()


def _dropped(copy: Copy) -> Iterator[Tampering]:
    exposed = [p["name"] for p in copy.manifest["patterns"] if p["expose"]]
    for name in exposed[::3]:
        category = f"exposure:{name}"
        act = partial(_drop, "train", partial(_is_called, category), 1)
        claim = f"{name} has an exposure less than declared"
        yield Tampering("dropped exposure", name, claim, EXPOSURES, act)
    for pattern in copy.manifest["patterns"][::9]:
        name = pattern["name"]
        act = partial(_drop, "gen", partial(_is_called, name), 1)
        claim = f"{name} has an item less than declared"
        yield Tampering("dropped item", name, claim, QUOTAS, act)
    for label in ("nmod", "acl:relcl", "ccomp", "iobj", "amod", "xcomp", "nsubj:pass"):
        act = partial(_drop, "train", partial(_has, label), None)
        claim = f"training has no {label} any more, which patterns need"
        yield Tampering("dropped part", label, claim, LICENSED, act)


def _is_called(category: str, row: Row) -> bool:
    return row.category == category


def _has(label: str, row: Row) -> bool:
    return row.has(label)


def _drop(split: str, fits: Callable[[Row], bool], number: int | None, copy: Copy) -> None:
    """The first sentences that fit left out."""
    rows = copy.read(split)
    places = [at for at, row in enumerate(rows) if fits(row)][:number]
    if not places:
        raise ValueError("no sentence to be left out")
    left = [row for at, row in enumerate(rows) if at not in set(places)]
    copy.write(split, left)
    copy.settle()


def _relabelled() -> Iterator[Tampering]:
    for below in ("nmod", "acl:relcl", "amod"):
        act = partial(_swap_roles, below)
        claim = f"a subject of training has {below}, which is held out"
        yield Tampering("relabelled graph", f"subject with {below}", claim, HELD_OUT, act)
    cases = (("gen", "ccomp", "xcomp"), ("gen", "nmod", "amod"), ("gen", "acl:relcl", "acl"))
    for split, old, new in cases:
        act = partial(_relabel, split, old, new)
        claim = "an item has lost its structure"
        yield Tampering("relabelled graph", f"{old} to {new}", claim, INSTANCES, act)


def _swap_roles(below: str, copy: Copy) -> None:
    """Subject and object exchanged in the graph of a sentence whose object has a modifier."""
    rows = copy.read("train")
    for at, row in enumerate(rows):
        objects = [i for i, t in enumerate(row.tokens) if t[DEPREL] == "obj"]
        modified = {int(t[HEAD]) - 1 for t in row.tokens if t[DEPREL] == below}
        for index in objects:
            subject = row.find(deprel="nsubj", head=row.tokens[index][HEAD])
            if index in modified and subject is not None and row.category == IID:
                rows[at] = row.relabelled({index: "nsubj", subject: "obj"})
                copy.write("train", rows)
                copy.settle()
                return
    raise ValueError(f"no object with {below}")


def _relabel(split: str, old: str, new: str, copy: Copy) -> None:
    """Every relation of one kind called another, in one pattern of a kind that needs it."""
    starts = {"ccomp": "cp_", "nmod": "pp_in", "acl:relcl": "rc_in"}[old]
    rows = copy.read(split)
    if not any(row.category.startswith(starts) and row.has(old) for row in rows):
        raise ValueError(f"no item with {old}")
    for at, row in enumerate(rows):
        if row.category.startswith(starts):
            places = [i for i, token in enumerate(row.tokens) if token[DEPREL] == old]
            rows[at] = row.relabelled(dict.fromkeys(places, new))
    copy.write(split, rows)
    copy.settle()


def _reworded(copy: Copy) -> Iterator[Tampering]:
    targets = [w for p in copy.manifest["patterns"] if p["expose"] for w in p["targets"]]
    yield Tampering(
        "changed word",
        "unseen lemma in gen",
        "an item has a lemma that training lacks",
        EXPOSED,
        partial(_reword, "gen", "unicorn"),
    )
    yield Tampering(
        "changed word",
        "target in train",
        "a sentence outside the exposures contains a word that is reserved for them",
        RESERVED,
        partial(_reword_object, next(iter(targets), "")),
    )
    yield Tampering("changed word", "lemma twice", "a lemma occurs twice in a sentence", LEMMAS, _repeat_lemma)
    for split, code in (("train", REPEATED), ("dev", DISJOINT), ("test", DISJOINT)):
        claim = f"a training sentence is repeated in {split}"
        yield Tampering("repeated", split, claim, code, partial(_repeat, split))


def _noun(row: Row) -> int | None:
    return row.find(upos="NOUN")


def _reword(split: str, word: str, copy: Copy) -> None:
    """The first noun of the last sentence that has one exchanged for another word."""
    rows = copy.read(split)
    for at in range(len(rows) - 1, -1, -1):
        index = _noun(rows[at])
        if index is not None:
            rows[at] = rows[at].reworded(index, word, word)
            break
    copy.write(split, rows)
    copy.settle()


def _reword_object(word: str, copy: Copy) -> None:
    """A word that is reserved in place of an object."""
    if not word:
        raise ValueError("no pattern has targets")
    rows = copy.read("train")
    for at, row in enumerate(rows):
        index = row.find(deprel="obj", upos="NOUN")
        if index is not None and row.category == IID:
            rows[at] = row.reworded(index, word, word)
            break
    copy.write("train", rows)
    copy.settle()


def _repeat_lemma(copy: Copy) -> None:
    rows = copy.read("train")
    for at, row in enumerate(rows):
        nouns = [index for index, token in enumerate(row.tokens) if token[UPOS] == "NOUN"]
        if len(nouns) > 1 and row.category == IID:
            first = row.tokens[nouns[0]]
            rows[at] = row.reworded(nouns[1], first[LEMMA], first[LEMMA])
            break
    copy.write("train", rows)
    copy.settle()


def _repeat(split: str, copy: Copy) -> None:
    """An in-distribution sentence of train once more."""
    sentence = next(row for row in copy.read("train") if row.category == IID)
    rows = copy.read(split)
    at = max(n for n, row in enumerate(rows) if row.category == IID)
    rows[at] = sentence
    copy.write(split, rows)
    copy.settle()


def _unclaimed() -> Iterator[Tampering]:
    """Rows that break no claim, and are not those that the certificate draws."""
    yield Tampering("other rows", "another order", "the order of sentences is no claim", "V030", _reverse)
    yield Tampering(
        "other rows",
        "a sentence less, counted",
        "a smaller training split, and the manifest says so",
        "V030",
        partial(_drop, "dev", lambda row: row.category == IID, 1),
    )
    yield Tampering(
        "other rows", "another translation", "no claim is about the wording of translations", "V030", _retranslate
    )
    yield Tampering("other rows", "another seen noun in dev", "a sentence of the same structure", "V030", _reword_seen)


def _reverse(copy: Copy) -> None:
    copy.write("train", copy.read("train")[::-1])
    copy.settle()


def _retranslate(copy: Copy) -> None:
    rows = copy.read("train")
    rows[0] = replace(rows[0], target=rows[0].target.replace("。", "よ。"))
    copy.write("train", rows)
    copy.settle()


def _reword_seen(copy: Copy) -> None:
    """A noun of a sentence of dev exchanged for one of another sentence of dev."""
    rows = copy.read("dev")
    nouns = [t[LEMMA] for row in rows for t in row.tokens if t[UPOS] == "NOUN"]
    known = {row.source for split in ("train", "dev", "test") for row in copy.read(split)}
    for at, row in enumerate(rows):
        index = _noun(row)
        if index is None:
            continue
        for noun in nouns:
            new = row.reworded(index, noun, noun)
            lemmas = [token[LEMMA] for token in new.tokens]
            if new.source not in known and lemmas.count(noun) == 1:
                rows[at] = new
                copy.write("dev", rows)
                copy.settle()
                return
