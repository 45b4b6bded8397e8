"""Twins of a layer, from which each sentence differs in one place, and their pairs."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import jinja2
import pytest
import yaml
from row_datasets import compile_grammar, rows_refused
from sget import compile_file
from workplace import Workplace

from sgl.cli.main import FAILED, run
from sgl.verify import verify
from sgl.verify.certificate import judge

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
SOURCE = (EXAMPLES / "agreement.sgl").read_text("utf-8")


def write(directory: Path) -> Path:
    """Write the grammar of agreements, and its table."""
    shutil.copy(EXAMPLES / "agreement.yaml", directory)
    (directory / "agreement.sgl").write_text(SOURCE, encoding="utf-8")
    return directory / "agreement.sgl"


@pytest.fixture(scope="module")
def dataset() -> Path:
    return compile_grammar(write)


def test_a_dozen_kinds_of_pairs_differ_in_one_word_each(dataset: Path) -> None:
    lines = (dataset / "pairs" / "test.jsonl").read_text("utf-8").splitlines()
    pairs = [json.loads(line) for line in lines]
    assert len({pair["pattern"] for pair in pairs}) == 12
    assert len(pairs) == 120
    for pair in pairs:
        words = zip(pair["sentence_good"].split(), pair["sentence_bad"].split(), strict=True)
        assert sum(good != bad for good, bad in words) == 1


def test_each_split_is_a_task_for_probing_harnesses(dataset: Path) -> None:
    """With the fields of the harness, the good sentence first, and a file that is there."""
    task = yaml.safe_load((dataset / "lm_eval" / "test.yaml").read_text("utf-8"))
    assert task["task"] == "agreement_test"
    assert (task["output_type"], task["doc_to_target"], task["doc_to_text"]) == ("multiple_choice", 0, "")
    choices = jinja2.Template(task["doc_to_choice"]).render(sentence_good="Dogs bark.", sentence_bad="Dogs barks.")
    assert choices == "['Dogs bark.', 'Dogs barks.']"
    assert (dataset / task["dataset_kwargs"]["data_files"][task["test_split"]]).is_file()


def test_the_verifier_writes_the_pairs_again(dataset: Path, tmp_path: Path) -> None:
    report = verify(dataset)
    assert report.ok
    copy = Path(shutil.copytree(dataset, tmp_path / "copy"))
    path = copy / "pairs" / "test.jsonl"
    path.write_text(path.read_text("utf-8").replace("The", "A", 1), encoding="utf-8")
    assert "R04" in rows_refused(copy)


def test_pairs_of_a_dataset_without_a_twin_are_refused(tmp_path: Path) -> None:
    from row_datasets import compiled

    copy = Path(shutil.copytree(compiled("farm"), tmp_path / "copy"))
    (copy / "pairs").mkdir()
    assert "R02 pairs" in rows_refused(copy)


@pytest.mark.parametrize(
    ("old", "new", "where"),
    [
        ("    bad $pl\n", "    bad $sg\n", "nowhere"),
        ("Vt[num=n, pair=p] NP[num=_, pair=no]", "Vt[num=n, pair=p] NP[num=_, pair=p]", "one place"),
    ],
)
def test_a_sentence_without_one_difference_is_shown(
    old: str, new: str, where: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = Workplace(tmp_path, capsys)
    assert old in SOURCE
    path = write(tmp_path)
    place.write("agreement.sgl", SOURCE.replace(old, new))
    assert run(["check", "--fast", str(path)]) == FAILED
    said = capsys.readouterr().err
    assert "SGL0325" in said
    assert where in said


def test_the_checker_of_certificates_counts_again(dataset: Path) -> None:
    from sgl.dataset.fingerprint import core_digest

    data = json.loads((dataset / "certificate.json").read_text("utf-8"))
    rules = data["core"]["grammar"]["rules"]
    word = next(rule for rule in rules if rule["templates"][0] != rule["templates"][1])
    word["templates"][1] = word["templates"][0]
    data["digest"] = core_digest(data["core"])
    refused, _ = judge(json.dumps(data, ensure_ascii=False).encode())
    assert "not every text differs from its twin" in refused[0]


def test_a_twin_takes_over_what_it_does_not_say(tmp_path: Path) -> None:
    grammar = compile_file(write(tmp_path)).grammar
    changed = [rule.name for rule in grammar.rules if rule.templates[0] != rule.templates[1]]
    assert {*changed} == {"words", "transitives", "reports", "copula", "determiners"}
