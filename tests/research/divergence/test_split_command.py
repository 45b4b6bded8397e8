"""``sglc split`` as an author uses it: files in, files out, and what is wrong is said."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from diagnostics import INTERNAL
from split_items import TREEBANK, divergence_of_counts, treebank

from sgl.cli.main import FAILED, OK, OUTPUT, USAGE, run
from sgl.diagnostics import Diagnostics
from sgl.research.divergence.search import REACHED, report


@pytest.fixture
def bank(tmp_path: Path) -> Path:
    path = tmp_path / "bank.conllu"
    path.write_text(treebank(400), "utf-8")
    return path


@pytest.fixture
def table(tmp_path: Path) -> Path:
    rows = [f"(s (np d{n % 3} n{n % 20}) v{n % 7})" for n in range(300)]
    path = tmp_path / "items.parquet"
    columns = {
        "id": [f"i{n}" for n in range(300)],
        "source": rows,
        "target": rows,
        "category": ["plain"] * 300,
        "derivation": rows,
    }
    pq.write_table(pa.table(columns), path)
    return path


def split(*arguments: str | Path) -> int:
    return run(["split", *map(str, arguments)])


def certificate(directory: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((directory / "certificate.json").read_text("utf-8"))
    return document


def edges(conllu: Path) -> tuple[Counter[Any], Counter[Any]]:
    """Atoms and compounds of a treebank, counted here and plainly."""
    atoms: Counter[Any] = Counter()
    compounds: Counter[Any] = Counter()
    for block in conllu.read_text("utf-8").split("\n\n"):
        words = [line.split("\t") for line in block.splitlines() if line[:1].isdigit()]
        for word in words:
            atoms[word[2]] += 1
            if word[6] != "0":
                atoms["relation", word[7]] += 1
                compounds[words[int(word[6]) - 1][2], word[7], word[2]] += 1
    return atoms, compounds


@pytest.mark.parametrize(
    "method", [pytest.param("annealing", marks=pytest.mark.acceptance), pytest.param("greedy", marks=pytest.mark.slow)]
)
def test_a_split_of_a_treebank_is_written_with_its_certificate(
    bank: Path, tmp_path: Path, method: str, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert split(bank, "--compound-target=0.4", "--discard=20", f"--method={method}", "--out", out) == OK
    assert "D_C 0.4" in capsys.readouterr().out or method == "greedy"
    proof = certificate(out)
    assert proof["divergence"]["compounds"] == pytest.approx(0.4, abs=0.1)
    names = {name: (out / f"{name}.txt").read_text().split() for name in ("train", "test", "discarded")}
    assert {name: len(ids) for name, ids in names.items()} == proof["sizes"]
    assert sorted(chain(*names.values())) == sorted(f"s{n}" for n in range(1, 401))
    assert len(names["discarded"]) <= 20
    assert 0.2 <= len(names["test"]) / (len(names["train"]) + len(names["test"])) <= 0.3


@pytest.mark.slow
def test_the_certificate_says_what_anybody_can_count(bank: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert split(bank, "--compound-target=1", "--discard=0.1", "--out", out) == OK
    train, test = edges(out / "train.conllu"), edges(out / "test.conllu")
    found = certificate(out)["divergence"]
    for name, part, alpha in (("atoms", 0, 0.5), ("compounds", 1, 0.1)):
        naive = divergence_of_counts(train[part], test[part], alpha)
        assert found[name] == pytest.approx(naive, abs=1e-12)
    lines = {}
    for name in ("train", "test", "discarded"):
        lines |= dict.fromkeys((out / f"{name}.txt").read_text().split(), name)
    text = "".join(f"s{n}\t{lines[f's{n}']}\n" for n in range(1, 401))
    assert certificate(out)["assignment"] == sha256(text.encode()).hexdigest()


@pytest.mark.slow
def test_a_seed_gives_the_same_files(bank: Path, tmp_path: Path) -> None:
    outs = [tmp_path / name for name in "abc"]
    for out, seed in zip(outs, (3, 3, 4), strict=True):
        assert split(bank, "--compound-target=0.5", f"--seed={seed}", "--out", out) == OK
    one, same, other = ({path.name: path.read_bytes() for path in sorted(out.iterdir())} for out in outs)
    assert one == same
    assert one["test.txt"] != other["test.txt"]


def test_rows_of_a_dataset_stay_as_they_are(table: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert split(table, "--compound-target=0.3", "--out", out) == OK
    whole = {row["id"]: row for row in pq.read_table(table).to_pylist()}
    for name in ("train", "test"):
        rows = pq.read_table(out / f"{name}.parquet").to_pylist()
        assert [row["id"] for row in rows] == (out / f"{name}.txt").read_text().split()
        assert all(row == whole[row["id"]] for row in rows)
        lines = (out / f"{name}.tsv").read_text("utf-8").splitlines()
        assert lines == ["\t".join([r["source"], r["target"], r["category"]]) for r in rows]


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        ["--elements=morphology"],
        ["--elements=morphology", "--above=0.33"],
        ["--size=3"],
        ["--weighted"],
        ["--weighted", "--size=3"],
    ],
)
def test_a_report_measures_what_the_certificate_says(
    options: Sequence[str], bank: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert split(bank, "--compound-target=0.5", "--moves=20", "--out", out, *options) == OK
    proof = certificate(out)
    assert proof["sizes"]["discarded"] == 0
    capsys.readouterr()
    assert split(out, "--report", "--json", *options) == OK
    (found,) = json.loads(capsys.readouterr().out)["measured"]
    if "--above=0.33" not in options:
        assert found["atoms"] == pytest.approx(proof["divergence"]["atoms"], abs=1e-12)
        assert found["compounds"] == pytest.approx(proof["divergence"]["compounds"], abs=1e-12)


def mean_words(conllu: Path) -> float:
    """Words in a sentence of a treebank, counted plainly."""
    blocks = [block for block in conllu.read_text("utf-8").split("\n\n") if block]
    lines = [line for block in blocks for line in block.splitlines() if line.split("\t")[0].isdigit()]
    return len(lines) / len(blocks)


def test_the_lengths_of_sentences_show_whether_one_side_is_harder(
    bank: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first check of the paper (4.2): a test set of longer sentences would be harder for that reason alone."""
    out = tmp_path / "out"
    assert split(bank, "--compound-target=1", "--out", out, "--discard=9") == OK
    train, test = mean_words(out / "train.conllu"), mean_words(out / "test.conllu")
    shown = capsys.readouterr().out
    assert f"words     {train:.2f} in a sentence of train, {test:.2f} of test" in shown
    found = certificate(out)["mean_words"]
    assert (found["train"], found["test"]) == (pytest.approx(train), pytest.approx(test))
    assert split("--report", out, "--json") == OK
    report = json.loads(capsys.readouterr().out)
    assert report["train"]["mean_words"] == pytest.approx(train)
    assert report["measured"][0]["mean_words"] == pytest.approx(test)
    assert split("--report", out) == OK
    assert f"of {train:.1f} words on average" in capsys.readouterr().out


def test_texts_without_spaces_have_no_mean_length(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    columns = {"id": ["a", "b"], "source": ["猫が鳴く。", "犬が鳴く。"], "derivation": ["(s a)", "(s b)"]}
    for name in ("train", "test"):
        pq.write_table(pa.table(columns), tmp_path / f"{name}.parquet")
    assert split("--report", tmp_path) == OK
    assert "words" not in capsys.readouterr().out


def test_the_choice_of_lemmas_is_in_the_certificate(bank: Path, tmp_path: Path) -> None:
    words, names = tmp_path / "words.txt", tmp_path / "names.txt"
    known = sorted({line.split("\t")[2] for line in bank.read_text("utf-8").splitlines() if line[:1].isdigit()})
    words.write_text(f"{known[0]}\n\nnobody\n", "utf-8")
    names.write_text(f"{known[1]}\ta name\n", "utf-8")
    options = ["--elements=morphology", "--ranks", "1", "9", f"--lemmas={words}", f"--lemmas={names}"]
    assert split(bank, "--out", tmp_path / "out", *options, "--occurrences=2") == OK
    told = certificate(tmp_path / "out")["elements"]
    assert (told["ranks"], told["occurrences"]) == ([1, 9], 2)
    digests = [{"name": path.name, "sha256": sha256(path.read_bytes()).hexdigest()} for path in (words, names)]
    assert told["lemmas"] == digests
    features = {line.split("\t")[5] for line in bank.read_text("utf-8").splitlines() if line[:1].isdigit()} - {"_"}
    atoms = {tag for tags in features for tag in tags.split("|")}
    assert told["atoms"] <= 2 + len(atoms)


def test_a_list_of_lemmas_that_is_not_there_is_named(
    bank: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    missing = tmp_path / "missing.txt"
    assert split(bank, "--out", tmp_path / "out", "--elements=morphology", "--lemmas", missing) == OUTPUT
    assert "missing.txt" in capsys.readouterr().err


def test_a_report_of_categories_names_each(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, text in (("train", TREEBANK), ("gen", TREEBANK + "\n" + TREEBANK)):
        (tmp_path / f"{name}.conllu").write_text(text, "utf-8")
    assert split("--report", "--categories", tmp_path) == OK
    shown = capsys.readouterr().out
    assert "gen: plain" in shown
    assert "gen: none" in shown
    assert "train →" in shown


@pytest.mark.parametrize(("rule", "explained"), [("s#1", True), ("s", False)])
def test_a_report_explains_the_numbers_of_rules(
    rule: str, explained: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, derivations in (("train", ["(t (s a))"]), ("gen", [f"(t ({rule} b))"])):
        table = pa.table({"id": [name], "derivation": derivations})
        pq.write_table(table, tmp_path / f"{name}.parquet")
    assert split(tmp_path / "train.parquet", tmp_path / "gen.parquet", "--report") == OK
    shown = capsys.readouterr().out
    assert f"{rule} -0-> b" in shown
    assert ("#1, #2, …: rules of one name and category" in shown) == explained


def rows(path: Path) -> list[str]:
    return path.read_text("utf-8").splitlines()


def test_a_grid_has_a_split_for_each_target_and_one_table(
    bank: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, alone = tmp_path / "grid", tmp_path / "alone"
    assert split(bank, "--compound-target=0,0.25, 0.5,1,1", "--out", out) == OK
    shown = capsys.readouterr().out
    names = ["0.0", "0.25", "0.5", "1.0"]
    assert [line.split()[0] for line in shown.splitlines() if line[:1].isdigit()] == names
    listed = json.loads((out / "splits.json").read_text("utf-8"))["splits"]
    assert [each["name"] for each in listed] == names
    for each in listed:
        assert certificate(out / each.pop("name")) == each
    assert split(bank, "--compound-target=0.25", "--out", alone) == OK
    assert {path.name: path.read_bytes() for path in alone.iterdir()} == {
        path.name: path.read_bytes() for path in (out / "0.25").iterdir()
    }


def test_a_grid_of_seeds_is_named_by_target_and_seed(bank: Path, tmp_path: Path) -> None:
    """Table 4 of the paper has two targets for eight seeds of the search."""
    out = tmp_path / "grid"
    assert split(bank, "--compound-target=0,1", "--seed=11,22", "--moves=20", "--out", out) == OK
    assert sorted(path.name for path in out.iterdir()) == ["0.0-11", "0.0-22", "1.0-11", "1.0-22", "splits.json"]
    assert certificate(out / "1.0-22")["seed"] == 22
    assert rows(out / "1.0-11/test.txt") != rows(out / "1.0-22/test.txt")


def test_a_grid_is_replaced_as_a_whole_and_nothing_else_with_it(bank: Path, tmp_path: Path) -> None:
    out, grid = tmp_path / "grid", ["--compound-target=0,1", "--moves=1", "--force"]
    assert split(bank, *grid, "--out", out) == OK
    assert split(bank, *grid, "--out", out) == OK
    (out / "0.0" / "notes.md").write_text("mine", "utf-8")
    assert split(bank, *grid, "--out", out) == OUTPUT
    (out / "0.0" / "notes.md").rename(out / "notes.md")
    assert split(bank, "--moves=1", "--force", "--out", out) == OUTPUT
    assert (out / "notes.md").read_text("utf-8") == "mine"
    (out / "notes.md").unlink()
    assert split(bank, "--moves=1", "--force", "--out", out) == OK
    assert not (out / "0.0").exists()


def test_translations_go_where_their_sentences_go(tmp_path: Path) -> None:
    """What a translation system reads: lines of the source and of the target, for train and test."""
    bank, texts = tmp_path / "bank.conllu", tmp_path / "bank.en"
    bank.write_text(
        TREEBANK.replace("# category", "# text = The\tdogs slept.\n# category") + "\n" + treebank(40), "utf-8"
    )
    texts.write_text("".join(f"line\t{number}\n" for number in range(1, 43)), "utf-8")
    out = tmp_path / "out"
    assert split(bank, "--parallel", texts, "--out", out, "--seed=3") == OK
    place = {"farm-1": 1, "farm-2": 2, **{f"s{number}": number + 2 for number in range(1, 41)}}
    sources = {}
    for name in ("train", "test"):
        ids, source, target = (rows(out / f"{name}{end}") for end in (".txt", ".src", ".trg"))
        assert target == [f"line {place[each]}" for each in ids]
        assert rows(out / f"{name}.tsv") == [f"{one}\t{other}" for one, other in zip(source, target, strict=True)]
        sources |= dict(zip(ids, source, strict=True))
    # A sentence is its text, or else its words as they are spelt.
    assert sources["farm-1"] == "The dogs slept."
    assert sources["farm-2"] == "vom Hund"
    assert certificate(out)["translations"] == [{"name": "bank.en", "sha256": sha256(texts.read_bytes()).hexdigest()}]


def test_unseen_forms_are_told_by_their_morphological_category(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`sglc eval` scores the sentences in which a form with some case or number is new, apart from the others."""
    forms = {"talossa": "talo Case=Ine", "talolla": "talo Case=Ade", "kissassa": "kissa Case=Ine"}
    texts = [["talossa"], ["talolla"], ["kissassa"], ["talossa", "kissassa"], ["talolla"], ["talossa"]] * 5
    lines = []
    for words in texts:
        for place, (lemma, case) in enumerate((forms[word].split() for word in words), 1):
            lines.append(f"{place}\t{words[place - 1]}\t{lemma}\tNOUN\t_\t{case}\t0\troot\t_\t_\n")
        lines.append("\n")
    (tmp_path / "bank.conllu").write_text("".join(lines), "utf-8")
    (tmp_path / "bank.en").write_text("".join(f"in {len(words)}\n" for words in texts), "utf-8")
    out = tmp_path / "out"
    options = ["--elements=morphology", "--parallel", tmp_path / "bank.en", "--test=0.3:0.5", "--atom-limit=1"]
    assert split(tmp_path / "bank.conllu", *options, "--out", out) == OK
    known = {word for text in rows(out / "train.src") for word in text.split()}
    told = [set(json.loads(line)["prediction"]) for line in rows(out / "test.forms.jsonl")]
    for text, labels in zip(rows(out / "test.src"), told, strict=True):
        unseen = {forms[word].split()[1] for word in text.split() if word not in known}
        cases = {forms[word].split()[1] for word in text.split()}
        assert labels == {f"{case} {'unseen' if case in unseen else 'seen'}" for case in cases}
    assert any("unseen" in label for labels in told for label in labels)
    slices = f"forms={out / 'test.forms.jsonl'}"
    assert run(["eval", str(out / "test.tsv"), str(out / "test.trg"), "--slice", slices]) == OK
    table = capsys.readouterr().out
    for label in set().union(*told):
        assert f"\n{label} " in table


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (399, "399 lines for the 400 sentences"),
        (0, "0 lines for the 400 sentences"),
        (-400, "no translation in line 3"),
    ],
)
def test_translations_that_do_not_fit_are_refused(
    lines: int, words: str, bank: Path, table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = tmp_path / "bank.en"
    texts.write_text("".join(" \n" if lines < 0 and n == 2 else "x\n" for n in range(abs(lines))), "utf-8")
    assert split(bank, "--parallel", texts, "--out", tmp_path / "out") == OUTPUT
    assert words in capsys.readouterr().err
    assert split(table, "--parallel", texts, "--out", tmp_path / "out") == OUTPUT
    assert "other items need none" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_items_of_several_files_are_told_apart(bank: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.conllu"
    other.write_text(bank.read_text("utf-8"), "utf-8")
    out = tmp_path / "out"
    assert split(bank, other, "--out", out, "--compound-target=0.2") == OK
    names = (out / "train.txt").read_text().split() + (out / "test.txt").read_text().split()
    assert len(set(names)) == 800
    assert {name.partition("/")[0] for name in names} == {"bank", "other"}


# ---- what is wrong is said


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--compound-target=2"], "not a number from 0 to 1"),
        (["--compound-target=nan"], "not a number from 0 to 1"),
        (["--compound-target=1e9"], "not a number from 0 to 1"),
        (["--compound-target=-1"], "not a number from 0 to 1"),
        (["--compound-target="], "not a number from 0 to 1"),
        (["--compound-target=1/0"], "not a number from 0 to 1"),
        (["--compound-target=0,2"], "not a number from 0 to 1"),
        (["--compound-target=0,"], "not a number from 0 to 1"),
        (["--seed=1,x"], "not a valid integer"),
        (["--seed=-1"], "not in the range"),
        (["--atom-limit=x"], "not a number from 0 to 1"),
        (["--atom-weight=-3"], "not in the range"),
        (["--test=0.3:0.2"], "larger number first"),
        (["--test=0.3:"], ""),
        (["--test=:"], "not a number from 0 to 1"),
        (["--discard=-1"], "--discard"),
        (["--discard=1.5"], "--discard"),
        (["--discard=many"], "--discard"),
        (["--moves=0"], "not in the range"),
        (["--size=9"], "not in the range"),
        (["--above=0.3"], "--elements morphology"),
        (["--occurrences=2"], "--elements morphology"),
        (["--lemmas=words.txt"], "--elements morphology"),
        (["--ranks", "10", "20"], "--elements morphology"),
        (["--elements=morphology", "--ranks", "10"], "requires 2 arguments"),
        (["--elements=morphology", "--ranks", "0", "5"], "not in the range"),
        (["--elements=morphology", "--weighted"], "one size"),
        (["--report"], "no `--out`"),
        (["--nonsense"], "--nonsense"),
    ],
)
def test_options_that_make_no_sense(
    options: list[str], words: str, bank: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status = split(bank, "--out", tmp_path / "out", *options)
    said = capsys.readouterr().err
    assert words in said
    assert status == (USAGE if words else OK)
    assert not [word for word in INTERNAL if word in said]


def test_a_split_needs_a_directory_or_a_report_a_second_file(bank: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert split(bank) == USAGE
    assert "`--out`" in capsys.readouterr().err
    assert split(bank, "--report") == USAGE
    assert "something to compare" in capsys.readouterr().err


def unreadable(tmp_path: Path) -> list[tuple[Path, str]]:
    broken = tmp_path / "broken.parquet"
    broken.write_bytes(b"PAR1 and no more")
    damaged = tmp_path / "damaged.parquet"
    damaged.write_bytes(b"PAR1" + b"\xff" * 40 + b"\x28\0\0\0PAR1")
    columns = tmp_path / "columns.parquet"
    pq.write_table(pa.table({"text": ["a"]}), columns)
    numbers = tmp_path / "numbers.parquet"
    pq.write_table(pa.table({"id": [1], "derivation": [2]}), numbers)
    derivation = tmp_path / "derivation.parquet"
    pq.write_table(pa.table({"id": ["a", "b"], "derivation": ["(s a)", "(s"]}), derivation)
    empty = tmp_path / "empty.conllu"
    empty.write_text("\n\n", "utf-8")
    wrong = tmp_path / "wrong.conllu"
    wrong.write_text("1\tdog\n", "utf-8")
    folder = tmp_path / "folder.conllu"
    folder.mkdir()
    return [
        (tmp_path / "missing.conllu", "No such file"),
        (tmp_path / "notes.txt", "No such file"),
        (tmp_path / "folder.conllu", "has no files in `.conllu`"),
        (broken, "it is damaged or not a Parquet file"),
        (damaged, "it is damaged or not a Parquet file"),
        (columns, "is not a Parquet file with the columns"),
        (numbers, "rows without id or derivation"),
        (derivation, "has no derivation in row 2"),
        (empty, "has no items"),
        (wrong, "line 1: 2 columns instead of 10"),
    ]


def test_files_without_items_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for path, words in unreadable(tmp_path):
        assert split(path, "--out", tmp_path / "out") == OUTPUT
        said = capsys.readouterr().err
        assert words in said
        assert "SGL1301" in said or "SGL1102" in said
        assert path.name in said
        assert not (tmp_path / "out").exists()


def test_a_view_reads_its_own_files_only(table: Path, bank: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert split(table, bank, "--report") == OUTPUT
    assert "which the view `graph` is read from" in capsys.readouterr().err
    assert split(bank, bank, "--report", "--elements=derivation") == OUTPUT
    assert "which the view `derivation` is read from" in capsys.readouterr().err


def test_bounds_that_nothing_can_keep_to(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "three.conllu"
    path.write_text(treebank(3), "utf-8")
    assert split(path, "--test=0.4:0.6", "--out", tmp_path / "out") == FAILED
    said = capsys.readouterr().err
    assert "SGL1302" in said
    assert "3 items cannot be split" in said
    assert not (tmp_path / "out").exists()


def test_nothing_of_an_author_is_replaced(bank: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "thesis.txt").write_text("important", "utf-8")
    assert split(bank, "--out", out) == OUTPUT
    assert split(bank, "--out", out, "--force") == OUTPUT
    assert (out / "thesis.txt").read_text("utf-8") == "important"
    (out / "thesis.txt").unlink()
    assert split(bank, "--out", out, "--compound-target=0.5") == OK
    before = (out / "certificate.json").read_bytes()
    capsys.readouterr()
    assert split(bank, "--out", out, "--compound-target=0.4") == OUTPUT
    assert "`--force` replaces a split" in capsys.readouterr().err
    assert (out / "certificate.json").read_bytes() == before
    assert split(bank, "--out", out, "--compound-target=0.4", "--force") == OK
    assert (out / "certificate.json").read_bytes() != before


def test_a_limit_that_cannot_be_kept_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "few.conllu"
    path.write_text(treebank(8), "utf-8")
    assert split(path, "--atom-limit=0", "--out", tmp_path / "out", "--test=0.2:0.5") == OK
    assert "warning[SGL1303]: no split with an atom divergence" in capsys.readouterr().err
    options = ["--compound-target=0,1", "--atom-limit=0", "--test=0.2:0.5"]
    assert split(path, *options, "--out", tmp_path / "grid") == OK
    assert "warning[SGL1303]: no split for 1.0 with an atom divergence" in capsys.readouterr().err


def test_targets_that_are_missed_are_told_with_what_is_in_the_way(
    bank: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever draws scores over targets has to know which divergences were reached."""
    options = ["--compound-target=0,0.9,1", "--atom-limit=0.001", "--moves=3"]
    assert split(bank, *options, "--out", tmp_path / "grid") == OK
    said = capsys.readouterr().err
    grid = json.loads((tmp_path / "grid" / "splits.json").read_text("utf-8"))["splits"]
    reached = {one["name"]: one["divergence"]["compounds"] for one in grid}
    missed = [name for name, value in reached.items() if abs(value - float(name)) > REACHED]
    assert missed
    assert f"warning[SGL1304]: {len(missed)} of 3 splits miss a target" in said
    for name in missed:
        assert f"`{name}` has a compound divergence of {reached[name]:.4f} instead of {float(name):g}" in said
    assert "may come nearer" in said
    assert split(bank, *options, "--out", tmp_path / "other", "--deny", "SGL1304") == FAILED
    assert split(bank, *options, "--out", tmp_path / "quiet", "--allow", "SGL1304") == OK


def test_too_little_atom_divergence_is_told(bank: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--compound-target=0", "--atom-target=0.5", "--atom-limit=0.01", "--moves=3"]
    assert split(bank, *options, "--out", tmp_path / "out") == OK
    atoms = certificate(tmp_path / "out")["divergence"]["atoms"]
    assert f"an atom divergence of {atoms:.4f} instead of 0.5" in capsys.readouterr().err


def test_what_is_in_the_way_is_named_with_its_option() -> None:
    proof = {
        "divergence": {"atoms": 0.02, "compounds": 0.4},
        "target": {"atoms": 0.0, "compounds": 1.0, "atom_limit": 0.02},
        "sizes": {"train": 3, "test": 1, "discarded": 7},
        "bounds": {"discards": 7},
        "method": {"name": "annealing"},
    }
    found = {name: (np.zeros(0, np.int8), {**proof, "assignment": own}) for name, own in zip("abc", "xyx", strict=True)}
    told = Diagnostics()
    report(found, told)
    missed, equal = told
    assert (equal.code, equal.message) == ("SGL1305", "`a` and `c` are the same split")
    assert (missed.code, missed.hint) == ("SGL1304", "`--atom-limit 0.05` or `--discard 14` may come nearer")
    assert missed.notes[0] == (
        "`a` has a compound divergence of 0.4000 instead of 1; "
        "its atom divergence, 0.0200, is at the limit of 0.02; all items are discarded that may be"
    )


def test_a_text_that_is_no_text_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Arrow reads such columns; their values cannot be read."""
    path = tmp_path / "items.parquet"
    good = pa.array(["(s a)"] * 20)
    bad = pa.array([b"\xff\xfe"] * 20).cast(pa.binary()).view(pa.string())
    columns = {"id": [f"i{n}" for n in range(20)], "source": bad, "target": good}
    pq.write_table(pa.table({**columns, "category": good, "derivation": good}), path)
    assert split(path, "--out", tmp_path / "out") in (FAILED, OUTPUT)
    said = capsys.readouterr().err
    assert "it is damaged or not a Parquet file" in said
    assert not [word for word in INTERNAL if word in said]


# ---- a real treebank

TDT = Path(__file__).parents[4] / "shared" / "data" / "ud" / "fi_tdt-r2.0-dev.conllu"


@pytest.mark.skipif(not TDT.exists(), reason=f"the Finnish treebank is not in {TDT.parent}")
def test_the_setting_of_the_paper_reaches_its_divergences_in_finnish(tmp_path: Path) -> None:
    words = ["--elements=morphology", "--above=0.33", "--occurrences=10", "--without=Typo", "--without=Abbr"]
    out = tmp_path / "out"
    assert split(TDT, *words, "--ranks", "100", "400", "--compound-target=0,0.25,0.5,0.75,1", "--out", out) == OK
    for name in ("0.0", "0.25", "0.5", "0.75", "1.0"):
        proof = certificate(out / name)
        # With 1,364 sentences some of the difference is chance, and all are used.
        assert proof["divergence"]["compounds"] == pytest.approx(float(name), abs=0.001 if float(name) else 0.06)
        assert proof["divergence"]["atoms"] < 0.02
        assert proof["sizes"]["discarded"] == 0
