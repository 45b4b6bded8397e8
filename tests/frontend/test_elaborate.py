"""What is written out: texts that are open, arguments in any part of a tree, and rows with one mistake."""

from __future__ import annotations

from pathlib import Path

import pytest
from diagnostics import BASE, MAIN, diagnose
from hypothesis import given
from hypothesis import strategies as st

from sgl.diagnostics import Diagnostics, SourceFile, SourceMap, Span
from sgl.frontend.elaborate.rules import filled, mark, possible, shown
from sgl.frontend.elaborate.substitution import Substitution
from sgl.frontend.names.parameters import Session
from sgl.lang import syntax as s
from sgl.lang.project import load_project
from sgl.lang.reader import read

VARIABLES = {"p": frozenset({"of", "near"}), "q": frozenset({"", "x"})}
PIECES = st.lists(st.one_of(st.sampled_from(["$", "$p", "nmod:", "", "~"]), st.sampled_from([mark("p"), mark("q")])))


@given(PIECES, st.sampled_from(["of", "near"]), st.sampled_from(["", "x"]))
def test_values_stand_where_their_variables_were(pieces: list[str], first: str, second: str) -> None:
    text = "".join(pieces)
    values = {mark("p"): first, mark("q"): second}
    wanted = "".join(values.get(piece, piece) for piece in pieces)
    assert filled(text, {"p": first, "q": second}) == wanted
    assert wanted in set(possible(text, VARIABLES))


@given(PIECES)
def test_an_author_sees_the_names_of_variables(pieces: list[str]) -> None:
    names = {mark("p"): "$p", mark("q"): "$q"}
    assert shown("".join(pieces)) == "".join(names.get(piece, piece) for piece in pieces)


def rule_of(text: str) -> s.Rule:
    """The first rule of a text."""
    file = read(SourceFile("farm.sgl", text), Diagnostics())
    return next(d for d in file.declarations if isinstance(d, s.Rule))


@pytest.mark.parametrize(
    ("written", "full"),
    [
        ("ja  B $p C", 'ja  B "of" C'),
        ("syn B -[$p]-> C", "syn B -[of]-> C"),
        ("syn B -[nmod:$p]-> C", "syn B -[nmod:of]-> C"),
        ("syn B -[~$p]-> C", "syn B -[~of]-> C"),
        ('syn B -[case]-> "x"(lemma=$p)', 'syn B -[case]-> "x"(lemma="of")'),
        ('syn B -[case]-> "$p"(upos=ADP)', 'syn B -[case]-> "of"(upos=ADP)'),
        ("syn B -[$other]-> C", "syn B -[$other]-> C"),
        ("ja  B $other C", "ja  B $other C"),
    ],
)
def test_a_text_takes_the_place_of_a_variable(written: str, full: str, tmp_path: Path) -> None:
    (tmp_path / MAIN).write_text(BASE)
    project = load_project(tmp_path / MAIN, SourceMap(), Diagnostics())
    assert project is not None
    session = Session(project, {}, Diagnostics())
    value = s.Name("of", Span("farm.sgl", 0, 0), quoted=True)
    found = Substitution({"p": value}, session).write_out(rule_of(f"rule r: A -> B C\n  {written}\n").layers)
    assert without_spans(found) == without_spans(rule_of(f"rule r: A -> B C\n  {full}\n").layers)


def without_spans(part: object) -> object:
    """A part of a tree as a value that knows no places, nor whether a word was quoted."""
    if isinstance(part, tuple):
        return tuple(map(without_spans, part))
    if isinstance(part, s.Name):
        return part.text
    if isinstance(part, s.SyntaxNode):
        names = [name for name in part.__dataclass_fields__ if name != "span"]
        return type(part).__name__, *(without_spans(getattr(part, name)) for name in names)
    return part


LEXICON = 'lexicon animals from "animals.yaml"\n  N\n    en  $en\n    ja  {ja}\n    syn node(upos=NOUN)\n'
PARADIGM = 'paradigm plural\n  a "く" -> "き"\n  b "う" -> "い"\n'


@pytest.mark.parametrize(
    ("expression", "row", "code"),
    [
        ("$ja", "{{en: w{n}, other: x}}", "SGL0604"),
        ("$en + $ja", "{{en: w{n}}}", "SGL0604"),
        ("plural($ja, $class)", "{{en: w{n}, ja: 犬く, class: c}}", "SGL0606"),
        ("plural($ja, $class)", "{{en: w{n}, ja: 犬, class: a}}", "SGL0607"),
    ],
)
def test_rows_with_one_mistake_are_one_message(expression: str, row: str, code: str, tmp_path: Path) -> None:
    rows = "".join(f"- {row.format(n=n)}\n" for n in "abcdefg")
    first = "- {en: dog, ja: 犬く, class: a, other: y}\n"
    files = {MAIN: PARADIGM + LEXICON.format(ja=expression) + BASE, "animals.yaml": first + rows}
    outcome = diagnose(files, tmp_path, prove=False)
    found = [one for one in outcome.found if one.code == code]
    assert len(found) == 1
    assert outcome.marked(found[0]).startswith("{en: wa") or outcome.marked(found[0]).startswith("- {en: wa")
    # The first row, the place that asks for it, three more rows, and the rest as a number.
    assert [label.text for label in found[0].labels] == ["asked for here", "and here", "and here", "and here"]
    assert found[0].notes == ("the same occurs in 3 more places",)


def test_different_mistakes_of_rows_are_different_messages(tmp_path: Path) -> None:
    rows = "- {en: dog, ja: 犬, class: a}\n- {en: cat, ja: 猫, class: a}\n"
    files = {MAIN: PARADIGM + LEXICON.format(ja="plural($ja, $class)") + BASE, "animals.yaml": rows}
    assert diagnose(files, tmp_path, prove=False).codes.count("SGL0607") == 2
