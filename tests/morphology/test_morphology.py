"""Inflected forms: those of SGET against the published ones.

The forms of verbs are computed by the paradigms of ``stdlib``.  Witnesses who know
nothing of them are the forms observed in the published data of SGET, but for a list
of corrections, and a morphological analyser (``test_inflected.py``).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest
import yaml
from sget import CATEGORY, PUBLISHED, Word, needs_published_data, words, words_of

Key = tuple[str, str, str]

#: Where the grammar departs from the published Japanese on purpose: (verb, frame, form).
CORRECTIONS: dict[Key, str] = {
    # a verb that is conjugated as one word throughout
    ("decompose", "intransitive", "dict"): "分解する",
    ("value", "complement", "dict"): "評価する",
    ("float", "transitive", "pres"): "浮かせる",
    ("float", "transitive", "dict"): "浮かせる",
    ("float", "transitive", "did"): "浮かせた",
    ("float", "passive", "past"): "浮かせられた",
    ("freeze", "transitive", "pres"): "凍らせる",
    ("freeze", "transitive", "dict"): "凍らせる",
    ("freeze", "transitive", "did"): "凍らせた",
    ("freeze", "passive", "past"): "凍らせられた",
    ("inflate", "transitive", "pres"): "膨らませる",
    ("inflate", "transitive", "dict"): "膨らませる",
    ("inflate", "transitive", "did"): "膨らませた",
    ("inflate", "passive", "past"): "膨らませられた",
    ("slide", "passive", "past"): "滑らせられた",
    ("bring", "ditrans_double", "dict"): "持ってくる",
    ("bring", "ditrans_to", "dict"): "持ってくる",
    # an omitted object is named in every form
    ("clean", "intransitive", "dict"): "掃除をする",
    ("cook", "intransitive", "dict"): "料理をする",
    ("hunt", "intransitive", "dict"): "狩りをする",
    ("investigate", "intransitive", "dict"): "調査をする",
    ("notice", "intransitive", "dict"): "気がつく",
    ("nurse", "intransitive", "dict"): "看護をする",
    ("observe", "intransitive", "dict"): "観察をする",
    ("pack", "intransitive", "dict"): "荷造りをする",
    ("sketch", "intransitive", "dict"): "スケッチをする",
    ("study", "intransitive", "dict"): "勉強をする",
    # states
    ("know", "transitive", "pres"): "知っている",
    ("know", "transitive", "did"): "知っていた",
    ("know", "passive", "past"): "知られていた",
    ("like", "transitive", "pres"): "好きだ",
    ("like", "transitive", "did"): "好きだった",
    ("like", "passive", "past"): "好かれていた",
    ("owe", "ditrans_double", "past"): "借りていた",
    # 愛する rather than 愛す
    ("love", "transitive", "pres"): "愛する",
    ("love", "transitive", "dict"): "愛する",
    # another word, or another particle
    ("call", "passive", "past"): "呼ばれた",
    ("touch", "transitive", "particle"): "に",
    ("touch", "passive", "past"): "触られた",
    ("answer", "transitive", "particle"): "に",
    ("answer", "complement", "particle"): "と",
    ("repeat", "complement", "particle"): "と",
    ("guess", "complement", "particle"): "と",
    ("guess", "complement", "past"): "推測した",
    ("mean", "complement", "particle"): "ことを",
    ("mean", "complement", "past"): "意味した",
    ("respect", "complement", "past"): "尊重した",
    ("respect", "complement", "dict"): "尊重する",
    **{
        ("wire", frame, "past"): form
        for frame, form in {
            "ditrans_double": "電送した",
            "ditrans_to": "電送した",
            "passive_theme": "電送された",
            "passive_to": "電送された",
        }.items()
    },
    ("wire", "ditrans_double", "dict"): "電送する",
    ("wire", "ditrans_to", "dict"): "電送する",
    # infinitives
    ("demand", "infinitive", "past"): "ことを要求した",
    ("expect", "infinitive", "past"): "ことを期待した",
    ("like", "infinitive", "past"): "のが好きだった",
    ("love", "infinitive", "past"): "のが大好きだった",
    ("prefer", "infinitive", "past"): "のを好んだ",
    ("like", "infinitive", "inner"): "dict",
    ("love", "infinitive", "inner"): "dict",
    ("prefer", "infinitive", "inner"): "dict",
    ("seek", "infinitive", "inner"): "vol",
    # of a third person wishes are not たい
    ("want", "infinitive", "pres"): "たがっている",
    ("crave", "infinitive", "pres"): "たがっている",
}


@cache
def computed() -> dict[tuple[str, str, str], Word]:
    """The words of the grammar by category, form and lemma."""
    return {
        (word.category, word.features["form"], word.lemma): word
        for word in words()
        if word.category in CATEGORY.values()
    }


def published() -> Iterator[tuple[Key, str, str]]:
    """Frame by frame: the published form and the computed one."""
    table = yaml.safe_load((PUBLISHED / "verbs.yaml").read_text(encoding="utf-8"))
    for verb in table:
        for frame, facts in verb["frames"].items():
            for form, observed in _observed(frame, facts):
                word = computed()[CATEGORY[frame], _own_form(frame, form), verb["lemma"]]
                yield (verb["lemma"], frame, form), observed, _of(word, form)


def _observed(frame: str, facts: dict[str, object]) -> Iterator[tuple[str, str]]:
    columns = {
        "ja_past": "past",
        "ja_nonpast": "pres",
        "ja_wh_object_past": "did",
        "particle": "particle",
        "inner_form": "inner",
    }
    for column, form in columns.items():
        if column in facts:
            yield form, str(facts[column])
    base = facts.get("ja_inf_base")
    if isinstance(base, dict) and not frame.startswith("passive"):
        yield "dict", str(base["dict"])


def _own_form(frame: str, form: str) -> str:
    if frame.startswith("passive"):
        return "part"
    return "past" if form in ("particle", "inner") else form


def _of(word: Word, form: str) -> str:
    if form == "inner":
        return word.features["inner"]
    return word.ja[0] if form == "particle" else word.ja[-1]


@needs_published_data
def test_japanese_forms_are_the_published_ones_but_for_the_corrections() -> None:
    differences = {key: own for key, theirs, own in published() if own != theirs}
    assert differences == CORRECTIONS


@needs_published_data
def test_english_forms_are_the_published_ones_but_for_their_mistakes() -> None:
    table = yaml.safe_load((PUBLISHED / "verbs.yaml").read_text(encoding="utf-8"))
    forms = {"base": "dict", "past": "past", "past(as printed)": "past", "3sg": "pres", "pp": "part"}
    differences = set()
    for verb in table:
        for column, observed in verb["en"].items():
            known = {
                word.en
                for (_, form, lemma), word in computed().items()
                if (form, lemma) == (forms[column], verb["lemma"])
            }
            if known and known != {observed}:
                differences.add((observed, *known))
    assert differences == {("guess", "guessed"), ("supplys", "supplies")}


# ---- forms of the grammar

#: Verbs with forms of another verb or aspect, by choice of the tables.
SUPPLETIVE = {"know", "like", "owe"}


def regular_verbs() -> Iterator[Word]:
    """All verb forms that the paradigms compute from a dictionary form."""
    for word in words():
        if word.category in ("Vi", "Vt", "Vd", "Vc") and word.lemma not in SUPPLETIVE:
            yield word


def test_a_clause_goes_on_with_the_te_form_where_the_stem_is_one_mora() -> None:
    stems = {(word.category, word.lemma): word.ja[-1] for word in regular_verbs() if word.features["form"] == "stem"}
    differ = {
        word.ja[-1]
        for word in regular_verbs()
        if word.features["form"] == "cont" and word.ja[-1] != stems.get((word.category, word.lemma), word.ja[-1])
    }
    assert differ == {"見て", "持ってきて"}


@pytest.mark.parametrize(
    ("category", "form", "lemma", "ja"),
    [
        ("Vt", "past", "find", "を 見つけた"),
        ("Vt", "vol", "hear", "を 聞こう"),
        ("Vt", "vol", "love", "を 愛そう"),
        ("Vt", "stem", "poke", "を 突き"),
        ("Vt", "attr", "like", "好きだった"),
        ("Vd", "part", "bring", "持ってこられた"),
        ("Vd", "vol", "bring", "持ってこよう"),
        ("Vi", "past", "jog", "ジョギングした"),
        ("Vi", "past", "gasp", "あえいだ"),
        ("Vc", "pres", "notice", "ことに 気づく"),
        ("Vx", "past", "hate", "たくなかった"),
        ("Vx", "past", "need", "必要があった"),
        ("Vx", "past", "try", "とした"),
        ("Vx", "past", "intend", "つもりだった"),
        ("Vi", "cont", "run", "走り"),
        ("Vi", "cont", "see", "見て"),
        ("Vi", "cont", "nap", "うたた寝し"),
        ("Vi", "cont", "know", "知っていて"),
        ("Vt", "cont", "find", "を 見つけ"),
        ("Vt", "cont", "see", "を 見て"),
        ("Vt", "cont", "know", "を 知っていて"),
        ("Vt", "cont", "like", "が 好きで"),
        ("Vt", "cont", "dust", "の ほこりを払い"),
        ("Vt", "part_cont", "know", "知られていて"),
        ("Vt", "part_cont", "like", "好かれていて"),
        ("Vt", "part_cont", "love", "愛され"),
        ("Vt", "part_cont", "hold", "持たれ"),
        ("Vd", "cont", "bring", "持ってきて"),
        ("Vd", "cont", "owe", "借りていて"),
        ("Vd", "part_cont", "bring", "持ってこられ"),
        ("Vd", "part_cont", "owe", "借りられていて"),
        ("Vx", "cont", "want", "たくて"),
        ("Vx", "cont", "hate", "たくなくて"),
        ("Vx", "cont", "need", "必要があり"),
        ("Vx", "cont", "try", "とし"),
        ("Vx", "cont", "intend", "つもりで"),
        ("Vx", "cont", "dream", "ことを夢見て"),
        ("Vx", "cont", "itch", "たくてむずむずし"),
    ],
)
def test_forms_of_every_class(category: str, form: str, lemma: str, ja: str) -> None:
    assert " ".join(computed()[category, form, lemma].ja) == ja


@pytest.mark.parametrize(
    ("form", "lemma", "en"),
    [
        ("past", "study", "studied"),
        ("past", "juggle", "juggled"),
        ("past", "stab", "stabbed"),
        ("past", "freeze", "froze"),
        ("part", "freeze", "frozen"),
        ("part", "find", "found"),
        ("pres", "study", "studies"),
        ("pres", "supply", "supplies"),
        ("pres", "toss", "tosses"),
        ("pres", "touch", "touches"),
        ("pres", "destroy", "destroys"),
        ("did", "know", "know"),
    ],
)
def test_english_inflection(form: str, lemma: str, en: str) -> None:
    assert [word.en for word in words_of("Vt", form=form) if word.lemma == lemma] == [en]
