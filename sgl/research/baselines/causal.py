r"""A language model that is tuned to translate, by low-rank adaptation (Hu et al. 2022).

The weights of the model stay as they are; beside the named matrices of attention two thin
ones are learnt.  A row becomes a prompt and an answer, and only the answer is learnt::

    Translate: The hen ran.\nTranslation:     鶏が走った。</s>
    ------------- given --------------------  --- learnt ----

The model is read from a directory: nothing is fetched, no code that lies there is run, and
weights are read as safetensors only, which cannot hold code.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from sgl.research.baselines.config import BaselineError, Config
from sgl.research.baselines.data import BaselineData
from sgl.research.baselines.training import Line, decode_in_batches, quiet

#: Prompts that are answered together.
_TOGETHER = 32

#: The label of tokens that are not learnt.
_GIVEN = -100


class LanguageModelError(BaselineError):
    """A language model cannot be loaded, or not be used with these rows."""

    code = "SGL1605"


class CausalLearner:
    """A language model with low-rank weights to be learnt."""

    def __init__(self, config: Config, data: BaselineData) -> None:
        self._config = config
        self._rows = data.train
        self._device = torch.device(config.device)
        self._tokenizer, base = _load(config.path)
        self._end = self._tokenizer.eos_token_id
        if not isinstance(self._end, int):
            raise LanguageModelError(f"`{config.path}` has a tokenizer without an end of texts")
        torch.manual_seed(config.seed)
        self._model = _adapted(base, config).to(self._device)

    @property
    def module(self) -> nn.Module:
        """The network; its low-rank weights alone need gradients."""
        network: nn.Module = self._model
        return network

    @cached_property
    def _pairs(self) -> list[tuple[list[int], list[int]]]:
        pairs = [(self._prompt(row.source), self._answer(row.target)) for row in self._rows]
        for row, (prompt, answer) in zip(self._rows, pairs, strict=True):
            if len(prompt) + len(answer) > self._config.longest:
                raise LanguageModelError(
                    f"{row.id} has {len(prompt) + len(answer):,} tokens with its prompt, more "
                    f"than `longest` ({self._config.longest:,}) allows"
                )
        return pairs

    @cached_property
    def lengths(self) -> Sequence[int]:
        """The length of each row with its prompt."""
        return [len(prompt) + len(answer) for prompt, answer in self._pairs]

    def loss(self, rows: NDArray[np.int64]) -> tuple[Tensor, int]:
        """Cross-entropy of the answers, in nats."""
        pairs = [self._pairs[row] for row in rows]
        longest = max(len(prompt) + len(answer) for prompt, answer in pairs)
        shape = (len(pairs), longest)
        tokens = np.full(shape, self._end, dtype=np.int64)
        labels = np.full(shape, _GIVEN, dtype=np.int64)
        there = np.zeros(shape, dtype=np.int64)
        for place, (prompt, answer) in enumerate(pairs):
            end = len(prompt) + len(answer)
            tokens[place, :end] = prompt + answer
            labels[place, len(prompt) : end] = answer
            there[place, :end] = 1
        scores = self._model(
            input_ids=self._moved(tokens), attention_mask=self._moved(there)
        ).logits
        # The scores after a token are those of the next one.
        loss = cross_entropy(
            scores[:, :-1].flatten(0, 1).float(),
            self._moved(labels)[:, 1:].flatten(),
            ignore_index=_GIVEN,
            reduction="sum",
        )
        return loss, sum(len(answer) for _, answer in pairs)

    def translate(self, texts: Sequence[str], line: Line = quiet) -> list[str]:
        """Answer the prompts greedily."""
        self._model.eval()
        prompts = [self._prompt(text) for text in texts]

        def decode(places: Sequence[int]) -> list[str]:
            return self._answers([prompts[place] for place in places])

        return decode_in_batches([len(prompt) for prompt in prompts], _TOGETHER, decode, line)

    def keep(self, directory: Path) -> None:
        """Write the low-rank weights, as PEFT reads them."""
        self._model.save_pretrained(directory / "adapter", safe_serialization=True)

    def _answers(self, prompts: Sequence[Sequence[int]]) -> list[str]:
        """Generate answers after prompts, which are padded on the left."""
        from transformers import GenerationConfig

        longest = max(map(len, prompts))
        tokens = np.full((len(prompts), longest), self._end, dtype=np.int64)
        there = np.zeros_like(tokens)
        for place, prompt in enumerate(prompts):
            tokens[place, longest - len(prompt) :] = prompt
            there[place, longest - len(prompt) :] = 1
        greedy = GenerationConfig(
            do_sample=False,
            num_beams=1,
            max_new_tokens=self._config.longest,
            eos_token_id=self._end,
            pad_token_id=self._end,
        )
        with torch.no_grad():
            found = self._model.generate(
                input_ids=self._moved(tokens),
                attention_mask=self._moved(there),
                generation_config=greedy,
            )
        answers = self._tokenizer.batch_decode(found[:, longest:], skip_special_tokens=True)
        return [_one_line(answer) for answer in answers]

    def _prompt(self, source: str) -> list[int]:
        ids: list[int] = self._tokenizer(self._config.prompt.replace("{source}", source)).input_ids
        return ids

    def _answer(self, target: str) -> list[int]:
        ids: list[int] = self._tokenizer(target, add_special_tokens=False).input_ids
        return [*ids, self._end]

    def _moved(self, table: NDArray[np.int64]) -> Tensor:
        return torch.from_numpy(table).to(self._device)


def _load(path: str) -> tuple[Any, Any]:
    """Return the tokenizer and the model of a directory."""
    from transformers import AutoModelForCausalLM, AutoTokenizer
    from transformers.utils.logging import disable_progress_bar

    disable_progress_bar()
    if not path:
        raise LanguageModelError("no language model is given: `--path DIR` says where it is")
    # Anything that is no directory would be taken for the name of a model to be fetched.
    if not Path(path).is_dir():
        raise LanguageModelError(f"`{path}` is not a directory with a language model")
    # The library would go on with the model that the adapter names, wherever that is.
    if (Path(path) / "adapter_config.json").exists():
        raise LanguageModelError(f"`{path}` has an adapter of a language model, not the model")
    safely = {"local_files_only": True, "trust_remote_code": False}
    # The library raises whatever its parts raise.
    try:
        tokenizer = AutoTokenizer.from_pretrained(path, **safely)
        model = AutoModelForCausalLM.from_pretrained(path, use_safetensors=True, **safely)
    except Exception as problem:
        reason = " ".join(str(problem).split())
        raise LanguageModelError(f"cannot load `{path}`: {reason}") from problem
    return tokenizer, model


def _adapted(base: Any, config: Config) -> Any:  # noqa: ANN401 - the library is untyped
    from peft import LoraConfig, get_peft_model

    settings = LoraConfig(
        r=config.rank,
        lora_alpha=config.alpha,
        lora_dropout=config.dropout,
        target_modules=list(config.modules),
        bias="none",
        task_type="CAUSAL_LM",
    )
    try:
        return get_peft_model(base, settings)
    except ValueError as problem:
        raise LanguageModelError(
            f"`modules` do not fit `{config.path}`: {' '.join(str(problem).split())}"
        ) from problem


def _one_line(answer: str) -> str:
    """Return an answer as a prediction: predictions are lines."""
    return " ".join(answer.split())
