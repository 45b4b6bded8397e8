"""Treebanks in CoNLL-U as they are: of other editors, with faults, or no treebanks at all."""

from __future__ import annotations

import tempfile
from contextlib import suppress
from pathlib import Path

import conllu as library
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from treebanks import SPELT, conllu, dice, example, random_heads, write

from sgl.cli.main import FAILED, run
from sgl.foreign import ForeignFileError
from sgl.research.treebank import Malformed, TreebankReader, TreebankSentence


@pytest.mark.parametrize("text", ["\ufeff" + SPELT, SPELT.replace("\n", "\r\n"), SPELT.rstrip(), "\n\n" + SPELT])
def test_files_of_other_editors_are_read(text: str, tmp_path: Path) -> None:
    path = tmp_path / "gold.conllu"
    path.write_bytes(text.encode())
    (sentence,) = TreebankReader().read(path)
    assert isinstance(sentence, TreebankSentence)
    assert sentence.comment("sent_id") == "m1"
    assert sentence.heads == (3, 3, 0, 5, 3, 5, 3)
    alone = tmp_path / "alone.conllu"
    alone.write_bytes(path.read_bytes()[sentence.offset : sentence.end])
    assert [block[3:] for block in TreebankReader().read(alone)] == [sentence[3:]]


def test_a_sentence_without_end_is_not_read_into_memory(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gold = write(tmp_path / "gold.conllu", "x" * (3 << 20) + "\n\n" + example())
    blocks = list(TreebankReader().read(gold))
    assert isinstance(blocks[0], Malformed)
    assert isinstance(blocks[1], TreebankSentence)
    assert blocks[1].line == 3
    assert run(["analyse", str(gold)]) == FAILED
    assert "too long" in capsys.readouterr().err


@given(st.integers(0, 1000))
@settings(max_examples=20)
def test_the_reader_agrees_with_the_library_conllu(seed: int) -> None:
    draw = dice(seed)
    sizes = [draw.randint(1, 9) for _ in range(5)]
    text = SPELT + "".join(
        conllu([(f"w{n}", "l", "X", head, "r") for n, head in enumerate(random_heads(size, draw))]) for size in sizes
    )
    with tempfile.TemporaryDirectory() as place:
        ours = list(TreebankReader().read(write(Path(place) / "gold.conllu", text)))
    theirs = library.parse(text)
    assert len(ours) == len(theirs)
    for mine, other in zip(ours, theirs, strict=True):
        assert isinstance(mine, TreebankSentence)
        assert [word[:5] for word in mine.words] == [
            (word["form"], word["lemma"], word["upos"], word["head"], word["deprel"])
            for word in other
            if isinstance(word["id"], int)
        ]


@given(st.binary(max_size=200))
@settings(max_examples=200)
def test_no_bytes_are_too_much(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "gold.conllu"
        path.write_bytes(content)
        # A file of another kind is told by its first bytes.
        with suppress(ForeignFileError):
            for block in TreebankReader().read(path):
                assert isinstance(block, TreebankSentence | Malformed)
