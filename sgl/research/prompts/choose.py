"""Choose the shots of each prompt: greedy set cover over columns of bits, with ties broken by the seed.

Every part has a row of a matrix with a bit for each training sentence that shows it.  The *gain* of a sentence is the
sum of the rows that still count; choosing a sentence takes the rows that it covers away, or leaves them::

    covering   parts of the item, taken away: each shot shows most of what is not shown yet
    similar    parts of the item, left: the sentences that share most with the question
    diverse    all parts, taken away: each shot has most that the others do not have
    random     no parts

Sentences of equal gain are in the order of 64-bit numbers of seed, item and sentence, the same on every machine.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sgl.core.pieces import pieces_of
from sgl.core.structure import Structure
from sgl.pipeline.matches import OccurrenceError, occurrences, structure_of
from sgl.research.prompts.material import Material, Prompt, PromptsError, sentence_of
from sgl.sampling.engine import stream_key

COVERING, SIMILAR, DIVERSE, RANDOM = STRATEGIES = "covering", "similar", "diverse", "random"


def choose_prompts(
    material: Material, settings: Mapping[str, Any], progress: Callable[[str, int, int], None]
) -> list[Prompt]:
    """Return a prompt for each item that is asked for, in the order of the rows; settings are options."""
    of: dict[str, list[int]] = {}
    for number, row in enumerate(rows := material.items.rows):
        if not settings["patterns"] or row.category in settings["patterns"]:
            of.setdefault(row.category, []).append(number)
    ranked = (sorted(own, key=lambda n: stream_key(settings["seed"], rows[n].id)) for own in of.values())
    chosen = sorted(number for own in ranked for number in own[: settings["items"]])
    try:
        shooting, prompts = _Shooting(material, settings, chosen), list[Prompt]()
    except OccurrenceError as problem:
        raise PromptsError(str(problem)) from None
    for done, item in enumerate(chosen):
        progress("prompts", done, len(chosen))
        prompts.append(shooting.prompt(item))
    return prompts


class _Shooting:
    """Which training sentences show which parts, and what each item needs."""

    def __init__(self, material: Material, settings: Mapping[str, Any], chosen: Sequence[int]) -> None:
        self._settings, self._items, self._train = settings, material.items, material.train
        held_out = dict.fromkeys(text for own in material.held_out.values() for text in own)
        # A piece that differs from another in names only has the same text.
        texts: dict[Structure, str] = {}
        found = {text: pieces_of(structure_of(text)) for text in held_out}
        pieces = {text: [texts.setdefault(x.canonical(), str(x)) for x in own] for text, own in found.items()}
        searched = list(dict.fromkeys([*held_out, *texts.values()]))
        bits = occurrences(material.directory, searched, self._train.graphs)
        columns = {text: np.array([own >> n & 1 for own in bits], np.uint8) for n, text in enumerate(searched)}
        masks = occurrences(material.directory, list(held_out), [self._items.graphs[item] for item in chosen])
        self._needs: dict[int, list[str]] = {}
        for item, mask in zip(chosen, masks, strict=True):
            of = material.held_out.get(self._items.rows[item].category, ())
            own = {piece for n, text in enumerate(held_out) if mask >> n & 1 and text in of for piece in pieces[text]}
            self._needs[item] = sorted(own | self._items.parts[item])
        names = sorted({part for parts in self._needs.values() for part in parts})
        self._number = {part: n for n, part in enumerate(names)}
        none = np.zeros(len(self._train.rows), np.uint8)
        self._shows = np.array([columns.get(part, none) for part in names])
        self._same: dict[str, list[int]] = {}
        for number, (row, parts) in enumerate(zip(self._train.rows, self._train.parts, strict=True)):
            self._shows[[self._number[part] for part in parts if part in self._number], number] = 1
            self._same.setdefault(sentence_of(row), []).append(number)
        barring = {name: [none, *map(columns.__getitem__, own)] for name, own in material.held_out.items()}
        self._barred = {name: np.max(own, axis=0) > 0 for name, own in barring.items()}

    def prompt(self, item: int) -> Prompt:
        """Return the prompt of an item."""
        row, rows = self._items.rows[item], self._train.rows
        allowed = ~self._barred.get(row.category, np.zeros(len(rows), np.bool_))
        allowed[self._same.get(sentence_of(row), [])] = False
        # The numbers of a bit generator stay the same in all versions of NumPy.
        order = np.random.PCG64(stream_key(self._settings["seed"], row.id)).random_raw(len(rows))
        parts = [self._number[part] for part in self._needs[item]]
        shots = sorted(self._shots(parts, allowed, order), key=lambda shot: int(order[shot]))
        pairs = zip(self._needs[item], parts, strict=True)
        shown = {part: rows[shot].id for part, n in pairs for shot in reversed(shots) if self._shows[n, shot]}
        missing = tuple(part for part in self._needs[item] if part not in shown)
        untrained = tuple(part for part in missing if not self._shows[self._number[part]].any())
        return Prompt(row.id, row.category, tuple(rows[shot].id for shot in shots), shown, missing, untrained)

    def _shots(self, needed: Sequence[int], allowed: NDArray[np.bool_], order: NDArray[np.uint64]) -> list[int]:
        """Return the shots of an item that needs these parts, the first choice first."""
        select = self._settings["select"]
        counted = {COVERING: needed, SIMILAR: needed, RANDOM: ()}.get(select, range(len(self._shows)))
        gain = self._shows[list(counted)].sum(0, dtype=np.uint64)
        left, found = set(counted), list[int]()
        for _ in range(min(self._settings["shots"], int(allowed.sum()))):
            # The gain is above 48 bits of the order.
            score: Any = (gain + np.uint64(1) << np.uint64(48)) + (order >> np.uint64(16))
            shot = int(np.argmax(np.where(allowed, score, 0)))
            found.append(shot)
            allowed[shot] = False
            covered = [part for part in left if select != SIMILAR and self._shows[part, shot]]
            left.difference_update(covered)
            gain -= self._shows[covered].sum(0, dtype=np.uint64)
        return found
