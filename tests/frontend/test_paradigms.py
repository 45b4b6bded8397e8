"""The paradigms of the library, one by one: Japanese and English forms."""

from __future__ import annotations

from pathlib import Path

import library_forms
import pytest
import yaml
from sget import compile_file

from sgl.core.grammar import Token
from sgl.lang import syntax
from sgl.resources import grammars_dir

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
        f"- {{en: v{number}, ja: {verb}, class: {conjugation}}}" for number, (verb, conjugation, _) in enumerate(rows)
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
def test_english_verbs_of_every_kind(verb: str, kind: str, past: str | None, participle: str | None) -> None:
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
        names[form] for scope in library_forms.scopes("en") if form in (names := scope.names(syntax.Paradigm))
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
        forms = (english("past_tense", verb, "irregular"), english("past_participle", verb, "irregular"))
        for kind in ("regular", "doubling"):
            plain = english("past_tense", verb, kind)
            assert forms != (plain, plain), verb


@pytest.mark.parametrize(
    ("name", "has_passive"),
    [("complement", False), ("control", False), ("ditransitive", True), ("intransitive", False), ("transitive", True)],
)
def test_the_library_has_the_irregular_verbs_of_sget(name: str, has_passive: bool) -> None:
    """Independent of one another: those of SGET were read off the published sentences."""
    table = yaml.safe_load((grammars_dir() / "lexicon" / "sget" / f"{name}.yaml").read_text(encoding="utf-8"))
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
