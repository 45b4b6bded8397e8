"""``sglc check --morphology``: the analyser agrees with the library and the shipped lexicons.

Also that it would disagree: with a verb of another class, with a form for another,
with a form that does not exist.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from library_forms import form_names, inflect, library_inflections, predicates, with_wrong_endings
from sget import compile_file, words_of

from sgl.cli.main import FAILED, OK, run
from sgl.diagnostics import Diagnostics, SourceMap, Span
from sgl.diagnostics.render import render
from sgl.frontend.elaborate.columns import Inflection
from sgl.frontend.passes import inflections
from sgl.morphology.check import FormComparison, MorphologyResult, check_inflected, check_morphology
from sgl.morphology.knowledge import AnalyserMissing, Exemption, Knowledge, library_knowledge, sudachi
from sgl.resources import grammars_dir

pytest.importorskip("sudachipy", reason="SudachiPy is not installed")
pytest.importorskip("sudachidict_core", reason="the dictionary of SudachiPy is not installed")

#: The grammars that come with SGL; other files there belong to one of these.
GRAMMARS = ("sget",)

#: Rows of verbs in three languages: the third has the analyser read them.
VERBS = """\
- {en: run, past: ran, ja: 走る, class: godan}
- {en: see, past: saw, ja: 見る, class: ichidan}
- {en: know, past: knew, ja: 知る, class: godan, past_ja: 知っていた, pres_ja: 知っている}
"""

GRAMMAR = """\
use stdlib.ja.verb (past, passive, negative)

layer en : text
layer ja : text (join "")
layer syn : graph on en

category Verb

function unseen(verb, class) = past(negative(passive(verb, class), "ichidan"), "i")

lexicon verbs from "verbs.yaml"
  Verb
    en  $past
    ja  $past_ja or past($ja, $class)
    syn node(upos=VERB)
  Verb
    en  $en
    ja  $pres_ja or $ja
    syn node(upos=VERB)
  Verb
    en  "un" + $past
    ja  unseen($ja, $class)
    syn node(upos=VERB)

dataset
  from Verb
  train 1
"""


@pytest.fixture(scope="module")
def knowledge() -> Knowledge:
    return library_knowledge(SourceMap())


@pytest.fixture(scope="module")
def comparison(knowledge: Knowledge) -> FormComparison:
    return FormComparison(sudachi().analyse, knowledge)


@pytest.fixture(scope="module")
def library(knowledge: Knowledge) -> tuple[MorphologyResult, Diagnostics]:
    """The outcome for every form of every predicate of the list."""
    diagnostics = Diagnostics()
    forms = list(library_inflections(knowledge))
    return check_morphology(forms, knowledge, sudachi().analyse, diagnostics, ""), diagnostics


def grammar(directory: Path, verbs: str = VERBS) -> Path:
    (directory / "verbs.yaml").write_text(verbs, encoding="utf-8")
    path = directory / "verbs.sgl"
    path.write_text(GRAMMAR, encoding="utf-8")
    return path


# ---- what is right


def test_the_analyser_reads_every_form_of_the_library(library: tuple[MorphologyResult, Diagnostics]) -> None:
    outcome, diagnostics = library
    assert [found.message for found in diagnostics] == []
    assert outcome.doubtful == 0
    assert outcome.words == len(predicates())
    assert outcome.forms > 1700


def test_the_tables_about_the_analyser_have_no_idle_rows(
    library: tuple[MorphologyResult, Diagnostics], knowledge: Knowledge
) -> None:
    outcome, _ = library
    assert outcome.exempted == knowledge.exemptions
    assert outcome.spellings == knowledge.spellings
    assert set(knowledge.forms) == set(form_names())


def test_the_predicates_are_of_every_class_and_end_in_every_way(knowledge: Knowledge) -> None:
    assert {row.cells["class"] for row in predicates()} == set(knowledge.classes)
    godan = {row.cells["ja"][-1] for row in predicates() if row.cells["class"] == "godan"}
    assert godan == set("うくぐすつぬぶむる")


@pytest.mark.slow
@pytest.mark.parametrize("name", GRAMMARS)
def test_the_analyser_reads_every_form_of_a_shipped_grammar(name: str) -> None:
    compiled = compile_file(grammars_dir() / f"{name}.sgl")
    diagnostics = Diagnostics()
    inspected = check_inflected(compiled, compiled.project.sources, diagnostics)
    reports = [render(found, compiled.project.sources) for found in diagnostics]
    assert reports == []
    assert inspected is not None
    assert inspected[0].doubtful == 0
    assert inspected[0].forms > 1000


@pytest.mark.slow
def test_words_that_sget_has_in_one_form_are_in_that_form() -> None:
    """Adjectives stand before a noun (太った人, 肥満の人), lone verbs end a sentence."""
    analyse = sudachi().analyse
    adjectives = [(word, analyse(f"{word.ja[0]}人")[-2]) for word in words_of("Adj")]
    verbs = [
        (word, analyse(f"{word.ja[0]}。")[-2]) for word in words_of("Primitive") if word.attributes["upos"] == "VERB"
    ]
    wrong = [
        word.ja
        for word, last in adjectives
        if not (last.form.startswith("連体形") or last.kind == "連体詞" or last.lemma == "の")
    ]
    wrong += [word.ja for word, last in verbs if not last.form.startswith("終止形")]
    assert wrong == []
    assert len(adjectives) > 40
    assert verbs


@pytest.mark.slow
def test_the_analyser_finds_mistakes_of_the_published_data() -> None:
    """膨らび and たくなかり are no words, 評価す and 分解す are not 評価する and 分解する."""
    settings = {"published": "on"}
    compiled = compile_file(grammars_dir() / "sget.sgl", settings)
    diagnostics = Diagnostics()
    inspected = check_inflected(compiled, compiled.project.sources, diagnostics)
    messages = " ".join(found.message for found in diagnostics)
    for mistake in ("`膨らび`", "`たくなかり`", "`評価す`", "`分解す`"):
        assert mistake in messages
    assert inspected is not None
    assert 30 < inspected[0].doubtful < 40


# ---- what is noted of a grammar


def test_forms_are_noted_as_the_grammar_asks_for_them(tmp_path: Path) -> None:
    compiled = compile_file(grammar(tmp_path))
    noted = [(made.form, made.word, made.instead or made.result) for made in inflections(compiled.project, {})]
    assert noted == [
        ("past", "走る", "走った"),
        ("passive", "走る", "走られる"),
        ("negative", "走られる", "走られない"),
        ("past", "走られない", "走られなかった"),
        ("past", "見る", "見た"),
        ("passive", "見る", "見られる"),
        ("negative", "見られる", "見られない"),
        ("past", "見られない", "見られなかった"),
        ("past", "知る", "知っていた"),
        ("", "知る", "知っている"),
        ("passive", "知る", "知られる"),
        ("negative", "知られる", "知られない"),
        ("past", "知られない", "知られなかった"),
    ]


def test_a_form_in_a_cell_has_to_be_one_of_the_same_word(tmp_path: Path) -> None:
    path = grammar(tmp_path, VERBS.replace("知っている", "言っている"))
    compiled = compile_file(path)
    diagnostics = Diagnostics()
    check_inflected(compiled, compiled.project.sources, diagnostics)
    (found,) = diagnostics
    assert found.code == "SGL0651"
    assert found.message == "the analyser does not read `言っている` as the form `nonpast` of `知る`"


# ---- what is wrong


@pytest.mark.parametrize(
    ("word", "wrong_class"),
    [
        ("走る", "ichidan"),  # 走た
        ("帰る", "ichidan"),  # 帰た
        ("食べる", "godan"),  # 食べった
        ("起きる", "godan"),  # 起きった
        ("静かだ", "godan"),
        ("高い", "na"),  # 高いだった
        ("静か", "i"),
        ("犬", "ichidan"),
    ],
)
def test_a_word_of_another_class_is_reported(word: str, wrong_class: str, comparison: FormComparison) -> None:
    assert comparison.bases(word, wrong_class) == ()


@pytest.mark.parametrize(
    ("form", "word", "inflection_class", "wrong"),
    [
        ("past", "行く", "godan", "行いた"),
        ("past", "走る", "godan", "走りた"),
        ("past", "泳ぐ", "godan", "泳いた"),
        ("past", "死ぬ", "godan", "死いだ"),
        ("past", "問う", "godan", "問った"),
        ("te", "話す", "godan", "話って"),
        ("stem", "くださる", "godan", "くださら"),
        ("negative", "買う", "godan", "買あない"),
        ("negative", "来る", "kuru", "来らない"),
        ("volitional", "待つ", "godan", "待よう"),
        ("passive", "書く", "godan", "書けれる"),
        ("passive", "食べる", "ichidan", "食べれる"),
        ("causative", "飲む", "godan", "飲みせる"),
        ("desiderative_negative_past", "走る", "godan", "走りたいなかった"),
        ("adnominal", "静か", "na", "静かの"),
        ("adnominal", "木製", "no", "木製な"),
        ("past", "高い", "i", "高いだった"),
    ],
)
def test_a_form_that_does_not_exist_is_reported(
    form: str, word: str, inflection_class: str, wrong: str, comparison: FormComparison
) -> None:
    assert not is_accepted(comparison, form, word, inflection_class, wrong)


def is_accepted(comparison: FormComparison, form: str, word: str, inflection_class: str, result: str) -> bool:
    return any(
        comparison.is_read_as(result, base, reading)
        for base in comparison.bases(word, inflection_class)
        for reading in comparison.knowledge.readings(form, inflection_class)
    )


#: Forms that are written alike for some words, or whose readings include those of another.
ALIKE = [
    {"passive", "potential"},
    {"te", "continuative"},
    {"stem", "continuative"},
    {"passive_te", "passive_continuative"},
    {"passive_stem", "passive_continuative"},
    {"causative_te", "causative_continuative"},
    {"negative_te", "negative_continuative"},
]


@pytest.mark.parametrize("word", ["走る", "読む", "助ける", "勉強する", "来る", "高い", "静か"])
def test_no_form_is_taken_for_another(word: str, comparison: FormComparison) -> None:
    (inflection_class,) = [row.cells["class"] for row in predicates() if row.cells["ja"] == word]
    forms = {
        form: inflect(form, word, inflection_class)
        for form in form_names()
        if comparison.knowledge.readings(form, inflection_class)
    }
    confused = {
        frozenset((form, other))
        for form in forms
        for other, result in forms.items()
        if result is not None and result != forms[form]
        if is_accepted(comparison, form, word, inflection_class, result)
    }
    assert [pair for pair in confused if set(pair) not in ALIKE] == []


@pytest.mark.slow
def test_hardly_any_wrong_ending_is_accepted(comparison: FormComparison) -> None:
    """走いた, 走いだ, 走した …; but 急せる can be a form of 急す as well."""
    tried = 0
    accepted = []
    for row in predicates():
        word, inflection_class = row.cells["ja"], row.cells["class"]
        for form in form_names():
            if not comparison.knowledge.readings(form, inflection_class) or form == "potential":
                continue
            wrong = with_wrong_endings(form, word, inflection_class)
            tried += len(wrong)
            accepted += [
                (form, result)
                for result in sorted(wrong)
                if is_accepted(comparison, form, word, inflection_class, result)
            ]
    assert tried > 2000
    # These would be stems of the five honorific verbs; where a clause goes on they have り.
    assert accepted == [
        ("continuative", f"{beginning}い") for beginning in ("くださ", "下さ", "なさ", "いらっしゃ", "おっしゃ")
    ]


# ---- exemptions


def test_an_exemption_is_about_one_form_of_one_word(knowledge: Knowledge) -> None:
    made = Inflection("past", "ja", "走る", "godan", "走りた", some_place(), None)
    other = Inflection("past", "ja", "走る", "godan", "走た", some_place(), some_place())
    row = Exemption("past", "走る", "走りた", "for this test", some_place())
    diagnostics = Diagnostics()
    outcome = check_morphology([made, other], replace(knowledge, exemptions=(row,)), sudachi().analyse, diagnostics, "")
    assert (outcome.forms, outcome.doubtful, outcome.exempted) == (2, 1, (row,))
    assert [found.code for found in diagnostics] == ["SGL0651"]


def some_place() -> Span:
    return predicates()[0].span


# ---- the command


def test_the_command_says_what_was_checked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    grammar(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert run(["check", "verbs.sgl", "--morphology"]) == OK
    shown = capsys.readouterr().out
    assert "13 forms of 9 words read by SudachiPy " in shown
    assert ": 0 doubtful, 0 exemptions\n" in shown


def test_the_command_fails_at_a_wrong_class(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    grammar(tmp_path, VERBS.replace("走る, class: godan", "走る, class: ichidan"))
    monkeypatch.chdir(tmp_path)
    assert run(["check", "verbs.sgl", "--morphology"]) == FAILED
    shown = capsys.readouterr().err
    assert "error[SGL0652]" in shown
    assert "verbs.yaml:1:1" in shown
    assert "add to `verbs.morphology.yaml`: - {form: class, word: 走る, gives: ichidan" in shown
    assert "走る (五段-ラ行, 終止形-一般)" in shown


def test_without_the_analyser_the_command_says_what_to_install(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing() -> None:
        raise AnalyserMissing("No module named 'sudachipy'")

    monkeypatch.setattr("sgl.morphology.knowledge.sudachi", missing)
    monkeypatch.chdir(tmp_path)
    grammar(tmp_path)
    assert run(["check", "verbs.sgl", "--morphology"]) == FAILED
    shown = capsys.readouterr().err
    assert "error[SGL0655]" in shown
    assert "pip install 'sgl-compiler[ja]'" in shown
    assert run(["check", "verbs.sgl"]) == OK
