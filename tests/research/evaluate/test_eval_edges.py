"""Dependency edges in `sglc eval`: the figures of `sglc analyse`, and trees of translations."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from workplace import Workplace

from sgl.cli.main import FAILED, OK, run
from sgl.diagnostics import Diagnostics, SourceMap
from sgl.frontend import Compiled
from sgl.parsing import Parser
from sgl.pipeline.grammar import open_grammar
from sgl.research.evaluate.realization import GrammarEdges, Realization, Realizer, tree_of

FARM = Path(__file__).parents[3] / "docs" / "examples" / "farm.sgl"

PAPER = """\
# sent_id = s1
# text = I enjoy my time at Franklin High School.
1	I	I	PRON	_	_	2	nsubj	_	_
2	enjoy	enjoy	VERB	_	_	0	root	_	_
3	my	my	PRON	_	_	4	nmod:poss	_	_
4	time	time	NOUN	_	_	2	obj	_	_
5	at	at	ADP	_	_	8	case	_	_
6	Franklin	Franklin	PROPN	_	_	8	compound	_	_
7	High	High	PROPN	_	_	8	compound	_	_
8	School	School	PROPN	_	_	4	nmod	_	_
9	.	.	PUNCT	_	_	2	punct	_	_

"""
OUTPUT = "I enjoy my time at High Franklin School ."

SECOND = """\
# sent_id = s2
# text = The dog ran.
1	The	the	DET	_	_	2	det	_	_
2	dog	dog	NOUN	_	_	3	nsubj	_	_
3	ran	run	VERB	_	_	0	root	_	_
4	.	.	PUNCT	_	_	3	punct	_	_

"""


def as_conllu(*sentences: str) -> str:
    """Outputs as words without trees."""
    blocks = []
    for number, words in enumerate(sentences, 1):
        rows = [f"{n}\t{word}\t{word}\t_\t_\t_\t_\t_\t_\t_" for n, word in enumerate(words.split(), 1)]
        blocks.append("\n".join([f"# sent_id = s{number}", *rows, "", ""]))
    return "".join(blocks)


def evaluated(work: Workplace, *arguments: str) -> dict[str, Any]:
    assert run(["eval", *arguments, "--json", "r.json"]) == OK
    found: dict[str, Any] = json.loads((work.directory / "r.json").read_text("utf-8"))
    return found


def accuracy(result: dict[str, Any], system: str) -> float:
    cell: dict[str, float] = result["tables"]["overall"][0]["scores"]["edges"][system]
    return cell["mean"]


# --- treebanks ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("system.conllu", as_conllu(OUTPUT)),
        ("system.txt", "I enjoy my time at High Franklin School.\n"),
        ("system.tsv", "s1\tI enjoy my time at High Franklin School.\n"),
        ("system.jsonl", json.dumps({"id": "s1", "prediction": OUTPUT.split()})),
    ],
)
def test_the_example_of_the_paper_has_five_edges_of_seven(name: str, text: str, work: Workplace) -> None:
    work.write("gold.conllu", PAPER)
    work.write(name, text)
    result = evaluated(work, "gold.conllu", name)
    assert accuracy(result, "system") == pytest.approx(5 / 7)
    assert "low" not in result["tables"]["overall"][0]["scores"]["edges"]["system"]


def test_eval_and_analyse_find_the_same_share_of_edges(work: Workplace) -> None:
    work.write("gold.conllu", PAPER + SECOND)
    work.write("system.txt", "enjoy I my time at Franklin High School.\nThe dog ran.\n")
    result = evaluated(work, "gold.conllu", "system.txt")
    assert run(["analyse", "gold.conllu", "system.txt", "--json", "a.json"]) == OK
    found = json.loads((work.directory / "a.json").read_text("utf-8"))
    assert accuracy(result, "system") == pytest.approx(found["systems"][0]["dea"]["mean"])
    assert [row["title"] for row in result["tables"]["depth"]] == ["2", "3"]


def test_a_prediction_of_the_words_of_a_sentence_is_its_text(work: Workplace) -> None:
    work.write("gold.conllu", PAPER + SECOND)
    right = "I enjoy my time at Franklin High School ."
    work.write("words.conllu", as_conllu(right, "The dog slept ."))
    work.write("text.txt", right + "\nThe dog ran.\n")
    result = evaluated(work, "gold.conllu", "words.conllu", "text.txt")
    scores = result["tables"]["overall"][0]["scores"]["exact"]
    # A text with other spaces is another text.
    assert {name: cell["mean"] for name, cell in scores.items()} == {"words": 0.5, "text": 0.5}


def test_a_treebank_has_trees_of_its_own_whatever_the_grammar(work: Workplace) -> None:
    work.write("gold.conllu", PAPER)
    work.write("system.txt", "I enjoy my time at High Franklin School.\n")
    result = evaluated(work, "gold.conllu", "system.txt", "--grammar", str(FARM))
    assert accuracy(result, "system") == pytest.approx(5 / 7)
    assert result["not_computed"]["Partial Match"] == "the dataset is a treebank"


def test_a_treebank_that_cannot_be_read_is_an_error(work: Workplace) -> None:
    work.write("system.txt", "a\n")
    for content, words in (("", "has no sentences"), ("1\ta\n", "line 1: 2 columns")):
        work.write("gold.conllu", content)
        assert run(["eval", "gold.conllu", "system.txt"]) == FAILED
        assert words in work.capsys.readouterr().err


# --- grammars -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def farm() -> Compiled:
    diagnostics = Diagnostics()
    compiled = open_grammar(FARM, {}, SourceMap(), diagnostics)
    assert compiled is not None
    return compiled


def said(farm: Compiled, sentence: str, layer: str = "ja") -> Realization:
    core = farm.grammar
    (reading,) = Parser(core, core.text_layer("en")).parse(sentence)
    return Realizer(core, core.graph_layer("syn"), core.text_layer(layer)).realize(reading)


def test_the_words_of_a_translation_have_the_tree_of_the_source_without_particles(farm: Compiled) -> None:
    tree = tree_of(said(farm, "A cow near the hen saw a cat."))
    assert (tree.words, tree.heads) == (("鶏", "の近くの", "牛", "猫", "見た"), (3, 1, 5, 5, 0))
    assert tree.labels == ("nmod", "case", "nsubj", "obj", "")
    english = tree_of(said(farm, "A cow saw a cat.", "en"))
    assert (english.words, english.heads) == (("a", "cow", "saw", "a", "cat"), (2, 3, 0, 5, 3))


@pytest.mark.parametrize(
    ("prediction", "kept"),
    [
        ("鶏の近くの牛が猫を見た。", 1.0),
        # 牛 and 猫 have changed places: no edge but that of の近くの is left.
        ("鶏の近くの猫が牛を見た。", 1 / 4),
        # Another verb: the edges of the noun phrase are there.
        ("鶏の近くの牛が猫を食べちゃった。", 2 / 4),
        ("", 0.0),
    ],
)
def test_a_prediction_has_the_edges_that_its_words_have(prediction: str, kept: float, farm: Compiled) -> None:
    core = farm.grammar
    edges = GrammarEdges(core, core.graph_layer("syn"), core.text_layer("ja"))
    gold = said(farm, "A cow near the hen saw a cat.")
    assert edges.kept(gold, prediction, None, None) == pytest.approx(kept)
    words = tuple(edges_words(prediction))
    assert edges.kept(gold, prediction, words, None) == pytest.approx(kept)


def edges_words(text: str) -> list[str]:
    """A text cut by hand, particles and all."""
    for word in ("鶏", "の近くの", "牛", "猫", "が", "を", "。"):
        text = text.replace(word, f" {word} ")
    return text.split()


def test_a_reading_of_the_prediction_decides_before_its_characters(farm: Compiled) -> None:
    core = farm.grammar
    edges = GrammarEdges(core, core.graph_layer("syn"), core.text_layer("ja"))
    gold = said(farm, "A cow near the hen saw a cat.")
    other = said(farm, "A cow saw a cat.")
    assert edges.kept(gold, "牛が猫を見た。", None, other) == pytest.approx(2 / 4)


@pytest.mark.slow
def test_items_of_a_dataset_are_scored_by_edges_and_gold_texts_have_all(work: Workplace) -> None:
    for path in FARM.parent.iterdir():
        if path.is_file():
            shutil.copy(path, work.directory)
    assert run(["compile", "farm.sgl", "-o", "out"]) == OK
    rows = (work.directory / "out" / "data" / "gen.tsv").read_text("utf-8").splitlines()
    gold = [row.split("\t")[1] for row in rows]
    work.write("gold.txt", "\n".join(gold) + "\n")
    work.write("none.txt", "\n".join(["うし。"] * len(gold)) + "\n")
    result = evaluated(work, "out", "gold.txt", "none.txt")
    assert accuracy(result, "gold") == 1.0
    assert accuracy(result, "none") == 0.0
    assert result["metrics"]["edges"] == "Edge accuracy"
    assert "edges" not in {entry["metric"] for entry in result["tests"]["differences"]}


ROWS = """\
A cow saw a cat.\t牛が猫を見た。\tpp_in_subject
A cow saw a dragon.\t牛が竜を見た。\tin_distribution
"""


def test_items_that_the_grammar_does_not_derive_are_left_out_and_counted(work: Workplace) -> None:
    work.write("rows.tsv", ROWS)
    work.write("gold.txt", "牛が猫を見た。\n牛が竜を見た。\n")
    work.write("other.txt", "牛が猫を見た。\n牛が猫を見た。\n")
    asked = ["rows.tsv", "gold.txt", "other.txt", "--grammar", str(FARM), "--language", "ja"]
    result = evaluated(work, *asked)
    cells = result["tables"]["overall"][0]["scores"]["edges"]
    assert {name: (cell["mean"], cell["items"]) for name, cell in cells.items()} == {
        "gold": (1.0, 1),
        "other": (1.0, 1),
    }
    assert "not computed: Edge accuracy of 1 item" in work.capsys.readouterr().err


def test_the_words_of_one_system_are_not_those_of_another(work: Workplace) -> None:
    work.write("rows.tsv", ROWS.splitlines()[0])
    work.write("text.txt", "犬が猫を見た。犬\n")
    cut = ["犬が", "猫を見た", "。犬"]
    work.write("words.jsonl", json.dumps({"prediction": cut}))
    asked = ["rows.tsv", "text.txt", "--grammar", str(FARM), "--language", "ja"]
    alone = accuracy(evaluated(work, *asked), "text")
    both = evaluated(work, *asked, "words.jsonl")
    assert accuracy(both, "text") == alone > accuracy(both, "words") == 0.0
