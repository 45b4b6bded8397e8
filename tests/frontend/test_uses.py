"""What takes part of files that are used by a list of names, and grammars that come with SGL."""

from __future__ import annotations

from pathlib import Path

from kites import KITES, write
from sget import compile_file

MAIN = KITES + "\npattern deeper\n  forbid chain(nmod, 2)\n  size 5\n"

SHELF = """\
use below

structure chain(label, n) { A -[$label]{n}-> B }

pattern shelved
  forbid chain(obj, 1)
  size   5

test reject "The kite ran."
"""

BELOW = """\
structure under(label) { A -[$label]-> B }

pattern lower
  forbid under(nsubj)
  size   5

test "Nothing that the grammar derives." => cogs "nothing"
"""


def patterns(directory: Path, use: str) -> list[str]:
    path = write(directory, MAIN.replace("\nlayer en", f"\n{use}\nlayer en", 1))
    (directory / "shelf.sgl").write_text(SHELF, encoding="utf-8")
    (directory / "below.sgl").write_text(BELOW, encoding="utf-8")
    compiled = compile_file(path, {})
    return [pattern.name for pattern in compiled.plan.patterns]


def test_a_list_leaves_patterns_and_tests_behind_those_of_files_behind_as_well(tmp_path: Path) -> None:
    assert patterns(tmp_path, "use shelf (chain)") == ["pp_in_subject", "deeper"]


def test_a_pattern_in_the_list_takes_part(tmp_path: Path) -> None:
    found = patterns(tmp_path, "use shelf (chain)\nuse below (lower)")
    assert found == ["lower", "pp_in_subject", "deeper"]


def test_grammars_that_come_with_sgl_are_named_from_anywhere(tmp_path: Path) -> None:
    use = "use stdlib.grammars.slog.lexical (unaccusative_verbs)\nuse shelf (chain)"
    assert patterns(tmp_path, use) == ["pp_in_subject", "deeper"]
