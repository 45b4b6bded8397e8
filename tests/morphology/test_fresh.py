"""Fresh words: what a grammar is after its words are replaced, and what is the same as before."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from workplace import Workplace

import sgl
from sgl.cli.main import FAILED, OK, USAGE, run
from sgl.morphology.sounds import Sounds, real_words

FARM = Path(__file__).parents[2] / "docs" / "examples" / "farm.sgl"

ZOO = """
module zoo "A zoo"
use stdlib.ja.verb (past)
use stdlib.en.verb (ed)
layer en  : text
layer ja  : text (join "")
layer syn : graph on en
feature num = sg | pl
category S
category N[num]
category V
category Det
function governs(particle, verb) = particle + " " + verb
words big = cow, horse
lexicon animals from "animals.yaml"
  N[num=sg]
    en  $en
    ja  $ja
    syn node(lemma=$lemma or $en, upos=NOUN)
  N[num=pl]
    en  $plural
    ja  $ja
    syn node(lemma=$lemma or $en, upos=NOUN)
lexicon verbs from "verbs.yaml" where en = see | stab
  V
    en  $past or ed($en)
    ja  governs($particle, past($ja, $class))
    syn node(lemma=$en, upos=VERB)
lexicon small from "small.yaml"
  Det
    en  $en
    ja  $ja
    syn node(lemma=$en, upos=$upos)
word N[num=sg]: "Anna"
  ja  "アンナ"
  syn node(lemma=Anna, upos=PROPN)
rule s: S -> Det N V Det obj:N
  ja  N "が" obj V drop Det
  syn V -[nsubj]-> N; V -[obj]-> obj
pattern cows "Cows are no objects"
  targets cow
  forbid { V -[obj]-> N[@targets] }
  gen    { V -[obj]-> N[@targets] } example "the cow saw the cow"
  train example "the cow saw the horse"
pattern whales
  forbid { V -[obj]-> N[lemma=whale] }
relation takes from "takes.yaml"
restrict { V -[obj]-> N } to takes(V, N)
test "the cow saw the horse" => ja "牛が馬を見た"
dataset
  from S
  train 10
  seed 7
"""
TABLES = {
    "animals.yaml": """
- {en: cow, plural: cows, ja: 牛}
- {en: horse, plural: horses, ja: 馬}
- {en: ox, plural: oxen, ja: 雄牛}
- {en: whale, plural: whales, ja: クジラ, lemma: whale}
""",
    "verbs.yaml": """
- {en: see, past: saw, ja: 見る, class: ichidan, particle: を}
- {en: stab, ja: 刺す, class: godan, particle: を}
- {en: ride, past: rode, ja: 乗る, class: godan, particle: に}
- {en: meet, past: met, ja: 会う, class: godan, particle: に}
- {en: hunt, ja: 追う, class: godan, particle: を}
""",
    "small.yaml": "- {en: the, ja: その, upos: DET}\n",
    "takes.yaml": "see: [cow, horse]\nstab: {of: [big]}\n",
}


def test_a_grammar_with_fresh_words(work: Workplace) -> None:
    """New words everywhere, regular, and nothing else is another one."""
    work.write("zoo.sgl", ZOO)
    for name, text in TABLES.items():
        work.write(name, text)
    assert run(["new", "fresh", "--from", "zoo.sgl", "--fresh-words", "3"]) == OK
    assert work.capsys.readouterr().out == "created fresh; to make its dataset, run `sglc compile fresh`\n"
    found = {
        path.name: path.read_text("utf-8")
        for path in (work.directory / "fresh" / "grammar").iterdir()
        if path.is_file()
    }
    assert {name: found[name].strip() for name in TABLES} == {name: text.strip() for name, text in FRESH.items()}
    old, new = ([line for line in text.splitlines() if line] for text in (ZOO, found["zoo.sgl"]))
    assert [line for line in new if line not in old] == CHANGED
    assert {line.split()[0] for line in old if line not in new} - {line.split()[0] for line in CHANGED} == {
        "train",
        "test",
    }


FRESH = {
    "animals.yaml": """
- {en: meelob, plural: meelobs, ja: グポガ}
- {en: sersob, plural: sersobs, ja: クピジ}
- {en: edent, plural: edents, ja: ヘペナ}
- {en: hersant, plural: hersants, ja: フサチ, lemma: ''}
""",
    "verbs.yaml": """
- {en: mennat, past: '', ja: ケソクる, class: ichidan, particle: を}
- {en: whalon, ja: ピホボす, class: godan, particle: を}
- {en: whownnownt, past: '', ja: シヘナる, class: godan, particle: に}
- {en: cersub, past: '', ja: ヌデカう, class: godan, particle: に}
- {en: hanneet, ja: ワポヌう, class: godan, particle: を}
""",
    "small.yaml": "- {en: the, ja: その, upos: DET}\n",
    "takes.yaml": "mennat: [meelob, sersob]\nwhalon:\n  of: [big]\n",
}
CHANGED = [
    'module zoo "A zoo (fresh words, seed 3)"',
    "words big = meelob, sersob",
    'lexicon verbs from "verbs.yaml" where en = mennat | whalon',
    'word N[num=sg]: "Alen"',
    '  ja  "リョセハ"',
    '  syn node(lemma="Alen", upos=PROPN)',
    "  targets meelob",
    "  gen    { V -[obj]-> N[@targets] }",
    "  forbid { V -[obj]-> N[lemma=hersant] }",
]


@pytest.mark.slow
def test_the_same_sentences_with_other_words(tmp_path: Path, work: Workplace) -> None:
    """Each seed has words of its own, and the data have the derivations of the real words: weights and proofs stay."""
    real = sgl.load(FARM).compile(tmp_path / "real")
    seen = words_of(real.directory, "train")
    number, closed = len(seen), {"the", "a", "near", "."}
    for seed in ("1", "2"):
        assert run(["new", f"f{seed}", "--from", str(FARM), "--fresh-words", seed]) == OK
        data = sgl.load(work.directory / f"f{seed}").compile(tmp_path / seed)
        for split in ("train", "gen"):
            lines = [(of.directory / "derivations" / f"{split}.tsv").read_text("utf-8") for of in (real, data)]
            assert lines[0] == lines[1]
        own = words_of(data.directory, "train")
        assert own & seen == closed
        assert len(own) == number
        seen |= own
        assert f"Animals on a farm (fresh words, seed {seed})" in (data.directory / "README.md").read_text("utf-8")


def words_of(directory: Path, split: str) -> set[str]:
    rows = (directory / "data" / f"{split}.tsv").read_text("utf-8").splitlines()
    return {word.lower() for row in rows for word in row.split("\t")[0].replace(".", " .").split()}


@pytest.mark.parametrize(
    "words", [["dog", "cat", "bird", "Anna"], ["犬", "ネコ", "とり"], ["老师", "兔子", "画家"], ["a"]]
)
def test_no_word_begins_another_one(words: list[str]) -> None:
    """So no two forms are alike, whatever endings they have."""
    for seed in range(3):
        sounds = Sounds(words, [*words, "bordat"], seed)
        made = [sounds.like(f"{word}{'aeiou'[n % 5] * (n // 5)}".lower()) for word in words for n in range(25)]
        assert not [(one, other) for n, one in enumerate(made) for other in made[:n] if one.startswith(other)]
        assert not [word for word in made for known in (*words, "bordat") if known.lower().startswith(word)]


@pytest.mark.parametrize(
    ("words", "one"), [(["save", "lemon", "over", "metal", "women", "red"], "loved"), (["カモメ"], "スリム")]
)
def test_no_word_is_a_real_one_by_chance(words: list[str], one: str) -> None:
    """Of each 160, some would be."""

    def made(known: list[str]) -> set[str]:
        sounds = [Sounds(words, known, seed) for seed in range(16)]
        return {one.like(f"{words[0]}{'o' * n}") for one in sounds for n in range(10)}

    assert one in made([]) & {*real_words()}
    assert not {word for word in made(real_words()) for real in real_words() if real.startswith(word)}


def test_seeds_have_no_word_in_common() -> None:
    """Sixteen that follow one another; further ones may share some."""
    words = ["save", "lemon", "metal", "women", "red"]
    sounds = [Sounds(words, [], seed) for seed in range(16)]
    made = [{one.like(f"d{'o' * n}g") for n in range(40)} for one in sounds]
    assert sum(map(len, made)) == len(set[str]().union(*made)) == 640


def test_letters_that_sound_together_stay_together() -> None:
    """The u of *qu*, the w of *bowl*; and a y that nothing precedes is a consonant."""
    sounds = Sounds(["squeal", "queen", "bowl", "owl", "yellow", "apply"], [], 1)
    made = [sounds.like(f"{first}{n * 'x'}") for n in range(100) for first in "oqx"]
    assert any("qu" in word for word in made)
    assert not [word for word in made if re.search(r"q(?!u)|^y(?![aeiou])|[aeiy]w", word)]


def test_words_keep_their_capitals_and_first_sounds() -> None:
    sounds = Sounds(["dog", "cat", "owl", "Emma", "bird", "ox"], [], 1)
    assert sounds.like("Emma").istitle()
    assert sounds.like("WALK").isupper()
    assert all(sounds.like(f"o{n * 'x'}w")[0] in "aeiou" for n in range(10))
    assert not any(sounds.like(f"d{n * 'o'}g")[0] in "aeiou" for n in range(10))


def test_what_cannot_be_made_fresh(work: Workplace) -> None:
    work.write("bad.sgl", 'layer en : text\nlexicon nouns from "none.yaml"\n  N\n    en $en\ncategory N\n')
    assert run(["new", "fresh", "--from", "bad.sgl", "--fresh-words", "3"]) == FAILED
    assert "none.yaml" in work.capsys.readouterr().err
    assert not (work.directory / "fresh").exists()
    assert run(["new", "fresh", "--from", "nothing.sgl"]) == FAILED
    assert run(["new", "fresh", "--fresh-words", "-1"]) == USAGE
    work.capsys.readouterr()
    assert run(["check", str(FARM), "--set", "words=fresh"]) == FAILED
    assert "hint: `sglc new DIRECTORY --from GRAMMAR --fresh-words SEED` makes a copy" in work.capsys.readouterr().err


@pytest.mark.parametrize("name", ["swahili", "welsh"])
def test_words_keep_the_endings_that_paradigms_of_one_class_ask_for(name: str, tmp_path: Path) -> None:
    fresh = tmp_path / name
    assert run(["new", str(fresh), "--from", str(FARM.with_name(f"{name}.sgl")), "--fresh-words", "3"]) == OK
    assert run(["check", str(fresh), "--fast"]) == OK
