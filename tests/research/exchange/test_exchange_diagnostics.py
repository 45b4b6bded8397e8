"""What ``sglc import irtg`` says about files, and what ``sglc export`` cannot say in another."""

from __future__ import annotations

from pathlib import Path

import pytest
from diagnostics import BASE, INTERNAL, MAIN, render_json
from exchanging import imported
from hypothesis import given, settings
from hypothesis import strategies as st
from workplace import Workplace

from sgl.cli.main import FAILED, OK, OUTPUT, USAGE, run
from sgl.diagnostics import CODES, Diagnostics, SourceMap
from sgl.diagnostics.render import render, render_concise
from sgl.research.exchange import with_source, write_sgl

RIGHT = """\
interpretation english: de.up.ling.irtg.algebra.StringAlgebra
interpretation tree: de.up.ling.irtg.algebra.TreeAlgebra

S! -> r1(NP, VP) [0.5]
  [english] *(?1, ?2)
  [tree] s(?1, ?2)

S -> r2 [0.5]
  [english] go
  [tree] go

NP -> r3
  [english] 'New-York'
  [tree] city

VP -> r4
  [english] sleeps
  [tree] sleeps
"""


def said(text: str) -> tuple[Diagnostics, SourceMap]:
    """Everything that is said about the text of an IRTG."""
    found, diagnostics, sources = imported(text)
    if found is not None:
        assert write_sgl(with_source(found, diagnostics).grammar)
    return diagnostics, sources


def test_the_right_file_gives_nothing() -> None:
    assert list(said(RIGHT)[0]) == []


@pytest.mark.parametrize(
    ("right", "wrong", "code", "marked"),
    [
        ("S! -> r1(NP, VP) [0.5]", "r1(NP, VP) -> S! [0.5]", "SGL1201", "("),
        ("[0.5]\n  [english] *", "[half]\n  [english] *", "SGL1201", "["),
        ("[tree] city", "[tree] 市", "SGL1201", "市"),
        ("'New-York'", "'New-York", "SGL1201", "'"),
        ("[tree] city", "[tree] city /* or town", "SGL1201", "/"),
        (RIGHT, "interpretation a: b\nS! ->", "SGL1201", ""),
        ("irtg.algebra.TreeAlgebra", "irtg.algebra.SetAlgebra", "SGL1202", "de.up.ling.irtg.algebra.SetAlgebra"),
        ("\nS!", "\nfeature f: x.Size(S)\nS!", "SGL1202", "f"),
        ("*(?1, ?2)", "*(?1, ?3)", "SGL1203", "?3"),
        ("*(?1, ?2)", "*(?1, ?x)", "SGL1203", "?x"),
        ("[english] go", "[english] ?1", "SGL1203", "?1"),
        ("*(?1, ?2)", "and(?1, ?2)", "SGL1203", "and"),
        ("*(?1, ?2)", "*(?1, and, ?2)", "SGL1203", "*"),
        ("[english] go\n", "", "SGL1203", "r2"),
        ("[english] go", "[englsh] go\n  [english] go", "SGL1203", "englsh"),
        ("[english] go", "[english] go [english] gone", "SGL1203", "english"),
        ("[0.5]\n  [english] go", "[-0.5]\n  [english] go", "SGL1203", "-0.5"),
        ("[0.5]\n  [english] go", "[0.5.1]\n  [english] go", "SGL1203", "0.5.1"),
        ("[0.5]\n  [english] go", "[1e300]\n  [english] go", "SGL1203", "1e300"),
        ("TreeAlgebra", "TreeWithAritiesAlgebra", "SGL1203", "s"),
        ("interpretation tree", "interpretation english", "SGL1203", "english"),
        ("[english] sleeps", "[english] 'sle\aeps'", "SGL1203", "'sle\aeps'"),
        ("S!", "S", "SGL1204", "i"),
        ("[tree] go", "[tree] go\nX -> r5(X) [english] ?1 [tree] x(?1)", "SGL1205", "r5"),
        ("[tree] go", "[tree] go\nX -> r5 [english] x [tree] x", "SGL1205", "r5"),
        ("VP -> r4", "VP -> r5 [0] [english] x [tree] x VP -> r4", "SGL1205", "r5"),
        ("S -> r2 [0.5]", "S -> r2 [0.75]", "SGL1206", "r1"),
        ("New-York", "New York", "SGL1207", "'New York'"),
        ("*(?1, ?2)", "*(?1, runs)", "SGL1208", "r1"),
        ("'New-York'", "''", "SGL1208", "r3"),
        ("\nVP", "\nVP -> r5 [english] sleeps [tree] sleeps\nVP", "SGL1209", "r4"),
    ],
)
def test_a_mistake_is_shown_where_it_is(right: str, wrong: str, code: str, marked: str) -> None:
    assert right in RIGHT
    text = RIGHT.replace(right, wrong, 1)
    diagnostics, sources = said(text)
    found = [diagnostic for diagnostic in diagnostics if diagnostic.code == code]
    assert found, [render(diagnostic, sources) for diagnostic in diagnostics]
    spans = [diagnostic.span for diagnostic in found]
    assert marked in [text[span.start : span.end] for span in spans if span is not None]
    for diagnostic in diagnostics:
        shown = render(diagnostic, sources)
        assert not [word for word in (*INTERNAL, "ANON", "LSQB") if word in shown]
        assert render_concise(diagnostic, sources).startswith("test.irtg:")
    assert render_json(diagnostics, sources)


def test_every_code_of_the_bridge_is_tested() -> None:
    tests = "".join(
        Path(__file__).with_name(name).read_text("utf-8")
        for name in (
            Path(__file__).name,
            "test_exchange_forms.py",
            "test_irtg_templates.py",
            "test_productions_diagnostics.py",
        )
    )
    codes = [code for code in CODES if code.startswith("SGL12")]
    assert len(codes) == 20
    assert not [code for code in codes if f'"{code}"' not in tests]


def test_nothing_to_derive() -> None:
    for text in (
        RIGHT.replace("S -> r2", "T -> r2").replace("VP -> r4", "VP -> r4(VP)"),
        RIGHT.replace("StringAlgebra", "SetAlgebra").replace("TreeAlgebra", "SetAlgebra"),
        "",
    ):
        codes = [diagnostic.code for diagnostic in said(text)[0]]
        assert codes[0] in ("SGL1202", "SGL1204", "SGL1205")
        assert "SGL1204" in codes


def test_a_very_deep_term_is_read() -> None:
    deep = "*(a, " * 20_000 + "a" + ")" * 20_000
    found, diagnostics, _ = imported(RIGHT.replace("[english] go", f"[english] {deep}"))
    assert found is not None
    assert diagnostics.errors == 0
    assert max(len(rule.templates[0]) for rule in found.grammar.rules) == 20_001


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_no_damage_to_a_file_breaks_the_reader(data: st.DataObject) -> None:
    text = RIGHT
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(start + 8, len(text))))
        pieces = st.sampled_from(
            ("", "(", ")", "[", "]", "!", "'", '"', "/*", "?", "->", "S", "*", "0", "名", "\n", "\0")
        )
        text = text[:start] + data.draw(pieces) + text[end:]
    diagnostics, sources = said(text)
    for diagnostic in diagnostics:
        assert render(diagnostic, sources)


# ---- the commands


@pytest.fixture
def farm(work: Workplace) -> Workplace:
    work.write(MAIN, BASE)
    return work


def export(work: Workplace, *arguments: str, status: int = OK) -> tuple[str, str]:
    assert run(["export", *arguments]) == status
    captured = work.capsys.readouterr()
    return captured.out, captured.err


def test_what_stays_behind_is_named_with_its_line(farm: Workplace) -> None:
    farm.write(MAIN, BASE + "\nview c = conllu(syn)\npattern p\n  forbid { V -[obj]-> N }\n  size 1\n")
    out, err = export(farm, "irtg", MAIN, "--format", "concise")
    assert out.startswith("// farm: Animals on a farm\n\ninterpretation en: ")
    codes = [line.split("warning[")[1][:7] for line in err.splitlines() if "warning[" in line]
    assert codes == ["SGL1210", "SGL1210", "SGL1211", "SGL1211", "SGL1211"]
    assert f"{MAIN}:3:1: warning[SGL1210]" in err
    _, err = export(farm, "nltk", MAIN, "--layer", "ja")
    assert "`ja`" in err
    assert "`en`" not in err


def test_a_word_that_cannot_be_quoted_is_refused(farm: Workplace) -> None:
    farm.write(MAIN, BASE.replace('"the" N  ~ 6', '"t\'h\\"e" N  ~ 6').replace('"the"(', '"t\'h\\"e"(', 1))
    for command in ("irtg", "nltk"):
        out, err = export(farm, command, MAIN, status=FAILED)
        assert out == ""
        assert '"SGL1213"'.strip('"') in err
    farm.write(MAIN, BASE.replace('"dog"', '"*"'))
    assert "SGL1213" in export(farm, "irtg", MAIN, status=FAILED)[1]
    assert "'*'" in export(farm, "nltk", MAIN)[0]


def test_a_layer_that_repeats_a_child_is_not_context_free(farm: Workplace) -> None:
    farm.write(MAIN, BASE.replace('  ja  NP "の近くの"', '  ja  NP "の近くの" copy NP'))
    assert "SGL1214" in export(farm, "nltk", MAIN, "--layer", "ja", status=FAILED)[1]
    assert "[ja] *(?1, *('の近くの', ?1))" in export(farm, "irtg", MAIN)[0]
    assert "'near'" in export(farm, "nltk", MAIN)[0]


def test_a_capital_that_cannot_be_placed_is_reported(farm: Workplace) -> None:
    text = BASE.replace(
        'rule text: Text -> capital S "."\n  ja  S "。"', 'rule text: Text -> S "."\n  ja  capital S "。"'
    )
    farm.write(MAIN, text)
    assert "SGL1212" not in export(farm, "irtg", MAIN)[1]
    farm.write(MAIN, text.replace('  ja  "犬"', '  ja  ""'))
    assert "SGL1212" in export(farm, "irtg", MAIN)[1]


def test_files_are_replaced_only_when_asked(farm: Workplace) -> None:
    target = farm.directory / "farm.irtg"
    export(farm, "irtg", MAIN, "--out", "farm.irtg")
    first = target.read_text(encoding="utf-8")
    assert first == export(farm, "irtg", MAIN)[0]
    assert "SGL1103" in export(farm, "irtg", MAIN, "--no-tree", "--out", "farm.irtg", status=OUTPUT)[1]
    assert target.read_text(encoding="utf-8") == first
    export(farm, "irtg", MAIN, "--no-tree", "--out", "farm.irtg", "--force")
    assert "tree" not in target.read_text(encoding="utf-8")
    for out in (".", "nowhere/farm.irtg", "x" * 300, MAIN):
        assert "SGL1103" in export(farm, "irtg", MAIN, "--force", "--out", out, status=OUTPUT)[1]
    assert (farm.directory / MAIN).read_text(encoding="utf-8") == BASE
    assert farm.files() == sorted([MAIN, "farm.irtg"])


def test_an_import_is_checked_and_can_be_used(farm: Workplace) -> None:
    export(farm, "irtg", MAIN, "--out", "farm.irtg")
    assert run(["import", "irtg", "farm.irtg", "--out", "back.sgl"]) == OK
    said = farm.capsys.readouterr()
    assert said.out == "back.sgl: 11 categories, 13 rules, 4 words, 3 layers\n"
    assert run(["translate", "back.sgl", "The dog saw the cat .", "--to", "ja,tree"]) == OK
    assert farm.capsys.readouterr().out.startswith("犬 が 猫 を 見た 。\tText(S(NP(The,N(dog))")
    assert run(["import", "irtg", "farm.irtg", "--out", "back.sgl"]) == OUTPUT
    assert run(["import", "irtg", "farm.irtg", "--out", "farm.irtg", "--force"]) == OUTPUT
    farm.capsys.readouterr()
    assert run(["import", "irtg", "farm.irtg"]) == OK
    assert farm.capsys.readouterr().out == (farm.directory / "back.sgl").read_text("utf-8")


def test_an_import_that_cannot_be_sampled_says_so(work: Workplace) -> None:
    work.write("s.irtg", "interpretation s: x.StringAlgebra\nS! -> r(S, S) [0.7] [s] *(?1, ?2)\nS -> a [0.3] [s] a\n")
    assert run(["import", "irtg", "s.irtg", "--out", "s.sgl"]) == FAILED
    said = work.capsys.readouterr().err
    assert "SGL0707" in said
    assert "s.sgl was written, but must be corrected" in said


@pytest.mark.parametrize(
    ("content", "code"), [(None, "SGL0001"), (b"\xff\xfe", "SGL0002"), (b"S! -> \0", "SGL0002"), (b"S!", "SGL1201")]
)
def test_a_file_that_is_no_irtg(content: bytes | None, code: str, work: Workplace) -> None:
    if content is not None:
        work.write("x.irtg", content)
    before = work.files()
    assert run(["import", "irtg", "x.irtg", "--out", "x.sgl"]) == FAILED
    assert code in work.capsys.readouterr().err
    assert work.files() == before


# ---- graphs


def test_graphs_of_drawn_sentences(farm: Workplace) -> None:
    out, _ = export(farm, "conllu", MAIN, "-n", "3", "--seed", "5")
    assert out.count("# sent_id = sample-") == 3
    assert "\tnsubj\t" in out
    assert out == export(farm, "conllu", MAIN, "-n", "3", "--seed", "5")[0]


def test_graphs_of_the_sentences_of_a_file(farm: Workplace) -> None:
    farm.write("s.txt", "The dog saw the cat.\n\nThe dog seed the cat.\n  The cat sees the dog.\n")
    out, err = export(farm, "conllu", MAIN, "--sentences", "s.txt", status=FAILED)
    names = [line for line in out.splitlines() if line.startswith("# sent_id")]
    assert names == ["# sent_id = line-000001", "# sent_id = line-000004"]
    assert "s.txt:3:9" in err
    assert "did you mean `sees`?" in err or "did you mean" in err


def test_words_joined_by_anything_but_spaces_have_no_form(farm: Workplace) -> None:
    farm.write(MAIN, BASE.replace('(attach ".")', '(join "-")'))
    out, err = export(farm, "conllu", MAIN, "-n", "2", status=FAILED)
    assert out == ""
    assert "SGL1215" in err


@pytest.mark.parametrize(
    "arguments",
    [
        ("conllu", MAIN, "nothing"),
        ("conllu", MAIN, "--layer", "en"),
        ("conllu", MAIN, "NP", "--sentences", "s.txt"),
        ("nltk", MAIN, "--layer", "syn"),
        ("irtg",),
        ("nothing", MAIN),
    ],
)
def test_a_wrong_command_line(arguments: tuple[str, ...], farm: Workplace) -> None:
    export(farm, *arguments, status=USAGE)
