"""The registry of diagnostic codes: complete, true, and readable."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import groupby
from pathlib import Path

import pytest
from diagnostics import BASE, INTERNAL, MAIN, Outcome, assert_diagnostics, check_rendering, diagnose, files_of
from docs_pages import TOPICS, diagnostics_pages, topic_of

from sgl.cli.main import run
from sgl.diagnostics import CODES, Code, Severity
from sgl.diagnostics.registry import GROUP, CodePages, page, read_page
from sgl.lang import CLAUSES, DECLARATIONS, syntax
from sgl.lang.parser import TERMINALS

ROOT = Path(__file__).parent.parent.parent
#: The one code that only drawing shows.
DRAWN = "SGL0809"
WITH_EXAMPLE = [code for code in CODES.values() if code.wrong and code.code != DRAWN]
#: Codes that only `sglc check --morphology` gives.
MORPHOLOGY = {"SGL0651", "SGL0652", "SGL0653", "SGL0654", "SGL0655"}
#: Codes that are warnings.
WARNINGS = {
    "SGL0114",
    "SGL0204",
    "SGL0405",
    "SGL0406",
    "SGL0410",
    "SGL0515",
    "SGL0517",
    "SGL0713",
    "SGL0654",
    "SGL0612",
    "SGL0611",
    "SGL0704",
    "SGL0710",
    "SGL0822",
    "SGL0835",
    "SGL0836",
    "SGL0854",
    "SGL0855",
    "SGL0857",
    "SGL0858",
    "SGL0837",
    "SGL0411",
    "SGL0615",
    "SGL0619",
    "SGL0620",
    "SGL0621",
    "SGL0624",
}
#: Warnings that the example of another gives, too: where nothing tells two translations apart, sentences are ambiguous.
ALSO = {"SGL0611": ["SGL0857"]}


def codes_in_the_compiler() -> set[str]:
    modules = [
        path for path in (ROOT / "sgl").rglob("*.py") if path.relative_to(ROOT / "sgl").parts[0] != "diagnostics"
    ]
    pattern = re.compile(r'"(SGL[01][0-9]{3})"|error\[(SGL0[0-9]{3})\]')
    return {
        match[1] or match[2] for module in modules for match in pattern.finditer(module.read_text(encoding="utf-8"))
    }


# ---- the registry


def test_every_code_of_the_compiler_has_a_page_and_every_page_a_use() -> None:
    assert set(CODES) == codes_in_the_compiler()


def test_codes_stand_in_the_order_of_their_numbers_and_every_topic_is_one_of_them() -> None:
    assert list(CODES) == sorted(CODES)
    assert [topic for topic, _ in groupby(topic_of(code) for code in CODES.values())] == [*TOPICS.values()]


def test_a_page_has_a_title_a_reason_and_an_example_or_says_why_not() -> None:
    for code in CODES.values():
        assert re.fullmatch(r"SGL[01][0-9]{3}", code.code)
        assert not code.title.endswith("."), code.code
        assert len(code.title) <= 80, code.code
        assert len(re.findall(r"[.:](?: |$)", code.why)) >= 2, code.code
        assert bool(code.wrong) == bool(code.fixed) != bool(code.no_example), code.code
        assert code.wrong != code.fixed or not code.wrong, code.code
        assert not [word for word in INTERNAL if word in code.title + code.why], code.code


def test_a_page_in_another_form_is_refused() -> None:
    with pytest.raises(ValueError, match="SGL0201"):
        read_page("SGL0201", "# SGL0202: A title\n\nWhy.\n")


def test_another_package_brings_pages_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pages = tmp_path / "stranger" / "messages" / "pages"
    pages.mkdir(parents=True)
    for package in (pages.parent, pages.parent.parent):
        (package / "__init__.py").write_text("")
    (pages / "KITE0001.md").write_text("# KITE0001: No wind\n\nThere is none. Wait for it.\n")
    (pages / "SGL0201.md").write_text("# SGL0201: Taken\n\nWhat is ours stays ours.\n")
    metadata = tmp_path / "stranger-1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: stranger\nVersion: 1\n")
    (metadata / "entry_points.txt").write_text(f"[{GROUP}]\nkites = stranger.messages\n")
    monkeypatch.syspath_prepend(tmp_path)
    known = CodePages()
    assert set(known) - set(CODES) == {"KITE0001"}
    assert topic_of(known["KITE0001"]) == "Other packages"
    assert known["SGL0201"] == CODES["SGL0201"]
    monkeypatch.setattr("sgl.cli.about.CODES", known)
    assert run(["explain", "kite0001"]) == 0
    assert capsys.readouterr().out == "KITE0001: No wind\n\nThere is none. Wait for it.\n"


def test_the_base_grammar_of_the_examples_is_without_fault(tmp_path: Path) -> None:
    assert diagnose({MAIN: BASE}, tmp_path).found == ()


def test_the_wrong_examples_give_their_code_once_and_nothing_else(tmp_path: Path) -> None:
    said = {}
    for code in WITH_EXAMPLE:
        outcome = example(code, code.wrong, tmp_path / code.code)
        check_rendering(outcome)
        said[code.code] = [(d.code, d.severity is Severity.WARNING) for d in outcome.found]
    expected = {code.code: [*ALSO.get(code.code, ()), code.code] for code in WITH_EXAMPLE}
    assert said == {own: [(code, code in WARNINGS) for code in codes] for own, codes in expected.items()}


def test_the_fixed_examples_give_nothing(tmp_path: Path) -> None:
    said = {code.code: example(code, code.fixed, tmp_path / code.code).rendered() for code in WITH_EXAMPLE}
    assert {code: text for code, text in said.items() if text} == {}


def example(code: Code, files: Mapping[str, str], directory: Path) -> Outcome:
    return diagnose(files_of(code, files), directory, morphology=code.code in MORPHOLOGY)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "status"), [("wrong", 1), ("fixed", 0)])
def test_the_example_that_takes_drawing(
    kind: str, status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code = CODES[DRAWN]
    for name, text in files_of(code, getattr(code, kind)).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert run(["compile", MAIN]) == status
    assert (f"error[{DRAWN}]" in capsys.readouterr().err) == bool(status)
    assert (tmp_path / "out" / "farm").exists() == (not status)


# ---- the pages


def test_explain_shows_the_page_of_every_code(capsys: pytest.CaptureFixture[str]) -> None:
    for name, code in CODES.items():
        assert run(["explain", name.lower()]) == 0
        shown = capsys.readouterr().out
        assert shown == page(code) + "\n"
        assert code.title in shown


def test_explain_without_a_code_lists_all(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == list(CODES)


def test_explain_of_an_unknown_code(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", "SGL0806"]) == 1
    assert "there is no code" in capsys.readouterr().err


def test_the_page_of_the_site_has_every_code_with_its_anchor() -> None:
    made = dict(diagnostics_pages())
    texts = [text for name, text in made.items() if name != "diagnostics.md"]
    anchors = re.findall(r"^## (SGL\d+): .* \{ #(sgl\d+) \}$", "\n".join(texts), re.MULTILINE)
    assert re.findall(r'<a id="(sgl\d+)">', made["diagnostics.md"]) == [anchor for _, anchor in anchors]
    assert [code for code, _ in anchors] == list(CODES)
    assert all(anchor == code.lower() for code, anchor in anchors)


# ---- words of the author


def test_every_terminal_of_the_grammar_has_words_for_the_author() -> None:
    text = (ROOT / "sgl" / "lang" / "grammar.lark").read_text(encoding="utf-8")
    named = set(re.findall(r"^([A-Z_]+)(?:\.\d+)?: /", text, re.MULTILINE))
    assert named | {"$END"} == set(TERMINALS)
    assert not [words for words in TERMINALS.values() if any(i in words for i in INTERNAL)]


def test_the_list_of_keywords_is_that_of_the_grammar() -> None:
    text = (ROOT / "sgl" / "lang" / "grammar.lark").read_text(encoding="utf-8")
    used = set(re.findall(r'"([a-z]+)"', text))
    assert used == {*DECLARATIONS, *CLAUSES}


def test_every_keyword_of_a_declaration_has_its_syntax_tree() -> None:
    kinds = {*syntax.Declaration.__args__, *syntax.NamedDeclaration.__subclasses__()}
    assert len(DECLARATIONS) == len(kinds - {syntax.NamedDeclaration})


# ---- independent mistakes, and what follows from a mistake


def test_five_mistakes_give_five_messages(tmp_path: Path) -> None:
    outcome = assert_diagnostics(
        """\
rule np_old: NP -> "the" "年を取った" Nuon
  ja  "古い" Nuon
  syn Nuon -[det]-> "the"(upos=DET); Nuon -[amod]-> "年を取った"(upos=ADJ)

word V[form=psat]: "heard"
  ja  "聞いた"
  syn node(lemma=hear, upos=VERB)

word N: "horse"
  ja  "馬" + $cow
  syn node(upos=NOUN)

rule np_a: NP -> "a" N
  ja  "が" M
  syn N -[det]-> "a"(upos=DET)

patern x
""",
        [("SGL0201", "Nuon"), ("SGL0402", "psat"), ("SGL0603", "$cow"), ("SGL0305", "M"), ("SGL0103", "patern")],
        tmp_path,
    )
    assert all(diagnostic.hint for diagnostic in outcome.found)


RULE = 'rule r: NP -> "the" Adj\n  ja Adj\n  syn Adj -[det]-> "the"(upos=DET)'


@pytest.mark.parametrize(
    ("broken", "mentioned"),
    [
        ("category Adj [", RULE),
        ("catgory Adj", RULE),
        ("feature number = | one", "category Adj[number]"),
        ("structure s { N -> }", "pattern p\n  forbid s"),
        ("labels SUBJ = |", "pattern p\n  forbid { V -[$SUBJ]-> N }"),
        ("words pets = ,", "pattern p\n  forbid { N[@pets] }"),
        ("param large = = on", 'word N: "horse"\n  ja "馬"\n  syn node(upos=NOUN)\n  when large'),
        ("pattern other !", "pattern p\n  forbid { V -[nsubj]-> N }\n  allow other"),
        ("paradigm past\n  x y", 'word N: "horse"\n  ja past("x")\n  syn node(upos=NOUN)'),
        ("function past(x) = ", 'word N: "horse"\n  ja past("x")\n  syn node(upos=NOUN)'),
        ("use nothing here", RULE),
        ("use stdlib.en.verbs", 'word N: "horse"\n  ja ed("x")\n  syn node(upos=NOUN)'),
        ("use stdlib.ja.verbs (past)", 'word N: "horse"\n  ja past("x")\n  syn node(upos=NOUN)'),
    ],
)
def test_what_could_not_be_read_is_not_reported_as_missing(broken: str, mentioned: str, tmp_path: Path) -> None:
    outcome = diagnose({MAIN: f"{broken}\n{mentioned}\n{BASE}"}, tmp_path)
    assert len(outcome.codes) == 1, outcome.rendered()
    assert outcome.found[0].span is not None
    assert outcome.found[0].span.start < len(broken)


def test_a_misspelt_name_elsewhere_is_still_reported(tmp_path: Path) -> None:
    source = 'category Adj [\n\nrule r: NP -> "a" Nuon\n  ja Nuon\n  syn Nuon -[det]-> "a"()\n'
    assert_diagnostics(source, [("SGL0104", "["), ("SGL0201", "Nuon")], tmp_path)


@pytest.mark.parametrize(
    "layer",
    [
        "layer syn : graph",
        "layer syn : graph on english",
        "layer syn : grahp on en",
        "layer syn ; graph on en",
        "layer ja : graph on en",
        "layer",
        "# layer syn : graph on en",
    ],
)
def test_a_wrong_layer_is_reported_once(layer: str, tmp_path: Path) -> None:
    outcome = diagnose({MAIN: BASE.replace("layer syn : graph on en", layer)}, tmp_path)
    assert len(outcome.codes) == 1, outcome.rendered()


def test_rules_are_checked_whatever_their_order(tmp_path: Path) -> None:
    # The gap of the relative clause is known before the noun that fills it.
    blocks = BASE.split("\n\n")
    turned = "\n\n".join(reversed(blocks)) + "\n"
    outcome = diagnose({MAIN: turned}, tmp_path)
    assert outcome.codes == [], outcome.rendered()


def test_an_outcome_says_what_is_marked(tmp_path: Path) -> None:
    outcome: Outcome = diagnose({MAIN: BASE + "\nwrod x\n"}, tmp_path)
    assert outcome.places() == [("SGL0103", "wrod")]
