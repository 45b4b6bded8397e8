"""The compounds of a dataset: a file that ``sglc compile`` writes and ``sglc eval`` reads.

``compounds.json`` holds the compound of each item of the patterns in the group ``compound``,
what its atoms may be translated by, and all words of the target language::

    {"lexicon": {"ADJ": {"red": ["红"]}, "P": {"behind": ["在 … 后面"]}, …},
     "fillers": ["只", "的", …],
     "words": ["红", "围巾", …],
     "items": [{"id": "gen-000001", "pattern": "np_adj", "compound": "the red scarf",
                "translation": "那 条 红 围巾", "sentence": "Peter saw the red scarf ."}, …]}

Compounds of the same words are one compound, whose sentences are its contexts.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sgl.core.grammar import CoreGrammar, Token
from sgl.dataset import Chunk, DataFile
from sgl.frontend import Compiled
from sgl.research.evaluate.benchmark import Benchmark
from sgl.research.evaluate.compound_finder import CompoundFinder, UnknownRoleError
from sgl.research.evaluate.compounds import (
    ADJECTIVE,
    DETERMINER,
    NOUN,
    CompoundError,
    CompoundLexicon,
    CompoundOccurrence,
    check_occurrence,
)
from sgl.research.evaluate.query import PatternQuery

if TYPE_CHECKING:
    from sgl.sampling.batch import Sampler

FILE = "compounds.json"
FORMAT = "sgl-compounds/1"

#: The group of patterns that are about compounds; the observer is registered for it.
GROUP = "compound"

#: Roles whose atoms may be words of the grammar, by their part of speech.
_WORD_ROLES = {"DET": DETERMINER, "ADJ": ADJECTIVE, "NOUN": NOUN}


class CompoundObserver:
    """Collect the compounds of the items while a dataset is written.

    It is registered for the group of patterns ``compound`` (:mod:`sgl.pipeline.observers`).
    """

    def __init__(self, compiled: Compiled, sampler: Sampler) -> None:
        self._grammar, self._plan = compiled.grammar, compiled.plan
        self._sampler = sampler
        self._finder: CompoundFinder | None = None
        plan = compiled.plan
        if plan.lemma_layer and plan.target in {layer.name for layer in self._grammar.text_layers}:
            self._finder = CompoundFinder(self._grammar, plan.lemma_layer, plan.source, plan.target)
        self._structures = {
            pattern.name: PatternQuery.of(pattern).structures
            for pattern in plan.patterns
            if GROUP in pattern.groups
        }
        self._items: list[dict[str, str]] = []
        self._left_out: dict[str, int] = {}
        self._lexicon: dict[str, dict[str, dict[str, None]]] = {}
        self._fillers: set[str] = set()

    def __call__(self, chunk: Chunk) -> None:
        """Take note of the compounds of a chunk."""
        row = chunk.first
        for piece in chunk.pieces:
            pattern = piece.stratum.category
            if self._finder and pattern in self._structures and len(piece.numbers):
                derivations = self._sampler.derive(piece.stratum, piece.numbers).derivations
                for place, derivation in enumerate(iter(derivations)):
                    name = f"{chunk.split}-{row + place:06d}"
                    self._add(self._finder, name, pattern, derivation)
            row += len(piece.numbers)

    def _add(
        self, finder: CompoundFinder, name: str, pattern: str, derivation: tuple[int, ...]
    ) -> None:
        try:
            compounds = finder.compounds(self._structures[pattern], derivation)
        except UnknownRoleError:
            self._left_out[pattern] = self._left_out.get(pattern, 0) + 1
            return
        sentence = finder.sentence(derivation)
        for compound in compounds:
            self._items.append(
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

    def write(self, directory: Path) -> Sequence[DataFile]:
        """Write the file if there are items of compounds; return its entry for the manifest."""
        if not self._items and not self._left_out:
            return ()
        text = (json.dumps(self._content(), ensure_ascii=False, indent=1) + "\n").encode()
        (directory / FILE).write_bytes(text)
        return (DataFile(FILE, hashlib.sha256(text).hexdigest(), rows=0),)

    def _content(self) -> dict[str, Any]:
        source, target = map(self._grammar.text_layer, (self._plan.source, self._plan.target))
        for role, word, translation in _dictionary(self._grammar, source, target):
            if translation and word in self._lexicon.get(role, ()):
                self._lexicon[role][word][translation] = None
        return {
            "format": FORMAT,
            "source": self._plan.source,
            "target": self._plan.target,
            "spaces": bool(self._grammar.text_layers[target].join),
            "lexicon": {
                role: {atom: list(found) for atom, found in sorted(atoms.items())}
                for role, atoms in sorted(self._lexicon.items())
            },
            "fillers": sorted(self._fillers),
            "words": sorted(_vocabulary(self._grammar, target)),
            "left_out": self._left_out,
            "items": self._items,
        }


def _dictionary(grammar: CoreGrammar, source: int, target: int) -> Iterator[tuple[str, str, str]]:
    """Yield the words of a grammar that may be atoms: role, word and translation."""
    for rule in grammar.rules:
        if rule.lexical:
            word, translation = (
                " ".join(item.text for item in rule.templates[layer] if isinstance(item, Token))
                for layer in (source, target)
            )
            for fragment in rule.fragments:
                for node in fragment.nodes:
                    part_of_speech = dict(node.attributes or ()).get("upos", "")
                    yield _WORD_ROLES.get(part_of_speech, ""), word, translation


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
    many items of the patterns of the split have a compound with a part without a role.
    """

    lexicon: CompoundLexicon
    occurrences: tuple[CompoundOccurrence, ...]
    words: tuple[str, ...]
    spaces: bool
    left_out: int


def read_dataset_compounds(benchmark: Benchmark) -> DatasetCompounds | None:
    """Return the compounds that a dataset has for its rows; None without any for the target.

    Raises:
        CompoundError: the file cannot be read, or is no table of compounds.
    """
    if benchmark.directory is None:
        return None
    path = benchmark.directory / FILE
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except OSError as problem:
        raise CompoundError(f"cannot read `{path}`: {problem.strerror or problem}") from problem
    except (ValueError, RecursionError) as problem:
        raise CompoundError(f"`{path}` is not JSON: {problem}") from problem
    try:
        return _dataset_compounds(content, benchmark)
    except (KeyError, TypeError, ValueError, AttributeError) as problem:
        raise CompoundError(f"`{path}` is no table of compounds: {problem!r}") from problem
    except CompoundError as problem:
        raise CompoundError(f"`{path}`: {problem}") from problem


def _dataset_compounds(content: dict[str, Any], benchmark: Benchmark) -> DatasetCompounds | None:
    if content["target"] != benchmark.target:
        return None
    lexicon = CompoundLexicon(
        {
            role: {atom: tuple(map(str, found)) for atom, found in atoms.items()}
            for role, atoms in content["lexicon"].items()
        },
        frozenset(map(str, content["fillers"])),
    )
    places = {row.id: place for place, row in enumerate(benchmark.rows)}
    occurrences: list[CompoundOccurrence] = []
    for item in content["items"]:
        if item["id"] in places:
            name, sentence, pattern = (str(item[k]) for k in ("compound", "sentence", "pattern"))
            place = places[item["id"]]
            occurrences.append(CompoundOccurrence(name, name, sentence, place, pattern))
            check_occurrence(lexicon, occurrences[-1])
    patterns = {row.category for row in benchmark.rows}
    return DatasetCompounds(
        lexicon,
        tuple(occurrences),
        tuple(map(str, content["words"])),
        bool(content["spaces"]),
        sum(int(number) for name, number in content["left_out"].items() if name in patterns),
    )
