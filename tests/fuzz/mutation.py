"""Content changed at random: as bytes, as tokens of a text, as a value of JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

#: What readers stumble over: letters that are none, numbers that are none, brackets, paths.
TELLING: tuple[bytes, ...] = (
    b"\x00", b"\xff", b"\xed\xa0\x80", b"\xc3", b"\r", b"\r\n", b"\x0b", b"\x0c", b"\x85",
    b"-1", b"0", b"1e999", b"-0.0", b"nan", b"inf", b"1_000", b"0x10", b"1e-400", b"\x1b]0;t\x07",
    b"9" * 30, b"9" * 5000, b"a" * 5000, b"[" * 400, b"{" * 400, b"(" * 400, b'"', b"'", b"`",
    b"\\", b"\\u0000", b"\\ud800", b"null", b"true", b"[]", b"{}", b"~", b"&a [*a]", b"*a", b"<<: ",
    b"!!python/name:os.system ", b"\t", b" ", b"\n", b"\n\n", b"#", b"..", b"../..", b"/dev/zero",
    b"%s%n", b"{0}", b"{{ 1 }}", b"{% if %}", b"$x", b"@x", b"|", b"->", b"=", b":", b",", b"<b>",
    *map(str.encode, ("\ufeff", "\u202e", "\u200b", "\u2028", "\x9b", "\xe9", "e\u0301", "\u0130")),
    *map(str.encode, ("\u72ac", "\U0001d4b3", "\u0661\u0662", "\xb2", "\U000e0001", "\u0300" * 40)),
)  # fmt: skip

#: Tokens of a text: words, white space, single marks.
_TOKENS = re.compile(r"\w+|[^\S\n]+|\n|[^\w\s]")


def bytes_mutated(random: Random, content: bytes, others: Sequence[bytes] = ()) -> bytes:
    """A few changes that know nothing of what the bytes mean."""
    for _ in range(_few(random)):
        content = random.choice(_BYTE_CHANGES)(random, content, others or (content,))
    return content


def tokens_mutated(random: Random, text: str, words: Sequence[str] = ()) -> str:
    """A few changes of words, marks and lines; ``words`` are what may come in."""
    tokens = _TOKENS.findall(text)
    for _ in range(_few(random)):
        if not tokens:
            return random.choice(words or ("",))
        at = random.randrange(len(tokens))
        other = random.choice(words) if words and random.random() < 0.4 else random.choice(tokens)
        change = random.randrange(8)
        if change == 0:
            del tokens[at]
        elif change <= 2:
            tokens[at] = other
        elif change == 3:
            tokens.insert(at, other)
        elif change == 4:
            to = random.randrange(len(tokens))
            tokens[at], tokens[to] = tokens[to], tokens[at]
        elif change == 5:
            tokens = _lines_changed(random, tokens)
        elif change == 6:
            tokens[at] = tokens[at][: len(tokens[at]) // 2]
        else:
            end = min(len(tokens), at + random.randint(1, 30))
            tokens[at:at] = tokens[at:end] * random.choice((1, 1, 2, 20))
    return "".join(tokens)


def swapped_alike(random: Random, text: str) -> str:
    """A gentle change, after which much still holds: a word for one of its kind, a line less."""
    tokens = _TOKENS.findall(text)
    for _ in range(_few(random)):
        if not tokens:
            break
        at = random.randrange(len(tokens))
        kind = _kind(tokens[at])
        alike = [token for token in tokens if _kind(token) == kind]
        if random.random() < 0.2:
            tokens = _lines_changed(random, tokens)
        elif kind == "number":
            tokens[at] = random.choice(("0", "1", "2", "3", "7", "40", "1000", "0.5"))
        elif kind in ("name", "category"):
            tokens[at] = random.choice(alike)
    return "".join(tokens)


def json_mutated(random: Random, content: bytes, texts: Sequence[str] = ()) -> bytes:
    """A few changes of a value of JSON; what cannot be read is changed as bytes."""
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        return bytes_mutated(random, content)
    for _ in range(_few(random)):
        value = _value_changed(random, value, texts)
    text = json.dumps(value, ensure_ascii=random.random() < 0.5)
    if random.random() < 0.03:
        deep = random.choice(("[", '{"a":')) * random.choice((500, 100_000))
        text = text.replace(random.choice(("1", "0", '"', "null")), deep, 1)
    return text.encode("utf-8", "surrogatepass")


def _few(random: Random) -> int:
    return random.choice((1, 1, 1, 2, 2, 3, 5))


def _kind(token: str) -> str:
    if token.isdigit():
        return "number"
    if token.isidentifier():
        return "category" if token[0].isupper() else "name"
    return "mark"


def _lines_changed(random: Random, tokens: Sequence[str]) -> list[str]:
    lines = "".join(tokens).split("\n")
    at = random.randrange(len(lines))
    change = random.randrange(5)
    if change == 0:
        del lines[at]
    elif change == 1:
        lines.insert(at, random.choice(lines))
    elif change == 2:
        lines[at] = random.choice(("", "  ", "\t")) + lines[at].lstrip()
    elif change == 3:
        to = random.randrange(len(lines))
        lines[at], lines[to] = lines[to], lines[at]
    else:
        lines[at : at + 2] = [" ".join(lines[at : at + 2])]
    return _TOKENS.findall("\n".join(lines))


# ---- bytes


def _place(random: Random, content: bytes) -> tuple[int, int]:
    start = random.randint(0, len(content))
    return start, min(len(content), start + random.choice((1, 1, 2, 8, 40, 400)))


def _flipped(random: Random, content: bytes, _others: Sequence[bytes]) -> bytes:
    if not content:
        return b"\x01"
    at = random.randrange(len(content))
    return content[:at] + bytes([content[at] ^ 1 << random.randrange(8)]) + content[at + 1 :]


def _inserted(random: Random, content: bytes, _others: Sequence[bytes]) -> bytes:
    start, end = _place(random, content)
    end = random.choice((start, end))
    return content[:start] + random.choice(TELLING) + content[end:]


def _deleted(random: Random, content: bytes, _others: Sequence[bytes]) -> bytes:
    start, end = _place(random, content)
    return content[:start] + content[end:]


def _repeated(random: Random, content: bytes, _others: Sequence[bytes]) -> bytes:
    start, end = _place(random, content)
    return content[:start] + content[start:end] * random.choice((2, 3, 50)) + content[end:]


def _moved(random: Random, content: bytes, _others: Sequence[bytes]) -> bytes:
    start, end = _place(random, content)
    rest = content[:start] + content[end:]
    at = random.randint(0, len(rest))
    return rest[:at] + content[start:end] + rest[at:]


def _spliced(random: Random, content: bytes, others: Sequence[bytes]) -> bytes:
    other = random.choice(others)
    return content[: random.randint(0, len(content))] + other[random.randint(0, len(other)) :]


def _truncated(random: Random, content: bytes, _others: Sequence[bytes]) -> bytes:
    return content[: random.randint(0, len(content))]


def _noise(random: Random, content: bytes, _others: Sequence[bytes]) -> bytes:
    start, end = _place(random, content)
    return content[:start] + random.randbytes(end - start) + content[end:]


def _recoded(random: Random, content: bytes, _others: Sequence[bytes]) -> bytes:
    code = random.choice(("utf-16", "utf-8-sig", "utf-32-le", "cp1252", "shift_jis"))
    return content.decode("utf-8", "replace").encode(code, "replace")


_BYTE_CHANGES: tuple[Callable[[Random, bytes, Sequence[bytes]], bytes], ...] = (
    *(_flipped, _inserted, _inserted, _inserted, _deleted, _deleted, _repeated),
    *(_moved, _spliced, _truncated, _noise, _recoded),
)


# ---- JSON


def _value_changed(random: Random, value: Any, texts: Sequence[str]) -> Any:  # noqa: ANN401
    """The value with one of its parts changed; which one is found by going down at random."""
    root = [value]
    holder: Any = root
    key: Any = 0
    while isinstance(holder[key], dict | list) and holder[key] and random.random() < 0.85:
        holder = holder[key]
        key = random.choice(list(holder)) if isinstance(holder, dict) else _index(random, holder)
    changed = holder[key]
    is_container = isinstance(changed, dict | list) and bool(changed)
    holder[key] = _container_changed(random, changed) if is_container else _leaf_changed(random, changed, texts)
    return root[0]


def _index(random: Random, values: Sequence[Any]) -> int:
    return random.randrange(len(values))


def _container_changed(random: Random, value: Any) -> Any:  # noqa: ANN401
    if random.random() < 0.15:
        return _leaf(random, ())
    if isinstance(value, dict):
        key = random.choice(list(value))
        change = random.randrange(4)
        if change == 0:
            del value[key]
        elif change == 1:
            value[random.choice(("x", "", "__class__", key + "s", "0"))] = value[key]
        elif change == 2:
            value[key] = value[random.choice(list(value))]
        else:
            value[key] = _leaf(random, ())
        return value
    at = _index(random, value)
    change = random.randrange(4)
    if change == 0:
        del value[at]
    elif change == 1:
        value.insert(at, random.choice(value))
    elif change == 2:
        value[at] = random.choice(value)
    else:
        value[at] = _leaf(random, ())
    return value


def _leaf_changed(random: Random, value: Any, texts: Sequence[str]) -> Any:  # noqa: ANN401
    if isinstance(value, bool) or value is None or random.random() < 0.3:
        return _leaf(random, texts)
    if isinstance(value, int):
        other = random.choice((1, -1, -value - 1, 10, 10**9, 10**18, 10**30))
        return value + other
    if isinstance(value, float):
        return random.choice((-value, value + 1, value * 1e300, 0.0))
    if isinstance(value, str):
        if random.random() < 0.3 and texts:
            return random.choice(texts)
        return bytes_mutated(random, value.encode("utf-8", "replace")).decode("utf-8", "replace")
    return _leaf(random, texts)


def _leaf(random: Random, texts: Sequence[str]) -> Any:  # noqa: ANN401
    simple = (None, True, False, 0, 1, -1, 2.5, 10**9, 10**30, 1e308, "", "x", "\x00", "犬")
    others = ([], {}, [[]], [None], {"x": []}, [0] * 50, "../../etc/passwd", "\ud800", "9" * 5000)
    return random.choice((*simple, *others, float("nan"), float("inf"), *texts))
