"""Models that learn: decoding, resuming to the last bit, the state that is kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import needs_baselines  # noqa: F401
import numpy as np
import pytest
import torch
from animals import small_config, small_dataset
from numpy.typing import NDArray

from sgl.research.baselines.config import Config, read_config
from sgl.research.baselines.data import END, PAD, BaselineData, Side, learn, read_data, unwritable
from sgl.research.baselines.learner import Seq2SeqLearner, learn_vocabulary, new_model, quiet
from sgl.research.baselines.networks import greedy, said_before
from sgl.research.baselines.training import (
    DIVERGED,
    FINISHED,
    LIMIT,
    PATIENCE,
    DirectoryError,
    Training,
    TrainingProgress,
    TrainingResult,
    load,
    rate,
    reproducible,
    save,
)

MODELS = [
    pytest.param({"model": "transformer"}, id="relative"),
    pytest.param({"model": "transformer", "positions": "sinusoid"}, id="sinusoid"),
    pytest.param({"model": "transformer", "positions": "sinusoid", "scaling": "down"}, id="scaled down"),
    pytest.param({"model": "lstm"}, id="lstm"),
    pytest.param({"model": "lstm", "both_ways": False, "layers": 2}, id="lstm one way"),
]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> BaselineData:
    return read_data(small_dataset(tmp_path_factory.mktemp("data") / "animals"), None)


def learner(config: Config, data: BaselineData) -> Seq2SeqLearner:
    return Seq2SeqLearner(config, data, learn_vocabulary(config, data))


def telling_nothing(_: TrainingProgress, __: float) -> None:
    """Hear of a check, and say nothing."""


def training(
    config: Config, data: BaselineData, directory: Path, limit: float = float("inf")
) -> tuple[Seq2SeqLearner, Training]:
    made = learner(config, data)
    checkpoint = directory / "checkpoint.safetensors"
    return made, Training(made, data.dev, checkpoint, "this run", limit)


def trained(config: Config, data: BaselineData, directory: Path) -> tuple[Seq2SeqLearner, TrainingResult]:
    with reproducible(1):
        made, run = training(config, data, directory)
        return made, run.train(quiet, telling_nothing)


def weights(made: Seq2SeqLearner) -> dict[str, NDArray[np.float32]]:
    return {name: value.numpy().copy() for name, value in made.module.state_dict().items()}


def same(first: dict[str, NDArray[np.float32]], second: dict[str, NDArray[np.float32]]) -> bool:
    return all(value.tobytes() == second[name].tobytes() for name, value in first.items())


@pytest.mark.parametrize("kind", ["word", "bpe"])
def test_gold_texts_come_out_of_their_tokens(data: BaselineData, kind: str) -> None:
    made = learner(small_config(tokens=kind), data)
    for split in data.predicted:
        assert unwritable(made.target, [row.target for row in split.rows]) == []


def test_a_text_with_an_unknown_character_cannot_be_written() -> None:
    tokenizer = learn([("sudachi", "鶏が走った。")] * 3, "bpe", 64)
    side = Side("sudachi", tokenizer)
    assert unwritable(side, ["走った鶏。", "鶏が泳いだ。"]) == [1]


@pytest.mark.slow
@pytest.mark.parametrize("settings", MODELS)
def test_tokens_one_by_one_get_the_scores_that_they_get_at_once(settings: dict[str, str]) -> None:
    torch.manual_seed(1)
    model = new_model(small_config(**settings), 30).eval()
    source = torch.tensor([[5, 6, 7, 8, 9, 10, END], [11, 12, END, PAD, PAD, PAD, PAD]])
    said = said_before(torch.randint(4, 30, (2, 9)))
    at_once, _ = model.proceed(model.start(source), said)
    state = model.start(source)
    for place in range(9):
        scores, state = model.proceed(state, said[:, place : place + 1])
        torch.testing.assert_close(scores[:, 0], at_once[:, place])


def attention_weights(width: int) -> int:
    """Queries, keys, values and what is made of them."""
    return 4 * (width * width + width)


def transformer_weights(config: Config, *words: int) -> int:
    """Return what the definition says: a layer has attention, twice in the decoder, what is within, and norms."""
    width, inner, norm = config.width, config.inner, 2 * config.width
    within = 2 * width * inner + inner + width
    apart = (2 * config.reach + 1) * width // config.heads if config.positions == "relative" else 0
    encoder = attention_weights(width) + apart + within + 2 * norm
    decoder = 2 * attention_weights(width) + apart + within + 3 * norm
    return config.layers * (encoder + decoder) + 2 * norm + sum(words) * width


@pytest.mark.parametrize(
    ("preset", "words", "millions"),
    [
        ("slog-transformer", (900,), 8.9),
        ("cogs-transformer", (900,), 8.9),
        ("cognition-transformer", (2000, 5500), 48.0),
        ("dbca-transformer", (3000, 3000), 47.2),
        ("sget-transformer", (650, 300), 44.7),
        ("small-transformer", (2000,), 1.2),
    ],
)
def test_the_networks_of_the_presets_have_so_many_weights(preset: str, words: tuple[int, ...], millions: float) -> None:
    config = read_config(preset, None)
    with torch.device("meta"):
        found = sum(weight.numel() for weight in new_model(config, *words).parameters())
    assert found == transformer_weights(config, *words)
    assert found / 1e6 == pytest.approx(millions, abs=0.05)


def test_positions_are_small_beside_words_that_are_not_scaled_up() -> None:
    for scaling, words, places in (("up", 8.0, 1.0), ("down", 1.0, 1 / 8)):
        model = new_model(small_config(positions="sinusoid", scaling=scaling, width=64, heads=2, dropout=0.0), 30)
        embedded = model._embed(torch.ones(1, 3, 64), 0)  # noqa: SLF001 - what words and positions add up to
        # The cosine of the first position is one, its sine nothing.
        assert embedded[0, 0, 0].item() == pytest.approx(words)
        assert embedded[0, 0, -1].item() == pytest.approx(words + places)


def test_smoothing_takes_a_share_of_the_loss_from_the_gold_token(data: BaselineData) -> None:
    made = learner(small_config(), data)
    scores, gold = torch.tensor([[3.0, 0.0, 0.0, 1.0], [9.0, 9.0, 9.0, 9.0]]), torch.tensor([3, PAD])
    logs = scores[0].log_softmax(-1)
    for share in (0.0, 0.25):
        made.config = replace(made.config, smoothing=share)
        wanted = -(1 - share) * logs[3] - share * logs.mean()
        torch.testing.assert_close(made.cross_entropy(scores, gold, PAD), wanted)


@pytest.mark.parametrize("model", ["transformer", "lstm"])
def test_source_and_target_may_have_a_vocabulary_each(model: str, data: BaselineData) -> None:
    """As in SGET (650 and 300 pieces), and as DBCA varies that of the source alone."""
    config = small_config(model=model, source_pieces=70, pieces=90)
    made, shared = learner(config, data), learner(replace(config, source_pieces=0), data)
    source, target = (set(side.tokenizer.get_vocab()) for side in (made.source, made.target))
    assert (len(source), len(target)) <= (70, 90)
    assert "猫" in target - source
    assert made.source.decode(made.prompt(data.train[0].source)) == data.train[0].source
    assert shared.source.tokenizer is shared.target.tokenizer
    sizes = {name: tuple(weight.shape) for name, weight in made.module.state_dict().items() if "embedding" in name}
    width = config.width
    assert sizes == {"embedding.weight": (len(target), width), "source_embedding.weight": (len(source), width)}
    assert [name for name in shared.module.state_dict() if "embedding" in name] == ["embedding.weight"]
    loss, tokens = made.loss(np.arange(4))
    assert tokens > 0
    assert torch.isfinite(loss)


@pytest.mark.parametrize("settings", MODELS)
def test_padding_changes_no_score(settings: dict[str, str]) -> None:
    torch.manual_seed(1)
    model = new_model(small_config(**settings), 30).eval()
    alone = torch.tensor([[11, 12, END]])
    padded = torch.tensor([[5, 6, 7, 8, END], [11, 12, END, PAD, PAD]])
    said = torch.tensor([[1, 14, 15]])
    first, _ = model.proceed(model.start(alone), said)
    second, _ = model.proceed(model.start(padded), said.repeat(2, 1))
    torch.testing.assert_close(first[0], second[1])


@pytest.mark.slow
@pytest.mark.parametrize("settings", MODELS[1:3])
def test_a_sentence_is_translated_alike_alone_and_among_others(
    settings: dict[str, str], data: BaselineData, tmp_path: Path
) -> None:
    made, _ = trained(small_config(steps=200, check=200, **settings), data, tmp_path)
    texts = [row.source for row in data.train[::3]]
    together = made.translate(texts)
    assert len({len(text) for text in together}) > 1  # they end one after the other
    assert [made.translate([text])[0] for text in texts] == together


def test_words_beyond_the_reach_are_equally_far() -> None:
    torch.manual_seed(1)
    model = new_model(small_config(positions="relative", reach=2, layers=1), 30).eval()
    attention = model.encoder[0].attention
    nearness = attention._nearness(torch.randn(1, 2, 6, 16), 6)  # noqa: SLF001 - what is tested
    torch.testing.assert_close(nearness[..., 0, 2], nearness[..., 0, 5])
    assert not torch.allclose(nearness[..., 0, 1], nearness[..., 0, 2])


@pytest.mark.parametrize("settings", MODELS[::2])
def test_two_runs_have_the_same_weights(settings: dict[str, str], data: BaselineData, tmp_path: Path) -> None:
    config = small_config(**settings)
    first, _ = trained(config, data, tmp_path)
    second, _ = trained(config, data, tmp_path)
    assert same(weights(first), weights(second))
    other, _ = trained(replace(config, seed=2), data, tmp_path)
    assert not same(weights(first), weights(other))


class Killed(Exception):
    """Training was killed."""


@pytest.mark.parametrize("killed_at", [5, 8, 11])
@pytest.mark.parametrize("settings", MODELS[::2])
def test_a_run_that_was_killed_ends_with_the_same_weights(
    settings: dict[str, str], killed_at: int, data: BaselineData, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = small_config(**settings)
    whole, _ = trained(config, data, tmp_path)
    with reproducible(1):
        begun, run = training(config, data, tmp_path)
        monkeypatch.setattr(begun, "loss", killing(begun.loss, killed_at))
        with pytest.raises(Killed):
            run.train(quiet, telling_nothing)
        torch.manual_seed(99)  # another process has other generators
        resumed, run = training(config, data, tmp_path)
        run.resume()
        assert run.state.step == killed_at // 4 * 4
        ended = run.train(quiet, telling_nothing)
    assert ended.ended == FINISHED
    assert same(weights(whole), weights(resumed))


def killing(loss: Callable[..., object], steps: int) -> Callable[..., object]:
    """The loss, until there were so many steps."""
    taken = iter(range(steps))

    def some(rows: NDArray[np.int64]) -> object:
        if next(taken, None) is None:
            raise Killed
        return loss(rows)

    return some


def test_a_run_that_its_time_limit_has_ended_goes_on_to_the_same_weights(
    data: BaselineData, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = small_config()
    whole, _ = trained(config, data, tmp_path)
    clock = iter(range(1000))
    with reproducible(1):
        monkeypatch.setattr("sgl.research.baselines.training.time.monotonic", lambda: next(clock))
        _, run = training(config, data, tmp_path, limit=15)
        ended = run.train(quiet, telling_nothing)
        assert ended.ended == LIMIT
        assert 4 < ended.progress.step < 8
        resumed, run = training(config, data, tmp_path)
        run.resume()
        run.train(quiet, telling_nothing)
    assert same(weights(whole), weights(resumed))


def test_a_checkpoint_of_another_run_is_refused(data: BaselineData, tmp_path: Path) -> None:
    trained(small_config(steps=4), data, tmp_path)
    with pytest.raises(DirectoryError, match="another configuration or other data"):
        load(tmp_path / "checkpoint.safetensors", "another run")


@pytest.mark.parametrize("damage", ["cut off", "another kind", "missing"])
def test_a_damaged_checkpoint_is_refused(damage: str, data: BaselineData, tmp_path: Path) -> None:
    trained(small_config(steps=4), data, tmp_path)
    path = tmp_path / "checkpoint.safetensors"
    if damage == "cut off":
        path.write_bytes(path.read_bytes()[:-100])
    elif damage == "another kind":
        path.write_bytes(b"\x80\x04cos\nsystem\n")
    else:
        path.unlink()
    with pytest.raises(DirectoryError, match="cannot be read"):
        load(path, "this run")


def test_a_checkpoint_is_replaced_as_a_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "checkpoint.safetensors"
    save(path, "run", TrainingProgress(step=1), {"w": torch.ones(3)})

    def full_disk(_: object, path: Path, __: object) -> None:
        path.write_bytes(b"half of it")
        raise OSError("no space left on device")

    monkeypatch.setattr("sgl.research.baselines.learner.save_file", full_disk)
    with pytest.raises(OSError, match="no space left"):
        save(path, "run", TrainingProgress(step=2), {"w": torch.zeros(3)})
    assert load(path, "run")[0].step == 1
    assert list(tmp_path.iterdir()) == [path]


class Forgetful(Seq2SeqLearner):
    """Knows all translations at its first check, and fewer at each later one."""

    asked = 0

    def translate(self, texts: Sequence[str], line: object = quiet) -> list[str]:  # noqa: ARG002
        self.asked += 1
        known = {row.source: row.target for row in self._rows}
        right = len(texts) // self.asked
        return [known.get(text, "") if n < right else "" for n, text in enumerate(texts)]


def test_the_state_that_is_best_on_dev_is_kept(data: BaselineData, tmp_path: Path) -> None:
    config = small_config()
    early, _ = trained(replace(config, steps=4, decay="none"), data, tmp_path)
    made = Forgetful(replace(config, decay="none"), data, learn_vocabulary(config, data))
    with reproducible(1):
        ended = Training(made, data.dev, tmp_path / "c", "run").train(quiet, telling_nothing)
    assert ended.kept_step == 4
    assert [check[0] for check in ended.progress.checks] == [4, 8, 12]
    assert same(weights(early), weights(made))


def test_training_ends_when_dev_gets_no_better(data: BaselineData, tmp_path: Path) -> None:
    config = small_config(steps=1000, patience=2)
    made = Forgetful(config, data, learn_vocabulary(config, data))
    with reproducible(1):
        ended = Training(made, data.dev, tmp_path / "c", "run").train(quiet, telling_nothing)
    assert (ended.ended, ended.kept_step, ended.progress.step) == (PATIENCE, 4, 12)


@pytest.mark.parametrize("what", ["loss", "gradient"])
def test_training_that_diverges_keeps_the_state_of_its_last_good_check(
    what: str, data: BaselineData, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = small_config(decay="none", clip=0.0)
    early, _ = trained(replace(config, steps=4), data, tmp_path)
    made, run = training(config, data, tmp_path)
    loss = made.loss

    def wild(rows: NDArray[np.int64]) -> tuple[torch.Tensor, int]:
        found, tokens = loss(rows)
        if run.state.step < 6:
            return found, tokens
        # The square root of nothing has a finite value and an infinite slope.
        added = torch.sqrt((found - found.detach()).abs()) if what == "gradient" else float("nan")
        return found + added, tokens

    monkeypatch.setattr(made, "loss", wild)
    with reproducible(1):
        ended = run.train(quiet, telling_nothing)
    assert (ended.ended, ended.kept_step, ended.progress.step) == (DIVERGED, 4, 6)
    assert same(weights(early), weights(made))


@pytest.mark.parametrize("settings", MODELS[1:3])
def test_a_translation_without_end_is_cut_off_sooner_where_the_source_is_short(
    settings: dict[str, str], data: BaselineData, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = learner(small_config(**settings), data)
    monkeypatch.setattr("sgl.research.baselines.networks.END", -1)
    short, long = data.train[0].source, " ".join(row.source for row in data.train)
    sources = [len(made.source.encode(text)) for text in (short, long)]
    longest = max(len(made.target.encode(row.target)) for row in data.train)
    limits = [made.limit(size) for size in sources]
    assert limits[0] <= limits[1] == 2 * longest
    assert made.limit(2) < made.limit(4)
    batch = made._padded([made.source.encode(text) for text in (short, long)], PAD)  # noqa: SLF001
    assert [len(said) for said in greedy(made.module.eval(), batch, [5, 9])] == [5, 9]
    for row in data.train:
        asked, wanted = made.source.encode(row.source), made.target.encode(row.target)
        assert made.limit(len(asked)) >= len(wanted)


def test_without_dev_the_last_state_is_kept(tmp_path: Path) -> None:
    data = read_data(small_dataset(tmp_path / "animals", dev=False), None)
    _, ended = trained(small_config(), data, tmp_path)
    assert (ended.kept_step, ended.kept_score) == (12, None)


@pytest.mark.slow
@pytest.mark.parametrize("model", ["transformer", "lstm"])
def test_a_model_learns_a_small_language(model: str, data: BaselineData, tmp_path: Path) -> None:
    config = small_config(model=model, steps=200, check=200)
    made, _ = trained(config, data, tmp_path)
    said = made.translate([row.source for row in data.train])
    assert said == [row.target for row in data.train]


def test_the_rate_rises_and_falls() -> None:
    config = small_config(steps=100, warmup=10, rate=1.0)
    rates = [rate(config, step) for step in range(100)]
    assert max(rates) == rates[9] == rates[10] == 1.0
    assert rates[:10] == sorted(rates[:10])
    assert rates[10:] == sorted(rates[10:], reverse=True)
    assert rates[-1] == pytest.approx(1 / 90)
    assert rate(replace(config, decay="none"), 99) == 1.0
    root = [rate(replace(config, decay="root"), step) for step in (4, 9, 39, 89)]
    assert root == pytest.approx([0.5, 1.0, 1 / 2, 1 / 3])
