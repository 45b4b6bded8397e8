r"""Train networks on rows, and translate with them.

Sentences of similar length are decoded together; the output for a sentence does not depend on the order of the texts,
except for the last bit of floating point.

A language model is tuned by low-rank adaptation (Hu et al. 2022): its weights stay fixed, while two thin matrices are
learnt next to each named attention matrix, and only from answers.  The model is read from a directory: nothing is
downloaded, no code from there is run, and weights are read only as safetensors, which cannot contain code.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import chain
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import save
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from sgl.diagnostics import UserError
from sgl.disk import make, temporary, write
from sgl.disk.stages import staged_file
from sgl.research.baselines.config import LSTM, Config
from sgl.research.baselines.data import PAD, BaselineData, Side, learn, scheme_for
from sgl.research.baselines.networks import Lstm, Seq2Seq, Transformer, greedy, said_before

#: A progress callback: activity, amount done, total.
Line = Callable[[str, int, int], None]

Tokens = Sequence[int]

#: A translation is cut off at this many times the length of the longest in training, or at this many times the highest
#: ratio of target to source tokens in training.
_LONGER = 2


def quiet(_: str, __: int, ___: int) -> None:
    """Report nothing."""


class Learner(ABC):
    """A model with its rows; the parameters of ``module`` that need gradients are trained.

    ``prompt`` returns the tokens of an input text, ``answer`` the tokens of a gold text, with the end token.
    """

    module: nn.Module
    together: int
    prompt: Callable[[str], list[int]]
    answer: Callable[[str], list[int]]

    def __init__(self, config: Config, data: BaselineData) -> None:
        self.config = config
        self._rows = data.train
        self._device = torch.device(config.device)

    @cached_property
    def pairs(self) -> list[tuple[list[int], list[int]]]:
        """The tokens of all rows, which decoding does not need."""
        return [(self.prompt(row.source), self.answer(row.target)) for row in self._rows]

    @property
    @abstractmethod
    def lengths(self) -> Sequence[int]:
        """The length of each training row; batches have rows of similar length."""

    @abstractmethod
    def loss(self, rows: NDArray[np.int64]) -> tuple[Tensor, int]:
        """Return the summed loss of some rows, in nats, and their number of gold tokens."""

    @abstractmethod
    def decode(self, prompts: Sequence[Tokens]) -> list[str]:
        """Decode the answer to each prompt greedily."""

    @abstractmethod
    def keep(self, directory: Path) -> None:
        """Write everything needed to use the model again."""

    def translate(self, texts: Sequence[str], line: Line = quiet) -> list[str]:
        """Return the model's output for each text."""
        self.module.eval()
        prompts = [self.prompt(text) for text in texts]
        order = sorted(range(len(prompts)), key=lambda place: len(prompts[place]))
        results = [""] * len(order)
        for begin in range(0, len(order), self.together):
            places = order[begin : begin + self.together]
            said = self.decode([prompts[place] for place in places])
            for place, text in zip(places, said, strict=True):
                results[place] = text
            line("decoding", begin + len(places), len(order))
        return results

    def cross_entropy(self, scores: Tensor, gold: Tensor, padding: int) -> Tensor:
        """Return the summed loss of the scores of all tokens, in nats."""
        smoothing = self.config.smoothing
        return cross_entropy(scores, gold, ignore_index=padding, reduction="sum", label_smoothing=smoothing)

    def _padded(self, rows: Sequence[Tokens], padding: int, *, left: bool = False) -> Tensor:
        width = max(map(len, rows))
        table = np.full((len(rows), width), padding, dtype=np.int64)
        for place, row in enumerate(rows):
            begin = width - len(row) if left else 0
            table[place, begin : begin + len(row)] = row
        return torch.from_numpy(table).to(self._device)


def learn_vocabulary(config: Config, data: BaselineData) -> list[Tokenizer]:
    """Learn the tokens of both languages, or with ``source_pieces`` of each, from the training texts."""
    source, target = _schemes(config, data)
    sides = [(source, row.source) for row in data.train], [(target, row.target) for row in data.train]
    if not config.source_pieces:
        return [learn(chain(*sides), config.tokens, config.pieces)]
    sizes = config.source_pieces, config.pieces
    return [learn(side, config.tokens, size) for side, size in zip(sides, sizes, strict=True)]


class Seq2SeqLearner(Learner):
    """A Transformer or LSTM that starts with random weights."""

    together = 256

    def __init__(self, config: Config, data: BaselineData, tokenizers: Sequence[Tokenizer]) -> None:
        super().__init__(config, data)
        self.tokenizers, (source, target) = tokenizers, _schemes(config, data)
        self.source, self.target = Side(source, tokenizers[0]), Side(target, tokenizers[-1])
        self.prompt, self.answer = self.source.encode, self.target.encode
        torch.manual_seed(config.seed)
        self.module: Seq2Seq = new_model(config, *(each.get_vocab_size() for each in tokenizers)).to(self._device)

    @cached_property
    def lengths(self) -> Sequence[int]:
        """The sort keys of rows, which group similar lengths of target, then of source."""
        return [32 * len(target) + min(len(source), 31) for source, target in self.pairs]

    def limit(self, source: int) -> int:
        """Return the length at which a translation of ``source`` tokens is cut off; a model may find no end."""
        longest, most = self._bounds
        return _LONGER * min(longest, ceil(most * source))

    @cached_property
    def _bounds(self) -> tuple[int, float]:
        sizes = [(len(source), len(target)) for source, target in self.pairs]
        return max(size for _, size in sizes), max(size / source for source, size in sizes)

    def loss(self, rows: NDArray[np.int64]) -> tuple[Tensor, int]:
        """Return the cross-entropy of the gold texts, and their number of tokens."""
        pairs = [self.pairs[row] for row in rows]
        source = self._padded([pair[0] for pair in pairs], PAD)
        target = self._padded([pair[1] for pair in pairs], PAD)
        scores, _ = self.module.proceed(self.module.start(source), said_before(target))
        loss = self.cross_entropy(scores.flatten(0, 1), target.flatten(), PAD)
        return loss, sum(len(pair[1]) for pair in pairs)

    def decode(self, prompts: Sequence[Tokens]) -> list[str]:
        """Return translations, each cut off at its limit."""
        limits = [self.limit(len(prompt)) for prompt in prompts]
        said = greedy(self.module, self._padded(prompts, PAD), limits)
        return [self.target.decode(tokens) for tokens in said]

    def keep(self, directory: Path) -> None:
        """Write the weights as safetensors."""
        write_tensors(directory / "model.safetensors", self.module.state_dict())


def write_tensors(path: Path, tensors: Mapping[str, Tensor], header: dict[str, str] | None = None) -> None:
    """Write tensors as safetensors, whole or not at all."""
    written = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    with staged_file(path) as new:
        write(new, save(written, header))


def new_model(config: Config, *words: int) -> Seq2Seq:
    """Return a model with random weights for this many tokens of both languages, or of each."""
    return (Lstm if config.model == LSTM else Transformer)(config, words)


def _schemes(config: Config, data: BaselineData) -> tuple[str, str]:
    source = scheme_for(config.source_words, data.source)
    return source, scheme_for(config.target_words, data.target)


#: The label of tokens that are not learnt.
_GIVEN = -100


class LanguageModelError(UserError):
    """A language model cannot be loaded, or cannot be used with these rows."""

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
        """Return the tokens of an answer, with the end token."""
        ids: list[int] = self._tokenizer(target, add_special_tokens=False).input_ids
        return [*ids, self._end]

    @cached_property
    def lengths(self) -> Sequence[int]:
        """The length of each row with its prompt; raises ``LanguageModelError`` if one is too long."""
        lengths = [len(prompt) + len(answer) for prompt, answer in self.pairs]
        for row, length in zip(self._rows, lengths, strict=True):
            if length > self.config.longest:
                raise LanguageModelError(
                    f"{row.id} has {length:,} tokens with its prompt, more "
                    f"than `longest` ({self.config.longest:,}) allows"
                )
        return lengths

    def loss(self, rows: NDArray[np.int64]) -> tuple[Tensor, int]:
        """Return the cross-entropy of the answers, and their number of tokens."""
        pairs = [self.pairs[row] for row in rows]
        tokens = [prompt + answer for prompt, answer in pairs]
        labels = [[_GIVEN] * len(prompt) + answer for prompt, answer in pairs]
        scores = self.module(
            input_ids=self._padded(tokens, self._end),
            attention_mask=self._padded([[1] * len(row) for row in tokens], 0),
        ).logits
        # The scores at a token predict the next one.
        gold = self._padded(labels, _GIVEN)[:, 1:].flatten()
        loss = self.cross_entropy(scores[:, :-1].flatten(0, 1).float(), gold, _GIVEN)
        return loss, sum(len(answer) for _, answer in pairs)

    def decode(self, prompts: Sequence[Tokens]) -> list[str]:
        """Generate answers to prompts, which are padded on the left."""
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
        # Predictions must be single lines.
        return [" ".join(answer.split()) for answer in answers]

    def keep(self, directory: Path) -> None:
        """Write the low-rank weights in PEFT's format."""
        make(directory / "adapter")
        with temporary() as place:
            self.module.save_pretrained(place, safe_serialization=True)
            for file in sorted(place.iterdir()):
                with staged_file(directory / "adapter" / file.name) as new:
                    write(new, file.read_bytes())


def _load(path: str) -> tuple[Any, Any]:
    from transformers import AutoModelForCausalLM, AutoTokenizer
    from transformers.utils.logging import disable_progress_bar

    disable_progress_bar()
    if not path:
        raise LanguageModelError("no language model is given: name its directory with `--path DIR`")
    # Anything but a directory would be taken for the name of a model to download.
    if not Path(path).is_dir():
        raise LanguageModelError(f"`{path}` is not a directory with a language model")
    # The library would go on to load the model that the adapter names, wherever that is.
    if (Path(path) / "adapter_config.json").exists():
        raise LanguageModelError(f"`{path}` has an adapter for a language model, not the model")
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
        raise LanguageModelError(f"`modules` do not fit `{config.path}`: {' '.join(str(problem).split())}") from problem
