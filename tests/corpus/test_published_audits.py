"""What audits say of the published COGS, SLOG and SGET: the figures of ``docs/published.md``."""

from __future__ import annotations

import json
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


def shared(data: dict[str, object]) -> dict[tuple[str, str, str], int]:
    """The rows that sets share, by the two files and the kind of the second set."""
    return {
        (
            *("/".join(Path(pair[side]["file"]).parts[-2:]) for side in ("second", "first")),
            pair["second"]["kind"],
        ): pair["rows"]
        for pair in data["shared_sets"]  # type: ignore[attr-defined]
    }


def test_sget_lacks_a_part_and_repeats_its_training_sentences(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = ("sget/train.tsv", "sget/dev.tsv", "--set=published=on")
    data = audited(tmp_path, "sget.sgl", *files)
    assert "warning[SGL1106]: training lacks 1 part that patterns need" in capsys.readouterr().err
    assert data["missing_needs"] == ["rc_in_recipient.need"]
    assert data["leaks"] == {"subject_to_object_proper.forbid": 8, "cp_shallower.forbid": 1}
    assert list(shared(data).values()) == [1_556]
    *_, dev = data["sets"]  # type: ignore[misc]
    assert {(new["column"], new["word"], new["rows"]) for new in dev["new_words"]} == {
        ("ja", "逃そう", 2),
        ("ja", "うたた寝する", 1),
        ("ja", "笑おう", 1),
        ("ja", "赤くなる", 1),
    }


def test_cogs_keeps_its_promise_and_lacks_high_positions(tmp_path: Path) -> None:
    data = audited(tmp_path, "cogs.sgl", "cogs/train.tsv", "cogs/dev.tsv", "--target=cogs")
    assert (data["missing_needs"], data["leaks"], data["shared_sets"]) == ([], {}, [])
    *_, dev = data["sets"]  # type: ignore[misc]
    assert {(new["column"], new["word"]) for new in dev["new_words"]} == {
        ("en", "gardner"),
        ("cogs", "gardner"),
        ("cogs", "19"),
    }


def test_slog_chooses_the_nearer_passive(tmp_path: Path) -> None:
    files = ("slog/train.varfree.tsv", "slog/dev.varfree.tsv", "--target=varfree")
    data = audited(tmp_path, "slog.sgl", *files)
    assert (data["missing_needs"], data["leaks"], data["shared_sets"]) == ([], {}, [])
    assert data["chosen"] == {"likeliest": 144, "several": 14}
    row = next(row for row in data["ambiguous_rows"] if row["line"] == 11_170)  # type: ignore[attr-defined]
    assert [reading["phrases"] for reading in (*row["chosen"], *row["others"])] == [
        "Emma was lent [the towel [that [was frozen by a baby]]] .",
        "Emma was lent [the towel [that [was frozen]]] by a baby .",
    ]


def test_cogs_is_no_training_set_for_slog_and_shares_its_sentences(tmp_path: Path) -> None:
    files = ("cogs/train.tsv", "cogs/dev.tsv", "slog/train.varfree.tsv", "slog/dev.varfree.tsv")
    data = audited(tmp_path, "slog.sgl", *files, "--columns=en,-")
    assert len(data["missing_needs"]) == 14  # type: ignore[arg-type]
    rows = shared(data)
    train, dev = "slog/train.varfree.tsv", "slog/dev.varfree.tsv"
    assert rows[train, "cogs/train.tsv", "in_distribution"] == 22_845
    assert rows[train, "cogs/train.tsv", "primitive"] == 150
    assert rows[dev, "cogs/dev.tsv", "in_distribution"] == 2_864
    assert (train, "cogs/dev.tsv", "in_distribution") not in rows
