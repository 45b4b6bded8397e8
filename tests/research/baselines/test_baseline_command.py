"""``sglc baseline`` as a user runs it: train, decode, score; interrupted, resumed, refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import needs_baselines  # noqa: F401
import numpy as np
import pytest
import torch
from animals import config_file, list_files, small_dataset
from diagnostics import INTERNAL
from numpy.typing import NDArray
from workplace import Workplace

from sgl.cli.main import FAILED, INTERRUPTED, OK, OUTPUT, run
from sgl.disk.stages import LockedFolder
from sgl.research.baselines.learner import Seq2SeqLearner
from sgl.research.baselines.training import Training

pytestmark = pytest.mark.slow


@pytest.fixture
def animals(work: Workplace) -> Path:
    """A dataset called `animals`, and settings called `small.yml`."""
    config_file(work.directory / "small.yml")
    return small_dataset(work.directory / "animals")


def record(work: Workplace, name: str = "run") -> dict[str, Any]:
    found: dict[str, Any] = json.loads((work.directory / name / "run.json").read_text("utf-8"))
    return found


def trains(*arguments: str, out: str = "run") -> int:
    return run(["baseline", "animals", "--config", "small.yml", "--out", out, *arguments])


def said(work: Workplace) -> str:
    captured = work.capsys.readouterr()
    text = captured.out + captured.err
    assert not [word for word in INTERNAL if word in text]
    return text


@pytest.mark.usefixtures("animals")
def test_several_seeds_are_runs_of_one_system_and_each_can_be_resumed(work: Workplace) -> None:
    assert trains("--steps", "40", "--seeds", "2", "--seed", "7") == OK
    runs = json.loads((work.directory / "run/scores/gen.json").read_text("utf-8"))["systems"]
    assert [(system["name"], len(system["runs"])) for system in runs] == [("transformer", 2)]
    texts = [(work.directory / f"run/seed-{seed}/predictions/gen.tsv").read_bytes() for seed in (7, 8)]
    assert [record(work, f"run/seed-{seed}")["config"]["seed"] for seed in (7, 8)] == [7, 8]
    # A third one begins, the others are done.
    assert trains("--steps", "40", "--seeds", "3", "--seed", "7", "--resume") == OK
    assert said(work).count("resumed: all 40 steps are done") == 2
    again = [(work.directory / f"run/seed-{seed}/predictions/gen.tsv").read_bytes() for seed in (7, 8)]
    assert again == texts
    # The same as one run with this seed.
    assert trains("--steps", "40", "--seed", "8", out="alone") == OK
    assert (work.directory / "alone/predictions/gen.tsv").read_bytes() == texts[1]


@pytest.mark.usefixtures("animals")
def test_one_command_trains_decodes_and_scores(work: Workplace) -> None:
    assert trains("--steps", "200") == OK
    text = said(work)
    assert "animals: en → ja, 36 rows to learn, transformer" in text
    assert "kept: step" in text
    # Partial matches are those of generalization items; of `test` nobody expects them.
    assert text.count("not computed: Partial Match") == 1
    gen = json.loads((work.directory / "run" / "scores" / "gen.json").read_text("utf-8"))
    test = json.loads((work.directory / "run" / "scores" / "test.json").read_text("utf-8"))
    assert test["tables"]["overall"][0]["scores"]["exact"]["transformer"]["mean"] == 1.0
    assert gen["tables"]["patterns"][0]["name"] == "new_pair"
    assert "<html" in (work.directory / "run" / "scores" / "gen.html").read_text("utf-8")
    rows = (work.directory / "run" / "predictions" / "gen.tsv").read_text("utf-8").splitlines()
    assert [row.split("\t")[0] for row in rows] == [f"gen-{n:06}" for n in range(1, 13)]


@pytest.mark.usefixtures("animals")
def test_the_record_says_what_was_done_with_what(work: Workplace) -> None:
    assert trains("--seed", "7") == OK
    found = record(work)
    assert found["dataset"]["signature"] == "sgl:0|grammar:animals"
    assert found["config"]["seed"] == 7
    assert len(found["config_sha256"]) == len(found["dataset"]["sha256"]) == 64
    assert {"torch", "tokenizers", "numpy"} <= set(found["versions"])
    assert found["training"]["ended"] == "all steps"
    assert [check["step"] for check in found["training"]["checks"]] == [4, 8, 12]
    assert set(found["decoding_seconds"]) == {"test", "gen"}


@pytest.mark.usefixtures("animals")
def test_an_interrupted_run_is_resumed_to_the_same_model(work: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    assert trains(out="whole") == OK
    step = Training._step  # noqa: SLF001 - a keyboard interrupts in the middle

    def interrupted(self: Training) -> bool:
        if self.state.step == 6:
            raise KeyboardInterrupt
        return step(self)

    with monkeypatch.context() as patch:
        patch.setattr(Training, "_step", interrupted)
        assert trains() == INTERRUPTED
    assert "`--resume` continues from the last check" in work.capsys.readouterr().out
    assert trains() == FAILED
    assert "`--resume` continues it" in said(work)
    assert trains("--resume") == OK
    assert "resumed after step 4 of 12\n" in said(work)
    for name in ("model.safetensors", "predictions/gen.tsv"):
        whole, resumed = (work.directory / out / name for out in ("whole", "run"))
        assert whole.read_bytes() == resumed.read_bytes()


@pytest.mark.usefixtures("animals")
def test_a_finished_run_that_is_resumed_predicts_the_same(work: Workplace) -> None:
    assert trains() == OK
    before = (work.directory / "run" / "predictions" / "gen.tsv").read_bytes()
    checks = record(work)["training"]["checks"]
    assert "resumed" not in said(work)
    assert trains("--resume") == OK
    assert "resumed: all 12 steps are done\n" in said(work)
    assert (work.directory / "run" / "predictions" / "gen.tsv").read_bytes() == before
    assert record(work)["training"]["checks"] == checks


@pytest.mark.usefixtures("animals")
def test_a_run_killed_before_its_first_check_begins_again(work: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(Training, "_step", lambda _: (_ for _ in ()).throw(KeyboardInterrupt))
        assert trains() == INTERRUPTED
    assert trains("--resume") == OK
    assert "resumed: there was no check yet, so it starts over\n" in said(work)
    assert record(work)["training"]["steps"] == 12


@pytest.mark.usefixtures("animals")
def test_a_time_limit_is_said_out_loud(work: Workplace) -> None:
    assert trains("--time-limit", "0.001s") == OK
    text = said(work)
    assert "warning[SGL1607]: training ended at step" in text
    assert record(work)["training"]["ended"] == "time limit"
    assert trains("--resume") == OK
    assert record(work)["training"]["ended"] == "all steps"


@pytest.mark.usefixtures("animals")
def test_training_that_diverges_ends_and_says_so(work: Workplace) -> None:
    config_file(work.directory / "wild.yml", model="lstm", rate=1, clip=0, warmup=0, steps=300)
    forward = Seq2SeqLearner.loss

    def wild(self: Seq2SeqLearner, rows: NDArray[np.int64]) -> tuple[torch.Tensor, int]:
        loss, tokens = forward(self, rows)
        return loss * float("inf"), tokens

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Seq2SeqLearner, "loss", wild)
        assert run(["baseline", "animals", "--config", "wild.yml", "--out", "run"]) == OK
    assert "SGL1607]: training ended at step 0 of 300: the loss is not a number" in said(work)


@pytest.mark.usefixtures("animals")
def test_a_resumed_run_keeps_its_vocabulary(work: Workplace) -> None:
    assert trains("--time-limit", "0.001s") == OK
    path = work.directory / "run" / "tokens.json"
    before = path.read_bytes()
    assert trains("--resume") == OK
    assert path.read_bytes() == before
    path.write_bytes(before[:50])
    assert trains("--resume") == FAILED
    assert "tokens.json` cannot be read" in said(work)
    other = json.loads(before)
    other["model"]["merges"] = []
    path.write_text(json.dumps(other), "utf-8")
    assert trains("--resume") == FAILED
    assert "is a checkpoint of another configuration" in said(work)


def test_a_run_is_not_resumed_with_other_settings_or_other_data(work: Workplace, animals: Path) -> None:
    assert trains() == OK
    before = (work.directory / "run" / "checkpoint.safetensors").read_bytes()
    assert trains("--resume", "--seed", "5") == FAILED
    assert "error[SGL1604]: the run in `run` has another configuration" in said(work)
    rows = animals / "data" / "train.tsv"
    rows.write_text(rows.read_text("utf-8").replace("馬", "ウマ"), "utf-8")
    list_files(animals)
    assert trains("--resume") == FAILED
    assert "SGL1604" in said(work)
    assert (work.directory / "run" / "checkpoint.safetensors").read_bytes() == before


@pytest.mark.usefixtures("animals")
def test_a_damaged_checkpoint_is_an_error_and_not_a_new_beginning(work: Workplace) -> None:
    assert trains() == OK
    path = work.directory / "run" / "checkpoint.safetensors"
    path.write_bytes(path.read_bytes()[:200])
    assert trains("--resume") == FAILED
    assert "SGL1604" in said(work)


@pytest.mark.usefixtures("animals")
def test_directories_of_others_are_left_alone(work: Workplace) -> None:
    work.write("mine/notes.txt", "not to be lost")
    work.write("file", "not a directory")
    for out, words in (
        ("mine", "is not empty and is not the directory of a run"),
        ("file", "is a file"),
        ("animals", "is not the directory of a run"),
    ):
        for more in ((), ("--resume",)):
            assert trains(*more, out=out) == FAILED
            assert words in said(work)
    assert trains("--resume", out="new") == FAILED
    assert "there is no run to resume" in said(work)
    assert not (work.directory / "new").exists()


@pytest.mark.usefixtures("animals")
def test_a_directory_in_which_a_run_is_at_work_is_refused(work: Workplace) -> None:
    assert trains() == OK
    before = {path: path.read_bytes() for path in (work.directory / "run").rglob("*.*")}
    held = LockedFolder.take(work.directory / "run", ".*")
    assert trains("--resume") == FAILED
    text = said(work)
    assert "error[SGL1604]: `run` is in use: another run is writing here: process" in text
    assert {path: path.read_bytes() for path in before} == before
    held.release()
    # What a killed process leaves is in nobody's way.
    assert (work.directory / "run" / "lock").exists()
    assert trains("--resume") == OK
    assert not (work.directory / "run" / "lock").exists()


@pytest.mark.usefixtures("animals")
def test_a_run_that_failed_before_it_began_leaves_nothing(work: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    def short(*_: object) -> None:
        raise RuntimeError("DefaultCPUAllocator: can't allocate memory")

    with monkeypatch.context() as patch:
        patch.setattr("sgl.research.baselines.learner.new_model", short)
        assert trains() == FAILED
    assert "error[SGL1601]: there is not enough memory" in said(work)
    assert not (work.directory / "run").exists()
    assert trains() == OK


@pytest.mark.usefixtures("animals")
def test_with_messages_as_json_standard_output_is_one_list(work: Workplace) -> None:
    assert trains("--time-limit", "0.001s", "--format", "json") == OK
    captured = work.capsys.readouterr()
    codes = [message["code"] for message in json.loads(captured.out)]
    assert {"SGL1607", "SGL1405"} <= set(codes)
    assert "rows to learn" in captured.err
    assert (work.directory / "run" / "scores" / "gen.json").exists()
    assert trains("--format", "json") == FAILED
    assert [found["code"] for found in json.loads(work.capsys.readouterr().out)] == ["SGL1604"]


@pytest.mark.usefixtures("animals")
def test_scores_that_cannot_be_written_are_said(work: Workplace) -> None:
    assert trains() == OK
    for path in (work.directory / "run" / "scores").iterdir():
        path.unlink()
    (work.directory / "run" / "scores").rmdir()
    work.write("run/scores", "a file")
    assert trains("--resume") == OUTPUT
    assert "error[SGL1103]: cannot write in `run`" in said(work)


@pytest.mark.usefixtures("animals")
def test_a_disk_that_is_full_is_said(work: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("sgl.research.baselines.training.save", full)
    assert trains() == OUTPUT
    assert "error[SGL1103]: cannot write in `run`: No space left on device" in said(work)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("--config", "none.yml"), "SGL1601"),
        (("--config", "sget-transformer", "--model", "lstm"), "SGL1601"),
        (("--model", "causal-lm"), "SGL1601"),
        (("--steps", "0"), "SGL1601"),
        (("--target", "fr"), "SGL1602"),
    ],
)
@pytest.mark.usefixtures("animals")
def test_what_cannot_be_trained_is_refused_before_anything_is_written(
    work: Workplace, arguments: tuple[str, ...], code: str
) -> None:
    assert run(["baseline", "animals", "--out", "run", *arguments]) == FAILED
    assert f"error[{code}]" in said(work)
    assert not (work.directory / "run").exists()


@pytest.mark.usefixtures("animals")
def test_texts_that_cannot_be_written_are_counted(work: Workplace) -> None:
    rows = work.directory / "animals" / "data" / "gen.tsv"
    rows.write_text(rows.read_text("utf-8").replace("牛", "象"), "utf-8")
    list_files(work.directory / "animals")
    assert trains() == OK
    assert "warning[SGL1606]: 2 gold texts of `gen` cannot be written" in said(work)


@pytest.mark.usefixtures("animals")
def test_an_lstm_and_whole_words_work_as_well(work: Workplace) -> None:
    config_file(work.directory / "other.yml", model="lstm", tokens="word", accumulate=2)
    assert run(["baseline", "animals", "--config", "other.yml"]) == OK
    assert (work.directory / "out" / "animals-other" / "scores" / "gen.json").exists()


def test_the_experiment_of_dbca_in_three_commands(work: Workplace) -> None:
    """A treebank is divided with its translations, models with few subwords learn, and the recipe has the grid."""
    config_file(work.directory / "small.yml")
    bank, texts = "", ""
    for number in range(60):
        noun, case = ["kissa", "talo", "auto", "koira"][number % 4], ("lla", "ssa", "lta")[number % 3]
        bank += f"# text = {noun}{case}\n1\t{noun}{case}\t{noun}\tNOUN\t_\tCase={case}\t0\troot\t_\t_\n\n"
        texts += f"{number % 3} the {noun} {case}\n"
    work.write("bank.conllu", bank)
    work.write("bank.en", texts)
    grid = ["--elements", "morphology", "--parallel", "bank.en", "--compound-target", "0,1", "--test", "0.4:0.5"]
    assert run(["split", "bank.conllu", *grid, "--out", "grid"]) == OK
    small = ["--config", "small.yml", "--source-pieces", "64", "--pieces", "80"]
    for target in ("0.0", "1.0"):
        assert run(["baseline", f"grid/{target}", *small, "--out", f"64/{target}"]) == OK
        assert record(work, f"64/{target}")["config"]["source_pieces"] == 64
        assert (work.directory / f"64/{target}/source-tokens.json").exists()
        assert run(["baseline", f"grid/{target}", *small, "--out", f"64/{target}", "--resume"]) == OK
    said(work)
    assert run(["recipe", "dbca", "grid", "64=64", "--json", "r.json"]) == OK
    table = json.loads((work.directory / "r.json").read_text("utf-8"))["tables"][0]
    assert [cell is not None for cell in table["rows"][0]["cells"]] == [True, False, False, False, True, True]
