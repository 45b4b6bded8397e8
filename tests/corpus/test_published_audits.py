"""What audits say of the published COGS, SLOG and SGET: the figures of ``docs/published.md``."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from sget import PUBLISHED

from sgl.cli.main import OK, run
from sgl.resources import grammars_dir

DATA = PUBLISHED.parent

pytestmark = [
    pytest.mark.acceptance,
    pytest.mark.skipif(not DATA.is_dir(), reason="the published data are not beside this checkout"),
]


def audited(directory: Path, grammar: str, *arguments: str) -> dict[str, object]:
    """The JSON object of an audit of published files."""
    files = [str(DATA / a) if a.endswith(".tsv") else a for a in arguments]
    result = directory / "audit.json"
    command = ["audit", str(grammars_dir() / grammar), *files, "--patterns", f"--json={result}"]
    assert run(command) == OK
    data = json.loads(result.read_text("utf-8"))
    assert isinstance(data, dict)
    return data


def leaks(data: dict[str, object], key: str) -> dict[tuple[str, str, str], int]:
    """The findings of a line of the report: rows by file, kind and detail."""
    (line,) = (line for line in data["leaks"] if line["key"] == key)  # type: ignore[attr-defined]
    return {
        ("/".join(Path(found["file"]).parts[-2:]), found["kind"], found["detail"]): found["rows"]
        for found in line["sets"]
    }


def figures(data: dict[str, object]) -> dict[str, int]:
    """The lines of the report that find something."""
    return {line["key"]: line["rows"] for line in data["leaks"] if line["rows"]}  # type: ignore[attr-defined]


def test_sget_lacks_a_part_and_repeats_its_training_sentences(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = ("sget/train.tsv", "sget/dev.tsv", "--set=published=on")
    data = audited(tmp_path, "sget.sgl", *files)
    assert "warning[SGL1106]: training lacks 1 part that patterns need" in capsys.readouterr().err
    assert data["missing_needs"] == ["rc_in_recipient.need"]
    assert figures(data) == {"sentence": 1_556, "answer": 355, "held_out": 9, "output": 5}
    train, dev = ("sget/train.tsv", "in_distribution"), ("sget/dev.tsv", "in_distribution")
    assert leaks(data, "held_out") == {
        (*train, "subject_to_object_proper.forbid"): 7,
        (*dev, "subject_to_object_proper.forbid"): 1,
        ("sget/train.tsv", "other_exposure", "cp_shallower.forbid"): 1,
    }
    words = {"逃そう": 2, "うたた寝する": 1, "笑おう": 1, "赤くなる": 1}
    assert leaks(data, "output") == {(*dev, f"ja: {word}"): rows for word, rows in words.items()}


def test_cogs_keeps_its_promise_and_lacks_high_positions(tmp_path: Path) -> None:
    data = audited(tmp_path, "cogs.sgl", "cogs/train.tsv", "cogs/dev.tsv", "--target=cogs")
    assert data["missing_needs"] == []
    assert figures(data) == {"word": 1, "output": 2}
    dev = ("cogs/dev.tsv", "in_distribution")
    assert leaks(data, "word") == {(*dev, "en: gardner"): 1}
    assert leaks(data, "output") == {(*dev, "cogs: gardner"): 1, (*dev, "cogs: 19"): 1}


def test_slog_chooses_the_nearer_passive(tmp_path: Path) -> None:
    files = ("slog/train.varfree.tsv", "slog/dev.varfree.tsv", "--target=varfree")
    data = audited(tmp_path, "slog.sgl", *files)
    assert data["missing_needs"] == []
    assert figures(data) == {"answer": 92, "ambiguous": 158, "differing": 144}
    assert data["chosen"] == {"likeliest": 144, "several": 14}
    row = next(row for row in data["ambiguous_rows"] if row["line"] == 11_170)  # type: ignore[attr-defined]
    assert [reading["phrases"] for reading in (*row["chosen"], *row["others"])] == [
        "Emma was lent [the towel [that [was frozen by a baby]]] .",
        "Emma was lent [the towel [that [was frozen]]] by a baby .",
    ]


def test_cogs_is_no_training_set_for_slog_and_shares_its_sentences(tmp_path: Path) -> None:
    files = ("cogs/train.tsv", "cogs/dev.tsv", "slog/train.varfree.tsv", "slog/dev.varfree.tsv")
    data = audited(tmp_path, "slog.sgl", *files, "--columns=en,-", "--same=lended=lent")
    assert len(data["missing_needs"]) == 14  # type: ignore[arg-type]
    train = ("slog/train.varfree.tsv", "in_distribution", "train.tsv: in_distribution")
    dev = ("slog/dev.varfree.tsv", "in_distribution", "dev.tsv: in_distribution")
    letters, spelling = leaks(data, "sentence"), leaks(data, "spelling")
    assert (letters[train], spelling[train]) == (22_845, 1_155)
    assert (letters[dev], spelling[dev]) == (2_864, 136)
    assert letters["slog/train.varfree.tsv", "primitive", "train.tsv: primitive"] == 150


def test_sget_contains_what_its_page_says(tmp_path: Path) -> None:
    page = (grammars_dir().parent / "docs" / "sget-published.md").read_text("utf-8")
    told = re.findall(r"^\| `([\w.]+)`[^|]*\| \**([\d,]+)\** \| [\d,]+ \|$", page, re.MULTILINE)
    found = audited(tmp_path, "sget_counts.sgl", "sget/train.tsv", "--set=published=on")["structures"]
    assert len(told) == 12
    assert {name: int(number.replace(",", "")) for name, number in told} == {
        name: found[name]  # type: ignore[index]
        for name, _ in told
    }
