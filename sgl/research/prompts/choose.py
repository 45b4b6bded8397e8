"""Choose the shots of each prompt: greedy set cover over columns of bits, with ties broken by the seed.

Every part has a row of a matrix with a bit for each training sentence that shows it.  The *gain* of a sentence is the
sum of the rows that still count; choosing a sentence takes the rows that it covers away, or leaves them::

    covering   parts of the item, taken away: each shot shows most of what is not shown yet
    similar    parts of the item, left: the sentences that share most with the question
    diverse    all parts, taken away: each shot has most that the others do not have
    random     no parts

Sentences of equal gain are in the order of 64-bit numbers of seed, item and sentence, the same on every machine.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sgl.automata import pieces_of
from sgl.core.structure import Structure
from sgl.pipeline.matches import occurrences, structure_of
from sgl.research.prompts.material import Material, Prompt, PromptsError, sentence_of
from sgl.sampling.engine import GAMMA, MIX_1, MIX_2, stream_key

COVERING, SIMILAR, DIVERSE, RANDOM = STRATEGIES = "covering", "similar", "diverse", "random"

#: Bits of the order of sentences with equal gain; the gain is above them.
_ORDER = 48


@dataclass(frozen=True, slots=True)
class Settings:
    """What is asked of prompts."""

    shots: int = 8
    select: str = COVERING
    patterns: tuple[str, ...] = ()
    items: int | None = None
    seed: int = 1


def choose_prompts(material: Material, settings: Settings, progress: Callable[[str, int, int], None]) -> list[Prompt]:
    """Return a prompt for each item that is asked for, in the order of the rows."""
    chosen = _chosen_items(material, settings)
    if not chosen:
        raise PromptsError("no items are asked for")
    progress("structures", 0, 1)
    shooting = _Shooting(material, settings, chosen)
    prompts = []
    for done, item in enumerate(chosen):
        progress("prompts", done, len(chosen))
        prompts.append(shooting.prompt(item))
    return prompts


def _chosen_items(material: Material, settings: Settings) -> list[int]:
    """Return the items, by number: of each pattern those that the seed puts first."""
    of: dict[str, list[int]] = {}
    rows = material.items.rows
    for number, row in enumerate(rows):
        if not settings.patterns or row.category in settings.patterns:
            of.setdefault(row.category, []).append(number)
    first = (sorted(own, key=lambda n: stream_key(settings.seed, rows[n].id))[: settings.items] for own in of.values())
    return sorted(number for own in first for number in own)


def pieces_in_notation(structures: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return the pieces of each structure; one that differs from another in names only has one text."""
    texts: dict[Structure, str] = {}
    return {
        text: tuple(texts.setdefault(piece.canonical(), str(piece)) for piece in pieces_of(structure_of(text)))
        for text in structures
    }


class _Shooting:
    """Which training sentences show which parts, and what each item needs."""

    def __init__(self, material: Material, settings: Settings, chosen: Sequence[int]) -> None:
        self._material, self._settings = material, settings
        held_out = dict.fromkeys(text for own in material.held_out.values() for text in own)
        pieces = pieces_in_notation(held_out)
        searched = list(dict.fromkeys([*held_out, *(piece for own in pieces.values() for piece in own)]))
        path, train = material.directory, material.train
        bits = occurrences(path, searched, train.graphs)
        of_items = occurrences(path, list(held_out), [material.items.graphs[item] for item in chosen])
        columns = {text: np.array([own >> n & 1 for own in bits], np.uint8) for n, text in enumerate(searched)}
        self._needs = {}
        for item, found in zip(chosen, of_items, strict=True):
            held = [text for n, text in enumerate(held_out) if found >> n & 1]
            own = [text for text in material.held_out.get(material.items.rows[item].category, ()) if text in held]
            self._needs[item] = [
                *sorted({p for text in own for p in pieces[text]}),
                *sorted(material.items.parts[item]),
            ]
        needed = sorted({part for parts in self._needs.values() for part in parts})
        self._number = {part: n for n, part in enumerate(needed)}
        self._shows = np.zeros((len(needed), len(train.rows)), np.uint8)
        for part, column in columns.items():
            if part in self._number:
                self._shows[self._number[part]] = column
        for row, parts in enumerate(train.parts):
            self._shows[[self._number[part] for part in parts if part in self._number], row] = 1
        none = np.zeros(len(train.rows), np.uint8)
        self._barred = {
            name: np.max([none, *(columns[text] for text in own)], axis=0) for name, own in material.held_out.items()
        }
        self._same: dict[str, list[int]] = {}
        for number, training in enumerate(train.rows):
            self._same.setdefault(sentence_of(training), []).append(number)
        self._none = none

    def prompt(self, item: int) -> Prompt:
        row, rows = self._material.items.rows[item], self._material.train.rows
        allowed = self._barred.get(row.category, self._none) == 0
        allowed[self._same.get(sentence_of(row), [])] = False
        order = _order(stream_key(self._settings.seed, row.id), len(rows))
        parts = [self._number[part] for part in self._needs[item]]
        found = self._shots(parts, allowed, order)
        found.sort(key=lambda shot: int(order[shot]))
        shown, missing = {}, []
        for part, number in zip(self._needs[item], parts, strict=True):
            shot = next((shot for shot in found if self._shows[number, shot]), None)
            if shot is not None:
                shown[part] = rows[shot].id
            else:
                missing.append(part)
        untrained = tuple(part for part in missing if not self._shows[self._number[part]].any())
        shots = tuple(rows[shot].id for shot in found)
        return Prompt(row.id, row.category, shots, shown, tuple(missing), untrained)

    def _shots(self, needed: Sequence[int], allowed: NDArray[np.bool_], order: NDArray[np.uint64]) -> list[int]:
        select = self._settings.select
        counted = {COVERING: needed, SIMILAR: needed, RANDOM: ()}.get(select, range(len(self._shows)))
        gain = self._shows[list(counted)].sum(0, dtype=np.uint64)
        left, found = set(counted), list[int]()
        for _ in range(min(self._settings.shots, int(allowed.sum()))):
            score: Any = (gain + np.uint64(1) << np.uint64(_ORDER)) + (order >> np.uint64(64 - _ORDER))
            shot = int(np.argmax(np.where(allowed, score, 0)))
            found.append(shot)
            allowed[shot] = False
            if select != SIMILAR:
                covered = [part for part in left if self._shows[part, shot]]
                left.difference_update(covered)
                gain -= self._shows[covered].sum(0, dtype=np.uint64)
        return found


def _order(key: int, size: int) -> NDArray[np.uint64]:
    """Return a number for each training sentence: the finaliser of SplitMix64, as in ``sgl.sampling.engine``."""
    value: NDArray[np.uint64] = np.uint64(key) + np.uint64(GAMMA) * np.arange(1, size + 1, dtype=np.uint64)
    value = (value ^ value >> np.uint64(30)) * np.uint64(MIX_1)
    value = (value ^ value >> np.uint64(27)) * np.uint64(MIX_2)
    return value ^ value >> np.uint64(31)
