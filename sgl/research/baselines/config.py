"""The configuration of a baseline: a YAML file whose every key is known and in its bounds.

::

    model: transformer
    width: 128        # of embeddings and states
    steps: 6000
    rate: 1.5e-3      # the highest learning rate

What a file does not say has the value below.  Presets are such files and come with the
package; ``model`` alone names the small preset of that model.
"""

from __future__ import annotations

import hashlib
import json
import reprlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

import yaml

from sgl.research.baselines.vocabulary import AUTO, SCHEMES

TRANSFORMER, LSTM, CAUSAL = "transformer", "lstm", "causal-lm"
MODELS = (TRANSFORMER, LSTM, CAUSAL)

PRESETS = Path(__file__).parent / "presets"

#: The preset that stands for a model.
SMALL = {TRANSFORMER: "small-transformer", LSTM: "small-lstm"}

#: No configuration is longer.
_LONGEST = 1 << 16


class BaselineError(Exception):
    """A mistake of the user; ``hint`` says what to do, ``code`` is that of the diagnostic."""

    code = ""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class ConfigError(BaselineError):
    """A configuration cannot be used."""

    code = "SGL1601"


@dataclass(frozen=True, slots=True)
class Config:
    """All settings of a run; `docs/baseline.md` explains them."""

    model: str = TRANSFORMER
    seed: int = 1
    threads: int = 1
    device: str = "cpu"
    # Tokens.
    tokens: str = "bpe"
    pieces: int = 2000
    source_words: str = AUTO
    target_words: str = AUTO
    # The network.
    width: int = 128
    layers: int = 2
    heads: int = 4
    inner: int = 512
    dropout: float = 0.1
    positions: str = "relative"
    reach: int = 16
    both_ways: bool = True
    # Training.
    batch: int = 64
    accumulate: int = 1
    steps: int = 6000
    rate: float = 1.5e-3
    warmup: int = 400
    decay: str = "linear"
    clip: float = 1.0
    # Choice by the dev split.
    check: int = 500
    dev_items: int = 500
    patience: int = 0
    # Fine-tuning of a language model.
    path: str = ""
    rank: int = 8
    alpha: int = 16
    modules: tuple[str, ...] = ("q_proj", "v_proj")
    prompt: str = "Translate: {source}\nTranslation:"
    longest: int = 256

    def data(self) -> dict[str, Any]:
        """Return the settings as plain data, in their order."""
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in asdict(self).items()
        }

    @property
    def digest(self) -> str:
        """A hash of all settings."""
        text = json.dumps(self.data(), sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()


_Check = tuple[Callable[[Any], bool], str]


def _whole(least: int, most: int) -> _Check:
    return (
        lambda value: type(value) is int and least <= value <= most,
        f"a whole number from {least:,} to {most:,}",
    )


def _number(least: float, most: float) -> _Check:
    return (
        lambda value: type(value) in (int, float) and least <= value <= most,
        f"a number from {least:g} to {most:g}",
    )


def _one_of(values: Sequence[str]) -> _Check:
    return lambda value: value in values, f"one of {', '.join(values)}"


def _is_text(value: object) -> bool:
    """Return whether a value is a text that can be written: YAML can say half a character."""
    return isinstance(value, str) and not any("\ud800" <= part <= "\udfff" for part in value)


def _is_prompt(value: object) -> bool:
    return _is_text(value) and "{source}" in str(value)


def _is_names(value: object) -> bool:
    return isinstance(value, (list, tuple)) and all(map(_is_text, value))


_CHECKS: dict[str, _Check] = {
    "model": _one_of(MODELS),
    "seed": _whole(0, 2**32 - 1),
    "threads": _whole(1, 1024),
    "device": _one_of(("cpu", "cuda")),
    "tokens": _one_of(("word", "bpe")),
    "pieces": _whole(64, 1_000_000),
    "source_words": _one_of(SCHEMES),
    "target_words": _one_of(SCHEMES),
    "width": _whole(4, 16_384),
    "layers": _whole(1, 256),
    "heads": _whole(1, 256),
    "inner": _whole(1, 65_536),
    "dropout": _number(0, 0.99),
    "positions": _one_of(("sinusoid", "relative")),
    "reach": _whole(1, 1024),
    "both_ways": (lambda value: isinstance(value, bool), "true or false"),
    "batch": _whole(1, 65_536),
    "accumulate": _whole(1, 65_536),
    "steps": _whole(1, 100_000_000),
    "rate": _number(1e-9, 1),
    "warmup": _whole(0, 100_000_000),
    "decay": _one_of(("linear", "none")),
    "clip": _number(0, 1e6),
    "check": _whole(1, 100_000_000),
    "dev_items": _whole(0, 100_000_000),
    "patience": _whole(0, 1_000_000),
    "path": (_is_text, "a directory"),
    "rank": _whole(1, 4096),
    "alpha": _whole(1, 65_536),
    "modules": (_is_names, "a list of names"),
    "prompt": (_is_prompt, "a text with {source}"),
    "longest": _whole(8, 1_000_000),
}


def presets() -> tuple[str, ...]:
    """Return the names of the configurations that come with the package."""
    return tuple(sorted(path.stem for path in PRESETS.glob("*.yml")))


def read_config(wanted: str | None, model: str | None) -> Config:
    """Return the configuration of a preset or a file, or the small preset of ``model``.

    Raises:
        ConfigError: it cannot be read, or has keys or values that there are not.
    """
    if wanted is None:
        name = model or TRANSFORMER
        if name not in SMALL:
            raise ConfigError(
                f"`--model {name}` needs a configuration",
                "`--config sget-lora --path DIR`, or a file of your own",
            )
        wanted = SMALL[name]
    path = PRESETS / f"{wanted}.yml" if wanted in presets() else Path(wanted)
    config = _check(path, _load(path, wanted))
    if model is not None and config.model != model:
        raise ConfigError(f"`{wanted}` is a configuration of `{config.model}`, not of `{model}`")
    return config


def change_config(config: Config, **settings: int | str | None) -> Config:
    """Return the configuration with those settings that are given."""
    given = {name: value for name, value in settings.items() if value is not None}
    return _check(Path("the command line"), config.data() | given)


def _load(path: Path, wanted: str) -> Mapping[str, Any]:
    try:
        with path.open("rb") as stream:
            text = stream.read(_LONGEST + 1)
    except OSError as problem:
        hint = f"presets are called {', '.join(presets())}"
        raise ConfigError(f"cannot read `{wanted}`: {problem.strerror or problem}", hint) from None
    if len(text) > _LONGEST:
        raise ConfigError(
            f"`{path}` is too long for a configuration (more than {_LONGEST:,} bytes)"
        )
    try:
        content = yaml.safe_load(text)
    except (yaml.YAMLError, UnicodeDecodeError, ValueError, RecursionError) as problem:
        raise ConfigError(f"`{path}` is not YAML: {' '.join(str(problem).split())}") from None
    if not isinstance(content, dict):
        raise ConfigError(f"`{path}` is not a table of settings", "a line is `width: 128`")
    return {str(name): value for name, value in content.items()}


def _check(path: Path, content: Mapping[str, Any]) -> Config:
    for name, value in content.items():
        if name not in _CHECKS:
            raise ConfigError(
                f"`{path}` has an unknown setting `{name}`", f"settings are {', '.join(_CHECKS)}"
            )
        holds, wanted = _CHECKS[name]
        if not holds(value):
            raise ConfigError(f"`{path}`: `{name}` has to be {wanted}, not {_shown(value)}")
    settings = dict(content)
    for field in fields(Config):
        if field.type == "float" and field.name in settings:
            settings[field.name] = float(settings[field.name])
    config = replace(Config(), **settings)
    config = replace(config, modules=tuple(config.modules))
    if config.model == TRANSFORMER and config.width % (2 * config.heads):
        raise ConfigError(
            f"`{path}`: `width` ({config.width}) has to be a multiple of twice `heads` "
            f"({config.heads})"
        )
    if config.width % 2:
        raise ConfigError(f"`{path}`: `width` ({config.width}) has to be even")
    return config


def _shown(value: object) -> str:
    hint = " (YAML reads 1e-4 as a text; write 1.0e-4)" if isinstance(value, str) else ""
    # A few aliases of YAML can stand for a value whose whole text would fill the memory.
    text = reprlib.repr(value)
    return (text if len(text) < 40 else text[:40] + "…") + hint
