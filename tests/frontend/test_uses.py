"""What takes part of files that are used by a list of names, and grammars that come with SGL."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from kites import KITES, write
from sget import compile_file

from sgl.diagnostics import Diagnostics, SourceMap
from sgl.frontend import compile_project
from sgl.lang.project import load_project

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


def extended(directory: Path, clauses: str) -> Mapping[str, int]:
    """How much there is of each kind of sentence in a dataset that stands in place of part of another one."""
    write(directory)
    main = directory / "larger.sgl"
    main.write_text(f"use kites\n\ndataset\n{clauses}", encoding="utf-8")
    plan = compile_file(main, {}).plan
    assert plan.distinct_lemmas == ("NOUN",)
    found = {f"{stratum.split} {stratum.category}": stratum.count for stratum in plan.strata}
    return found | {"seed": plan.seed, "need": plan.patterns[0].need[0].minimum}


def test_a_clause_of_a_dataset_stands_in_place_of_that_of_a_file_below(tmp_path: Path) -> None:
    as_it_was = extended(tmp_path, "  seed 1\n")
    assert as_it_was["train in_distribution"] == 200
    found = extended(tmp_path, "  train 100\n  seed 7\n")
    assert found == {**as_it_was, "seed": 7, "train in_distribution": 100}


def test_a_dataset_is_smaller_with_all_that_is_asked_for(tmp_path: Path) -> None:
    as_it_was, half, least = (extended(tmp_path, f"  percent {n}\n") for n in (100, 50, 1))
    assert {name: half[name] for name in as_it_was if name != "seed"} == {
        "train in_distribution": 100,
        "train part:relatives": 10,
        "dev in_distribution": 10,
        "dev part:relatives": 3,
        "test in_distribution": 10,
        "gen pp_in_subject": 10,
        "need": 3,
    }
    assert {least[name] for name in as_it_was if name != "train in_distribution"} == {1}


def test_the_datasets_of_two_files_that_do_not_use_each_other(tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / "sizes.sgl").write_text("dataset\n  train 30\n  unseen rules\n", encoding="utf-8")
    main = tmp_path / "both.sgl"
    for clauses, told in (("  seed 4\n", ["SGL0203"]), ("  train 40\n", [])):
        main.write_text(f"use kites\nuse sizes\n\ndataset\n{clauses}", encoding="utf-8")
        diagnostics = Diagnostics()
        project = load_project(main, SourceMap(), diagnostics)
        assert project is not None
        compile_project(project, {}, diagnostics)
        assert [one.code for one in diagnostics] == told
        assert all("write `train` in the `dataset` of `" in one.hint for one in diagnostics)
