"""Inflected forms: those of SGET against the published ones, and those of the library.

The forms of verbs are computed by the paradigms of ``stdlib``.  Witnesses who know
nothing of them are the forms observed in the published data of SGET, but for a list
of corrections, and a morphological analyser (``test_inflected.py``).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import library_forms
import pytest
import yaml
from sget import PUBLISHED, Word, compile_file, words, words_of

from sgl.core.grammar import Token
from sgl.lang import syntax
from sgl.resources import grammars_dir

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

#: The category that has the forms of each frame of the published tables.
CATEGORY = {
    "intransitive": "Vi",
    "transitive": "Vt",
    "passive": "Vt",
    "ditrans_double": "Vd",
    "ditrans_to": "Vd",
    "passive_theme": "Vd",
    "passive_to": "Vd",
    "complement": "Vc",
    "infinitive": "Vx",
}

needs_published_data = pytest.mark.skipif(
    not PUBLISHED.is_dir(), reason="the published data are not beside this checkout"
)


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
    forms = {
        "base": "dict",
        "past": "past",
        "past(as printed)": "past",
        "3sg": "pres",
        "pp": "part",
    }
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
    stems = {
        (word.category, word.lemma): word.ja[-1]
        for word in regular_verbs()
        if word.features["form"] == "stem"
    }
    differ = {
        word.ja[-1]
        for word in regular_verbs()
        if word.features["form"] == "cont"
        and word.ja[-1] != stems.get((word.category, word.lemma), word.ja[-1])
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


# ---- the paradigms of the library, one by one

PARADIGMS = """
書く    godan    書いた 書いて 書き 書かない 書こう 書かれる 書かせる
泳ぐ    godan    泳いだ 泳いで 泳ぎ 泳がない 泳ごう 泳がれる 泳がせる
話す    godan    話した 話して 話し 話さない 話そう 話される 話させる
待つ    godan    待った 待って 待ち 待たない 待とう 待たれる 待たせる
死ぬ    godan    死んだ 死んで 死に 死なない 死のう 死なれる 死なせる
呼ぶ    godan    呼んだ 呼んで 呼び 呼ばない 呼ぼう 呼ばれる 呼ばせる
読む    godan    読んだ 読んで 読み 読まない 読もう 読まれる 読ませる
作る    godan    作った 作って 作り 作らない 作ろう 作られる 作らせる
買う    godan    買った 買って 買い 買わない 買おう 買われる 買わせる
行く    godan    行った 行って 行き 行かない 行こう 行かれる 行かせる
出ていく godan   出ていった 出ていって 出ていき 出ていかない 出ていこう 出ていかれる 出ていかせる
食べる  ichidan  食べた 食べて 食べ 食べない 食べよう 食べられる 食べさせる
勉強する suru    勉強した 勉強して 勉強し 勉強しない 勉強しよう 勉強される 勉強させる
来る    kuru     来た 来て 来 来ない 来よう 来られる 来させる
"""

CONTINUATIVES = """
書く      godan    書き
泳ぐ      godan    泳ぎ
話す      godan    話し
待つ      godan    待ち
死ぬ      godan    死に
呼ぶ      godan    呼び
読む      godan    読み
作る      godan    作り
買う      godan    買い
食べる    ichidan  食べ
見る      ichidan  見て
出る      ichidan  出て
知っている ichidan  知っていて
勉強する  suru     勉強し
来る      kuru     来て
走りたい  i        走りたくて
静かだ    copula   静かで
"""

ENGLISH = """
walk    walked   walks    walking
like    liked    likes    liking
study   studied  studies  studying
play    played   plays    playing
watch   watched  watches  watching
miss    missed   misses   missing
echo    echoed   echoes   echoing
die     died     dies     dying
agree   agreed   agrees   agreeing
"""

JAPANESE_PARADIGMS = ("past", "te", "stem", "negative", "volitional", "passive", "causative")
ENGLISH_PARADIGMS = ("ed", "third_person", "ing")


def inflect(directory: Path, calls: str, rows: list[str]) -> list[list[str]]:
    """What the paradigms make of the rows of a table, by a grammar written for this."""
    (directory / "verbs.yaml").write_text("\n".join(rows), encoding="utf-8")
    (directory / "forms.sgl").write_text(
        f"""\
module forms
use stdlib.ja.verb
use stdlib.en.verb
layer en : text
layer forms : text
category W
lexicon verbs from "verbs.yaml"
  W
    en  $en
    forms  {calls}
dataset
  from W
  train 1
""",
        encoding="utf-8",
    )
    rules = compile_file(directory / "forms.sgl").grammar.rules
    return [[item.text for item in rule.templates[1] if isinstance(item, Token)] for rule in rules]


def test_japanese_paradigms(tmp_path: Path) -> None:
    expected = [line.split() for line in PARADIGMS.strip().splitlines()]
    calls = " ".join(f"{name}($ja, $class)" for name in JAPANESE_PARADIGMS)
    table = [
        f"- {{en: v{number}, ja: {verb}, class: {conjugation}}}"
        for number, (verb, conjugation, *_) in enumerate(expected)
    ]
    assert inflect(tmp_path, calls, table) == [forms for _, _, *forms in expected]


def test_continuatives(tmp_path: Path) -> None:
    rows = [line.split() for line in CONTINUATIVES.strip().splitlines()]
    table = [
        f"- {{en: v{number}, ja: {verb}, class: {conjugation}}}"
        for number, (verb, conjugation, _) in enumerate(rows)
    ]
    expected = [[form] for _, _, form in rows]
    assert inflect(tmp_path, "continuative($ja, $class)", table) == expected


def test_english_paradigms(tmp_path: Path) -> None:
    expected = [line.split() for line in ENGLISH.strip().splitlines()]
    calls = " ".join(f"{name}($en)" for name in ENGLISH_PARADIGMS)
    table = [f"- {{en: {verb}}}" for verb, *_ in expected]
    assert inflect(tmp_path, calls, table) == [forms for _, *forms in expected]


def english(form: str, word: str, *classes: str) -> str | None:
    return library_forms.inflect(form, word, *classes, language="en")


@pytest.mark.parametrize(
    ("verb", "kind", "past", "participle"),
    [
        ("walk", "regular", "walked", "walked"),
        ("carry", "regular", "carried", "carried"),
        ("prefer", "doubling", "preferred", "preferred"),
        ("panic", "doubling", "panicked", "panicked"),
        ("go", "irregular", "went", "gone"),
        ("undergo", "irregular", "underwent", "undergone"),
        ("eat", "irregular", "ate", "eaten"),
        ("beat", "irregular", "beat", "beaten"),
        ("spring", "irregular", "sprang", "sprung"),
        ("overcome", "irregular", "overcame", "overcome"),
        ("unicycle", "irregular", None, None),
    ],
)
def test_english_verbs_of_every_kind(
    verb: str, kind: str, past: str | None, participle: str | None
) -> None:
    assert english("past_tense", verb, kind) == past
    assert english("past_participle", verb, kind) == participle


@pytest.mark.parametrize(
    ("noun", "kind", "plural"),
    [
        ("dog", "regular", "dogs"),
        ("box", "regular", "boxes"),
        ("watch", "regular", "watches"),
        ("city", "regular", "cities"),
        ("day", "regular", "days"),
        ("child", "irregular", "children"),
        ("grandchild", "irregular", "grandchildren"),
        ("woman", "irregular", "women"),
        ("bookshelf", "irregular", "bookshelves"),
        ("sheep", "irregular", "sheep"),
    ],
)
def test_english_plurals(noun: str, kind: str, plural: str) -> None:
    assert english("plural", noun, kind) == plural


def test_the_article_goes_by_the_sound_of_the_next_word() -> None:
    assert english("indefinite", "a", "consonant") == "a"
    assert english("indefinite", "a", "vowel") == "an"


def irregular(form: str) -> set[str]:
    """The verbs that a paradigm lists as irregular."""
    (paradigm,) = [
        names[form]
        for scope in library_forms.scopes("en")
        if form in (names := scope.names(syntax.Paradigm))
    ]
    assert isinstance(paradigm, syntax.Paradigm)
    (line,) = [line for line in paradigm.lines if line.inflection_class.text == "irregular"]
    return {verb.text for verb, _ in line.rewrites}


def test_irregular_verbs_have_both_forms() -> None:
    verbs = irregular("past_tense")
    assert verbs == irregular("past_participle")
    assert len(verbs) > 120


def test_irregular_verbs_are_not_regular_or_doubling() -> None:
    for verb in irregular("past_tense"):
        forms = (
            english("past_tense", verb, "irregular"),
            english("past_participle", verb, "irregular"),
        )
        for kind in ("regular", "doubling"):
            plain = english("past_tense", verb, kind)
            assert forms != (plain, plain), verb


@pytest.mark.parametrize(
    ("name", "has_passive"),
    [
        ("complement", False),
        ("control", False),
        ("ditransitive", True),
        ("intransitive", False),
        ("transitive", True),
    ],
)
def test_the_library_has_the_irregular_verbs_of_sget(name: str, has_passive: bool) -> None:
    """Independent of one another: those of SGET were read off the published sentences."""
    table = yaml.safe_load(
        (grammars_dir() / "lexicon" / "sget" / f"{name}.yaml").read_text(encoding="utf-8")
    )
    for row in table:
        past = row.get("past", english("ed", row["en"]))
        participle = row.get("part", past)
        kinds = [
            kind
            for kind in ("regular", "doubling", "irregular")
            if english("past_tense", row["en"], kind) == past
            and (not has_passive or english("past_participle", row["en"], kind) == participle)
        ]
        assert kinds, row["en"]
