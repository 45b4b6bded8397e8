"""The words of a treebank: its vocabulary, and their lemmas for comparisons."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from workplace import Workplace

from sgl.cli.main import OK, USAGE, run

BANK = Path(__file__).parents[3] / "docs" / "examples" / "bank" / "en_ewt.conllu"


def test_a_lemmatizer_forgives_inflection_and_nothing_else(work: Workplace) -> None:
    pytest.importorskip("simplemma")
    shutil.copy(BANK, work.directory / "bank.conllu")
    work.write(
        "system.txt", "I enjoys my times at Franklin High School.\nThe dog ran that barked.\nThe cows see a hen.\n"
    )
    found = {}
    for options in ([], ["--lemmatise", "en"]):
        assert run(["analyse", "bank.conllu", "system.txt", "--json", "out.json", "--force", *options]) == OK
        found[len(options)] = json.loads((work.directory / "out.json").read_text("utf-8"))["systems"][0]["exact"]
    assert found == {0: 0, 2: 1}


def test_a_language_without_lemmas_is_refused(work: Workplace) -> None:
    pytest.importorskip("simplemma")
    shutil.copy(BANK, work.directory / "bank.conllu")
    assert run(["analyse", "bank.conllu", "--lemmatise", "klingon"]) == USAGE
    assert "`--lemmatise klingon` is not the code of a language" in work.capsys.readouterr().err


def test_the_vocabulary_is_counted_by_part_of_speech(work: Workplace) -> None:
    shutil.copy(BANK, work.directory / "bank.conllu")
    assert run(["analyse", "bank.conllu", "--json", "out.json"]) == OK
    rows = json.loads((work.directory / "out.json").read_text("utf-8"))["treebank"]["vocabulary"]
    counts = {row["upos"]: (row["lemmas"], row["forms"], row["words"]) for row in rows}
    # enjoy, barked, ran, saw, slept; The, The, a; I, my, that, that
    assert counts["VERB"] == (5, 5, 5)
    assert counts["DET"] == (2, 2, 3)
    assert counts["PRON"] == (3, 3, 4)
