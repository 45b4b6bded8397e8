r"""Read what compounds are scored from: the lexicon, and the compound of each row.

The lexicon is YAML, with the translations of each atom under its role.  An empty text
means that anything will do, as for articles that Chinese leaves out::

    DET: {the: [""], every: [每个, 每]}
    ADJ: {red: [红, 红色]}
    N:   {dog: [狗]}
    MOD: {he liked: [他 喜欢]}

Compounds stand one on a line, in the order of the rows.  Before a tab there may be a name;
compounds of one name are one compound in five contexts::

    NP-17\tthe red dog
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import yaml

from sgl.research.evaluate.benchmark import Row
from sgl.research.evaluate.compounds import (
    CompoundError,
    CompoundLexicon,
    Occurrence,
    check_occurrence,
)


def read_lexicon(path: Path) -> CompoundLexicon:
    """The lexicon of a file.

    Raises:
        CompoundError: the file cannot be read, or is no lexicon.
    """
    try:
        text = path.read_text(encoding="utf-8")
        # Atoms are texts; for the safe loader `on` and `no` are true and false.
        content = yaml.load(text, Loader=yaml.BaseLoader)  # noqa: S506 - it makes texts only
    except OSError as problem:
        raise CompoundError(f"cannot read `{path}`: {problem.strerror or problem}") from problem
    except (ValueError, RecursionError, yaml.YAMLError) as problem:
        raise CompoundError(f"`{path}` is not YAML: {problem}") from problem
    entries: dict[str, dict[str, tuple[str, ...]]] = {}
    if not isinstance(content, dict):
        raise CompoundError(f"`{path}` has no roles with atoms")
    for role, atoms in content.items():
        if not isinstance(atoms, dict):
            raise CompoundError(f"`{path}`: `{role}` has no atoms")
        for atom, translations in atoms.items():
            if not isinstance(translations, list) or not all(
                isinstance(text, str) for text in translations
            ):
                raise CompoundError(f"`{path}`: `{atom}` has no list of translations")
            entries.setdefault(str(role), {})[str(atom)] = tuple(translations)
    return CompoundLexicon(entries)


def read_compounds(
    path: Path, rows: Sequence[Row], lexicon: CompoundLexicon
) -> tuple[Occurrence, ...]:
    """The compound of each row.

    Raises:
        CompoundError: the file does not fit the rows, or a compound the lexicon or its row.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except OSError as problem:
        raise CompoundError(f"cannot read `{path}`: {problem.strerror or problem}") from problem
    except UnicodeDecodeError as problem:
        raise CompoundError(f"`{path}` is not UTF-8 at byte {problem.start + 1}") from problem
    if len(lines) != len(rows):
        raise CompoundError(f"`{path}` has {len(lines):,} compounds for {len(rows):,} rows")
    found: list[Occurrence] = []
    for number, (line, row) in enumerate(zip(lines, rows, strict=True), 1):
        name, tab, compound = line.partition("\t")
        occurrence = Occurrence(name, compound if tab else name, row.source, number - 1)
        try:
            check_occurrence(lexicon, occurrence)
        except CompoundError as problem:
            raise CompoundError(f"`{path}`:{number}: {problem}") from problem
        found.append(occurrence)
    return tuple(found)
