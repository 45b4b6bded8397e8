"""A compound of a report, pasted as a structure, is in the rows that have the compound, and in no others."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from commands_grammar import COMMANDS

import sgl
from sgl.automata import StructureCompiler
from sgl.research.divergence import sources
from sgl.research.divergence.pasted import nodes_of, pasted

#: Features that make several rules of one, a lemma of two categories, and a rule below itself.
FEATURES = """
layer en : text
layer fr : text
feature num = sg | pl
category Text
category S
category NP[num]
category N[num]
category V[num]
category A

word N[num=sg]: "call"
  fr "appel"
word N[num=pl]: "calls"
  fr "appels"
word V[num=sg]: "calls"
  fr "appelle"
word V[num=pl]: "call"
  fr "appellent"
word A: "new"
  fr "nouveau"

rule whole: Text -> S
rule clause: S -> NP[num=n] V[num=n]
  fr NP V
rule both: S -> first:S "and" second:S  ~ 0.3
  fr first "et" second
rule plain: NP[num=n] -> "the" N[num=n]
  fr "le" N
rule described: NP[num=n] -> "the" A N[num=n]
  fr "le" A N

dataset
  from Text
  train 60
  distinct sentences
  ambiguous ignore
"""


@pytest.mark.parametrize(("text", "size"), [(COMMANDS, 2), (FEATURES, 3)], ids=["commands", "features"])
def test_a_compound_is_in_the_rows_in_which_its_structure_is(text: str, size: int, tmp_path: Path) -> None:
    (tmp_path / "g.sgl").write_text(text, "utf-8")
    sgl.load(tmp_path / "g.sgl").compile(tmp_path / "out")
    derivations = [
        tuple(map(int, row.split("\t")[1].split()))
        for row in (tmp_path / "out" / "derivations" / "train.tsv").read_text("utf-8").splitlines()
    ]
    items = sources.read_items(
        [tmp_path / "out" / "parquet" / "train.parquet"], sources.ElementSettings("derivation", size)
    )
    grammar, found = sgl.load(tmp_path / "out").compiled.grammar, items.elements.compounds
    structures = [pasted(name, nodes_of(grammar, 0)) for name in found.names]
    patterns = (f"pattern p{n}\n  forbid derivation {own}\n  size 1\n" for n, own in enumerate(structures))
    (tmp_path / "patterns.sgl").write_text("\n".join(["use g", *patterns]), "utf-8")
    asked = sgl.load(tmp_path / "patterns.sgl").compiled
    compiler = StructureCompiler(asked.grammar)
    for number, pattern in enumerate(asked.plan.patterns):
        automaton = compiler.structure_automaton(pattern.forbid[0])
        rows = [number in found.kinds[start:end] for start, end in pairwise(found.start)]
        assert rows == [automaton.accepts(asked.grammar, own) for own in derivations], found.names[number]


def test_what_is_pasted() -> None:
    """Names where they are enough, features where several have a name, and a second node of one name."""
    grammar = sgl.loads(FEATURES).compiled.grammar
    nodes = nodes_of(grammar, 0)
    shown = {
        name: pasted(name, nodes)
        for name in ("both -0-> both", "whole -0-> both", "see -obj-> see", "a(0:b(0:c), 1:'d e')")
    }
    assert shown == {
        "both -0-> both": "{ both -[first]-> B1[rule=both] }",
        "whole -0-> both": "{ whole -[S]-> both }",
        "see -obj-> see": '{ "see" -[obj]-> B1[lemma=see] }',
        "a(0:b(0:c), 1:'d e')": '{ "a" -[0]-> "b"; "b" -[0]-> "c"; "a" -[1]-> "d e" }',
    }
