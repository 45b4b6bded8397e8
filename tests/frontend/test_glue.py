"""Words of rules that are written together: one word of a graph, or several; docs/texts.md."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from row_datasets import compile_grammar, rows_refused
from sget import compile_file

from sgl.cli.main import run
from sgl.core.interpret import all_tokens, interpret
from sgl.parsing import Parser
from sgl.verify import verify

SOURCE = (Path(__file__).parents[2] / "docs" / "examples" / "dar.sgl").read_text("utf-8")
#: Training without orders, which are four words in two pieces; its pronouns are subjects.
DATA = (
    SOURCE.replace("train 3", "train 20\n  output sw")
    + """
word NP[class=person]: "me"
  sw  "mimi"
  sw.subject  "ni"
  syn node(upos=PRON)
  swa node(upos=PRON)

word NP[class=person]: "lo"
  sw  "yeye"
  sw.subject  "a"
  syn node(upos=PRON)
  swa node(upos=PRON)

pattern order
  forbid { V -[iobj]-> M }
  gen    { V -[iobj]-> M; length es = 4; length sw = 2 }
  size 1
  unseen rules
"""
)


@pytest.fixture(scope="module")
def dataset() -> Path:
    def write(directory: Path) -> Path:
        (directory / "dar.sgl").write_text(DATA, encoding="utf-8")
        return directory / "dar.sgl"

    return compile_grammar(write)


def test_clitics_with_nodes_are_words_of_one_piece_and_affixes_are_letters(dataset: Path) -> None:
    text = (dataset / "conllu" / "gen.conllu").read_text("utf-8")
    assert "# text = damelo.\n# text_sw = unipa.\n# length_es = 4\n# length_sw = 2\n1-3\tdamelo\t_" in text
    assert "\n1\tda\tdar\tVERB" in text
    assert "\n3\tlo\tlo\tPRON" in text
    assert "1\ttodos\ttodos\tPRON\t_\t_\t2\tnsubj" in (dataset / "conllu" / "train.conllu").read_text("utf-8")


def test_the_checkers_find_the_same_words_and_lengths(dataset: Path) -> None:
    assert verify(dataset).ok
    assert rows_refused(dataset) == ""


def test_the_sampler_that_stands_alone_writes_the_same(dataset: Path) -> None:
    told = subprocess.run(
        [sys.executable, dataset / "sampler.py", "--check"], capture_output=True, text=True, check=True
    )
    assert "identical  gen.tsv" in told.stdout


def test_every_text_is_read_in_both_layers_and_none_with_a_space(tmp_path: Path) -> None:
    (tmp_path / "dar.sgl").write_text(SOURCE, encoding="utf-8")
    grammar = compile_file(tmp_path / "dar.sgl").grammar
    for layer in range(2):
        parser = Parser(grammar, layer)
        for text in (("todos dan.", "libros dan.", "damelo."), ("wote walipa.", "vitabu vilipa.", "unipa."))[layer]:
            (derivation,) = parser.parse(text)
            assert interpret(grammar, derivation).texts[layer] == text
            assert parser.parse(all_tokens(grammar, derivation, layer)) == (derivation,)
        for text in (("da me lo.", "da n.", "dan."), ("wote wa lipa.", "wote vilipa.", "uni pa."))[layer]:
            assert parser.parse(text) == ()
    assert interpret(grammar, Parser(grammar, 1).parse("unipa.")[0]).tokens == (("da", "me", "lo", "."), ("unipa", "."))


def test_a_graph_of_the_other_language_has_one_node_for_a_glued_word(tmp_path: Path) -> None:
    (tmp_path / "dar.sgl").write_text(SOURCE, encoding="utf-8")
    grammar = compile_file(tmp_path / "dar.sgl").grammar
    graph = interpret(grammar, Parser(grammar).parse("libros dan.")[0]).graphs[1]
    assert [(node.position, node.get("lemma")) for node in graph.nodes] == [(0, "vitabu"), (1, "pa"), (2, ".")]
    assert graph.edges == ((1, "nsubj", 0), (1, "punct", 2))


def test_other_tools_are_told_that_they_cannot_glue(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "dar.sgl").write_text(SOURCE, encoding="utf-8")
    assert run(["export", "nltk", str(tmp_path / "dar.sgl")]) != 0
    captured = capsys.readouterr()
    assert "SGL1214" in captured.out + captured.err
