"""A structure over several layers is shown as an author writes it, and what is shown can be written."""

from __future__ import annotations

from pathlib import Path

import pytest

from sgl.cli.main import FAILED, run

GRAMMAR = """
layer en : text
layer syn : graph on en
layer sem : graph on en (free)
category S
category N
category V
rule s: S -> N V
  syn V -[a]-> N
  sem V -[b]-> N
word N: "n"
  syn node(upos=N)
  sem node(upos=N)
word V: "v"
  syn node(upos=V)
  sem node(upos=V)
word V: "w"
  syn node(upos=W)
  sem node(upos=W)
dataset
  from S
  train all
pattern p
  forbid syn { X[upos=W] -[a]-> Y } sem { X -[b]-> Y }
  size all
"""
PIECES = (
    "syn { X[upos=W]; Y } sem { X -[b]-> Y }",
    "syn { X[upos=W] -[a]-> Y } sem { X; Y }",
    "syn { X[upos=W] -[a]-> Y } sem { X2 -[b]-> Y }",
    "syn { X[upos=W] -[a]-> Y } sem { X -[b]-> Y2 }",
)


def proved(tmp_path: Path, *waivers: str) -> int:
    path = tmp_path / "two.sgl"
    lines = "".join(f"  waive {waiver}\n" for waiver in waivers)
    path.write_text(GRAMMAR.replace("  size all\n", f"{lines}  size all\n"), "utf-8")
    return run(["prove", str(path)])


def test_pieces_that_are_shown_can_be_waived_as_they_are_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert proved(tmp_path) == FAILED
    assert f"the piece is {PIECES[0]}\n" in capsys.readouterr().err
    assert proved(tmp_path, "syn { V -[a]-> W }") == FAILED
    said = capsys.readouterr().err
    assert [piece for piece in PIECES if f"a piece is {piece}\n" not in said] == []

    proved(tmp_path, *PIECES)
    assert "SGL0852" not in capsys.readouterr().err


def test_layers_and_parts_may_be_in_another_order(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    proved(tmp_path, "sem { B -[b]-> C } syn { C; B[upos=W] }", "sem { Y; X } syn { X[upos=W] -[a]-> Y }")
    assert "SGL0852" not in capsys.readouterr().err
