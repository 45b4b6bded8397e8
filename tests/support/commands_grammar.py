"""A grammar of texts alone, whose structures can speak of its derivations only."""

from __future__ import annotations

#: Commands of two actions, translated; no graph layer is declared.
COMMANDS = """
layer en  : text
layer act : text
category Text
category C
category S
category V
category D

word V: "jump"
  act "JUMP"
word V: "run"
  act "RUN"
word D: "left"
  act "LTURN"
word D: "right"
  act "RTURN"

rule whole: Text -> C
rule single: C -> S
rule and_then: C -> first:S "and" second:S
  act first second
rule after: C -> first:S "after" second:S
  act second first
rule plain: S -> V
rule twice: S -> V "twice"
  act V copy V
rule turn: S -> V D
  act D V
rule opposite: S -> V "opposite" D
  act D copy D V

dataset
  from Text
  train all
  distinct sentences
"""
