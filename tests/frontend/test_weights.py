"""Files of weights: read, used by a grammar, written by ``sglc fit``, and read again."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from farm import farm, with_directory
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sget import sget
from small_grammars import weighted_grammar
from workplace import Workplace

from sgl.characters import hidden
from sgl.core.grammar import LEXICONS, RULES, WORDS, CoreGrammar, RuleKey, Token
from sgl.corpus.fit import Fit, Sample, estimate, weights_text
from sgl.corpus.rows import SentenceReadings
from sgl.diagnostics import Diagnostics, SourceFile, SourceMap
from sgl.frontend import Compiled
from sgl.lang.mapping_files import WeightRow, read_weights
from sgl.pipeline.grammar import open_grammar
from sgl.resources import grammars_dir

#: The start category, for grammars that are written here.
PARAM = "param weights = declared\n\n"


@pytest.fixture
def place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Workplace:
    return farm(tmp_path, capsys)


def using(place: Workplace, weights: str, declaration: str = "") -> None:
    """Let the grammar of the farm use these weights."""
    place.write("farm.weights.yaml", weights)
    text = (place.directory / "farm.sgl").read_text("utf-8")
    line = declaration or 'weights learnt from "farm.weights.yaml"\n'
    place.write("farm.sgl", text.replace("category N\n", line + "\ncategory N\n", 1))


def opened(place: Workplace, parameters: Mapping[str, str] | None = None) -> tuple[Compiled | None, Diagnostics]:
    found = Diagnostics()
    path = place.directory / "farm.sgl"
    return open_grammar(path, parameters or {}, SourceMap(), found), found


def weight_of(compiled: Compiled | None) -> dict[RuleKey, float]:
    assert compiled is not None
    return {key: rule.weight for key, rule in zip(compiled.rule_keys, compiled.grammar.rules, strict=True)}


# ---- what a file says


def test_rules_words_and_lexicons_have_weights(place: Workplace) -> None:
    using(
        place,
        """
rules:
  NP: {noun_phrase: 9, modified: 1}
words:
  Det: {the: 1, a: 3}
lexicons:
  N:
    animals: {dog: 7, cat: 1, hen: 1, cow: 1, goat: 1, sheep: 1, horse: 1, duck: 1}
""",
    )
    found = weight_of(opened(place)[0])
    assert found[RuleKey(RULES, "NP", "noun_phrase", "Det N")] == pytest.approx(0.9)
    assert found[RuleKey(WORDS, "Det", "a")] == pytest.approx(0.75)
    assert found[RuleKey(LEXICONS, "N", "animals", "dog")] == pytest.approx(0.5)
    # Verbs are not in the file and keep the declared zipf(1.0).
    assert found[RuleKey(LEXICONS, "V", "verbs", "chase")] == pytest.approx(60 / 137)


def test_what_is_not_mentioned_keeps_its_declared_share(place: Workplace) -> None:
    using(place, "lexicons:\n  N:\n    animals: {dog: 3, cat: 1}\n")
    found = weight_of(opened(place)[0])
    assert found[RuleKey(LEXICONS, "N", "animals", "dog")] == pytest.approx(2 / 8 * 3 / 4)
    assert found[RuleKey(LEXICONS, "N", "animals", "cow")] == pytest.approx(1 / 8)
    assert sum(v for key, v in found.items() if key.category == "N") == pytest.approx(1)


def test_a_number_for_a_whole_lexicon_is_shared_as_declared(place: Workplace) -> None:
    using(place, "lexicons:\n  V: {verbs: 5}\n")
    found = weight_of(opened(place)[0])
    assert found[RuleKey(LEXICONS, "V", "verbs", "chase")] == pytest.approx(60 / 137)


def test_a_parameter_chooses_the_weights(place: Workplace) -> None:
    declaration = PARAM + 'weights learnt from "farm.weights.yaml" when weights = learnt\n'
    using(place, "words:\n  Det: {the: 1, a: 3}\n", declaration)
    the = RuleKey(WORDS, "Det", "the")
    assert weight_of(opened(place)[0])[the] == pytest.approx(2 / 3)
    assert weight_of(opened(place, {"weights": "learnt"})[0])[the] == pytest.approx(1 / 4)
    _, found = opened(place, {"weights": "lerant"})
    assert [(d.code, d.hint) for d in found] == [("SGL0903", "did you mean `learnt`?")]


def test_a_when_clause_may_stand_in_a_line_of_its_own(place: Workplace) -> None:
    declaration = PARAM + 'weights learnt from "no.yaml"\n  when weights = learnt\n'
    using(place, "", declaration)
    assert opened(place)[0] is not None
    assert [d.code for d in opened(place, {"weights": "learnt"})[1]] == ["SGL0001"]


def test_the_weights_of_what_is_switched_off_wait(place: Workplace) -> None:
    text = (place.directory / "farm.sgl").read_text("utf-8")
    text = text.replace("rule modified: NP -> Det N PP\n", "rule modified: NP -> Det N PP\n  when pps\n")
    place.write("farm.sgl", "param pps = on\n\n" + text.replace("\npattern", "\n#", 1).split("#")[0])
    using(place, "rules:\n  NP: {noun_phrase: 1, modified: 1}\n")
    assert weight_of(opened(place)[0])[RuleKey(RULES, "NP", "modified", "Det N PP")] == 0.5
    compiled, found = opened(place, {"pps": "off"})
    assert RuleKey(RULES, "NP", "noun_phrase", "Det N") in weight_of(compiled)
    assert [d.code for d in found if d.code != "SGL0704"] == []


# ---- features: the parts of a rule

EXPANDED = """
module m
layer en : text
feature number = one | many
category S
category NP[number]
category N[number]
rule s: S -> NP
rule np: NP[number=n] -> "the" N[number=n]
rule two: NP[number=many] -> first:N "and" second:N
word N[number=one]: "dog"
word N[number=many]: "dogs"
dataset
  from S
  train 1
"""


def test_the_expansions_of_a_rule_are_told_apart_by_their_children(place: Workplace) -> None:
    place.write("farm.sgl", EXPANDED)
    keys = [key for key in weight_of(opened(place)[0]) if key.name == "two"]
    numbers = ("one", "many")
    assert sorted(keys) == sorted(
        RuleKey(RULES, "NP[number=many]", "two", f"N[number={a}] N[number={b}]") for a in numbers for b in numbers
    )


def test_words_that_are_written_alike_are_told_apart_by_their_translation(place: Workplace) -> None:
    place.write("animals.yaml", "- {en: bank, ja: 銀行}\n- {en: bank, ja: 土手}\n- {en: dog, ja: 犬}\n")
    text = (place.directory / "farm.sgl").read_text("utf-8")
    place.write("farm.sgl", text.split("test ")[0] + "dataset\n  from Text\n  train 1\n")
    parts = {key.part for key in weight_of(opened(place)[0]) if key.name == "animals"}
    assert parts == {"bank: bank / 銀行", "bank: bank / 土手", "dog"}


# ---- writing, and reading what was written


def weight_rows(text: str) -> Sequence[WeightRow]:
    """The rows of a file as the compiler reads them."""
    found = Diagnostics()
    rows = read_weights(SourceFile("w.yaml", text), found)
    assert rows is not None, list(found)
    return rows


def rows_of(text: str) -> dict[RuleKey, float]:
    """The weights of a file by the names of the rules."""
    return {
        RuleKey(r.section, r.category.text, r.name.text, r.part.text if r.part else ""): float(r.weight.text)
        for r in weight_rows(text)
    }


def is_seen(word: str) -> bool:
    """Whether a grammar can have such a word."""
    return hidden(word) < 0


@settings(max_examples=50, deadline=None)
@example(texts=["yes", "1", "~", "\x85", "a: b", "{", "\u2028"], numbers=[1] * 7)
@given(
    texts=st.lists(
        st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(is_seen),
        min_size=2,
        max_size=4,
        unique=True,
    ),
    numbers=st.lists(st.integers(1, 10**6), min_size=4, max_size=4),
)
def test_what_is_written_is_read_again_whatever_the_words(texts: list[str], numbers: list[int]) -> None:
    """Names that YAML would take for something else, such as ``yes`` or ``1``, among them."""
    core, keys, fit = fitted_words(texts, numbers)
    text = weights_text(core, keys, fit, {"grammar": "g", "note": texts}, ["a comment"])
    found = rows_of(text)
    assert set(found) == set(keys)
    for key, weight in zip(keys, fit.weights.tolist(), strict=True):
        assert math.isclose(found[key], weight, rel_tol=1e-5)
    assert weights_text(core, keys, fit, {"grammar": "g", "note": texts}, ["a comment"]) == text


def fitted_words(texts: Sequence[str], numbers: Sequence[int]) -> tuple[CoreGrammar, list[RuleKey], Fit]:
    """A grammar of single words with made-up weights, as if estimated."""
    core = weighted_grammar({f"w{i}": (f"S -> x{i}", numbers[i]) for i in range(len(texts))})
    found = Sample()
    for rule in core.rules:
        item = rule.templates[0][0]
        assert isinstance(item, Token)
        found.add(SentenceReadings(item.text, (), (rule.id,)), item.text, numbers[rule.id])
    keys = [RuleKey(LEXICONS, "S", "lexicon", text) for text in texts]
    return core, keys, estimate(core, found)


@pytest.mark.slow
def test_a_written_file_can_be_used_and_changes_what_is_drawn(place: Workplace) -> None:
    out = place.directory / "farm.weights.yaml"
    arguments = ["farm.sgl", "rows.tsv", "--normalise", "spacing", "--out", str(out)]
    with_directory(place, ["fit", *arguments])
    using(place, out.read_text("utf-8"))
    found = weight_of(opened(place)[0])
    assert found == pytest.approx({**found, **rows_of_names(found, out.read_text("utf-8"))}, rel=1e-4)
    # 10 noun phrases without a PP, 2 with one, half a row more for each.
    assert found[RuleKey(RULES, "NP", "noun_phrase", "Det N")] == pytest.approx(10.5 / 13, rel=1e-5)


def rows_of_names(known: Mapping[RuleKey, float], text: str) -> dict[RuleKey, float]:
    """The rows of a file under the full keys of a grammar."""
    found = {}
    for key, weight in rows_of(text).items():
        whole = [k for k in known if (k.section, k.category, k.name) == (key.section, key.category, key.name)]
        found[key if key in known else whole[0]] = weight
    return found


@pytest.mark.slow
def test_the_file_is_the_same_when_it_is_made_again(place: Workplace) -> None:
    texts = []
    for _ in range(2):
        with_directory(place, ["fit", "farm.sgl", "rows.tsv", "--given", "train", "--out", "w.yaml"])
        texts.append((place.directory / "w.yaml").read_text("utf-8"))
    assert texts[0] == texts[1]
    assert "sglc fit farm.sgl rows.tsv --given train" in texts[0].splitlines()[1]


# ---- the weights of SGET


@pytest.mark.parametrize(
    "published", [pytest.param("off", marks=pytest.mark.slow), pytest.param("on", marks=pytest.mark.acceptance)]
)
def test_the_published_weights_leave_nothing_out(published: str) -> None:
    """Nor does the grammar lack anything that they speak of: that would be a warning."""
    declared = sget(published=published).grammar
    estimated = sget(published=published, weights="published").grammar
    assert all(rule.weight > 0 for rule in estimated.rules)
    changed = [a for a, b in zip(declared.rules, estimated.rules, strict=True) if a != b]
    assert len(changed) > 1_500
    for rules in estimated.rules_of:
        assert sum(rule.weight for rule in rules) == pytest.approx(1)


def test_the_published_weights_hold_no_sentence() -> None:
    text = (grammars_dir() / "sget" / "published.weights.yaml").read_text("utf-8")
    words = {part.text for row in weight_rows(text) if (part := row.part) is not None}
    assert not [word for word in words if word.endswith((".", "?", "。"))]
    assert "Kumon, Matsuoka & Yanaka 2024" in text.splitlines()[0]
