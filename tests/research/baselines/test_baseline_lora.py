"""A language model is tuned: one of two layers, made here, with a vocabulary of its own."""

from __future__ import annotations

import json
from pathlib import Path

import needs_lora  # noqa: F401
import pytest
import torch
import transformers
from animals import config_file, sentences, small_config, small_dataset
from safetensors.torch import load_file
from workplace import Workplace

from sgl.cli.main import FAILED, OK, run
from sgl.research.baselines.config import Config
from sgl.research.baselines.data import BaselineData, learn, read_data
from sgl.research.baselines.learner import CausalLearner, LanguageModelError, quiet
from sgl.research.baselines.training import Training, reproducible

# Libraries of others warn about each other.
pytestmark = pytest.mark.filterwarnings("ignore")

PROMPT = "{source} ="


@pytest.fixture(scope="module")
def language_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Llama of two layers with random weights, as Transformers writes it."""
    directory = tmp_path_factory.mktemp("models") / "tiny"
    texts = [("characters", text) for pair in sentences() for text in (*pair, "=")]
    tokenizer = learn(texts, "bpe", 200)
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        eos_token="</s>",  # noqa: S106 - no password
        unk_token="<unk>",  # noqa: S106 - no password
    ).save_pretrained(directory)
    torch.manual_seed(1)
    config = transformers.LlamaConfig(
        vocab_size=tokenizer.get_vocab_size(),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        eos_token_id=2,
        bos_token_id=1,
    )
    transformers.LlamaForCausalLM(config).save_pretrained(directory)
    return directory


@pytest.fixture
def data(tmp_path: Path) -> BaselineData:
    return read_data(small_dataset(tmp_path / "animals"), None)


def settings(path: Path, **changes: object) -> Config:
    small = {"rank": 4, "prompt": PROMPT, "longest": 64, "dev_items": 2, "dropout": 0.0}
    return small_config(model="causal-lm", path=str(path), **(small | changes))


def test_the_thin_weights_learn_and_the_others_stay(language_model: Path, data: BaselineData, tmp_path: Path) -> None:
    config = settings(language_model, steps=30, check=10)
    with reproducible(1):
        made = CausalLearner(config, data)
        before = {name: value.clone() for name, value in made.module.state_dict().items()}
        run = Training(made, data.dev, tmp_path / "c", "run")
        ended = run.train(quiet, lambda _, __: None)
    losses = [loss for _, loss, _ in ended.progress.checks]
    assert losses[-1] < losses[0]
    changed = {name for name, value in made.module.state_dict().items() if not torch.equal(value, before[name])}
    assert changed
    assert all("lora_" in name for name in changed)
    assert all("q_proj" in name or "v_proj" in name for name in changed)


def test_tuning_that_was_interrupted_ends_with_the_same_weights(
    language_model: Path, data: BaselineData, tmp_path: Path
) -> None:
    config = settings(language_model, steps=8, check=4, dropout=0.1)
    found = []
    for limit in (float("inf"), 0):
        with reproducible(1):
            made = CausalLearner(config, data)
            checkpoint = tmp_path / f"c{limit}"
            Training(made, data.dev, checkpoint, "run", limit).train(quiet, lambda _, __: None)
            if not limit:
                made = CausalLearner(config, data)
                resumed = Training(made, data.dev, checkpoint, "run")
                resumed.resume()
                resumed.train(quiet, lambda _, __: None)
        found.append(made.module.state_dict())
    assert all(torch.equal(value, found[1][name]) for name, value in found[0].items())


def test_an_answer_does_not_depend_on_the_prompts_beside_it(language_model: Path, data: BaselineData) -> None:
    made = CausalLearner(settings(language_model, longest=8), data)
    texts = [row.source for row in data.train[:5]]
    assert [made.translate([text])[0] for text in texts] == made.translate(texts)


def test_rows_that_are_too_long_are_named(language_model: Path, data: BaselineData) -> None:
    made = CausalLearner(settings(language_model, longest=8), data)
    with pytest.raises(LanguageModelError, match=r"train-000001 has .* more than `longest`"):
        _ = made.lengths


def test_a_name_is_not_looked_up_in_a_network(data: BaselineData) -> None:
    for name in ("gpt2", "some/model"):
        with pytest.raises(LanguageModelError, match="is not a directory"):
            CausalLearner(settings(Path(name)), data)


def test_weights_that_could_hold_code_are_not_read(language_model: Path, data: BaselineData, tmp_path: Path) -> None:
    copied = copy_of(language_model, tmp_path)
    torch.save(load_file(copied / "model.safetensors"), copied / "pytorch_model.bin")
    (copied / "model.safetensors").unlink()
    with pytest.raises(LanguageModelError, match="cannot load"):
        CausalLearner(settings(copied), data)


def test_code_beside_a_model_is_not_run(language_model: Path, data: BaselineData, tmp_path: Path) -> None:
    copied = copy_of(language_model, tmp_path)
    (copied / "mine.py").write_text(f"open({str(tmp_path / 'was_run')!r}, 'w')\n", "utf-8")
    config = json.loads((copied / "config.json").read_text("utf-8"))
    config |= {"model_type": "mine", "auto_map": {"AutoConfig": "mine.C", "AutoModelForCausalLM": "mine.M"}}
    (copied / "config.json").write_text(json.dumps(config), "utf-8")
    with pytest.raises(LanguageModelError, match="cannot load"):
        CausalLearner(settings(copied), data)
    assert not (tmp_path / "was_run").exists()


def test_the_directory_of_an_adapter_is_not_followed_to_another_model(
    language_model: Path, data: BaselineData, tmp_path: Path
) -> None:
    copied = copy_of(language_model, tmp_path)
    named = {"peft_type": "LORA", "base_model_name_or_path": str(language_model)}
    (copied / "adapter_config.json").write_text(json.dumps(named), "utf-8")
    with pytest.raises(LanguageModelError, match="an adapter for a language model"):
        CausalLearner(settings(copied), data)


def test_modules_that_the_model_does_not_have_are_named(language_model: Path, data: BaselineData) -> None:
    with pytest.raises(LanguageModelError, match="`modules` do not fit"):
        CausalLearner(settings(language_model, modules=("attention",)), data)


def copy_of(directory: Path, parent: Path) -> Path:
    copied = parent / "copy"
    copied.mkdir()
    for path in directory.iterdir():
        (copied / path.name).write_bytes(path.read_bytes())
    return copied


def test_one_command_tunes_decodes_and_scores(work: Workplace, language_model: Path) -> None:
    small_dataset(work.directory / "animals")
    config = config_file(work.directory / "lora.yml", model="causal-lm", prompt=PROMPT, longest=32, rank=2, dev_items=2)
    command = ["baseline", "animals", "--config", config, "--path", str(language_model)]
    assert run([*command, "--steps", "4", "--out", "run"]) == OK
    found = set(work.files())
    assert {"run/adapter/adapter_model.safetensors", "run/predictions/gen.tsv"} <= found
    assert "run/scores/gen.json" in found


def test_the_command_says_that_there_is_no_model(work: Workplace) -> None:
    small_dataset(work.directory / "animals")
    work.write("cpu.yml", "{model: causal-lm, path: nowhere}")
    assert run(["baseline", "animals", "--config", "cpu.yml", "--out", "run"]) == FAILED
    assert "SGL1605" in work.capsys.readouterr().err
    assert not (work.directory / "run").exists()
