"""Choose the shots of each prompt: greedy set cover over columns of bits, with ties broken by the seed.

Every part has a row of a matrix with a bit for each training sentence that shows it.  The *gain* of a sentence is the
sum of the rows that still count; choosing a sentence takes the rows that it covers away, or leaves them::

    covering   parts of the item, taken away: each shot shows most of what is not shown yet
    similar    parts of the item, left: the sentences that share most with the question
    diverse    all parts, taken away: each shot has most that the others do not have
    random     no parts
    none       no shots

With ``exposures`` a part is taken away when it was shown so many times.  Sentences of equal gain are in the order of
64-bit numbers of seed, item and sentence, the same on every machine; by ``complexity`` first in that of their length.
In a *control* the structures of the item are parts, other items can be shots, and the first shot is one of these.  A
program is for all items of a pattern: what any of them needs is a part.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sgl.core.pieces import pieces_of
from sgl.core.structure import Structure
from sgl.pipeline.matches import OccurrenceError, occurrences, structure_of
from sgl.research.prompts.material import Material, Prompt, PromptRow, PromptsError, sentence_of
from sgl.research.prompts.questions import PROGRAM
from sgl.sampling.engine import stream_key

COVERING, SIMILAR, DIVERSE, RANDOM, NONE = STRATEGIES = "covering", "similar", "diverse", "random", "none"

#: What shots have more of, and how they are arranged: by chance, or from the first that was chosen to the last.
COMPLEXITY = "any", "short", "long"
#: The options by which prompts are chosen, in the order of the certificate.
SETTINGS = (
    *("shots", "select", "exposures", "complexity", "order", "control", "matched", "task", "context"),
    *("patterns", "items", "seed"),
)

SHUFFLED, BEST_FIRST, BEST_LAST = ORDERS = "random", "best-first", "best-last"


def asked_items(material: Material, settings: Mapping[str, Any]) -> dict[str, list[PromptRow]]:
    """Return the items of each prompt by its name, in the order of the rows: one, or for a program those of a pattern.

    Of each pattern those are asked about that have the smallest hashes.
    """
    of, found = dict[str, list[PromptRow]](), dict[str, list[PromptRow]]()
    for item in sorted(material.items, key=lambda item: stream_key(settings["seed"], item.row.id)):
        of.setdefault(item.row.category, []).append(item)
    chosen = {item.row.id for own in of.values() for item in own[: settings["items"]]}
    for item in material.items:
        if item.row.id in chosen and (not settings["patterns"] or item.row.category in settings["patterns"]):
            name = item.row.category if settings["task"] == PROGRAM else item.row.id
            found.setdefault(name, []).append(item)
    return found


def choose_prompts(
    material: Material, settings: Mapping[str, Any], progress: Callable[[str, int, int], None]
) -> list[Prompt]:
    """Return a prompt for each item that is asked for, or for a program of each pattern; settings are the command's."""
    groups = asked_items(material, settings).values()
    try:
        shooting, prompts = _Shooting(material, settings, list(chain(*groups))), list[Prompt]()
    except OccurrenceError as problem:
        raise PromptsError(str(problem)) from None
    for done, items in enumerate(groups):
        progress("prompts", done, len(groups))
        prompts.append(shooting.prompt(items))
    return prompts


class _Shooting:
    """Which training sentences show which parts, and what each item needs."""

    def __init__(self, material: Material, settings: Mapping[str, Any], chosen: Sequence[PromptRow]) -> None:
        self._settings, self._train = settings, material.pool(settings["control"])
        self._size = len(material.train)
        pieces = _pieces(text for own in material.held_out.values() for text in own)
        searched = list(dict.fromkeys([*pieces, *chain(*pieces.values())]))
        self._columns = _columns(searched, occurrences(material.directory, searched, [of.graph for of in self._train]))
        self._has = _held_out(material, list(pieces), chosen)
        self._needs = dict[str, list[str]]()
        for item in chosen:
            has = self._has[item.row.id]
            more = has if settings["control"] else ()
            self._needs[item.row.id] = sorted(item.parts.union(more, *(pieces[text] for text in has)))
        names = sorted({part for parts in self._needs.values() for part in parts})
        self._number = {part: n for n, part in enumerate(names)}
        none = np.zeros(len(self._train), np.uint16)
        self._shows = np.array([self._columns.get(part, none) for part in names])
        self._same: dict[str, list[int]] = {}
        for number, of in enumerate(self._train):
            self._shows[[self._number[part] for part in of.parts if part in self._number], number] = 1
            self._same.setdefault(sentence_of(of.row.source), []).append(number)
        barring = {name: [none, *map(self._columns.__getitem__, own)] for name, own in material.held_out.items()}
        self._barred = {name: np.max(own, axis=0) > 0 for name, own in barring.items()}
        self._category = np.array([of.row.category for of in self._train])
        length = np.array([len(of.row.source.split()) for of in self._train], np.uint64)
        self._rank = {"short": np.uint64(65535) - length, "long": length}.get(settings["complexity"])

    def prompt(self, items: Sequence[PromptRow]) -> Prompt:
        """Return the prompt of an item, or of a program for several."""
        row, rows = items[0].row, self._train
        name = row.category if self._settings["task"] == PROGRAM else row.id
        needs = sorted({part for item in items for part in self._needs[item.row.id]})
        has = sorted({text for item in items for text in self._has[item.row.id]})
        first, allowed = self._allowed(row.category, has)
        own = [same for item in items for same in self._same.get(sentence_of(item.row.source), [])]
        first[own] = allowed[own] = False
        # The numbers of a bit generator stay the same in all versions of NumPy.
        order = np.random.PCG64(stream_key(self._settings["seed"], name)).random_raw(len(rows))
        ranked = order if self._rank is None else (self._rank << np.uint64(48)) + (order >> np.uint64(16))
        parts = [self._number[part] for part in needs]
        shots, arranged = self._shots(parts, first, allowed, ranked), self._settings["order"]
        if arranged == SHUFFLED:
            shots.sort(key=lambda shot: int(order[shot]))
        elif arranged == BEST_LAST:
            shots.reverse()
        pairs = zip(needs, parts, strict=True)
        shown = {part: rows[shot].row.id for part, n in pairs for shot in reversed(shots) if self._shows[n, shot]}
        missing = tuple(part for part in needs if part not in shown)
        untrained = tuple(part for part in missing if not self._shows[self._number[part], : self._size].any())
        return Prompt(name, row.category, tuple(rows[shot].row.id for shot in shots), shown, missing, untrained)

    def _allowed(self, category: str, has: Sequence[str]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return which rows can be the first shot of items that have these structures, and which can be another."""
        if not self._settings["control"]:
            allowed = ~self._barred.get(category, np.zeros(len(self._train), np.bool_))
            return allowed, allowed
        allowed = self._category == category
        first = allowed & (np.max([self._columns[text] for text in has], axis=0) > 0) if has else allowed.copy()
        first[: self._size], allowed[: self._size] = False, True
        return first, allowed

    def _shots(
        self, needed: Sequence[int], first: NDArray[np.bool_], allowed: NDArray[np.bool_], order: NDArray[np.uint64]
    ) -> list[int]:
        """Return the shots of an item that needs these parts, the first choice first."""
        select = self._settings["select"]
        counted = {COVERING: needed, SIMILAR: needed, RANDOM: (), NONE: ()}.get(select, range(len(self._shows)))
        gain = np.zeros(len(order), np.uint16)
        for part in counted:
            gain += self._shows[part]
        left, found = dict.fromkeys(counted, self._settings["exposures"]), list[int]()
        number = 0 if select == NONE else min(self._settings["shots"], int(allowed.sum()))
        while len(found) < number:
            # Those with the greatest gain, and of these the one with the greatest number.
            worth = (gain + np.uint16(1)) * (allowed if found or not first.any() else first)
            best = np.flatnonzero(worth == worth.max())
            shot = int(best[np.argmax(order[best])])
            found.append(shot)
            allowed[shot] = False
            for part in [part for part in left if select != SIMILAR and self._shows[part, shot]]:
                left[part] -= 1
                if not left[part]:
                    del left[part]
                    gain -= self._shows[part]
        return found


def _held_out(material: Material, texts: Sequence[str], items: Sequence[PromptRow]) -> dict[str, list[str]]:
    """Return which of the structures that its pattern holds out each item has, by its name."""
    masks = occurrences(material.directory, texts, [item.graph for item in items])
    return {
        item.row.id: [text for text in material.held_out.get(item.row.category, ()) if mask >> texts.index(text) & 1]
        for item, mask in zip(items, masks, strict=True)
    }


def _pieces(texts: Iterable[str]) -> dict[str, list[str]]:
    """Return the pieces of structures; a piece that differs from another in names only has the same text."""
    known: dict[Structure, str] = {}
    found = {text: pieces_of(structure_of(text)) for text in texts}
    return {text: [known.setdefault(x.canonical(), str(x)) for x in own] for text, own in found.items()}


def _columns(texts: Sequence[str], bits: Sequence[int]) -> dict[str, NDArray[np.uint16]]:
    """Return for each text the sentences whose number has its bit; few of all numbers differ."""
    known = {number: n for n, number in enumerate(dict.fromkeys(bits))}
    own = np.array([known[number] for number in bits])
    return {text: np.array([x >> n & 1 for x in known], np.uint16)[own] for n, text in enumerate(texts)}
