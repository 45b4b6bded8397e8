"""Every combination of the optional parts of a grammar works, in each command and in Python."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
import template_branches
from optional_parts import PARTS, Row, rows, whole, write

import sgl
from sgl.cli.main import FAILED, OK, run

ROWS = list(rows())

#: What runs ``sglc`` with some words; it returns the exit code, and keeps what was said.
Command = Callable[..., int]


def name_of(row: Row) -> str:
    return "-".join(f"{part}:{option}" for part, option in row.items() if option != PARTS[part][0]) or "plain"


@pytest.fixture
def sglc(capsys: pytest.CaptureFixture[str]) -> Command:
    """Run a command, which ends with one of the exit codes for what it was asked."""

    def command(*words: object) -> int:
        status = run([str(word) for word in words])
        said = "".join(capsys.readouterr())
        assert status in (OK, FAILED), said
        assert "internal error" not in said
        return status

    return command


def split_files(dataset: Path, manifest: dict[str, Any]) -> Iterator[tuple[str, str, Path]]:
    """The splits with sentences, with each target and the file that has it."""
    target, *further = [manifest["layers"]["target"], *manifest["layers"]["further"]]
    for split in (name for name, own in manifest["splits"].items() if own["items"]):
        yield split, target, dataset / "data" / f"{split}.tsv"
        yield from ((split, other, dataset / "data" / other / f"{split}.tsv") for other in further)


def compile_and_use(row: Row, folder: Path, sglc: Command) -> Path:
    """Compile the grammar of a row, and do with the dataset what people do."""
    grammar, dataset = write(row, folder), folder / "out"
    assert sglc("check", grammar) == sglc("check", grammar, "--fast") == OK
    smaller = ["--variants", "lean=on"] if row["parameter"] == row["train"] == "yes" else []
    assert sglc("compile", grammar, "--out", dataset, *smaller) == OK
    assert sglc("verify", dataset) == OK
    assert sglc("release", dataset, "--out", folder / "farm.zip") == (OK if row["release"] != "none" else FAILED)
    manifest = json.loads((dataset / "manifest.json").read_text("utf-8"))
    for split, target, file in split_files(dataset, manifest):
        gold = [line.split("\t")[1] for line in file.read_text("utf-8").splitlines()]
        (folder / "right.txt").write_text("".join(f"{text}\n" for text in gold), "utf-8")
        (folder / "wrong.txt").write_text("".join(f"{text[1:]}\n" for text in gold), "utf-8")
        systems = [f"{name}={folder / name}.txt" for name in ("right", "wrong")]
        pages = ["--html", folder / "e.html", "--latex", folder / "e.tex", "--json", folder / "e.json"]
        asked = ["eval", dataset, "--split", split, "--target", target, "--samples", "100"]
        assert sglc(*asked, *systems, *pages) == OK
        assert sglc(*asked, systems[0]) == OK
    return dataset


def use_the_door(row: Row, folder: Path, dataset: Path) -> None:
    """Ask the grammar and its dataset in Python what a notebook asks."""
    grammar = sgl.load(folder / "farm.sgl")
    found = [grammar.sample(3), grammar.stats(), grammar.parse(str(grammar.sample(1)[0]))]
    found += [grammar.sample(2, of=pattern, beside=True) for pattern in grammar.patterns if row["size"] != "none"]
    for text in grammar.sample(2):
        assert [text[output] for output in grammar.outputs]
        assert text.tree
        assert text.graph
    opened = sgl.open_dataset(dataset)
    assert len(opened.to_arrow()) == len(opened.to_pandas()) == sum(opened.splits.values())
    split = next(name for name, items in opened.splits.items() if items)
    scores = sgl.evaluate(opened, {"right": folder / "right.txt"}, split=last_split(dataset), samples=100)
    found += [grammar.prove(), opened.verify(), scores, sgl.audit(grammar, columns_of(dataset, split, folder, row))]
    assert opened.verify().ok
    assert opened._repr_html_()
    for one in (grammar, *found):
        assert repr(one)
        assert one._repr_html_()


def last_split(dataset: Path) -> str:
    """The split whose texts `right.txt` has."""
    manifest = json.loads((dataset / "manifest.json").read_text("utf-8"))
    return [split for split, *_ in split_files(dataset, manifest)][-1]


def columns_of(dataset: Path, split: str, folder: Path, row: Row) -> Path:
    """A file of rows as `audit` takes them; a grammar of one text has no second column."""
    file = dataset / "data" / f"{split}.tsv"
    if row["text"] != "one" or row["view"] == "penman" or row["twin"] == "yes":
        return file
    lines = (re.sub(r"\t[^\t]*", "", line, count=1) for line in file.read_text("utf-8").splitlines())
    (folder / "rows.tsv").write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return folder / "rows.tsv"


def test_options_of_two_parts_meet_unless_no_grammar_can_have_both() -> None:
    options = [{part: option} for part in PARTS for option in PARTS[part]]
    for one, other in combinations(options, 2):
        if one.keys() != other.keys() and not any((one | other).items() <= row.items() for row in ROWS):
            assert whole(one | other) is None


@pytest.mark.parametrize("row", ROWS[1:3], ids=name_of)
def test_a_combination_of_optional_parts_works(row: Row, tmp_path: Path, sglc: Command) -> None:
    use_the_door(row, tmp_path, compile_and_use(row, tmp_path, sglc))


@pytest.mark.acceptance
@pytest.mark.parametrize("row", [ROWS[0], *ROWS[3:]], ids=name_of)
def test_every_combination_of_optional_parts_works(row: Row, tmp_path: Path, sglc: Command) -> None:
    use_the_door(row, tmp_path, compile_and_use(row, tmp_path, sglc))


def use_the_rest(folders: list[Path], folder: Path, sglc: Command) -> None:
    """Run the commands that have templates of their own on some datasets, the last with all that there is."""
    grammar, dataset = folders[-1] / "farm.sgl", folders[-1] / "out"
    for each in folders:
        assert sglc("prove", each / "farm.sgl", "--pattern", "first") == OK
    assert sglc("prove", "--between", *(each / "farm.sgl" for each in folders[-2:])) == OK
    assert sglc("prove", grammar, "--certificate", folder / "c.json") == sglc("verify", folder / "c.json") == OK
    assert sglc("stats", grammar) == sglc("stats", grammar, "first") == OK
    gold = dataset / "conllu" / "train.conllu"
    # Rows of texts alone have the sentence twice.
    rows = [dataset / "data" / "train.tsv", "--columns", "en,-"]
    assert sglc("audit", grammar, *rows, "--patterns", "--html", folder / "audit.html") == OK
    assert sglc("fit", grammar, *rows, "--out", folder / "w.yaml") == OK
    assert sglc("split", dataset, "--out", folder / "split") == sglc("split", "--report", gold, gold) == OK
    assert sglc("split", dataset, "--compound-target", "0.5,1", "--out", folder / "splits") == OK
    outputs = re.findall(r"# text = (.*)", gold.read_text("utf-8"))
    (folder / "outputs.txt").write_text("".join(f"{text.split()[0]}\n" for text in outputs), "utf-8")
    mined = ["--html", folder / "a.html", "--latex", folder / "a.tex", "--patterns", folder / "hard.sgl"]
    assert sglc("analyse", gold, folder / "outputs.txt", *mined) == OK
    assert sglc("check", grammar, "--format", "junit") == sglc("check", grammar, "--morphology") == OK
    plain = write(ROWS[0] | {"graph": "tree"}, folder / "plain")
    assert sglc("export", "irtg", plain, "--out", folder / "plain.irtg") == OK
    assert sglc("import", "irtg", folder / "plain.irtg", "--out", folder / "again.sgl") == OK
    (folder / "slog.tsv").write_text("a\tsee . agent ( x _ 1 , A )\tPP_5-12\n", "utf-8")
    (folder / "mine").mkdir()
    (folder / "mine" / "gen.txt").write_text("see . theme ( x _ 2 , A )\n", "utf-8")
    pages = ["--html", folder / "r.html", "--latex", folder / "r.tex"]
    assert sglc("recipe", "slog", folder / "slog.tsv", f"Mine={folder / 'mine'}", *pages) == OK


@pytest.mark.acceptance
def test_templates_are_rendered_with_and_without_each_optional_part(tmp_path: Path, sglc: Command) -> None:
    """No name is undefined on any branch; those of what describes a dataset are all taken."""
    with template_branches.watched() as found:
        made = []
        for number, row in enumerate(ROWS):
            folder = tmp_path / str(number)
            if dataset := compile_and_use(row, folder, sglc):
                made.append((row, folder))
            use_the_door(row, folder, dataset)
        rich = [folder for row, folder in made if row["pattern"] == "two" and row["train"] == "yes"]
        use_the_rest(rich, tmp_path, sglc)
    descriptions = {text for branch, text in found.missing.items() if branch[0].startswith("sgl/dataset/")}
    assert descriptions == set()
    # On pages some things are always there.
    pages = ("sgl/report/", "sgl/api/", "sgl/cli/templates/compile")
    there = {
        text for branch, text in found.missing.items() if branch[0].startswith(pages) and not text.endswith("else")
    }
    assert there == set()
    assert {path for path in template_branches.templates() if path.startswith("sgl/")} == found.rendered
