"""The compact protocol of Thrift, as far as the footers of Parquet files use it.

A struct is read as the list of its fields, each with its number, its type and its value, so
that it can be changed in a few places and written again without knowing what it means::

    [Field(3, I64, 50000), Field(4, LIST, Items(STRUCT, [...])), ...]

The protocol is described with Apache Thrift, ``thrift-compact-protocol.md``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = range(1, 13)

_STOP = 0
_INTEGERS = (I16, I32, I64)

#: A list of so many items or more has its length in bytes of its own.
_LONG = 15


class Field(NamedTuple):
    """A field of a struct."""

    number: int
    type: int
    value: Any


class Items(NamedTuple):
    """The items of a list, all of one type."""

    type: int
    values: list[Any]


Struct = list[Field]


class ThriftError(ValueError):
    """The bytes are not what this module reads."""


def decode(data: bytes) -> Struct:
    """The struct that these bytes begin with."""
    return _Reader(data).struct()


def encode(struct: Struct) -> bytes:
    """A struct as bytes."""
    out = bytearray()
    _write_struct(out, struct)
    return bytes(out)


def value_of(struct: Struct, number: int) -> Any:  # noqa: ANN401
    """The value of a field; None if the struct does not have it."""
    return next((field.value for field in struct if field.number == number), None)


def replaced(struct: Struct, values: dict[int, Any]) -> Struct:
    """The struct with other values in those of these fields that it has."""
    return [
        field._replace(value=values[field.number]) if field.number in values else field
        for field in struct
    ]


class _Reader:
    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def struct(self) -> Struct:
        fields: Struct = []
        number = 0
        while True:
            header = self._byte()
            if header == _STOP:
                return fields
            delta, kind = header >> 4, header & 15
            number = number + delta if delta else _signed(self._varint())
            fields.append(Field(number, kind, self._value(kind)))

    def _value(self, kind: int) -> object:
        if kind in (TRUE, FALSE):
            return kind == TRUE
        if kind in _INTEGERS:
            return _signed(self._varint())
        if kind == BYTE:
            return self._byte()
        if kind == DOUBLE:
            return self._take(8)
        if kind == BINARY:
            return self._take(self._varint())
        if kind in (LIST, SET):
            return self._items()
        if kind == STRUCT:
            return self.struct()
        raise ThriftError(f"type {kind} is not known")

    def _items(self) -> Items:
        header = self._byte()
        size, kind = header >> 4, header & 15
        if size == _LONG:
            size = self._varint()
        if kind in (TRUE, FALSE):
            return Items(kind, [self._byte() for _ in range(size)])
        return Items(kind, [self._value(kind) for _ in range(size)])

    def _varint(self) -> int:
        result = shift = 0
        while True:
            byte = self._byte()
            result |= (byte & 127) << shift
            if byte < 128:
                return result
            shift += 7

    def _byte(self) -> int:
        return self._take(1)[0]

    def _take(self, size: int) -> bytes:
        taken = self._data[self._at : self._at + size]
        if len(taken) < size:
            raise ThriftError("the bytes end within a value")
        self._at += size
        return taken


def _signed(number: int) -> int:
    """The number that a zigzag number stands for: 0, -1, 1, -2, ..."""
    return (number >> 1) ^ -(number & 1)


def _write_struct(out: bytearray, struct: Struct) -> None:
    before = 0
    for field in struct:
        kind = (TRUE if field.value else FALSE) if field.type in (TRUE, FALSE) else field.type
        delta = field.number - before
        if 0 < delta <= 15:
            out.append(delta << 4 | kind)
        else:
            out.append(kind)
            _write_signed(out, field.number)
        before = field.number
        if kind not in (TRUE, FALSE):
            _write_value(out, kind, field.value)
    out.append(_STOP)


def _write_value(out: bytearray, kind: int, value: Any) -> None:  # noqa: ANN401
    if kind in _INTEGERS:
        _write_signed(out, value)
    elif kind == BYTE or kind in (TRUE, FALSE):
        out.append(value)
    elif kind == DOUBLE:
        out += value
    elif kind == BINARY:
        _write_varint(out, len(value))
        out += value
    elif kind in (LIST, SET):
        size = len(value.values)
        out.append(min(size, _LONG) << 4 | value.type)
        if size >= _LONG:
            _write_varint(out, size)
        for item in value.values:
            _write_value(out, value.type, item)
    else:
        _write_struct(out, value)


def _write_signed(out: bytearray, number: int) -> None:
    _write_varint(out, number << 1 if number >= 0 else (-number << 1) - 1)


def _write_varint(out: bytearray, number: int) -> None:
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
