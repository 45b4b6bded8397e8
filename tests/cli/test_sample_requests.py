"""``sglc sample G WHAT`` and ``sglc stats G``: what one wants to see of a grammar."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from diagnostics import BASE, INTERNAL
from workplace import Workplace

from sgl.cli.main import FAILED, OK, USAGE, run

EXAMPLES = Path(__file__).parent.parent.parent / "docs" / "examples"


@pytest.fixture
def farm(work: Workplace) -> Workplace:
    for name in ("farm.sgl", "animals.yaml", "verbs.yaml"):
        work.write(name, (EXAMPLES / name).read_bytes())
    return work


def said(work: Workplace, *arguments: str, status: int = OK) -> str:
    command, *rest = arguments
    assert run([command, "farm.sgl", *rest]) == status
    captured = work.capsys.readouterr()
    text = captured.out if status == OK else captured.err
    assert not [word for word in INTERNAL if word in text]
    return text


def test_sentences_with_a_structure(farm: Workplace) -> None:
    asked = "{ V -[nsubj]-> N; N -[nmod]-> M; V -[obj]-> O; O -[nmod]-> P }"
    lines = said(farm, "sample", asked, "--show", "en").splitlines()
    assert len(lines) == 5
    for line in lines:
        assert line.count(" near ") >= 2


def test_sentences_of_a_pattern_with_more_structures(farm: Workplace) -> None:
    asked = "{ V -[obj]-> N; N -[nmod]-> M }"
    lines = said(farm, "sample", "pp_in_subject", "--where", asked, "--where", '{ "dog" }', "--show", "en").splitlines()
    assert len(lines) == 5
    assert not [line for line in lines if line.count(" near ") < 2 or "dog" not in line]
    assert "SGL0101" in said(farm, "sample", "--where", "{ V -> }", status=FAILED)


def test_sentences_for_programs(farm: Workplace) -> None:
    asked = ("sample", "pp_in_subject", "-n", "2", "--show", "ja,en,tree,graph")
    found = json.loads(said(farm, *asked, "--json"))
    assert [list(item) for item in found] == [["ja", "en", "tree", "graph"]] * 2
    # The same as is shown otherwise.
    texts = [f"{item['ja']}\t{item['en']}\n{item['tree']}\n{item['graph']}" for item in found]
    assert "".join(texts) == said(farm, *asked)
    said(farm, "sample", "pp_in_subject", "--pairs", "--json", status=USAGE)


def test_a_structure_may_have_exceptions(farm: Workplace) -> None:
    asked = "{ V -[nsubj]-> N } without { N -[nmod]-> M }"
    lines = said(farm, "sample", asked, "--show", "en", "-n", "20").splitlines()
    assert len(lines) == 20
    assert not [line for line in lines if line.split()[2] == "near"]


def test_phrases_with_a_tree(farm: Workplace) -> None:
    lines = said(farm, "sample", "(NP Det _ PP)", "--show", "en", "-n", "20").splitlines()
    assert all(" near " in line for line in lines)
    lines = said(farm, "sample", '(S (NP Det (N "dog")) VP)', "--show", "en").splitlines()
    assert all(line.split()[1] == "dog" for line in lines)


def test_a_tree_that_is_shown_can_be_asked_for(farm: Workplace) -> None:
    tree = said(farm, "sample", "-n", "1", "--show", "tree").strip()
    assert said(farm, "sample", tree, "-n", "1", "--show", "tree").strip() == tree


def test_a_file_of_a_tree(farm: Workplace) -> None:
    said(farm, "sample", "(NP Det _ PP)", "-n", "50", "--show", "en", "--out", "nps.tsv")
    rows = (farm.directory / "nps.tsv").read_text("utf-8").splitlines()
    assert sum(" near " in row for row in rows) == 50


@pytest.mark.parametrize(
    ("asked", "status", "expected"),
    [
        ("{ V -[nsub]-> N }", FAILED, "did you mean `nsubj`?"),
        ("{ V -[nsubj]-> N", FAILED, "this `{` is never closed"),
        ("{ V -[det]-> N; V -[obj]-> M }", FAILED, "no sentence of the grammar qualifies"),
        ("(VP V PP)", USAGE, "no rule gives `(VP V PP)`; `VP` consists of V NP"),
        ("NP[case=dat]", USAGE, "no phrase is `NP[case=dat]`; there is NP"),
        ("Tex", USAGE, "did you mean `Text`?"),
    ],
)
def test_what_cannot_be_sampled_is_said(farm: Workplace, asked: str, status: int, expected: str) -> None:
    assert expected in said(farm, "sample", asked, status=status)


def test_stats_are_expectations(farm: Workplace) -> None:
    found = json.loads(said(farm, "stats", "--json"))
    rules = {rule["name"]: rule for rule in found["rules"]}
    # A noun phrase has one below it in a quarter of all cases: 2 / (1 - 1/4) in a sentence.
    assert rules["near"]["expected"] == pytest.approx(2 / 0.75 * 0.25)
    assert rules["modified"]["share"] == pytest.approx(0.25)
    assert rules["modified"]["competitors"] == ["noun_phrase"]
    assert rules["transitive"]["competitors"] == []
    assert {label: n for _, label, n in found["labels"]}["nsubj"] == pytest.approx(1.0)
    assert found["tokens"] == pytest.approx(2 + 2 * 2 / 0.75 + 2 / 0.75 * 0.25)


def test_stats_of_a_part_of_the_language(farm: Workplace) -> None:
    found = json.loads(said(farm, "stats", "{ X -[nmod]-> Y }", "--json"))
    assert {label: n for _, label, n in found["labels"]}["nmod"] >= 1.0
    shown = said(farm, "stats", "NP", "--words", "0")
    assert "expected in one NP" in shown
    assert "words of" not in shown


def test_stats_of_a_category_count_all_its_variants(work: Workplace) -> None:
    """Each variant counts alike, as `sglc sample VP` draws them in turn."""
    Path("farm.sgl").write_text(BASE, "utf-8")
    found = json.loads(said(work, "stats", "VP", "--json"))
    words = {word: number for _, word, number in found["words"]}
    assert words["saw"] - words["sees"] == pytest.approx(
        sum(n for rule, n in [(r["name"], r["expected"]) for r in found["rules"]] if rule == "rc")
    )
    assert "expected in one VP (2 variants alike)" in said(work, "stats", "VP")


#: Verbs with a part for their prefix, in the source.
PARTS = """
layer de : text
layer en : text
layer syn : graph on de
category S
category V with de.prefix, de.end
category Word
rule text: S -> "ihr" V V.prefix V.end
  en  "you" V
  syn V -[nsubj]-> "ihr"(upos=PRON)
rule verb: V -> Word prefix:Word end:Word
  de.prefix prefix
  de.end end
  en  Word prefix end
  syn Word -[compound]-> prefix; Word -[obj]-> end
word Word: "ruft"
  en  "call"
  syn node(upos=VERB)
dataset
  from S
  train 1
"""


def test_parts_of_a_phrase_are_divided_in_texts_and_follow_each_other_in_graphs(work: Workplace) -> None:
    work.write("farm.sgl", PARTS)
    shown = said(work, "sample", "V", "-n", "1", "--show", "de,graph").splitlines()
    assert shown[0] == "ruft … ruft … ruft"
    assert "# text = ruft ruft ruft" in shown
    edges = [(row[0], row[6], row[7]) for line in shown if len(row := line.split("\t")) > 9]
    assert edges == [("1", "0", "root"), ("2", "1", "compound"), ("3", "1", "obj")]
    said(work, "sample", "V", "-n", "1", "--show", "de,en", "--out", "verbs.tsv")
    written = (work.directory / "verbs.tsv").read_text("utf-8")
    assert written == "ruft … ruft … ruft\tcall call call\n"
    assert run(["export", "conllu", "farm.sgl", "V", "-n", "1"]) == OK
    assert "# text_en = call call call" in work.capsys.readouterr().out
    assert run(["export", "nltk", "farm.sgl"]) == FAILED
    assert "repeats a child" not in work.capsys.readouterr().err
