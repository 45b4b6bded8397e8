"""Frozen dataclasses that load quickly behave like those of the standard library."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from dataclasses import FrozenInstanceError
from typing import Any

import pytest

from sgl import values
from sgl.values import field


def pair(decorate: Any) -> tuple[type, type]:  # noqa: ANN401 - one of two decorators
    """A class with fields of every kind, and one that inherits from it."""

    @decorate(frozen=True)
    class Word:
        text: str
        marks: tuple[str, ...] = ()
        seen: list[int] = field(default_factory=list, compare=False)
        length: int = field(init=False, repr=False)

        def __post_init__(self) -> None:
            object.__setattr__(self, "length", len(self.text))

    @decorate(frozen=True, kw_only=True)
    class Verb(Word):
        form: str
        person: int = 3

        def __str__(self) -> str:
            return self.text

    for made in (Word, Verb):
        made.__qualname__ = made.__name__
    return Word, Verb


LIBRARY, OURS = pair(dataclasses.dataclass), pair(values.dataclass)


@dataclasses.dataclass
class Growing:
    number: int = 0


@values.dataclass(frozen=True)
class Kept:
    words: tuple[str, ...]
    number: int = 1


@values.dataclass(frozen=True)
class Around:
    inner: object


@values.dataclass(frozen=True)
class Nothing:
    pass


@values.dataclass(frozen=True, eq=False)
class Itself:
    number: int = 0


@pytest.mark.parametrize(("Word", "Verb"), [LIBRARY, OURS], ids=["library", "ours"])
def test_values_are_compared_shown_and_changed_by_their_fields(Word: Any, Verb: Any) -> None:  # noqa: N803, ANN401
    dog = Word("dog", ("plural",), seen=[1])
    assert (dog.text, dog.marks, dog.seen, dog.length) == ("dog", ("plural",), [1], 3)
    assert dog == Word("dog", ("plural",)) != Word("dog")
    assert hash(dog) == hash(Word("dog", ("plural",)))
    assert repr(dog) == "Word(text='dog', marks=('plural',), seen=[1])"
    assert Word("dog").seen is not Word("dog").seen
    assert values.replace(dog, text="cats") == Word("cats", ("plural",))
    sees = Verb("see", form="past")
    assert (sees.marks, sees.person, str(sees)) == ((), 3, "see")
    assert sees != Word("see")
    assert repr(sees) == "Verb(text='see', marks=(), seen=[], form='past', person=3)"
    assert [own.name for own in values.fields(sees)] == ["text", "marks", "seen", "length", "form", "person"]
    match dog:
        case Word(text, marks):
            assert (text, marks) == ("dog", ("plural",))


@pytest.mark.parametrize(("Word", "Verb"), [LIBRARY, OURS], ids=["library", "ours"])
def test_wrong_arguments_and_assignments_are_refused(Word: Any, Verb: Any) -> None:  # noqa: N803, ANN401
    for wrong in (Word, lambda: Word("a", (), [], 1), lambda: Verb("a", "past"), lambda: Word("a", b=1)):
        with pytest.raises(TypeError, match=r"(Word|Verb)\.__init__\(\)"):
            wrong()
    dog = Verb("dog", form="past")
    with pytest.raises(FrozenInstanceError):
        dog.text = "cat"
    with pytest.raises(FrozenInstanceError):
        del dog.text


def test_a_value_survives_pickling_and_copying() -> None:
    one = Kept(("a", "b"))
    assert pickle.loads(pickle.dumps(one)) == copy.copy(one) == copy.deepcopy(one) == one  # noqa: S301 - our own
    with pytest.raises(FrozenInstanceError):
        pickle.loads(pickle.dumps(one)).number = 2  # noqa: S301 - our own


def test_a_value_is_compared_once_however_deep_it_lies() -> None:
    asked = []

    class Leaf:
        def __eq__(self, other: object) -> bool:
            asked.append(self)
            return isinstance(other, Leaf)

        def __hash__(self) -> int:
            asked.append(self)
            return 1

    one, other = Around(Around(Leaf())), Around(Around(Leaf()))
    assert one == other
    assert len(asked) == 1
    assert hash(one) == hash(other)
    assert len(asked) == 3


def test_classes_without_fields_or_without_comparison() -> None:
    assert Nothing() == Nothing() != Kept(())
    assert hash(Nothing()) == hash(Nothing())
    assert Itself(1) != Itself(1)
    assert len({Itself(1), Itself(1)}) == 2


def test_a_constructor_can_be_asked_for_before_a_value_is_made() -> None:
    @values.dataclass(frozen=True)
    class Pair:
        first: int
        second: int = 2

    assert [*inspect.signature(Pair).parameters] == ["first", "second"]
    assert Pair(1) == Pair(1, 2)


def test_a_class_keeps_the_methods_that_it_defines() -> None:
    @values.dataclass(frozen=True)
    class Folded:
        text: str

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Folded) and self.text.lower() == other.text.lower()

        def __hash__(self) -> int:
            return hash(self.text.lower())

        def __repr__(self) -> str:
            return self.text

    assert Folded("A") == Folded("a")
    assert {Folded("A"), Folded("a")} == {Folded("A")}
    assert repr(Folded("A")) == "A"


def test_classes_that_change_or_have_slots_are_those_of_the_library() -> None:
    growing = values.dataclass(Growing)()
    growing.number += 1
    assert growing == values.dataclass(Growing)(1)
