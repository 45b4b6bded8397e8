"""Write down the compounds of a dataset, for the patterns that are about compounds.

These are the patterns of the group ``compound``.  A dataset without one has no file.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING

from sgl.dataset import Chunk, DataFile
from sgl.frontend import Compiled
from sgl.research.evaluate.asked import Question
from sgl.research.evaluate.compound_items import CompoundFinder, UnknownShapeError
from sgl.research.evaluate.compound_table import FILE, GROUP, CompoundTable

if TYPE_CHECKING:
    from sgl.sampling.sampler import Sampler


class CompoundObserver:
    """Watches the chunks of a dataset go by and takes note of the compounds of their items."""

    def __init__(self, compiled: Compiled, sampler: Sampler) -> None:
        grammar, plan = compiled.grammar, compiled.plan
        self._grammar = grammar
        self._sampler = sampler
        texts = {layer.name for layer in grammar.text_layers}
        able = plan.target in texts and bool(plan.lemma_layer)
        self._structures = {
            pattern.name: Question.of(pattern).structures
            for pattern in plan.patterns
            if able and GROUP in pattern.groups
        }
        self._table = CompoundTable(plan.source, plan.target)
        self._finder = (
            CompoundFinder(grammar, plan.lemma_layer, plan.source, plan.target)
            if self._structures
            else None
        )

    def __call__(self, chunk: Chunk) -> None:
        """Take note of the compounds of a chunk."""
        row = chunk.first
        for piece in chunk.pieces:
            pattern = piece.stratum.category
            if self._finder is not None and pattern in self._structures and len(piece.numbers):
                derivations = self._sampler.derive(piece.stratum, piece.numbers).derivations
                for place, derivation in enumerate(iter(derivations)):
                    self._add(f"{chunk.split}-{row + place:06d}", pattern, derivation)
            row += len(piece.numbers)

    def _add(self, name: str, pattern: str, derivation: tuple[int, ...]) -> None:
        assert self._finder is not None
        try:
            found = self._finder.compounds(self._structures[pattern], derivation)
        except UnknownShapeError:
            self._table.leave_out(pattern)
            return
        self._table.add(name, pattern, self._finder.sentence(derivation), found)

    def write(self, directory: Path) -> tuple[DataFile, ...]:
        """Write the file, if there are items of compounds; its entry in the manifest."""
        if not self._table.items and not self._table.left_out:
            return ()
        data = self._table.data(self._grammar)
        text = (json.dumps(data, ensure_ascii=False, indent=1) + "\n").encode()
        (directory / FILE).write_bytes(text)
        return (DataFile(FILE, hashlib.sha256(text).hexdigest(), rows=0),)
