"""What a model has said of an item, and where it stands in JSON of libraries, harnesses and services.

The text of an output is looked for in the members that are called one of ``TEXTS``, however deep::

    {"custom_id": "gen-000001", "response": {"body": {"choices": [{"message": {"content": "a text"}}], "usage": …}}}

Choices are *samples* of the same item, and so are several outputs with one name in a log of Inspect (epochs).  A
request that has failed has a name, an error and no text: it is left out, and its item lacks an output.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from sgl.diagnostics import UserError
from sgl.foreign import PREDICTIONS, ForeignFileError, opened
from sgl.foreign.json import json_of


class Usage(NamedTuple):
    """Tokens that were read and written, and what they cost; 0 where a log does not say it."""

    read: float = 0
    written: float = 0
    cost: float = 0

    @classmethod
    def total(cls, parts: Iterable["Usage"]) -> "Usage":
        """Return the sum of all parts, of which there is at least one."""
        return cls(*map(sum, zip(*parts, strict=True)))


class SystemOutput(NamedTuple):
    """An output of a system: a text, or its words if it came as words, perhaps with a text; and further samples."""

    text: str | None
    words: tuple[str, ...] | None = None
    samples: tuple["SystemOutput", ...] = ()
    usage: Usage = Usage()


#: An output with the number of its line, and its id if it has one.
OutputRow = tuple[int, str | None, SystemOutput]


class PredictionsError(UserError):
    """A file of predictions that cannot be used."""

    code = "SGL1402"


#: A log of Inspect.
ARCHIVE = replace(PREDICTIONS, name="a log of Inspect", is_text=False)

#: The members whose texts are samples, not words.
_SAMPLES = ("samples", "filtered_resps", "resps")

#: The members of a JSON object that an output can be in, perhaps deeper, and its id.
TEXTS = (
    *("prediction", "hypothesis", "output", "text", "predict", "pred", "generated_text", "generated_predictions"),
    *("translation", "translation_text", "decoded", "response", "predicted_tokens", *_SAMPLES),
    *("outputs", "body", "choices", "completion", "result", "candidates", "message", "content", "parts", "refusal"),
)
IDS = ("id", "sent_id", "custom_id", "key")

#: Objects of lm-evaluation-harness and promptfoo whose member `id` is the id of the item.
_ITEMS = ("doc", "vars")

#: What services call tokens that were read, tokens that were written, and the price.
_USAGES = ("usage", "usageMetadata", "tokenUsage")
_NUMBERS = (
    ("prompt_tokens", "input_tokens", "promptTokenCount", "prompt"),
    ("completion_tokens", "output_tokens", "candidatesTokenCount", "completion"),
    ("cost", "total_cost"),
)


def objects(path: Path, lines: Iterable[tuple[int, str]]) -> Iterator[OutputRow]:
    """Yield what the values of JSON, one on a line or all in a list, hold; raises ``PredictionsError``."""
    found: dict[object, OutputRow] = {}
    for number, value in _archived(path) if path.suffix == ".eval" else _values(path, lines):
        name, said = _name(value, number), _said(value)
        if not any(one.text or one.words for one in said) and name is not None and any(_members(value, ("error",))):
            continue
        if not said:
            hint = f"the member with the text is called one of {', '.join(TEXTS)}"
            raise PredictionsError(f"line {number:,} has no `prediction` that is a text or a list of words", hint=hint)
        # One item has a value for each epoch of Inspect, and for each filter of lm-evaluation-harness.
        key: object = (number,)
        usage = _usage(value)
        if isinstance(value, dict) and name is not None and not value.keys().isdisjoint(("epoch", "filter")):
            if (key := name) in found and "epoch" in value:
                first = found[key][2]
                said = [first, *first.samples, *said]
                usage = Usage.total((first.usage, usage))
            elif key in found:
                # Of several filters none is better than others: what they were applied to is read.
                said = list(map(SystemOutput, _texts(value.get("resps")))) or said
        found[key] = number, name, said[0]._replace(samples=tuple(said[1:]), usage=usage)
    yield from found.values()


def _name(value: Any, number: int) -> str | None:  # noqa: ANN401 - JSON
    if not isinstance(value, dict):
        return None
    inner = [value[key] for key in _ITEMS if isinstance(value.get(key), dict)]
    name = next((of[key] for of in (value, *inner) for key in IDS if key in of), None)
    if name is not None and not isinstance(name, str | int):
        raise PredictionsError(f"line {number:,} has an `id` that is not a text")
    return None if name is None else str(name)


def _said(value: Any, key: str = "") -> list[SystemOutput]:  # noqa: ANN401 - JSON
    """Return the samples that a value has: texts or lists of words, however deep."""
    if isinstance(value, str):
        return [SystemOutput(value)]
    if isinstance(value, dict):
        if len(texts := _texts(value.get("resps"))) > len(_texts(value.get("filtered_resps"))) > 0:
            return list(map(SystemOutput, texts))
        return next((said for name in TEXTS if name in value and (said := _said(value[name], name))), [])
    return _listed(value, key) if isinstance(value, list) else []


def _listed(values: list[Any], key: str) -> list[SystemOutput]:
    """Return the samples in the list of a member ``key``."""
    if key in _SAMPLES and (texts := _texts(values)):
        return list(map(SystemOutput, texts))
    if all(isinstance(word, str) for word in values):
        single = len(values) == 1 and " " in values[0]
        return [SystemOutput(values[0]) if single else SystemOutput(None, tuple(values))]
    if key == "parts" or any(isinstance(part, dict) and "type" in part for part in values):
        # One message in several parts, of which some are thoughts.
        texts = [said.text or "" for part in values if not _is_thought(part) for said in _said(part)]
        return [SystemOutput("".join(texts))] if texts else []
    found = [said for part in values for said in _said(part)]
    # Elsewhere a list has the best output first.
    return found if key in ("choices", "candidates") else found[:1]


def _is_thought(part: Any) -> bool:  # noqa: ANN401 - JSON
    return isinstance(part, dict) and (part.get("thought") is True or part.get("type") in ("reasoning", "thinking"))


def _texts(value: Any) -> list[str]:  # noqa: ANN401 - JSON
    """Return the texts in lists, however deep."""
    if isinstance(value, list):
        return [text for each in value for text in _texts(each)]
    return [value] if isinstance(value, str) else []


def _members(value: object, names: tuple[str, ...]) -> Iterator[Any]:
    """Yield the members of these names, the outermost first."""
    waiting = deque([value])
    while waiting:
        at = waiting.popleft()
        if isinstance(at, dict):
            yield from (at[name] for name in names if name in at)
        waiting.extend(at.values() if isinstance(at, dict) else at if isinstance(at, list) else ())


def _usage(value: object) -> Usage:
    for usage in _members(value, _USAGES):
        if isinstance(usage, dict) and isinstance(value, dict):
            given = {"cost": value.get("cost"), **usage}
            found = ([given[name] for name in names if type(given.get(name)) in (int, float)] for names in _NUMBERS)
            return Usage(*(max(0, numbers[0]) if numbers else 0 for numbers in found))
    return Usage()


def _values(path: Path, lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, object]]:
    """Yield the values of a file of JSON lines, of one list, or of an object with a text for each id."""
    own = [(number, line) for number, line in lines if line.strip()]
    try:
        first = own[0][1].lstrip() if own else ""
        if first.startswith("[") or first == "{" or len(own) == 1:
            whole = json_of("\n".join(line for _, line in own).encode(), path, 1)
            # Logs of Inspect and promptfoo have the items in a list.
            for name in ("predictions", "samples", "results", "results"):
                if isinstance(whole, dict) and isinstance(whole.get(name), list | dict) and "id" not in whole:
                    whole = whole[name]
            if isinstance(whole, dict) and whole and whole.keys().isdisjoint((*TEXTS, *IDS)):
                whole = [{"id": name, "prediction": value} for name, value in whole.items()]
            yield from enumerate(whole if isinstance(whole, list) else [whole], 1)
            return
        for number, line in own:
            yield number, json_of(line.encode(), path, number)
    except ForeignFileError as problem:
        raise PredictionsError(f"{problem.strerror}") from None


#: The method of Zstandard in archives, which Python reads from 3.14 on.
_ZSTANDARD = 93


def _archived(path: Path) -> Iterator[tuple[int, object]]:
    """Yield the samples of a log of Inspect, an archive with a file for each."""
    import zipfile
    import zlib

    import pyarrow as pa

    try:
        with opened(path, ARCHIVE) as stream, zipfile.ZipFile(stream) as packed:
            entries = [entry for entry in packed.infolist() if entry.filename.startswith("samples/")]
            # No more is read of a file than the archive says that it has.
            if sum(entry.file_size for entry in entries) > ARCHIVE.limit:
                raise PredictionsError("its samples are too large")
            for number, entry in enumerate(sorted(entries, key=lambda entry: entry.filename), 1):
                if entry.compress_type == _ZSTANDARD:
                    stream.seek(entry.header_offset + 26)
                    lengths = stream.read(4)
                    stream.seek(int.from_bytes(lengths[:2], "little") + int.from_bytes(lengths[2:], "little"), 1)
                    content = stream.read(min(entry.compress_size, ARCHIVE.limit))
                    content = pa.decompress(content, entry.file_size, "zstd", asbytes=True)
                else:
                    content = packed.read(entry)
                yield number, json_of(content, path)
    except ForeignFileError as problem:
        raise PredictionsError(f"{problem.strerror}") from None
    except (zipfile.BadZipFile, zlib.error, OSError, RuntimeError, EOFError, pa.ArrowException, ValueError) as problem:
        raise PredictionsError(f"it is not a readable archive: {problem}") from None
