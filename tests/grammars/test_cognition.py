"""The compounds of `grammars/cognition.sgl`: Chinese as it should be, and novelty to the letter.

That no compound of a pattern is in training is proved by the compiler.  Here it is looked up
once more in the strings of a small data set, by a reader that knows no graphs: it finds the
words of a compound between spaces.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
from sget import compile_file

from sgl.cli.main import run
from sgl.diagnostics import Diagnostics
from sgl.frontend import Compiled
from sgl.parsing import Parser
from sgl.pipeline.sentences import check_examples
from sgl.rendering import outputs
from sgl.resources import grammars_dir

GRAMMAR = grammars_dir() / "cognition.sgl"

NOUNS = {
    "np": (
        "teacher rabbit painter cat guard scarf coin cake doctor writer pianist soldier actor "
        "waiter driver tourist duck bird fox mouse sheep fish snake wolf zebra towel skirt rope "
        "belt stamp medal ring badge brick stone cookie watch basket cup ball box map photo "
        "postcard knife key spoon"
    ),
    "vp": "horse parrot singer neighbor lamp letter bicycle window",
    "pp": "tower sign tent truck bridge tree sofa cabin",
}
DETERMINER = "(?:the|this|one|every|each|another|any)"
ADJECTIVES = {"new": "small|red|strange|dirty|lonely", "paired": "large|white|beautiful|famous"}
RELATIVE = r"\w+ "
MODIFIERS = {
    "new": rf"(?:{RELATIVE}(?:liked|mentioned)|at the market|by the lake)",
    "paired": rf"(?:{RELATIVE}(?:chose|trusted)|at the station|on the roof)",
}
HEADS = {
    ("vp", "new"): "(?:found|hid|photographed|pushed)",
    ("vp", "paired"): "(?:touched|drew|saw|remembered)",
    ("pp", "new"): "(?:in|under|behind|on)",
    ("pp", "paired"): "(?:beside|near|outside|around)",
}


@cache
def grammar(segmented: str = "off", de: str = "sparing") -> Compiled:
    return compile_file(GRAMMAR, {"segmented": segmented, "de": de})


def chinese(sentence: str, segmented: str = "off", de: str = "sparing") -> set[str]:
    core = grammar(segmented, de).grammar
    return {outputs(core)["zh"](reading) for reading in Parser(core, 0).parse(sentence)}


def compound(kind: str, adjective: bool, modifier: bool) -> re.Pattern[str]:
    """What a pattern holds out, as words in a row; what it leaves open may be anything."""
    noun = f"(?:{NOUNS[kind].replace(' ', '|')})"
    both = adjective and modifier
    words = "paired" if both else "new"
    any_adjective = r"(?:(?:very )?\w+ )?"
    held = rf"(?:very )?(?:{ADJECTIVES[words]}) " if adjective else any_adjective
    after = f" {MODIFIERS[words]}" if modifier else ""
    if kind == "np":
        determiner = DETERMINER if adjective or modifier else "(?:every|another|each|any|one)"
        return re.compile(rf"\b{determiner} {held}{noun}{after}\b", re.IGNORECASE)
    head = HEADS[kind, "paired" if adjective or modifier else "new"]
    return re.compile(rf"\b{head} {DETERMINER} {held}{noun}{after}\b")


PATTERNS = {
    kind + "_adj" * adjective + "_mod" * modifier: compound(kind, adjective, modifier)
    for kind in NOUNS
    for modifier in (False, True)
    for adjective in (False, True)
}


def rows(directory: Path, split: str) -> list[tuple[str, str, str]]:
    lines = (directory / "data" / f"{split}.tsv").read_text("utf-8").splitlines()
    return [(en, zh, kind) for en, zh, kind in (line.split("\t") for line in lines)]


# ---- Chinese


@pytest.mark.parametrize("de", ["sparing", "always"])
@pytest.mark.parametrize("segmented", ["off", "on"])
def test_the_examples_hold_in_every_setting(segmented: str, de: str) -> None:
    diagnostics = Diagnostics()
    compiled = grammar(segmented, de)
    check_examples(compiled, diagnostics)
    assert [found.message for found in diagnostics] == []
    assert [p.pattern.name for p in compiled.patterns] == list(PATTERNS)
    assert all(p.examples for p in compiled.patterns)


@pytest.mark.parametrize(
    ("noun", "phrase"),
    [("cat", "那只猫"), ("letter", "那封信"), ("bicycle", "那辆自行车"), ("horse", "那匹马"), ("umbrella", "那把雨伞")],
)
def test_a_noun_chooses_its_classifier(noun: str, phrase: str) -> None:
    assert chinese(f"Anna saw the {noun}.") == {f"安娜看见了{phrase}。"}


def test_de_stands_after_long_adjectives_and_after_very() -> None:
    assert chinese("Anna saw the red cat.") == {"安娜看见了那只红猫。"}
    assert chinese("Anna saw the red cat.", de="always") == {"安娜看见了那只红的猫。"}
    assert chinese("Anna saw the very red cat.") == {"安娜看见了那只很红的猫。"}
    assert chinese("Anna saw the lonely cat.") == {"安娜看见了那只孤独的猫。"}


def test_a_preposition_stands_around_its_phrase_with_all_that_modifies_it() -> None:
    assert chinese("Anna slept behind the red tent at the station.") == {"安娜在车站里的那顶红帐篷后面睡着了。"}
    assert chinese("Anna slept facing the tent.") == {"安娜对着那顶帐篷睡着了。"}


def test_words_can_be_written_apart() -> None:
    assert chinese("Every cat laughed.", segmented="on") == {"每 只 猫 都 笑了 。"}


# ---- novelty


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data set of 1,000 training sentences and two compounds of each pattern, in five contexts each."""
    root = tmp_path_factory.mktemp("cognition")
    sizes = ["--set", "train_size=1000", "--set", "compounds=2", "--set", "shown=1"]
    assert run(["compile", str(GRAMMAR), "--out", str(root / "out"), *sizes]) == 0
    return root / "out"


@pytest.mark.acceptance
def test_no_compound_of_a_pattern_can_be_read_in_training(small: Path) -> None:
    leaks = [
        (name, sentence)
        for split in ("train", "dev", "test")
        for sentence, _, _ in rows(small, split)
        for name, held_out in PATTERNS.items()
        if held_out.search(sentence)
    ]
    assert leaks == []


@pytest.mark.acceptance
def test_every_item_has_the_compound_of_its_pattern_and_of_no_other(small: Path) -> None:
    items = rows(small, "gen")
    assert len(items) == 10 * len(PATTERNS)
    for sentence, _, kind in items:
        found = {name for name, held_out in PATTERNS.items() if held_out.search(sentence)}
        assert found == {kind}, sentence


@pytest.mark.acceptance
def test_every_word_of_an_item_is_in_training(small: Path) -> None:
    def words(split: str) -> set[str]:
        return {w for en, _, _ in rows(small, split) for w in re.findall(r"\w+", en.lower())}

    assert words("gen") <= words("train")
