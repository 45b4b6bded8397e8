"""Read JSON from strangers: of bounded depth, with distinct members and located errors."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import TypeVar

from sgl.foreign import ForeignFileError, Kind, read_bytes, text_of

#: The deepest nesting of brackets in JSON; no format of SGL nests more than twenty deep.
MOST_DEPTH = 100

#: Bytes that are neither brackets nor quotation marks.
_OTHERS = bytes(set(range(256)) - set(b'[]{}"'))
_STEP = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


_T = TypeVar("_T", str, int, float, bool, list[object], dict[str, object])

_KINDS = {
    str: "a text",
    int: "a whole number",
    float: "a number with a point",
    bool: "true or false",
    list: "a list",
    dict: "an object",
}


def read_json(path: Path, kind: Kind, *, inside: Path | None = None) -> object:
    """Return the JSON value of a file."""
    return json_of(read_bytes(path, kind, inside=inside), path)


def json_of(content: bytes, path: Path, line: int = 0) -> object:
    """Return the value of JSON read from a file, of bounded depth.

    No object may have a member twice, numbers must be finite, and texts must be writable as UTF-8.  If the JSON is one
    line of the file, ``line`` is its number.
    """
    text = text_of(content, path)

    def fault(reason: str, offset: int = -1) -> ForeignFileError:
        if offset < 0:
            return ForeignFileError(path, reason, line=line)
        at = max(line, 1) + text.count("\n", 0, offset)
        return ForeignFileError(path, reason, line=at, column=offset - text.rfind("\n", 0, offset))

    if content.count(b"[") + content.count(b"{") > MOST_DEPTH:
        bare = content.replace(rb"\\", b"").replace(rb"\"", b"").translate(None, _OTHERS)
        # Brackets inside texts do not count.
        bare = re.sub(rb'"[^"]*"?', b"", bare)
        if max(accumulate(map(_STEP.__getitem__, bare)), default=0) > MOST_DEPTH:
            raise fault(f"its brackets are nested more than {MOST_DEPTH} deep")
    try:
        value: object = json.loads(text, object_pairs_hook=_once, parse_constant=_no_number, parse_float=_finite)
        if _SURROGATE.search(text):
            json.dumps(value, ensure_ascii=False).encode("utf-8")
    except json.JSONDecodeError as problem:
        raise fault(f"it is not JSON: {problem.msg}", problem.pos) from None
    except UnicodeEncodeError:
        raise fault("it contains half of a surrogate pair, which is not a character") from None
    except _RefusedError as problem:
        raise fault(str(problem)) from None
    except ValueError:
        raise fault("a number has too many digits") from None
    return value


class _RefusedError(ValueError):
    """Something that JSON or Python allows, and SGL does not."""


def _once(members: list[tuple[str, object]]) -> dict[str, object]:
    """Turn the members of an object into a dictionary; raises an error if a name occurs twice."""
    found = dict(members)
    if len(found) < len(members):
        [(name, _)] = Counter(name for name, _ in members).most_common(1)
        raise _RefusedError(f"an object has `{name}` twice")
    return found


def _no_number(text: str) -> object:
    raise _RefusedError(f"{text} is not a number")


def _finite(text: str) -> float:
    number = float(text)
    if abs(number) == float("inf"):
        raise _RefusedError(f"{text[:40]} is too large a number")
    return number


@dataclass(frozen=True, slots=True)
class JsonValue:
    """A value in a JSON file with its place, so that errors can name what is missing or wrong.

    ``manifest["layers"]["source"].of(str)`` returns a text, or raises an error: "`layers.source` is not a text".
    """

    path: Path
    data: object
    place: str = ""

    def of(self, kind: type[_T]) -> _T:
        """Return the value, which must be of this type, such as ``str`` or ``int``."""
        # To Python, True is an int.
        if not isinstance(self.data, kind) or isinstance(self.data, bool) is not (kind is bool):
            raise self.fault(f"is not {_KINDS[kind]}")
        return self.data

    def fault(self, what: str) -> ForeignFileError:
        """Return the error that says what is wrong with the value."""
        return ForeignFileError(self.path, f"{f'`{self.place}`' if self.place else 'it'} {what}")

    def one_of(self, values: Collection[str]) -> str:
        """Return the text, which must be one of these."""
        if self.of(str) not in values:
            raise self.fault(f"is not one of {', '.join(values)}")
        return self.of(str)

    def __getitem__(self, name: str) -> JsonValue:
        """Return a member of an object."""
        members = self.of(dict)
        place = f"{self.place}.{name}" if self.place else name
        if name not in members:
            raise ForeignFileError(self.path, f"there is no `{place}` in it")
        return JsonValue(self.path, members[name], place)

    def members(self) -> dict[str, JsonValue]:
        """Return all members of an object."""
        return {name: self[name] for name in self.of(dict)}

    def elements(self) -> list[JsonValue]:
        """Return the elements of a list."""
        return [JsonValue(self.path, value, f"{self.place}[{number}]") for number, value in enumerate(self.of(list))]

    def texts(self) -> tuple[str, ...]:
        """Return the elements of a list of texts."""
        return tuple(element.of(str) for element in self.elements())


def read_document(path: Path, kind: Kind, *, inside: Path | None = None) -> JsonValue:
    """Return the JSON value of a file, with its members by name."""
    return JsonValue(path, read_json(path, kind, inside=inside))
