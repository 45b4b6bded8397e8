"""Baselines before anything is trained: settings, words, order of rows; without PyTorch."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from animals import list_files, small_dataset
from hypothesis import given, settings
from hypothesis import strategies as st
from workplace import Workplace

import baselines as benchmark
from sgl.cli.main import FAILED, OUTPUT, USAGE, run
from sgl.research.baselines.config import Config, ConfigError, presets, read_config
from sgl.research.baselines.data import (
    CHARACTERS,
    SPACES,
    SUDACHI,
    BatchOrder,
    detokenize,
    read_data,
    scheme_for,
    tokenize,
)
from sgl.research.evaluate.benchmark import DatasetError


@pytest.mark.parametrize("how", [SPACES, CHARACTERS])
@given(text=st.text())
def test_words_put_together_are_the_text(how: str, text: str) -> None:
    assert detokenize(how, tokenize(how, text)) == text


# The first text waits for the dictionary.
@settings(deadline=None)
@given(text=st.text(alphabet="鶏が走った。ヤギ猫の中near A?!", max_size=30))
def test_words_of_the_analyser_put_together_are_the_text(text: str) -> None:
    assert detokenize(SUDACHI, tokenize(SUDACHI, text)) == text


def test_a_word_is_the_same_at_the_beginning_and_within() -> None:
    assert tokenize(SPACES, "Emma saw Emma.") == [" Emma", " saw", " Emma", "."]


def test_the_language_decides_how_words_are_found() -> None:
    assert [scheme_for("auto", code) for code in ("en", "ja", "zh")] == [SPACES, SUDACHI, CHARACTERS]
    assert scheme_for("characters", "ja") == CHARACTERS


def test_every_row_is_learnt_once_in_each_round() -> None:
    order = BatchOrder([n % 7 for n in range(101)], batch=8, seed=1)
    for which in (0, 3):
        batches = range(which * order.round, (which + 1) * order.round)
        rows = Counter(int(row) for number in batches for row in order.rows(number))
        assert rows == Counter(range(101))


def test_the_order_follows_from_the_seed_and_differs_between_rounds() -> None:
    def first(seed: int, which: int = 0) -> list[int]:
        order = BatchOrder([1] * 50, batch=10, seed=seed)
        return [int(row) for row in order.rows(which * order.round)]

    assert first(1) == first(1)
    assert first(1) != first(2)
    assert first(1) != first(1, which=1)


def test_rows_of_a_batch_are_about_as_long() -> None:
    order = BatchOrder(list(range(100)), batch=10, seed=1)
    for number in range(order.round):
        rows = order.rows(number)
        assert max(rows) - min(rows) == 9


def test_all_presets_can_be_read() -> None:
    configs = {name: read_config(name, None) for name in presets()}
    assert {config.model for config in configs.values()} == {"transformer", "lstm", "causal-lm"}
    assert read_config(None, None) == configs["small-transformer"]
    assert read_config(None, "lstm") == configs["small-lstm"]


def test_the_sizes_of_the_published_systems_are_those_of_their_configurations() -> None:
    transformer, lstm = read_config("sget-transformer", None), read_config("sget-lstm", None)
    assert (transformer.width, transformer.layers, transformer.heads) == (512, 6, 8)
    assert (transformer.inner, transformer.batch, transformer.accumulate) == (2048, 256, 4)
    assert (lstm.width, lstm.layers, lstm.both_ways) == (512, 4, False)
    assert transformer.rate == lstm.rate == 1e-4
    assert transformer.steps == lstm.steps == 70_000
    # 4.1.1 of the paper: English, Japanese.
    assert {(each.source_pieces, each.pieces) for each in (transformer, lstm)} == {(650, 300)}


@pytest.mark.parametrize(
    ("preset", "sizes", "training"),
    [
        # Li et al. 2023, appendix A: layers, heads, size within; rate, steps, batch, warm-up.
        ("slog-transformer", (2, 4, 512), (1e-4, 50_000, 128, 0)),
        ("cogs-transformer", (2, 4, 512), ()),
        # Li et al. 2021: of the BASE configuration; steps.
        ("cognition-transformer", (6, 8, 2048), (None, 100_000)),
        # The study of DBCA, 4.1: steps and warm-up.
        ("dbca-transformer", (6, 8, 2048), (None, 33_000, None, 2000)),
    ],
)
def test_what_the_papers_say_of_their_transformers_is_in_the_presets(
    preset: str, sizes: tuple[int, ...], training: tuple[float | None, ...]
) -> None:
    config = read_config(preset, None)
    assert (config.width, config.positions) == (512, "sinusoid")
    assert (config.layers, config.heads, config.inner) == sizes
    given = config.rate, config.steps, config.batch, config.warmup
    assert all(said in (None, found) for said, found in zip(training, given, strict=False))
    if preset == "slog-transformer":
        assert (config.scaling, config.smoothing, config.decay, config.dev_items) == ("down", 0, "none", 0)
    else:
        # Vaswani et al. 2017, whose schedule has this highest rate.
        assert (config.scaling, config.smoothing, config.decay) == ("up", 0.1, "root")
        assert config.rate == pytest.approx((config.width * config.warmup) ** -0.5, rel=0.02)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("widht: 128", "unknown setting `widht`"),
        ("width: wide", "`width` must be a whole number"),
        ("width: true", "`width` must be a whole number"),
        ("steps: 0", "`steps` must be a whole number from 1"),
        ("rate: 1e-4", "write 1.0e-4"),
        ("dropout: 1.5", "`dropout` must be a number from 0 to 0.99"),
        ("model: gpt", "`model` must be one of transformer, lstm, causal-lm"),
        ("prompt: Translate", "`prompt` must be a text with {source}"),
        ("modules: q_proj", "`modules` must be a list of names"),
        ("{width: 30, heads: 4}", "`width` (30) must be a multiple of twice `heads` (4)"),
        ("- width", "is not a table of settings"),
        ("width: [", "is not YAML"),
        ("!!python/object/apply:os.getcwd []", "is a type tag: write the value without it (line 1)"),
        ("width: 128\nsteps: !!int '9'", "`tag:yaml.org,2002:int` is a type tag"),
        ("[" * 20, "this is nested too deep (line 1)"),
        ("[" * 20_000, "(line 1)"),
        ("width: 8\n? [1, 2]\n: 3", "a name is text, not a list or a mapping (line 2)"),
        ("width: 8\nwidth: 16", "`width` occurs twice (line 2)"),
        ("width: 8\n---\nwidth: 16", "it has several documents"),
        ("width: \x07", "it has the control character U+0007"),
        (f"width: {'9' * 5_000}", "a number has too many digits"),
        ("#" * 100_000, "at most 65,536"),
        ('prompt: "\\ud800{source}"', "(line 1)"),
        ('path: "\\udfff"', "(line 1)"),
        # Each list is two of the list before it.
        (f"width: [&a0 [1], {', '.join(f'&a{n + 1} [*a{n}, *a{n}]' for n in range(60))}]", "`*a0` stands for another"),
    ],
)
def test_a_configuration_with_a_mistake_is_refused(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "mine.yml"
    path.write_text(text, "utf-8")
    with pytest.raises(ConfigError) as problem:
        read_config(str(path), None)
    assert said in f"{problem.value.message} {problem.value.hint}"


def test_a_configuration_of_another_model_is_refused() -> None:
    with pytest.raises(ConfigError, match="is a configuration of `lstm`"):
        read_config("small-lstm", "transformer")


def test_a_whole_number_is_the_same_setting_as_its_decimal(tmp_path: Path) -> None:
    for name, rate in (("one", "1"), ("other", "1.0")):
        (tmp_path / f"{name}.yaml").write_text(f"rate: {rate}\n", "utf-8")
    one, other = (read_config(str(tmp_path / f"{name}.yaml"), None).data() for name in ("one", "other"))
    assert json.dumps(one) == json.dumps(other)


def test_the_hash_of_a_configuration_depends_on_every_setting() -> None:
    assert Config().digest == Config().digest
    for name, value in Config().data().items():
        other = [*value, "x"] if isinstance(value, list) else value * 2 or "x"
        assert Config().digest != replace(Config(), **{name: other}).digest, name


def test_all_splits_but_train_and_dev_are_predicted(tmp_path: Path) -> None:
    data = read_data(small_dataset(tmp_path / "animals"), None)
    assert [split.split for split in data.predicted] == ["test", "gen"]
    assert len(data.train) == 36
    assert len(data.dev) == 12


def test_the_hash_of_the_data_depends_on_what_is_learnt(tmp_path: Path) -> None:
    first = small_dataset(tmp_path / "first")
    second = small_dataset(tmp_path / "second")
    assert read_data(first, None).digest == read_data(second, None).digest
    rows = second / "data" / "train.tsv"
    rows.write_text(rows.read_text("utf-8").replace("馬", "ウマ"), "utf-8")
    with pytest.raises(DatasetError, match="has changed since it was written"):
        read_data(second, None)
    list_files(second)
    assert read_data(first, None).digest != read_data(second, None).digest


@pytest.mark.parametrize("name", ["../elsewhere", "a/b", "..", ""])
def test_a_split_that_would_be_written_elsewhere_is_refused(tmp_path: Path, name: str) -> None:
    path = small_dataset(tmp_path / "animals")
    manifest = json.loads((path / "manifest.json").read_text("utf-8"))
    manifest["splits"][name] = {}
    (path / "manifest.json").write_text(json.dumps(manifest), "utf-8")
    with pytest.raises(DatasetError, match="a name that no file can have"):
        read_data(path, None)


def test_a_path_for_a_model_without_one_is_refused(work: Workplace) -> None:
    small_dataset(work.directory / "animals")
    assert run(["baseline", "animals", "--path", "models/llama"]) == FAILED
    assert "`--path` names a language model" in work.capsys.readouterr().err


def test_a_dataset_that_is_not_there_is_named(work: Workplace) -> None:
    for command in (["baseline", "nowhere"], ["eval", "nowhere", "x.txt", "--split", "gen"]):
        assert run(command) == OUTPUT
        assert "cannot read `nowhere" in work.capsys.readouterr().err


def test_a_file_of_rows_cannot_be_learnt_from(tmp_path: Path) -> None:
    rows = small_dataset(tmp_path / "animals") / "data" / "gen.tsv"
    with pytest.raises(DatasetError, match="is a file, not a dataset"):
        read_data(rows, None)


def test_the_command_says_which_extra_is_missing(work: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    small_dataset(work.directory / "animals")
    monkeypatch.setattr("sgl.research.baselines.command.find_spec", lambda name: None)  # noqa: ARG005
    assert run(["baseline", "animals"]) == FAILED
    said = work.capsys.readouterr().err
    assert said.count("error[") == 1
    assert "SGL1603" in said
    assert "pip install 'sgl-compiler[baselines]'" in said
    assert run(["baseline", "animals", "--config", "sget-lora"]) == FAILED
    assert "pip install 'sgl-compiler[lora]'" in work.capsys.readouterr().err


def test_a_time_limit_is_a_time(work: Workplace) -> None:
    small_dataset(work.directory / "animals")
    for wrong in ("soon", "0m", "-3m", "15 parsecs"):
        assert run(["baseline", "animals", "--time-limit", wrong]) == USAGE
        assert "is not a time such as" in work.capsys.readouterr().err


def scored_run(directory: Path, shares: dict[str, float], test: float = 0.98) -> Path:
    """The files of a run that say so."""

    def rows(names: dict[str, float]) -> list[dict[str, object]]:
        return [{"name": name, "scores": {"exact": {"transformer": {"mean": share}}}} for name, share in names.items()]

    groups = {name: {"groups": ["structural"]} for name in shares}
    for split, overall in (("test", test), ("gen", 0.5)):
        tables = {"overall": rows({"all": overall}), "patterns": rows(shares)}
        content = {"dataset": {"patterns": groups}, "tables": tables}
        path = directory / "scores" / f"{split}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content), "utf-8")
    training = {"steps": 10, "seconds": 1.0, "kept_step": 10, "kept_dev_exact": 1.0, "ended": "all steps"}
    record = {"config": {"model": "transformer"}, "weights": 100, "training": training}
    (directory / "run.json").write_text(json.dumps(record), "utf-8")
    return directory


def test_the_benchmark_compares_the_ranks_of_patterns_with_published_ones(tmp_path: Path) -> None:
    shares = {"pp_in_subject": 0.1, "rc_in_subject": 0.3, "cp_deeper": 0.2}
    run_directory = scored_run(tmp_path / "run", shares)
    table = tmp_path / "table.tsv"
    table.write_text("pp_in_subject\t11.9\nrc_in_subject\t30\ncp_deeper\t20.5\n", "utf-8")
    found = benchmark.run([run_directory], benchmark.read_published(table))
    assert found["spearman"]["rho"] == pytest.approx(1.0)
    assert found["questions"] == {"modified subjects": pytest.approx(0.2)}
    assert found["groups"] == {"structural": pytest.approx(0.2)}
    assert "spearman" not in benchmark.run([run_directory], {})


def test_the_benchmark_takes_the_mean_of_several_runs(tmp_path: Path) -> None:
    runs = [
        scored_run(tmp_path / name, {"cp_deeper": share}, test)
        for name, share, test in (("one", 0.2, 0.9), ("two", 0.4, 1.0))
    ]
    found = benchmark.run(runs, {})
    assert found["patterns"] == {"cp_deeper": pytest.approx(0.3)}
    assert found["test"]["mean"] == pytest.approx(0.95)
