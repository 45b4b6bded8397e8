"""Tables, weights and relations: by their readers, and in a grammar that uses them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from random import Random

from fuzz import seeds
from fuzz.case import Case
from fuzz.mutation import bytes_mutated, tokens_mutated
from fuzz.targets.target import Target, said
from sgl.diagnostics import Diagnostics, SourceFile, SourceMap
from sgl.lang import mapping_files, yaml_files

#: What YAML means something by.
_MARKS = (
    *("- ", ": ", "{", "}", "[", "]", ",", "&a ", "*a", "!!str ", "!!binary ", "|", ">-", "? ", "<<: "),
    *("---\n", "...\n", "%YAML 9.9\n", "'", '"', "\\", "#", "\t", "~", "null", "yes", "1e5", ".inf"),
    *("en", "ja", "of", "rules", "words", "lexicons", "fitted", "dog", "0x1F", "2024-01-01", "=", "@"),
)


def _make(name: str, pieces: Callable[[], Sequence[bytes]], random: Random) -> Case:
    files = dict(seeds.barn())
    content = random.choice((files[name], files[name], *pieces()))
    if random.random() < 0.4:
        content = bytes_mutated(random, content, seeds.tables())
    else:
        content = tokens_mutated(random, content.decode(), _MARKS).encode()
    commands = (("check", "farm.sgl"),) if random.random() < 0.1 else ()
    # What only a reader sees needs no grammar.
    return Case({**files, name: content} if commands else {name: content}, commands)


def _read(read: Callable[[SourceFile, Diagnostics], object], case: Case) -> tuple[str, bool]:
    sources, diagnostics = SourceMap(), Diagnostics()
    ((name, content),) = case.files.items()
    read(sources.add(SourceFile(name, content.decode("utf-8", "replace"))), diagnostics)
    return said(diagnostics, sources)


def _weights() -> Sequence[bytes]:
    fitted = "fitted: {grammar: farm, parameters: {}}\n"
    section = "  NP:\n    modified: 0.25\n    noun_phrase: 0.75\n"
    parts = "lexicons:\n  N:\n    animals:\n      cat: 0.25\n      'cow: 牛': 0.125\n"
    return (f"{fitted}rules:\n{section}{parts}".encode(), f"rules:\n{section * 20}".encode())


def _relations() -> Sequence[bytes]:
    return (b"chase: {of: [prey]}\nsee: [dog, cat, hen]\nhelp: []\n",)


TARGETS = (
    Target(
        *("tables", "tables of words", 100, partial(_make, "animals.yaml", seeds.tables)),
        partial(_read, yaml_files.read_table),
    ),
    Target(
        *("weights", "files of weights", 75, partial(_make, "farm.weights.yaml", _weights)),
        partial(_read, mapping_files.read_weights),
    ),
    Target(
        *("relations", "relations of words", 75, partial(_make, "chases.yaml", _relations)),
        partial(_read, mapping_files.read_relation),
    ),
)
