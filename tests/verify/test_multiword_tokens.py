"""Two words that are written as one are a line of their own, which says its form and the space behind it alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from toy import TOY, random_derivations

from sgl.cli.arguments import graph_text
from sgl.core.interpret import interpret
from sgl.core.spelling import Finish
from sgl.verify.conllu import Malformed, Sentence, TokenTable, read_sentences

ENGLISH = replace(
    TOY.text_layers[0], finish=Finish(elisions=(("dog", "slept", "dogslept"), ("Emma", "ran", "Emmaran")))
)
ELIDED = replace(TOY, text_layers=(ENGLISH, TOY.text_layers[1]))


def written(words: str) -> str:
    """The lines of the first drawn sentence with these words."""
    for derivation in random_derivations(TOY, 3_000, 71):
        item = interpret(ELIDED, derivation)
        if words in item.texts[0]:
            return graph_text(ELIDED, item, "syn", sent_id="s", category="c")
    raise AssertionError(words)


def read(text: str, folder: Path) -> Sentence | Malformed:
    path = folder / "a.conllu"
    path.write_text(text, "utf-8")
    (found,) = read_sentences(path, TokenTable())
    return found


@pytest.mark.parametrize("words", ["dogslept.", "Emmaran."])
def test_a_piece_of_two_words_is_read_as_two(words: str, tmp_path: Path) -> None:
    text = written(words)
    assert text.count("\tSpaceAfter=No\n") >= 1
    found = read(text, tmp_path)
    assert isinstance(found, Sentence)
    assert found.comment("text").endswith(words)
    assert len(found.words) == sum(
        line[:1].isdigit() and "-" not in line.partition("\t")[0] for line in text.split("\n")
    )


@pytest.mark.parametrize("misc", ["Extracted=Yes", "SpaceAfter=No|X=y", "SpaceAfter=no"])
def test_a_piece_says_nothing_else(misc: str, tmp_path: Path) -> None:
    (line,) = [line for line in written("dogslept.").split("\n") if "-" in line.partition("\t")[0]]
    assert line.endswith("\tSpaceAfter=No")
    wrong = written("dogslept.").replace(line, line.removesuffix("SpaceAfter=No") + misc)
    found = read(wrong, tmp_path)
    assert isinstance(found, Malformed)
    assert "has more than its form and the space behind it" in found.reason
