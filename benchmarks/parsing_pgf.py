"""Write productions as a grammar of GF, in the binary form that its C runtime reads.

Each symbol is a category with one field, each production a function of the abstract syntax
with one linearisation (Angelov 2011, *The Mechanics of the Grammatical Framework*)::

    S -> NP "saw" NP      fun f7 : NP -> NP -> S        lin f7 = <0; 0> "saw" <1; 0>

Numbers are written seven bits to a byte, lists and maps after their length.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence

#: A production: its symbol, its parts (words in quotes), its weight.
Production = tuple[str, tuple[str, ...], float]

#: The parts of a linearisation, each with its tag and a child or a word.
Parts = tuple[tuple[int, int, str], ...]

_VERSION = (1, 0)

_ABSTRACT, _CONCRETE = "G", "GText"

#: The categories that every grammar has, with their numbers in the concrete syntax.
_LITERALS = {"Float": -3, "Int": -2, "String": -1}

#: Tags of the binary form.
_CATEGORY, _TOKEN = 0, 3
_WHOLE: Parts = ((_CATEGORY, 0, ""),)
_EXPLICIT, _NO_DEFINITION, _APPLY, _TEXT = 0, 0, 0, 0


def pgf_of(productions: Sequence[Production], start: str) -> bytes:
    """The grammar; function ``f7`` is the production with the number 7."""
    symbols = list(dict.fromkeys(left for left, _, _ in productions))
    number = {symbol: place for place, symbol in enumerate(symbols)}
    return b"".join(
        (
            struct.pack(">HH", *_VERSION),
            _list(()),
            _abstract(productions, symbols, start),
            _list([_concrete(productions, symbols, number)]),
        )
    )


def _abstract(productions: Sequence[Production], symbols: Sequence[str], start: str) -> bytes:
    functions: dict[str, list[bytes]] = {symbol: [] for symbol in symbols}
    types = []
    # Maps are in the order of their keys.
    for name, (left, right, weight) in _named(productions):
        children = [part for part in right if not part.startswith('"')]
        hypotheses = [bytes([_EXPLICIT]) + _text("_") + _type((), child) for child in children]
        definition = _int(len(children)) + bytes([_NO_DEFINITION])
        types.append(_text(name) + _type(hypotheses, left) + definition + _real(weight))
        functions[left].append(_real(weight) + _text(name))
    categories = [
        _text(symbol) + _list(()) + _list(functions.get(symbol, ())) + _real(1 / len(symbols))
        for symbol in sorted((*symbols, *_LITERALS))
    ]
    flags = [_text("startcat") + bytes([_TEXT]) + _text(start)]
    return _text(_ABSTRACT) + _list(flags) + _list(types) + _list(categories)


def _concrete(
    productions: Sequence[Production], symbols: Sequence[str], number: dict[str, int]
) -> bytes:
    # The runtime searches for sequences, so each is there once, in their order; the last
    # function says that a text of a category is its only field.
    sequences = sorted({_parts(right) for _, right, _ in productions} | {_WHOLE})
    place = {sequence: number for number, sequence in enumerate(sequences)}
    functions = []
    applied: dict[str, list[bytes]] = {symbol: [] for symbol in symbols}
    for name, (left, right, _) in _named(productions):
        children = [part for part in right if not part.startswith('"')]
        arguments = [_list(()) + _int(number[child]) for child in children]
        applied[left].append(bytes([_APPLY]) + _int(len(functions)) + _list(arguments))
        functions.append(_text(name) + _list([_int(place[_parts(right)])]))
    whole = _list([_int(len(functions))])
    functions.append(_text("lindef") + _list([_int(place[_WHOLE])]))
    categories = [
        _text(symbol) + _int(category) + _int(category) + _list([_text("s")])
        for symbol, category in sorted({**number, **_LITERALS}.items())
    ]
    return b"".join(
        (
            _text(_CONCRETE),
            _list(()),  # flags
            _list(()),  # printed names
            _list([_list(map(_written, sequence)) for sequence in sequences]),
            _list(functions),
            _list(()),  # defaults of linearisations
            _list([_int(number[symbol]) + whole for symbol in symbols]),
            _list([_int(number[symbol]) + _list(applied[symbol]) for symbol in symbols]),
            _list(categories),
            _int(len(symbols)),
        )
    )


def _named(productions: Sequence[Production]) -> list[tuple[str, Production]]:
    """The productions by the names of their functions, in the order of the names."""
    return sorted((f"f{place}", production) for place, production in enumerate(productions))


def _parts(right: Sequence[str]) -> Parts:
    """The parts of a linearisation: the child of a number, or a word."""
    parts: list[tuple[int, int, str]] = []
    for part in right:
        if part.startswith('"'):
            parts.append((_TOKEN, 0, part.strip('"')))
        else:
            parts.append((_CATEGORY, sum(tag == _CATEGORY for tag, _, _ in parts), ""))
    return tuple(parts)


def _written(part: tuple[int, int, str]) -> bytes:
    tag, child, word = part
    return bytes([tag]) + (_text(word) if tag == _TOKEN else _int(child) + _int(0))


def _type(hypotheses: Iterable[bytes], symbol: str) -> bytes:
    return _list(hypotheses) + _text(symbol) + _list(())


def _list(items: Iterable[bytes]) -> bytes:
    rows = list(items)
    return _int(len(rows)) + b"".join(rows)


def _text(text: str) -> bytes:
    return _int(len(text)) + text.encode()


def _real(value: float) -> bytes:
    return struct.pack(">d", value)


def _int(value: int) -> bytes:
    data = bytearray()
    value &= 0xFFFFFFFF
    while value > 127:
        data.append(value & 127 | 128)
        value >>= 7
    data.append(value)
    return bytes(data)
