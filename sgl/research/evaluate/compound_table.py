"""The compounds of a dataset as the file that ``sglc compile`` writes beside its rows.

``compounds.json`` holds the compound of each item and what its atoms may be translated by,
as :mod:`sgl.research.evaluate.compound_items` finds them, and all words of the target language::

    {"lexicon": {"ADJ": {"red": ["红"]}, "P": {"behind": ["在 … 后面"]}, …},
     "fillers": ["只", "的", …],
     "words": ["红", "围巾", …],
     "items": [{"id": "gen-000001", "pattern": "np_adj", "compound": "the red scarf",
                "translation": "那 条 红 围巾", "sentence": "Peter saw the red scarf ."}, …]}

Compounds of the same words are one compound, whose sentences are its contexts.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sgl.core.grammar import CoreGrammar, Token
from sgl.research.evaluate.benchmark import Row
from sgl.research.evaluate.compound_items import FoundCompound
from sgl.research.evaluate.compounds import (
    ADJECTIVE,
    DETERMINER,
    NOUN,
    CompoundError,
    CompoundLexicon,
    Occurrence,
    check_occurrence,
)

FILE = "compounds.json"
FORMAT = "sgl-compounds/1"

#: Patterns of this group are compounds.
GROUP = "compound"

#: Roles whose atoms may be words of the grammar, by their part of speech.
_WORDS = {"DET": DETERMINER, "ADJ": ADJECTIVE, "NOUN": NOUN}

Json = dict[str, Any]


@dataclass
class CompoundTable:
    """Collects the compounds of a dataset; ``left_out`` counts items by pattern."""

    source: str
    target: str
    items: list[Json] = field(default_factory=list)
    left_out: dict[str, int] = field(default_factory=dict)
    _lexicon: dict[str, dict[str, dict[str, None]]] = field(default_factory=dict)
    _fillers: set[str] = field(default_factory=set)

    def add(
        self, name: str, pattern: str, sentence: str, compounds: Iterable[FoundCompound]
    ) -> None:
        """Add the compounds of an item."""
        for compound in compounds:
            self.items.append(
                {
                    "id": name,
                    "pattern": pattern,
                    "compound": compound.source,
                    "translation": compound.target,
                    "sentence": sentence,
                }
            )
            self._fillers |= compound.fillers
            for role, source, target in compound.atoms:
                self._lexicon.setdefault(role, {}).setdefault(source, {})[target] = None

    def leave_out(self, pattern: str) -> None:
        """Count an item whose compound has no known shape."""
        self.left_out[pattern] = self.left_out.get(pattern, 0) + 1

    def data(self, grammar: CoreGrammar) -> Json:
        """The content of the file."""
        layer = grammar.text_layers[grammar.text_layer(self.target)]
        self._complete(grammar)
        return {
            "format": FORMAT,
            "source": self.source,
            "target": self.target,
            "spaces": bool(layer.join),
            "lexicon": {
                role: {atom: list(found) for atom, found in sorted(atoms.items())}
                for role, atoms in sorted(self._lexicon.items())
            },
            "fillers": sorted(self._fillers),
            "words": sorted(_vocabulary(grammar, grammar.text_layer(self.target))),
            "left_out": self.left_out,
            "items": self.items,
        }

    def _complete(self, grammar: CoreGrammar) -> None:
        """Add the other translations that the grammar has for atoms that are words of it."""
        source, target = grammar.text_layer(self.source), grammar.text_layer(self.target)
        for rule in grammar.rules:
            if not rule.lexical:
                continue
            texts = [
                " ".join(item.text for item in rule.templates[layer] if isinstance(item, Token))
                for layer in (source, target)
            ]
            for fragment in rule.fragments:
                for node in fragment.nodes:
                    role = _WORDS.get(dict(node.attributes or ()).get("upos", ""), "")
                    known = self._lexicon.get(role, {}).get(texts[0])
                    if known is not None and texts[1]:
                        known[texts[1]] = None


def _vocabulary(grammar: CoreGrammar, layer: int) -> set[str]:
    return {
        item.text
        for rule in grammar.rules
        for item in rule.templates[layer]
        if isinstance(item, Token) and item.text
    }


@dataclass(frozen=True)
class DatasetCompounds:
    """The compounds of the rows of a split, with all words of the target language.

    ``spaces`` says whether texts of that language have spaces between words, ``left_out`` how
    many items of the patterns of the split have compounds of no known shape.
    """

    lexicon: CompoundLexicon
    occurrences: tuple[Occurrence, ...]
    words: tuple[str, ...]
    spaces: bool
    left_out: int


def read_table(directory: Path, target: str, rows: Sequence[Row]) -> DatasetCompounds | None:
    """The compounds that a dataset has for these rows; None without a table for the target.

    Raises:
        CompoundError: the file cannot be read, or is no table of compounds.
    """
    path = directory / FILE
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except OSError as problem:
        raise CompoundError(f"cannot read `{path}`: {problem.strerror or problem}") from problem
    except (ValueError, RecursionError) as problem:
        raise CompoundError(f"`{path}` is not JSON: {problem}") from problem
    try:
        return _read(content, target, rows)
    except (KeyError, TypeError, ValueError, AttributeError) as problem:
        raise CompoundError(f"`{path}` is no table of compounds: {problem!r}") from problem
    except CompoundError as problem:
        raise CompoundError(f"`{path}`: {problem}") from problem


def _read(content: Json, target: str, rows: Sequence[Row]) -> DatasetCompounds | None:
    if content["target"] != target:
        return None
    lexicon = CompoundLexicon(
        {
            role: {atom: tuple(map(str, found)) for atom, found in atoms.items()}
            for role, atoms in content["lexicon"].items()
        },
        frozenset(map(str, content["fillers"])),
    )
    places = {row.id: place for place, row in enumerate(rows)}
    occurrences = tuple(
        Occurrence(
            str(item["compound"]),
            str(item["compound"]),
            str(item["sentence"]),
            places[item["id"]],
            str(item["pattern"]),
        )
        for item in content["items"]
        if item["id"] in places
    )
    for occurrence in occurrences:
        check_occurrence(lexicon, occurrence)
    patterns = {row.category for row in rows}
    return DatasetCompounds(
        lexicon,
        occurrences,
        tuple(map(str, content["words"])),
        bool(content["spaces"]),
        sum(int(number) for name, number in content["left_out"].items() if name in patterns),
    )
