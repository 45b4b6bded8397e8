"""``sglc translate`` and ``sglc parse``: sentences as users type them."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from diagnostics import BASE, INTERNAL
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from workplace import Workplace

from sgl.cli.main import FAILED, OK, OUTPUT, USAGE, run

FARM = Path(__file__).parent.parent.parent / "docs" / "examples"
SENTENCE = "The dog chased a cat near the hen."
SVG = "{http://www.w3.org/2000/svg}"
JAPANESE = "犬が鶏の近くの猫を追いかけた。"


@pytest.fixture
def farm(work: Workplace) -> Workplace:
    for name in ("farm.sgl", "animals.yaml", "verbs.yaml"):
        work.write(name, (FARM / name).read_bytes())
    return work


def said(work: Workplace, *arguments: str, status: int = OK) -> str:
    command, *rest = arguments
    assert run([command, "farm.sgl", *rest]) == status
    captured = work.capsys.readouterr()
    return captured.out if status == OK else captured.err


def test_a_sentence_is_translated(farm: Workplace) -> None:
    assert said(farm, "translate", SENTENCE) == JAPANESE + "\n"


def test_all_outputs_come_the_likeliest_first(farm: Workplace) -> None:
    lines = said(farm, "translate", "犬が鶏を見た。", "--layer", "ja").splitlines()
    # "the" is twice as likely as "a".
    assert lines[0] == "The dog saw the hen."
    assert lines[-1] == "A dog saw a hen."
    assert len(lines) == len(set(lines)) == 4


def test_further_outputs_are_announced(farm: Workplace) -> None:
    assert run(["translate", "farm.sgl", JAPANESE, "--layer=ja", "-n2"]) == OK
    captured = farm.capsys.readouterr()
    assert len(captured.out.splitlines()) == 2
    assert "there are more: 8 readings" in captured.err


def test_several_layers_and_graphs(farm: Workplace) -> None:
    text = said(farm, "translate", SENTENCE, "--to", "ja,en,syn")
    first, *graph = text.splitlines()
    assert first == f"{JAPANESE}\t{SENTENCE}"
    assert "# text = " + SENTENCE in graph
    assert sum(line[:1].isdigit() for line in graph) == 9


def test_readings_that_agree_in_what_is_asked_for_are_one_output(farm: Workplace) -> None:
    assert said(farm, "translate", "犬が鶏を見た。", "--layer=ja", "--to=ja") == "犬が鶏を見た。\n"


def test_finishing_is_forgiven_when_that_is_asked_for(farm: Workplace) -> None:
    tokenised = SENTENCE.replace(".", " .")
    assert "cannot stand here" in said(farm, "translate", tokenised, status=FAILED)
    assert said(farm, "translate", tokenised, "--normalise=spacing") == JAPANESE + "\n"
    assert said(farm, "translate", SENTENCE[:-1], "--normalise=all") == JAPANESE + "\n"


def test_the_tree_of_a_sentence(farm: Workplace) -> None:
    assert said(farm, "parse", "A dog saw the hen.").endswith(
        "Text\n"
        "├─ S\n"
        "│  ├─ NP\n"
        "│  │  ├─ Det ─ a\n"
        "│  │  └─ N ─ dog\n"
        "│  └─ VP\n"
        "│     ├─ V ─ saw\n"
        "│     └─ NP\n"
        "│        ├─ Det ─ the\n"
        "│        └─ N ─ hen\n"
        "└─ .\n"
        "\n"
        "1 reading\n"
    )


def test_one_reading_is_shown_or_all(farm: Workplace) -> None:
    one = said(farm, "parse", JAPANESE, "--layer", "ja")
    every = said(farm, "parse", JAPANESE, "--layer", "ja", "--all")
    assert one.endswith("8 readings, 7 of them not shown\n")
    assert every.endswith("\n8 readings\n")
    shown = [block.splitlines() for block in every.split("\n\n")[:-1]]
    assert len({lines[1] for lines in shown}) == 8, "each reading has another translation"
    assert one.splitlines()[1] == shown[0][1] == "The dog chased the cat near the hen."


def test_readings_with_like_trees_are_told_apart_by_their_features(work: Workplace) -> None:
    work.write(
        "farm.sgl",
        BASE.replace("VP[form=f] -> V[form=f] NP", "VP[form=f] -> V[form=f] NP  ~ 3")
        + '\nword V[form=pres]: "saw"\n  ja  "見る"\n  syn node(lemma=saw, upos=VERB)\n',
    )
    every = said(work, "parse", "The dog saw the cat.", "--all")
    assert every.count("VP[form=past]") == every.count("VP[form=pres]") == 1


def test_trees_are_drawn(farm: Workplace) -> None:
    said(farm, "parse", SENTENCE, "--svg", "one.svg")
    said(farm, "parse", JAPANESE, "--layer=ja", "--all", "--svg", "all.svg")
    for name, trees in (("one.svg", 1), ("all.svg", 8)):
        root = ET.fromstring((farm.directory / name).read_text("utf-8"))  # noqa: S314 - our own file
        pictures = root.findall(f"{SVG}g")
        assert len(pictures) == trees
        words = ["".join(text.itertext()) for text in pictures[0].iter(f"{SVG}text")]
        assert any(word.endswith("NP") for word in words)


def test_where_a_sentence_fails_is_shown(farm: Workplace) -> None:
    text = said(farm, "parse", "The dog chased a cet near the hen.", status=FAILED)
    assert "error[SGL1101]: the grammar does not derive this sentence in the layer `en`" in text
    assert "sentence:1:18" in text
    assert "^^^ the grammar has no such word" in text
    assert "= parsed up to: The dog chased a" in text
    assert "= expected one of: N" in text
    assert "= hint: did you mean `cat`?" in text


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["translate", SENTENCE, "--layer=fr"], USAGE, "there is no text layer `fr`"),
        (["translate", SENTENCE, "--layer=syn"], USAGE, "there is no text layer `syn`"),
        (["translate", SENTENCE, "--to=jp"], USAGE, "no layer or view `jp`; did you mean `ja`?"),
        (["translate", SENTENCE, "-n0"], USAGE, "0 is not in the range"),
        (["translate", SENTENCE, "--normalise=case"], USAGE, "there is no difference `case`"),
        (["translate"], USAGE, "Missing argument"),
        (["parse", SENTENCE, "--svg=absent/tree.svg"], OUTPUT, "cannot write"),
        (["parse", ""], FAILED, "more is expected here"),
        (["parse", "\x1b[2J"], FAILED, "␛[2J"),
        (["parse", "The dog\nsaw"], FAILED, "SGL1101"),
        (["parse", JAPANESE], FAILED, "no such word"),
        (["translate", "犬が", "--layer=ja"], FAILED, "more is expected here"),
    ],
)
def test_what_cannot_be_done_is_said(arguments: list[str], status: int, words: str, farm: Workplace) -> None:
    assert words in said(farm, *arguments, status=status)


@pytest.mark.slow
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(sentence=st.text(max_size=30), layer=st.sampled_from(["en", "ja"]))
def test_no_sentence_ends_in_a_traceback(sentence: str, layer: str, farm: Workplace) -> None:
    assert run(["parse", "farm.sgl", f"--layer={layer}", "--normalise=all", "--", sentence]) == FAILED
    captured = farm.capsys.readouterr()
    assert not [word for word in INTERNAL if word in captured.out + captured.err]


def test_a_sentence_without_its_capital_letter_is_told_so(farm: Workplace) -> None:
    # Whether or not something else is wrong further on.
    for sentence in (SENTENCE, SENTENCE.removesuffix(".")):
        assert "hint: write `The`" in said(farm, "translate", sentence.replace("The", "the"), status=FAILED)
    assert "hint: write" not in said(farm, "translate", SENTENCE.removesuffix("."), status=FAILED)


def test_a_grammar_without_its_ending_is_told_so(farm: Workplace) -> None:
    for name in ("farm", "frm"):
        assert run(["sample", name]) != OK
        assert "did you mean `farm.sgl`?" in farm.capsys.readouterr().err
