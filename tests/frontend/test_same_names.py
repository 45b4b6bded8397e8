"""Names: docs/names.md.  A model of all of it is in ``tests/models/namings.py``."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import pytest
from stories import stories

from sgl.cli.main import OK, run
from sgl.diagnostics import Diagnostics, SourceMap
from sgl.frontend import Compiled
from sgl.parsing import Parser, UnparsableLayerError, best_readings
from sgl.pipeline.grammar import open_grammar

GRAMMAR = """\
module letters
layer en : text (attach ".")
layer answer : text
layer syn : graph on en
feature who = names of people
feature first = names of people
category Text
category Letter[first]
category Name[who]
category Owner[who]

lexicon people from "people.yaml"
  Name
    en answer $name
    syn node(lemma=$name, upos=PROPN)
  Owner
    en        $name + "s"
    answer    ""
    syn       node(lemma=$name, upos=PROPN)

rule text: Text -> Letter "."
  answer Letter
  syn Letter -[punct]-> "."(upos=PUNCT)

rule reads: Letter[first=x] -> one:Name[who=x] "reads" two:Owner[who=x] "letter"
  answer one drop two
  syn "reads"(upos=VERB) -[nsubj]-> one; "reads" -[obj]-> "letter"(upos=NOUN); "letter" -[nmod]-> two

rule other: Letter[first=x] -> one:Name[who=x] "opens" two:Owner "letter"
  answer one drop two
  syn "opens"(upos=VERB) -[nsubj]-> one; "opens" -[obj]-> "letter"(upos=NOUN); "letter" -[nmod]-> two

dataset
  from Text
  train all
"""
PEOPLE = "- {name: Ann}\n- {name: Bob}\n- {name: Cleo}\n"


def compiled_in(folder: Path, text: str = GRAMMAR, names: str = PEOPLE) -> Compiled:
    (folder / "people.yaml").write_text(names, "utf-8")
    (folder / "main.sgl").write_text(text, "utf-8")
    diagnostics = Diagnostics()
    compiled = open_grammar(folder / "main.sgl", {}, SourceMap(), diagnostics)
    assert compiled is not None, [found.message for found in diagnostics.found]
    return compiled


def readings(compiled: Compiled, text: str) -> list[float]:
    forest = Parser(compiled.grammar).forest(text)
    return [] if forest is None else [reading.probability for reading in best_readings(forest, 10)]


def test_names_never_multiply_rules(tmp_path: Path) -> None:
    sizes = Counter[int]()
    for names in (5, 200):
        (folder := tmp_path / str(names)).mkdir()
        compiled = open_grammar(stories(folder, names), {}, SourceMap(), Diagnostics())
        if compiled is not None:
            sizes[sum(1 for rule in compiled.grammar.rules if rule.rhs)] += 1
    assert [*sizes.values()] == [2]


def test_one_variable_is_one_name_in_all_its_forms(tmp_path: Path) -> None:
    compiled = compiled_in(tmp_path)
    assert readings(compiled, "Ann reads Anns letter .".replace(" .", ".")) == [pytest.approx(1 / 2 / 3)]
    assert readings(compiled, "Ann reads Bobs letter.") == []


def test_a_feature_that_is_left_open_is_another_name(tmp_path: Path) -> None:
    compiled = compiled_in(tmp_path)
    assert readings(compiled, "Ann opens Bobs letter.") == [pytest.approx(1 / 2 / 3 / 2)]
    assert readings(compiled, "Ann opens Anns letter.") == []


def test_a_dataset_of_everything_has_each_sentence_once(tmp_path: Path) -> None:
    compiled_in(tmp_path)
    assert run(["compile", str(tmp_path / "main.sgl"), "--out", str(tmp_path / "out")]) == OK
    rows = (tmp_path / "out" / "data" / "train.tsv").read_text("utf-8").splitlines()
    names = ("Ann", "Bob", "Cleo")
    expected = {f"{one} reads {one}s letter." for one in names}
    expected |= {f"{one} opens {two}s letter." for one in names for two in names if one != two}
    assert sorted(row.split("\t")[0] for row in rows) == sorted(expected)
    assert all(row.split("\t")[1] == row.split()[0] for row in rows)
    assert run(["verify", str(tmp_path / "out")]) == OK


def test_a_dropped_name_may_be_any_other(tmp_path: Path) -> None:
    compiled = compiled_in(tmp_path)
    forest = Parser(compiled.grammar, 1).forest("Ann")
    assert forest is not None
    found = best_readings(forest, 10)
    assert [math.isclose(one.probability, 1 / 6) for one in found] == [True, False, False]
    assert forest.count == 3


def test_a_layer_that_drops_any_number_of_names_is_one_way(tmp_path: Path) -> None:
    compiled = open_grammar(stories(tmp_path), {}, SourceMap(), Diagnostics())
    assert compiled is not None
    with pytest.raises(UnparsableLayerError, match="ask"):
        Parser(compiled.grammar, 1)


def test_the_parser_says_that_names_do_not_fit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    compiled_in(tmp_path)
    assert run(["parse", str(tmp_path / "main.sgl"), "Ann reads Bobs letter."]) != OK
    assert "its names do not fit: one stands for two, or two stand for one" in capsys.readouterr().err


def test_a_partial_tree_cannot_choose_a_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    compiled_in(tmp_path)
    tree = '(Text (Letter (Name "Ann") "reads" _ "letter") ".")'
    assert run(["sample", str(tmp_path / "main.sgl"), tree]) != OK
    assert "names are drawn for a whole text" in capsys.readouterr().err


def test_fitted_names_have_one_weight(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    compiled_in(tmp_path, GRAMMAR.replace("train all", "train 4"))
    (tmp_path / "corpus.tsv").write_text("Ann reads Anns letter.\tAnn\n" * 5, "utf-8")
    assert (
        run(["fit", str(tmp_path / "main.sgl"), str(tmp_path / "corpus.tsv"), "--out", str(tmp_path / "w.yaml")]) == OK
    )
    weights = [line for line in (tmp_path / "w.yaml").read_text("utf-8").splitlines() if ": 0.333333" in line]
    assert len(weights) == 6
    assert not capsys.readouterr().err.count("error")


def test_an_export_says_that_names_may_be_confused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    compiled_in(tmp_path)
    assert run(["export", "nltk", str(tmp_path / "main.sgl")]) == OK
    assert "the grammar also has texts that confuse them" in capsys.readouterr().err


def test_a_dataset_with_too_few_names_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    compiled_in(tmp_path, GRAMMAR.replace("train all", "train 2\n  distinct sentences"), "- {name: Ann}\n")
    assert run(["compile", str(tmp_path / "main.sgl"), "--out", str(tmp_path / "out")]) != OK
    assert "“too long” are also sentences that need more names than there are" in capsys.readouterr().err


ENDLESS = """
rule again: Text -> Text Letter "."
  answer Text Letter
  syn Text -[parataxis]-> Letter; Letter -[punct]-> "."(upos=PUNCT)
"""


@pytest.mark.parametrize("number", [1, 2])
def test_too_few_names_end_no_command_in_an_endless_search(number: int, tmp_path: Path) -> None:
    """With one name no sentence of `other` can be named, and with two most cannot, however long one looks."""
    text = (GRAMMAR + ENDLESS).replace("train all", "train 2").replace("rule reads", "# rule reads")
    text = text[: text.index("# rule reads")] + text[text.index("rule other") :]
    (tmp_path / "people.yaml").write_text("".join(PEOPLE.splitlines(keepends=True)[:number]), "utf-8")
    (tmp_path / "main.sgl").write_text(text, "utf-8")
    assert run(["check", str(tmp_path / "main.sgl")]) == OK


def test_a_sentence_cannot_be_asked_to_have_a_certain_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    compiled_in(tmp_path)
    asked = ["sample", str(tmp_path / "main.sgl"), "{ V -[nsubj]-> N[lemma=Ann] }", "-n", "2"]
    assert run(asked) != OK
    assert "names are drawn for each sentence" in capsys.readouterr().err
    assert run([*asked[:2], "{ V -[nsubj]-> N[upos=PROPN] }", "-n", "2"]) == OK


@pytest.mark.parametrize(
    ("written", "told"),
    [("Name[who=Ann]", "the name `Ann` is mentioned once"), ("Name[who=people]", "has no value that could be")],
)
def test_a_feature_of_names_has_no_value_to_write(written: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "people.yaml").write_text(PEOPLE, "utf-8")
    text = GRAMMAR.replace('one:Name[who=x] "opens"', f'one:{written} "opens"')
    (tmp_path / "main.sgl").write_text(text, "utf-8")
    diagnostics = Diagnostics()
    assert open_grammar(tmp_path / "main.sgl", {}, SourceMap(), diagnostics) is None
    assert told in " ".join(found.message for found in diagnostics.found)
