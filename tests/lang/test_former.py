"""Old notation is read, and the message says how it is written today."""

from __future__ import annotations

import pytest

from sgl.diagnostics import Diagnostics, SourceFile
from sgl.lang.parser import FORMER
from sgl.lang.reader import read

#: A declaration with each old form: what is shown, and what is to be written.
CASES: dict[str, tuple[str, str, str]] = {
    "former_edge": ("structure s { V -[obj]-> N[lemma=dog] -> M }", "->", "-[*]->"),
    "former_exclude": ("pattern p\n  not { V }", "not { V }", "exclude { V }"),
    "former_need": (
        "pattern p\n  need   { V } without { N[#amod>=2] } >= few+1",
        "need   { V } without { N[#amod>=2] } >= few+1",
        "need few+1 { V } without { N[#amod>=2] }",
    ),
    "former_output": ("dataset\n  target cogs ja when terms", "target cogs ja when terms", "output cogs ja when terms"),
    "former_share": ("pattern p\n  size 10 each target", "each target", "shared"),
    "in_test": ("structure s { N[upos=X, lemma in @pets] }", "lemma in @pets", "@pets"),
    "not_in_test": ("structure s { N[lemma not in @pets] }", "lemma not in @pets", "not @pets"),
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
