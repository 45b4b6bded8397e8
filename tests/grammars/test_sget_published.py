"""SGET as published: its mistakes are a setting of the grammar, each declared in one place.

Where the published data are beside the checkout, their rows are read in both settings.
The whole of them takes half a minute, as a command:

    python benchmarks/errata.py train.tsv dev.tsv
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from sget import CATEGORY, PUBLISHED, Word, needs_published_data, sget, words

import errata
from errata_causes import causes_by_erratum
from sgl.cli.main import run
from sgl.diagnostics import Diagnostics
from sgl.pipeline.sentences import check_examples
from sgl.resources import grammars_dir

DOCS = Path(__file__).with_name("sget_errata.md")

#: Of the training rows of each kind, every so many are read here.
EVERY = {"in_distribution": 40, "concatenation": 5, "other_exposure": 10, "primitive_exposure": 10}


@cache
def both() -> errata.Errata:
    """The published setting and the correct one."""
    return errata.Errata(sget(published="on").grammar, sget(published="off").grammar)


# ---- the grammar


@pytest.mark.slow
@pytest.mark.parametrize("concatenation", ["on", "off"])
def test_the_published_setting_compiles_and_its_examples_hold(concatenation: str) -> None:
    compiled, diagnostics = sget(published="on", concatenation=concatenation), Diagnostics()
    check_examples(compiled, diagnostics)
    assert [found.message for found in diagnostics] == []


@pytest.mark.acceptance
def test_its_patterns_are_proved(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prove", str(grammars_dir() / "sget.sgl"), "--set", "published=on"]) == 0
    assert "42 of 42 patterns proved" in capsys.readouterr().out


@pytest.mark.slow
def test_the_published_forms_are_only_in_the_published_setting() -> None:
    here = {(word.en, word.ja[-1:]) for word in words()}
    mistakes = {("guess", ("想像した",)), ("supplys", ("供給する",)), ("nail", ("爪",))}
    assert not here & mistakes
    assert mistakes <= {(word.en, word.ja[-1:]) for word in words(published="on")}


@pytest.mark.slow
def test_every_erratum_has_a_cause_and_a_line_in_the_docs() -> None:
    declared = {(erratum.kind, erratum.name) for erratum, _ in both().words.values()}
    declared |= {(e.kind, e.name) for e in (errata.ORDER, errata.NAME, errata.COMMA)}
    assert declared == causes_by_erratum().keys()
    _, _, section = DOCS.read_text("utf-8").partition("## Errata\n")
    lines = re.findall(r"^\| ([a-z ]+) \| (\w+) \| .* \|$", section, re.MULTILINE)
    lines.remove(("kind", "word"))
    assert sorted(lines) == sorted(declared)


# ---- the published tables: every word and form, also those that no row here has


def tables(name: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = yaml.safe_load((PUBLISHED / f"{name}.yaml").read_text("utf-8"))
    return rows


def translations(category: str, **features: str) -> dict[str, set[str]]:
    """The Japanese of the words of a category, in the published setting."""
    found = defaultdict(set)
    for word in words(published="on"):
        if word.category == category and features.items() <= word.features.items():
            found[word.lemma].add(" ".join(word.ja))
    return found


@needs_published_data
def test_nouns_in_the_roles_that_the_tables_give_them() -> None:
    animate, inanimate = translations("N", anim="yes"), translations("N", anim="no")
    for row in tables("nouns_common"):
        if row["class"] == "primitive_only":
            assert translations("Primitive")[row["en"]] == {row["ja"]}
        elif row["class"] != "location_only":
            nouns = animate if row["class"] == "animate" else inanimate
            assert nouns[row["en"]] == {row["ja"]}, row["en"]
        for prep in row.get("pp_object_of") or ():
            expected = {row.get("ja_in_pp", row["ja"])}
            assert translations("Place", prep=prep)[row["en"]] == expected, row["en"]


@needs_published_data
def test_names_and_adjectives() -> None:
    names = translations("Name") | translations("Primitive")
    assert {r["en"]: {r["ja"]} for r in tables("nouns_proper")}.items() <= names.items()
    for row in tables("adjectives"):
        anim = "yes" if row["head"] == "animate" else "no"
        adjectives = translations("Adj", anim=anim, slot=str(row["slot"]))
        assert adjectives[row["en"]] == {row["ja"]}


#: The form that each column of the published verbs has.
COLUMNS = {"ja_past": "past", "ja_nonpast": "pres", "ja_renyo": "cont", "ja_wh_object_past": "did"}


def published_forms() -> Iterator[tuple[tuple[str, str, str], str]]:
    """All Japanese forms of the published verbs: category, form and lemma."""
    for verb in tables("verbs"):
        for frame, facts in verb["frames"].items():
            category, lemma = CATEGORY[frame], verb["lemma"]
            if frame.startswith("passive"):
                yield (category, "part", lemma), facts["ja_past"]
                yield (category, "part_cont", lemma), facts["ja_past"].removesuffix("た")
                continue
            forms = {form: facts[column] for column, form in COLUMNS.items() if column in facts}
            base = facts.get("ja_inf_base", {})
            forms |= {"dict": base["dict"]} if base else {}
            forms |= base.get("observed", {})
            for form, japanese in forms.items():
                yield (category, form, lemma), f"{facts.get('particle', '')} {japanese}".strip()


@needs_published_data
def test_every_japanese_form_of_every_verb() -> None:
    own = {
        (word.category, word.features.get("form", ""), word.lemma): " ".join(word.ja) for word in words(published="on")
    }
    observed = dict(published_forms())
    assert len(observed) > 1000
    assert {key: (ja, own.get(key)) for key, ja in observed.items() if own.get(key) != ja} == {}


@needs_published_data
def test_every_english_form_of_every_verb() -> None:
    forms = {"past": "past", "past(as printed)": "past", "3sg": "pres", "pp": "part"}
    own: dict[tuple[str, str], set[str]] = defaultdict(set)
    for word in words(published="on"):
        own[word.features.get("form", ""), word.lemma].add(word.en)
    for verb in tables("verbs"):
        known = verb["en"].keys() & forms.keys()
        if "past(as printed)" in known:
            known -= {"past"}
        for column in known:
            key = forms[column], verb["lemma"]
            assert verb["en"][column] in own[key] or not own[key], key


@needs_published_data
def test_verbs_under_an_infinitive_have_the_published_form() -> None:
    inner = {
        word.lemma: word.features["inner"]
        for word in words(published="on")
        if word.category == "Vx" and word.features["form"] == "past"
    }
    for verb in tables("verbs"):
        if "infinitive" in verb["frames"]:
            assert inner[verb["lemma"]] == verb["frames"]["infinitive"]["inner_form"]


# ---- the published rows


def read(name: str) -> errata.Count:
    return errata.count(both(), errata.read_rows(PUBLISHED / name))


def check(count: errata.Count) -> None:
    """Published, every row is exact in one reading; here, just where it has no erratum."""
    assert (count.exact, count.ambiguous) == (count.rows, 0)
    assert count.unaccounted == []
    assert len(count.causes) >= 7


@pytest.mark.acceptance
@needs_published_data
def test_all_development_rows_are_exactly_as_published() -> None:
    count = read("dev.tsv")
    assert (count.rows, count.exact_here) == (5000, 4529)
    check(count)


@pytest.mark.slow
@needs_published_data
def test_training_rows_of_every_kind_are_exactly_as_published() -> None:
    met: dict[str, int] = defaultdict(int)
    rows = []
    for line in (PUBLISHED / "train.tsv").read_text(encoding="utf-8").splitlines():
        english, japanese, kind = line.split("\t")
        if met[kind] % EVERY[kind] == 0:
            rows.append((english, japanese))
        met[kind] += 1
    assert met.keys() == EVERY.keys()
    count = errata.count(both(), rows)
    assert count.rows > 1400
    check(count)


def test_a_row_that_is_not_the_published_one_is_noticed() -> None:
    verdict = both().judge("A child knew a guy.", "子供が男を知っていた。")
    assert not verdict.accounted
    assert not both().judge("A child knew a guy.", "子供が女を知っていた。").exact_here


def test_errata_are_found_in_a_sentence() -> None:
    verdict = both().judge("A child guess that Emma knew a guy.", "子供がエマが人を知っていたことを想像した。")
    assert verdict.accounted
    assert {erratum.name: form.here for erratum, form in verdict.errata.items()} == {
        "guess": "guessed と推測した",
        "guy": "男",
    }


def test_the_article_is_an_erratum_only_where_it_is_wrong() -> None:
    assert [e.name for e in both().judge("Ava saw a obese cat.", "").errata] == ["obese"]
    assert both().judge("Ava saw the obese cat.", "").errata == {}


def test_words_of_the_published_setting() -> None:
    (guy,) = (word for word in words(published="on") if word.lemma == "guy")
    assert guy == Word(
        "N", {"anim": "yes", "sound": "consonant"}, {"lemma": "guy", "upos": "NOUN", "Number": "Sing"}, "guy", ("人",)
    )
