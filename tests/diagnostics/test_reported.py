"""What a mistake ends, and what goes on beside it."""

from __future__ import annotations

import pytest

from sgl.diagnostics import Diagnostics, Reported, attempt, each, sound, there, whole

WORDS = {"dog": "dogs", "cat": "cats"}


@pytest.fixture
def found() -> Diagnostics:
    return Diagnostics()


def plural(word: str, found: Diagnostics) -> str:
    if word not in WORDS:
        found.fail("SGL0201", None, f"there is no word `{word}`")
    return WORDS[word]


def messages(found: Diagnostics) -> list[str]:
    return [diagnostic.message for diagnostic in found]


def test_others_do_without_a_thing_with_a_mistake(found: Diagnostics) -> None:
    assert attempt(plural, "dog", found) == "dogs"
    assert attempt(plural, "dgo", found) is None
    assert messages(found) == ["there is no word `dgo`"]


def test_a_whole_ends_after_the_mistakes_of_all_its_parts(found: Diagnostics) -> None:
    assert each(lambda word: plural(word, found), ["dog", "cat"]) == ["dogs", "cats"]
    with pytest.raises(Reported):
        each(lambda word: plural(word, found), ["dgo", "dog", "act"])
    assert messages(found) == ["there is no word `dgo`", "there is no word `act`"]


def test_a_list_has_the_parts_without_mistakes(found: Diagnostics) -> None:
    assert sound(lambda word: plural(word, found), ["dgo", "dog"]) == ["dogs"]
    assert messages(found) == ["there is no word `dgo`"]


def test_a_block_ends_with_its_errors_and_not_with_those_before_it(found: Diagnostics) -> None:
    found.error("SGL0201", None, "before")
    with whole(found):
        found.warning("SGL0204", None, "a warning ends nothing")
    with pytest.raises(Reported), whole(found):
        found.error("SGL0201", None, "inside")


def test_what_is_missing_was_reported() -> None:
    assert there(0) == 0
    with pytest.raises(Reported):
        there(None)
