"""Layers that are like others wherever nothing else is said: docs/texts.md, *A layer like another*."""

from __future__ import annotations

from pathlib import Path

import pytest
from sget import compile_file

from sgl.cli.main import run
from sgl.core.grammar import CoreGrammar
from sgl.core.interpret import interpret
from sgl.parsing import Parser

LAYERS = """\
layer en  : text (attach ".", capital first)
layer de  : text (attach ".", capital first)
layer syn : graph on en
layer sem : graph on en (free)
layer mal : text (as en)
layer dem : text (as de, join "_")
layer se2 : graph (as sem)
"""
RULES = """
feature order = a | b
category S[order]
category NP
category V with de.prefix
category Text

rule text: Text -> S "."
  de  S "."
  dem S
  syn S -[punct]-> "."(upos=PUNCT)

rule clause: S[order=o] -> NP V
  de  NP V V.prefix if o = a
  de  V NP V.prefix if o = b
  mal V NP if o = b
  syn V -[nsubj]-> NP
  sem V -[agent]-> NP
  se2 V -[theme]-> NP

word NP: "Ana"
  de "Anna"
  syn node(upos=PROPN)
  sem node()
word V: "calls"
  de "ruft"
  de.prefix "an"
  mal "call"
  syn node(upos=VERB)
  sem node(lemma=call)

dataset
  from  Text
  train 2
"""
#: The same with a clause for everything.
WRITTEN_OUT = (
    RULES.replace("with de.prefix", "with de.prefix, dem.prefix")
    .replace("  de  NP", "  de dem  NP")
    .replace("  de  V", "  de dem  V")
    .replace("  mal V NP if o = b\n", "  mal NP V if o = a\n  mal V NP if o = b\n")
    .replace('  de "ruft"\n  de.prefix', '  de dem "ruft"\n  de.prefix dem.prefix')
    .replace('  de "Anna"', '  de dem "Anna"\n  mal "Ana"')
    .replace('  de  S "."', '  de  S "."\n  mal S "."')
    .replace("  sem node", "  sem se2 node")
)


def compiled(place: Path, text: str) -> CoreGrammar:
    (place / "asy.sgl").write_text(text, encoding="utf-8")
    return compile_file(place / "asy.sgl").grammar


def test_what_is_not_said_is_as_the_other_layer_has_it(tmp_path: Path) -> None:
    grammar = compiled(tmp_path, LAYERS + RULES)
    items = [interpret(grammar, derivation) for derivation in Parser(grammar).parse("Ana calls.")]
    assert sorted(item.texts for item in items) == [
        ("Ana calls.", "Anna ruft an.", "Ana call.", "Anna_ruft_an"),
        ("Ana calls.", "Ruft Anna an.", "Call Ana.", "Ruft_Anna_an"),
    ]
    assert {item.graphs[1].edges for item in items} == {((1, "agent", 0),)}
    assert {item.graphs[2].edges for item in items} == {((1, "theme", 0),)}


def test_it_is_the_grammar_that_says_everything(tmp_path: Path) -> None:
    layers = LAYERS.replace("(as en)", '(attach ".", capital first)').replace("graph (as sem)", "graph on en (free)")
    layers = layers.replace('(as de, join "_")', '(attach ".", capital first, join "_")')
    short, long = compiled(tmp_path, LAYERS + RULES), compiled(tmp_path, layers + WRITTEN_OUT)
    assert (short.text_layers, short.graph_layers) == (long.text_layers, long.graph_layers)
    assert [(r.templates, r.fragments) for r in short.rules] == [(r.templates, r.fragments) for r in long.rules]


@pytest.mark.parametrize("wrong", ["(as enn)", "(as mal)", "(as dem)", "(as syn)"])
def test_the_other_layer_is_one_of_its_kind_that_stands_before_it(
    wrong: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "asy.sgl").write_text(LAYERS.replace("(as en)", wrong) + RULES, encoding="utf-8")
    assert run(["check", str(tmp_path / "asy.sgl")]) != 0
    captured = capsys.readouterr()
    assert (captured.out + captured.err).count("error[SGL0201]") == 1
    assert (captured.out + captured.err).count("error[") == 1


def test_a_layer_is_like_one_other_layer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "two.sgl").write_text(
        LAYERS.replace("mal : text (as en)", "mal : text (as en, as de)") + RULES, "utf-8"
    )
    assert run(["check", str(tmp_path / "two.sgl")]) != 0
    assert "error[SGL0308]: the layer `mal` is declared to be like both `en` and `de`" in "".join(capsys.readouterr())
