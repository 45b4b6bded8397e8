"""Rows are those that the certificate draws: honest ones are accepted, all others refused."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from forging import digest
from row_datasets import GRAMMARS, compiled, rows_refused

from sgl.verify import rows as rows_module
from sgl.verify import verify
from sgl.verify.candidates import Refusal, Weights
from sgl.verify.certificate_format import STRICT
from sgl.verify.rows import Others, Rows
from sgl.verify.sampled import look_at
from sgl.verify.schema import CertificateData

Json = Any
SCRIPT = Path(rows_module.__file__)


@pytest.fixture
def copy(tmp_path: Path) -> Callable[[str], Path]:
    """Copies a dataset, so that it can be changed."""

    def copied(name: str) -> Path:
        return Path(shutil.copytree(compiled(name), tmp_path / name))

    return copied


def change(path: Path, edit: Callable[[list[str]], object], *, blocks: bool = False) -> None:
    """Edit the lines, or the sentences, of a file as a list."""
    end = "\n\n" if blocks else "\n"
    parts = path.read_text("utf-8").split(end)[:-1]
    edit(parts)
    path.write_text("".join(part + end for part in parts), encoding="utf-8")


def change_rows(directory: Path, split: str, edit: Callable[[list[str]], object]) -> None:
    """Edit the rows of a split in all files alike."""
    for folder in ("data", "derivations"):
        change(directory / folder / f"{split}.tsv", edit)
    change(directory / "conllu" / f"{split}.conllu", edit, blocks=True)


def test_rows_without_other_answers_are_not_read_for_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """All rows before one that is sampled are passed by: to read each would use the budget of a sample up."""

    def check(*_: object) -> None:
        pytest.fail("a row was read for answers that are not there")

    monkeypatch.setattr(Others, "_check", check)
    assert not look_at(compiled("farm")).refusal
    with pytest.raises(pytest.fail.Exception):
        look_at(compiled("listed"))


def swapped(rows: list[str]) -> None:
    rows[3], rows[4] = rows[4], rows[3]


def replaced(old: str, new: str) -> Callable[[list[str]], None]:
    def edit(rows: list[str]) -> None:
        number = next(number for number, row in enumerate(rows) if old in row)
        rows[number] = rows[number].replace(old, new, 1)

    return edit


# --- honest datasets ------------------------------------------------------------------------


@pytest.mark.parametrize("name", GRAMMARS)
def test_honest_rows_are_accepted(name: str) -> None:
    assert rows_refused(compiled(name)) == ""


@pytest.mark.parametrize("name", GRAMMARS)
def test_the_verifier_draws_the_rows_and_reads_every_column_of_parquet(name: str) -> None:
    report = verify(compiled(name))
    assert report.ok
    assert {report.result(code).status for code in ("V030", "V031")} == {"passed"}
    assert report.result("V030").checked == report.result("V031").checked == report.items


def test_all_sentences_have_the_numbers_below_their_count() -> None:
    """Of dogs and cats that see dogs and cats."""
    candidates = Rows(compiled("all")).acceptance.candidates
    assert len({candidates.candidate(0, number).derivation for number in range(4)}) == 4
    for number in (-1, 4):
        with pytest.raises(Refusal, match=r"R01 state \d does not have 4 derivations"):
            candidates.candidate(0, number)


def test_the_checker_is_a_program_of_the_standard_library() -> None:
    command = [sys.executable, "-S", "-W", "error", str(SCRIPT), str(compiled("farm"))]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout, run.stderr) == (0, "accepted 164 rows\n", "")
    assert len(SCRIPT.read_text("utf-8").splitlines()) <= 400
    assert len(SCRIPT.with_name("derivation.py").read_text("utf-8").splitlines()) <= 285


def test_every_kind_of_rejection_occurs_in_these_datasets() -> None:
    outcomes = set[str]()
    for name in GRAMMARS:
        rows = Rows(compiled(name))
        assert all(rows.rows())
        outcomes.update(*rows.outcomes.values())
    assert outcomes >= {"accepted", "repeated_lemma", "repeated_sentence", "share_full"}
    assert "ambiguous" in outcomes


# --- others ---------------------------------------------------------------------------------


def other_reading(rows: list[str]) -> None:
    (first, _), (_, reading) = rows[0].split("\t"), rows[-1].split("\t")
    rows[0] = f"{first}\t{reading}"


def rewrite(directory: Path, old: bytes, new: bytes) -> None:
    """Replace what matches in the list of rejected sentences, the first time."""
    path = directory / REJECTED
    path.write_bytes(re.sub(old, new, path.read_bytes(), count=1))


def no_derivation(rows: list[str]) -> None:
    rows[0] += " 1"


def reject_good_one(directory: Path) -> None:
    """Leave the first training row out, as if its own derivation showed that it is ambiguous."""
    line = (directory / "derivations/train.tsv").read_text("utf-8").partition("\n")[0]
    change(directory / "derivations/rejected.tsv", lambda rows: rows.insert(0, line))
    change_rows(directory, "train", lambda rows: rows.pop(0))


REJECTED = "derivations/rejected.tsv"
Tampering = Callable[[Path], object]
TAMPERED: dict[str, tuple[str, str, Tampering]] = {
    "rows are swapped": ("farm", "R03", lambda d: change_rows(d, "train", swapped)),
    "a row is left out": ("farm", "R03", lambda d: change_rows(d, "train", lambda r: r.pop(7))),
    "the last row is left out": ("farm", "R03", lambda d: change_rows(d, "gen", list.pop)),
    "a row is there twice": ("farm", "R02", lambda d: change_rows(d, "dev", lambda rows: rows.append(rows[-1]))),
    "another candidate is named": (
        "farm",
        "R03",
        lambda d: change(d / "derivations/gen.tsv", replaced("pp_in_subject/0#", "pp_in_subject/0#1")),
    ),
    "a word of a derivation is another": (
        "farm",
        "R03",
        lambda d: change(d / "derivations/train.tsv", replaced(" 8", " 9")),
    ),
    "a source is another": ("farm", "R04", lambda d: change(d / "data/train.tsv", replaced("The dog", "The cat"))),
    "a target is another": ("farm", "R04", lambda d: change(d / "data/test.tsv", replaced("が", "は"))),
    "a category is another": (
        "farm",
        "R04",
        lambda d: change(d / "data/dev.tsv", replaced("in_distribution", "pp_in_subject")),
    ),
    "a further target is another": ("kites", "R04", lambda d: change(d / "data/varfree/gen.tsv", replaced("* ", ""))),
    "a relation is another": (
        "farm",
        "R05",
        lambda d: change(d / "conllu/gen.conllu", replaced("nmod", "obl"), blocks=True),
    ),
    "a text in a comment is another": (
        "farm",
        "R05",
        lambda d: change(d / "conllu/gen.conllu", replaced("# text_ja = ", "# text_ja = 、"), blocks=True),
    ),
    "sentences stick together": (
        "farm",
        "R05",
        lambda d: change(d / "conllu/gen.conllu", replaced("SpaceAfter=No", "_"), blocks=True),
    ),
    "a file is missing": ("farm", "R02", lambda d: (d / "conllu/dev.conllu").unlink()),
    "derivations are missing": ("farm", "R02", lambda d: shutil.rmtree(d / "derivations")),
    "the certificate is missing": ("farm", "R02", lambda d: (d / "certificate.json").unlink()),
    "the certificate is no JSON": ("farm", "R01", lambda d: (d / "certificate.json").write_text("{", "utf-8")),
    "a rejected sentence is let in": (
        "ambiguous",
        "R03",
        lambda d: change(d / "derivations/rejected.tsv", lambda rows: rows.pop(0)),
    ),
    "a reading shows nothing: it is that of another sentence": (
        "ambiguous",
        "R06",
        lambda d: change(d / "derivations/rejected.tsv", other_reading),
    ),
    "a reading shows nothing: it is no derivation": (
        "ambiguous",
        "R06",
        lambda d: change(d / "derivations/rejected.tsv", lambda rows: rows.insert(0, rows.pop(0) + " 1")),
    ),
    "a good sentence is rejected": ("ambiguous", "R06", reject_good_one),
    "a rejection is for later": (
        "ambiguous",
        "R06",
        lambda d: change(d / REJECTED, lambda rows: rows.append("train/in_distribution#99999\t1")),
    ),
    "a rule has a sign": ("ambiguous", "R06", lambda d: rewrite(d, rb"\t(\d)", rb"\t+\1")),
    "a rule is negative": ("ambiguous", "R06", lambda d: rewrite(d, rb"\t(\d)", rb"\t-\1")),
    "a rule has a zero before it": ("ambiguous", "R06", lambda d: rewrite(d, rb"\t", rb"\t0")),
    "a candidate has a zero before it": ("ambiguous", "R06", lambda d: rewrite(d, rb"#", rb"#0")),
    "two spaces": ("ambiguous", "R06", lambda d: rewrite(d, rb" ", rb"  ")),
    "lines end as on Windows": ("ambiguous", "R06", lambda d: rewrite(d, rb"\n", rb"\r\n")),
    "the last line has no end": ("ambiguous", "R06", lambda d: rewrite(d, rb"\n\Z", rb"")),
    "a line says nothing": ("ambiguous", "R06", lambda d: rewrite(d, rb"\Z", rb"\n")),
    "what is rejected goes on for a terabyte": ("ambiguous", "R06", lambda d: os.truncate(d / REJECTED, 1 << 40)),
    "a list of rejected sentences where none is rejected": (
        "repeating",
        "R06",
        lambda d: (d / REJECTED).write_bytes(b""),
    ),
    "texts go on for a terabyte": ("farm", "R02", lambda d: os.truncate(d / "data/gen.tsv", 1 << 40)),
    "texts are in another place": (
        "farm",
        "R02",
        lambda d: (d / "data/gen.tsv").rename(d / "x") and (d / "data/gen.tsv").symlink_to("../x"),
    ),
    "texts come from a pipe": ("farm", "R02", lambda d: (d / "data/gen.tsv").unlink() or os.mkfifo(d / "data/gen.tsv")),
    "the certificate is a pipe": (
        "farm",
        "R02",
        lambda d: (d / "certificate.json").unlink() or os.mkfifo(d / "certificate.json"),
    ),
}


@pytest.mark.parametrize("what", TAMPERED)
def test_what_was_changed_is_refused(what: str, copy: Callable[[str], Path]) -> None:
    name, code, tamper = TAMPERED[what]
    directory = copy(name)
    tamper(directory)
    assert rows_refused(directory).startswith(code)


def certificate(directory: Path, edit: Callable[[Json], None], *, core: bool = False) -> None:
    """Change the certificate; of its core with a new digest."""
    path = directory / "certificate.json"
    content = json.loads(path.read_text("utf-8"))
    edit(content)
    content["digest"] = digest(content["core"]) if core else content["digest"]
    path.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")


def test_another_seed_draws_other_rows(copy: Callable[[str], Path]) -> None:
    directory = copy("farm")
    certificate(directory, lambda content: content.update(seed=2))
    assert rows_refused(directory).startswith("R03")


def test_other_tables_draw_other_rows(copy: Callable[[str], Path]) -> None:
    directory = copy("farm")
    certificate(directory, lambda content: content["sampler"]["states"][5]["rules"].reverse())
    assert rows_refused(directory).startswith("R03")


def test_two_parts_of_the_data_do_not_share_a_stream(copy: Callable[[str], Path]) -> None:
    """They would have the same sentences, if these may be repeated."""
    directory = copy("repeating")

    def shared(content: Json) -> None:
        train, dev, *_ = content["core"]["plan"]["strata"]
        dev["stream"] = train["stream"]

    certificate(directory, shared, core=True)
    assert rows_refused(directory).startswith("R01 two parts")


@pytest.mark.parametrize("name", GRAMMARS)
def test_intervals_have_the_shares_that_weights_give(name: str, copy: Callable[[str], Path]) -> None:
    """Whatever bound is moved by a millionth of its state, the weights contradict it."""
    directory = copy(name)
    content = json.loads((directory / "certificate.json").read_text("utf-8"))
    several = [own["bounds"] for own in content["sampler"]["states"] if len(own["bounds"]) > 1]
    for bounds in several[:: 1 + len(several) // 10]:
        bounds[-2] -= bounds[-1] // 10**6
        with pytest.raises(Refusal, match="R08 state"):
            Weights(STRICT.read(CertificateData, content), abs).check()
        bounds[-2] += bounds[-1] // 10**6
    Weights(STRICT.read(CertificateData, content), abs).check()


def test_weights_that_contradict_the_tables_are_refused(copy: Callable[[str], Path]) -> None:
    directory = copy("farm")

    def heavier(content: Json) -> None:
        next(r for r in content["core"]["grammar"]["rules"] if r["name"] == "animals")["weight"] = "0.5"

    certificate(directory, heavier, core=True)
    assert rows_refused(directory).startswith("R08 state")
    assert verify(directory).result("V030").status == "failed"


@pytest.mark.parametrize("end", ["\t", "\n", "\r", "\x00", "\u2028"])
def test_no_word_ends_a_column_or_a_line(end: str, copy: Callable[[str], Path]) -> None:
    """One row could be read as two, or have other columns, and be what its derivation says."""
    directory = copy("farm")

    def ending(content: Json) -> None:
        for rule in content["core"]["grammar"]["rules"]:
            if rule["name"] == "animals":
                rule["templates"][0][0]["text"] += end

    certificate(directory, ending, core=True)
    assert rows_refused(directory).startswith("R01 ")


def test_what_takes_too_long_is_refused(monkeypatch: pytest.MonkeyPatch, copy: Callable[[str], Path]) -> None:
    directory = copy("farm")
    monkeypatch.setattr(rows_module, "STEPS", 1_000)
    monkeypatch.setattr(rows_module, "BYTE", 0)
    assert rows_refused(directory).startswith("R07")


# --- the verifier ---------------------------------------------------------------------------


def test_the_manifest_counts_what_was_rejected(copy: Callable[[str], Path]) -> None:
    directory = copy("farm")
    path = directory / "manifest.json"
    content = json.loads(path.read_text("utf-8"))
    content["splits"]["gen"]["strata"][0]["rejected"]["repeated_lemma"] += 1
    path.write_text(json.dumps(content), encoding="utf-8")
    assert verify(directory).result("V030").status == "failed"


COLUMNS = {
    "id": "0" * 16,
    "category": "exposure:none",
    "split_kind": "part",
    "derivation": "(sentence)",
    "depth": 2,
    "features": {"nmod": 9},
    "seed_stream": "train/in_distribution#7",
    "source": "Nothing.",
    "target": "無。",
}


@pytest.mark.parametrize("column", COLUMNS)
def test_every_column_of_parquet_is_compared(column: str, copy: Callable[[str], Path]) -> None:
    directory = copy("farm")
    path = directory / "parquet/test.parquet"
    table = pq.read_table(path)
    values = table.column(column).to_pylist()
    values[3] = COLUMNS[column]
    index = table.column_names.index(column)
    field = table.schema.field(column)
    pq.write_table(table.set_column(index, field, pa.array(values, field.type)), path)
    result = verify(directory).result("V031")
    assert result.status == "failed"
    assert f"row 4: the column {column} is" in str(result.violations[0])


def test_a_row_too_many_in_parquet_is_found(copy: Callable[[str], Path]) -> None:
    directory = copy("farm")
    path = directory / "parquet/test.parquet"
    table = pq.read_table(path)
    pq.write_table(pa.concat_tables([table, table.slice(0, 1)]), path)
    assert "more than 12 rows" in str(verify(directory).result("V031").violations[0])
