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
from torch import Tensor
from torch.nn.functional import cross_entropy

from sgl.research.baselines.config import BaselineError, Config
from sgl.research.baselines.data import BaselineData
from sgl.research.baselines.learner import Learner, Tokens

#: The label of tokens that are not learnt.
_GIVEN = -100


class LanguageModelError(BaselineError):
    """A language model cannot be loaded, or not be used with these rows."""

    code = "SGL1605"


class CausalLearner(Learner):
    """A language model with low-rank weights to be learnt."""

    together = 32

    def __init__(self, config: Config, data: BaselineData) -> None:
        super().__init__(config, data)
        self._tokenizer, base = _load(config.path)
        self._end = self._tokenizer.eos_token_id
        if not isinstance(self._end, int):
            raise LanguageModelError(f"`{config.path}` has a tokenizer without an end of texts")
        torch.manual_seed(config.seed)
        self.module: Any = _adapted(base, config).to(self._device)

    def prompt(self, source: str) -> list[int]:
        """Return the tokens of the prompt for a text."""
        ids: list[int] = self._tokenizer(self.config.prompt.replace("{source}", source)).input_ids
        return ids

    def answer(self, target: str) -> list[int]:
        """Return the tokens of an answer, with the end."""
        ids: list[int] = self._tokenizer(target, add_special_tokens=False).input_ids
        return [*ids, self._end]

    @cached_property
    def lengths(self) -> Sequence[int]:
        """The length of each row with its prompt."""
        lengths = [len(prompt) + len(answer) for prompt, answer in self.pairs]
        for row, length in zip(self._rows, lengths, strict=True):
            if length > self.config.longest:
                raise LanguageModelError(
                    f"{row.id} has {length:,} tokens with its prompt, more "
                    f"than `longest` ({self.config.longest:,}) allows"
                )
        return lengths

    def loss(self, rows: NDArray[np.int64]) -> tuple[Tensor, int]:
        """Cross-entropy of the answers."""
        pairs = [self.pairs[row] for row in rows]
        tokens = [prompt + answer for prompt, answer in pairs]
        labels = [[_GIVEN] * len(prompt) + answer for prompt, answer in pairs]
        scores = self.module(
            input_ids=self._padded(tokens, self._end),
            attention_mask=self._padded([[1] * len(row) for row in tokens], 0),
        ).logits
        # The scores after a token are those of the next one.
        loss = cross_entropy(
            scores[:, :-1].flatten(0, 1).float(),
            self._padded(labels, _GIVEN)[:, 1:].flatten(),
            ignore_index=_GIVEN,
            reduction="sum",
        )
        return loss, sum(len(answer) for _, answer in pairs)

    def decode(self, prompts: Sequence[Tokens]) -> list[str]:
        """Generate answers after prompts, which are padded on the left."""
        from transformers import GenerationConfig

        greedy = GenerationConfig(
            do_sample=False,
            num_beams=1,
            max_new_tokens=self.config.longest,
            eos_token_id=self._end,
            pad_token_id=self._end,
        )
        tokens = self._padded(prompts, self._end, left=True)
        with torch.no_grad():
            found = self.module.generate(
                input_ids=tokens,
                attention_mask=self._padded([[1] * len(row) for row in prompts], 0, left=True),
                generation_config=greedy,
            )
        answers = self._tokenizer.batch_decode(found[:, tokens.size(1) :], skip_special_tokens=True)
        # Predictions are lines.
        return [" ".join(answer.split()) for answer in answers]

    def keep(self, directory: Path) -> None:
        """Write the low-rank weights, as PEFT reads them."""
        self.module.save_pretrained(directory / "adapter", safe_serialization=True)


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
