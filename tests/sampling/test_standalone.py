"""The standalone sampler: one module without dependencies, the same data."""

import ast
import importlib
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

import pytest
from sampling import plan_of, splits_of, whole
from toy import TOY, GrammarBuilder, toy_plan

from sgl.core.plan import Plan
from sgl.sampling import pack, standalone_source
from sgl.sampling.engine import Tables
from sgl.sampling.rows import deserialize, rows
from sgl.sampling.tables import BUNDLED, serialize

IDENTITY = "sgl:0.1.0|edition:2026|grammar:sha256:0123456789ab|seed:2024|items:450"


def with_shares(plan: Plan) -> Plan:
    """The plan with equal shares for two words, repeated perhaps, in the items of one pattern."""
    shared = (
        replace(stratum, extent=replace(stratum.extent, targets=("dog", "cat")), repeated_lemmas=True)
        if stratum.split == "gen" and stratum.category == "cat_as_object"
        else stratum
        for stratum in plan.strata
    )
    return replace(plan, strata=tuple(shared))


PLAN = with_shares(toy_plan())
TABLES = pack(TOY, PLAN, splits_of(TOY, PLAN))
SOURCE = standalone_source(TABLES, IDENTITY)

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def sampler(tmp_path: Path) -> Run:
    """Run the sampler as a user does, in a Python that cannot see this package."""
    module = tmp_path / "sampler.py"
    module.write_text(SOURCE, encoding="utf-8")

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-I", "-X", "utf8", "-W", "error", str(module), *arguments],
            cwd=tmp_path,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )

    return run


def expected_files(tables: Tables) -> dict[str, str]:
    files = {}
    for split, (row,) in rows(tables):
        files[f"{split}.tsv"] = files.get(f"{split}.tsv", "") + row
    return files


def test_it_draws_the_same_data_bit_for_bit(sampler: Run, tmp_path: Path) -> None:
    result = sampler("--out", "data")
    assert result.returncode == 0, result.stderr
    expected = expected_files(TABLES)
    written = {path.name: path.read_bytes() for path in (tmp_path / "data").iterdir()}
    assert written == {name: text.encode() for name, text in expected.items()}
    assert result.stdout.splitlines() == [
        f"{sha256(text.encode()).hexdigest()}  {name}" for name, text in expected.items()
    ]


def test_it_checks_data(sampler: Run, tmp_path: Path) -> None:
    sampler("--out", "data")
    assert sampler("--check", "data").returncode == 0
    with (tmp_path / "data" / "dev.tsv").open("a", encoding="utf-8") as file:
        file.write("one more\tもう一つ\tin_distribution\n")
    (tmp_path / "data" / "gen.tsv").unlink()
    result = sampler("--check", "data")
    assert result.returncode == 1
    verdicts = [line.split("  ")[:2] for line in result.stdout.splitlines()]
    assert verdicts == [
        ["identical", "train.tsv"],
        ["DIFFERENT", "dev.tsv"],
        ["identical", "test.tsv"],
        ["DIFFERENT", "gen.tsv"],
    ]


def test_it_prints_items(sampler: Run) -> None:
    result = sampler("--split", "gen", "--n", "3")
    assert result.stdout.splitlines() == expected_files(TABLES)["gen.tsv"].splitlines()[:3]


def test_another_seed_draws_other_data(sampler: Run) -> None:
    result = sampler("--split", "dev", "--n", "30", "--seed", "7")
    assert result.stdout == expected_files(TABLES._replace(seed=7))["dev.tsv"]


def test_a_split_that_does_not_exist_is_named(sampler: Run) -> None:
    result = sampler("--split", "validation")
    assert result.returncode == 1
    assert result.stderr == "there is no split 'validation', only dev, gen, test, train\n"


def test_it_says_what_it_reproduces(sampler: Run) -> None:
    assert IDENTITY in " ".join(sampler("--help").stdout.replace("\n", "").split())


def test_it_imports_the_standard_library_only() -> None:
    for node in ast.walk(ast.parse(SOURCE, feature_version=(3, 9))):
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            modules = [node.module]
        else:
            continue
        assert {module.partition(".")[0] for module in modules} <= sys.stdlib_module_names


def test_the_bundled_modules_have_no_name_in_common() -> None:
    """Their code is put into one module."""
    names: Counter[str] = Counter(("Path", "argparse", "sys"))
    for name in BUNDLED:
        package, _, module = name.rpartition(".")
        tree = ast.parse((files(package) / f"{module}.py").read_text("utf-8"))
        for node in tree.body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                names[node.name] += 1
            elif isinstance(node, ast.Assign | ast.AnnAssign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                names.update(
                    found.id for target in targets for found in ast.walk(target) if isinstance(found, ast.Name)
                )
    assert [name for name, times in names.items() if times > 1] == []


def test_packing_loses_nothing() -> None:
    assert any(stratum.extent.targets for stratum in TABLES.strata)
    assert deserialize(serialize(TABLES)) == TABLES


def test_quotes_and_backslashes_survive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build = GrammarBuilder()
    build.category("S")
    build.word("S", '"""\\N{x}', "「\\」'", 1, upos="SYM")
    build.word("S", "{{ x }}{% y %}", "#", 1, upos="SYM")
    grammar = build.build("strange", "S")
    plan = replace(plan_of({"train": 20}), seed=-3)
    tables = pack(grammar, plan, {"train/in_distribution": whole(grammar)})
    source = standalone_source(tables, 'a "b" \\ c')
    (tmp_path / "strange_sampler.py").write_text(source, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    module = importlib.import_module("strange_sampler")
    assert module.IDENTITY == 'a "b" \\ c'
    assert repr(module.deserialize(module.PACKED)) == repr(tables)
    assert module.files_of(tables) == {name: text.encode() for name, text in expected_files(tables).items()}


def test_a_directory_that_cannot_be_written_is_no_traceback(sampler: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    result = sampler("--out", "file/data")
    assert result.returncode == 1
    assert "Traceback" not in result.stderr
    assert "file" in result.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="pipes break otherwise there")
@pytest.mark.parametrize("arguments", [["--split", "train", "-n", "400"], ["--split", "train"]])
def test_a_reader_that_has_seen_enough_is_no_traceback(tmp_path: Path, arguments: list[str]) -> None:
    module = tmp_path / "sampler.py"
    module.write_text(SOURCE, encoding="utf-8")
    words = [sys.executable, "-I", str(module), *arguments]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait() == 1
    process.stderr.close()
