"""Old notation is read, and the message says how it is written today."""

from __future__ import annotations

import pytest

from sgl.diagnostics import Diagnostics, SourceFile
from sgl.lang.former import FORMER
from sgl.lang.reader import read

#: A declaration with each old form: what is shown, and what is to be written.
CASES: dict[str, tuple[str, str, str]] = {
    "former_repeat": ("rule r: A -> B C\n  ja C B repeat C", "repeat C", "copy C"),
}


def test_every_old_form_has_a_case() -> None:
    assert CASES.keys() == FORMER.keys()


@pytest.mark.parametrize("form", FORMER)
def test_an_old_form_is_answered_with_the_new_one(form: str) -> None:
    text, old, new = CASES[form]
    diagnostics = Diagnostics()
    file = read(SourceFile("main.sgl", text), diagnostics)
    (problem,) = diagnostics
    assert (file.declarations, problem.code) == ((), "SGL0113")
    assert problem.hint == f"write `{new}`"
    assert problem.span is not None
    assert text[problem.span.start : problem.span.end] == old
