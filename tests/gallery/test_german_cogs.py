"""COGS in German: read by the rules of German, and by the grammar of COGS."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from gallery import checked, compiled, rows, translated

from sgl.cli.main import OK, run
from sgl.resources import grammars_dir


@pytest.mark.slow
def test_all_patterns_are_proved() -> None:
    checked("german_cogs")


@pytest.mark.parametrize(
    ("german", "english", "form"),
    [
        (
            "Emma aß den Kuchen auf dem Tisch .",
            "Emma ate the cake on the table .",
            "eat ( agent = Emma , theme = * cake ( nmod . on = * table ) )",
        ),
        ("Den Hund fand die Lehrerin .", "The teacher found the dog .", "find ( agent = * teacher , theme = * dog )"),
        (
            "Liam hoffte , dass dem Jungen ein Ball gegeben wurde .",
            None,  # only the subject stands before the objects of a clause
            None,
        ),
        (
            "Liam hoffte , dass ein Ball dem Jungen gegeben wurde .",
            "Liam hoped that a ball was given to the boy .",
            "hope ( agent = Liam , ccomp = give ( theme = ball , recipient = * boy ) )",
        ),
        (
            "Die Königin bekam eine Rose von einem Frosch gereicht .",
            "The queen was handed a rose by a frog .",
            "hand ( recipient = * queen , theme = rose , agent = frog )",
        ),
        (
            "Noah sagte , dass Ava zu tanzen plante .",
            "Noah said that Ava planned to dance .",
            "say ( agent = Noah , ccomp = plan ( agent = Ava , xcomp = dance ( agent = Ava ) ) )",
        ),
    ],
)
def test_german_with_its_english_and_its_meaning(german: str, english: str | None, form: str | None) -> None:
    if english is None:
        with pytest.raises(ValueError, match="not enough values"):
            translated("german_cogs", german)
    else:
        assert translated("german_cogs", german, "en", "varfree") == [english, form]


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled("german_cogs", tmp_path_factory.mktemp("german_cogs") / "out")


@pytest.mark.acceptance
@pytest.mark.parametrize("split", ["train", "gen"])
def test_english_and_meaning_are_those_of_cogs(split: str, dataset: Path, tmp_path: Path) -> None:
    """The grammar of COGS parses every English sentence, and gives it the form of the German one."""
    pairs = zip(rows(dataset, "en", split), rows(dataset, "varfree", split), strict=True)
    text = "".join(f"{en}\t{form}\t{category}\n" for (_, en, category), (_, form, _) in pairs)
    (tmp_path / "english.tsv").write_text(text, encoding="utf-8")
    report = tmp_path / "audit.json"
    audit = ["audit", str(grammars_dir() / "cogs.sgl"), str(tmp_path / "english.tsv"), "--target", "varfree"]
    assert run([*audit, "--json", str(report)]) == OK
    found = json.loads(report.read_text("utf-8"))
    assert found["rows"] == found["parsed"] == found["exact"]["varfree"]


@pytest.mark.acceptance
def test_the_finite_verb_is_second_or_last(dataset: Path) -> None:
    """Clauses with *dass* in training end in a finite verb; with these two verbs there are none."""
    clauses = [row[0].removesuffix(" .").rsplit(" , dass ", 1) for row in rows(dataset, "", "train")]
    last = [clause[1].split()[-1] for clause in clauses if len(clause) == 2]
    assert len(last) > 500
    assert not {"krabbelte", "schnarchte", "bekam"} & set(last)
    assert {"wurde", "sah", "fand"} < set(last)
