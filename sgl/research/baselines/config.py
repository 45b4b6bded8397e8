"""Read the configuration of a baseline: a YAML file whose keys are all known and within bounds.

Settings that a file omits have the values below.  Presets are such files and come with the package; ``model`` alone
selects the small preset of that model.
"""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from sgl.characters import has_surrogate
from sgl.diagnostics import UserError
from sgl.foreign import SETTINGS, ForeignFileError, read_text
from sgl.lang.yaml_files import yaml_of
from sgl.research.baselines.data import AUTO, PIECES, SCHEMES, WORD

TRANSFORMER, LSTM, CAUSAL = "transformer", "lstm", "causal-lm"
MODELS = (TRANSFORMER, LSTM, CAUSAL)

SINUSOID, RELATIVE = "sinusoid", "relative"
UP, DOWN = "up", "down"

PRESETS = Path(__file__).parent / "presets"

#: The preset of each model.
SMALL = {TRANSFORMER: "small-transformer", LSTM: "small-lstm"}


class ConfigError(UserError):
    """A configuration cannot be used."""

    code = "SGL1601"


#: A condition on the values of a setting, and its wording.
_Check = tuple[Callable[[Any], bool], str]


def _whole(least: int, most: int) -> _Check:
    return (lambda value: type(value) is int and least <= value <= most, f"a whole number from {least:,} to {most:,}")


def _number(least: float, most: float) -> _Check:
    return (
        lambda value: type(value) in (int, float) and least <= value <= most,
        f"a number from {least:g} to {most:g}",
    )


def _one_of(values: Sequence[str]) -> _Check:
    return lambda value: value in values, f"one of {', '.join(values)}"


def _is_text(value: object) -> bool:
    """Return whether a value is a text that can be written; YAML can express half a character."""
    return isinstance(value, str) and not has_surrogate(value)


def _setting(default: Any, check: _Check) -> Any:  # noqa: ANN401 - of any type
    return field(default=default, metadata={"check": check})


_MANY = 100_000_000


@dataclass(frozen=True, slots=True)
class Config:
    """All settings of a run; ``docs/baseline.md`` explains them."""

    model: str = _setting(TRANSFORMER, _one_of(MODELS))
    seed: int = _setting(1, _whole(0, 2**32 - 1))
    threads: int = _setting(1, _whole(1, 1024))
    device: str = _setting("cpu", _one_of(("cpu", "cuda")))
    # Tokens.
    tokens: str = _setting(PIECES, _one_of((WORD, PIECES)))
    pieces: int = _setting(2000, _whole(64, 1_000_000))
    source_pieces: int = _setting(0, _whole(0, 1_000_000))
    source_words: str = _setting(AUTO, _one_of(SCHEMES))
    target_words: str = _setting(AUTO, _one_of(SCHEMES))
    # The network.
    width: int = _setting(128, _whole(4, 16_384))
    layers: int = _setting(2, _whole(1, 256))
    heads: int = _setting(4, _whole(1, 256))
    inner: int = _setting(512, _whole(1, 65_536))
    dropout: float = _setting(0.1, _number(0, 0.99))
    positions: str = _setting(RELATIVE, _one_of((SINUSOID, RELATIVE)))
    reach: int = _setting(16, _whole(1, 1024))
    scaling: str = _setting(UP, _one_of((UP, DOWN)))
    both_ways: bool = _setting(True, (lambda value: isinstance(value, bool), "true or false"))
    # Training.
    batch: int = _setting(64, _whole(1, 65_536))
    accumulate: int = _setting(1, _whole(1, 65_536))
    steps: int = _setting(6000, _whole(1, _MANY))
    rate: float = _setting(1.5e-3, _number(1e-9, 1))
    warmup: int = _setting(400, _whole(0, _MANY))
    decay: str = _setting("linear", _one_of(("linear", "root", "none")))
    smoothing: float = _setting(0.0, _number(0, 0.99))
    clip: float = _setting(1.0, _number(0, 1e6))
    # Choice by the dev split.
    check: int = _setting(500, _whole(1, _MANY))
    dev_items: int = _setting(500, _whole(0, _MANY))
    patience: int = _setting(0, _whole(0, 1_000_000))
    # Fine-tuning of a language model.
    path: str = _setting("", (_is_text, "a directory"))
    rank: int = _setting(8, _whole(1, 4096))
    alpha: int = _setting(16, _whole(1, 65_536))
    modules: tuple[str, ...] = _setting(
        ("q_proj", "v_proj"), (lambda v: isinstance(v, (list, tuple)) and all(map(_is_text, v)), "a list of names")
    )
    prompt: str = _setting(
        "Translate: {source}\nTranslation:",
        (lambda value: _is_text(value) and "{source}" in value, "a text with {source}"),
    )
    longest: int = _setting(256, _whole(8, 1_000_000))

    def data(self) -> dict[str, Any]:
        """Return the settings as plain data, in order."""
        return asdict(self) | {"modules": list(self.modules)}

    @property
    def distances(self) -> int:
        """The largest distance between positions that is distinguished, or 0 for sinusoids."""
        return self.reach if self.positions == RELATIVE else 0

    @property
    def digest(self) -> str:
        """The hash of all settings."""
        text = json.dumps(self.data(), sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()


def presets() -> tuple[str, ...]:
    """Return the names of the configurations in the package."""
    return tuple(sorted(path.stem for path in PRESETS.glob("*.yml")))


def read_config(wanted: str | None, model: str | None) -> Config:
    """Return the settings of a preset or file, or the small ones of ``model``; raises ``ConfigError``."""
    if wanted is None:
        name = model or TRANSFORMER
        if name not in SMALL:
            raise ConfigError(
                f"`--model {name}` needs a configuration", "`--config sget-lora --path DIR`, or a file of your own"
            )
        wanted = SMALL[name]
    path = PRESETS / f"{wanted}.yml" if wanted in presets() else Path(wanted)
    config = _check(path, _load(path, wanted))
    if model is not None and config.model != model:
        raise ConfigError(f"`{wanted}` is a configuration of `{config.model}`, not of `{model}`")
    return config


def change_config(config: Config, **settings: int | str | None) -> Config:
    """Return the configuration with these settings changed, except those that are None."""
    given = {name: value for name, value in settings.items() if value is not None}
    return _check(Path("the command line"), config.data() | given)


def _load(path: Path, wanted: str) -> Mapping[str, Any]:
    try:
        content = yaml_of(read_text(path, SETTINGS), path, typed=True)
    except ForeignFileError as problem:
        hint = f"presets are called {', '.join(presets())}" if problem.is_missing else ""
        raise ConfigError(f"cannot read `{wanted}`: {problem.strerror}", hint) from None
    if not isinstance(content, dict):
        raise ConfigError(f"`{path}` is not a table of settings", "write settings as `width: 128`")
    return content


def _check(path: Path, content: Mapping[str, Any]) -> Config:
    known = {setting.name: setting for setting in fields(Config)}
    settings = dict(content)
    for name, value in content.items():
        if name not in known:
            raise ConfigError(f"`{path}` has an unknown setting `{name}`", f"settings are {', '.join(known)}")
        holds, wanted = known[name].metadata["check"]
        if not holds(value):
            raise ConfigError(f"`{path}`: `{name}` must be {wanted}, not {_shown(value)}")
        settings[name] = float(value) if known[name].type is float else tuple(value) if type(value) is list else value
    config = Config(**settings)
    if config.model == TRANSFORMER and config.width % (2 * config.heads):
        raise ConfigError(f"`{path}`: `width` ({config.width}) must be a multiple of twice `heads` ({config.heads})")
    if config.width % 2:
        raise ConfigError(f"`{path}`: `width` ({config.width}) must be even")
    return config


def _shown(value: object) -> str:
    hint = " (YAML reads 1e-4 as a text; write 1.0e-4)" if isinstance(value, str) else ""
    text = repr(value)
    return (text if len(text) < 40 else text[:40] + "…") + hint
