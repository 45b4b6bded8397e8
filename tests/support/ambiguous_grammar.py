"""A grammar in which strings are ambiguous in both ways that matter.

A phrase with *near* after the object goes with the object or with the verb; the Japanese is the
same, the graph is not::

    The dog saw the cat near the dog.     cat -nmod-> dog     or     saw -obl-> dog

and *bat* is an animal or a club, with a Japanese word for each.
"""

from __future__ import annotations

from diagnostics import BASE, PIECES

NOUNS = {"hen": "鶏", "pig": "豚", "horse": "馬", "sheep": "羊"}
AMBIGUOUS = """
word N: "bat"
  ja  "コウモリ"
  syn node(upos=NOUN)

word N: "bat"
  ja  "バット"
  syn node(upos=NOUN, Animacy=Inan)

rule vp_pp: VP[form=f] -> V[form=f] NP PP
  ja  PP NP "を" V
  syn V -[obj]-> NP; V -[obl]-> PP

pattern pp_of_verb "PP of the object → PP of the verb"
  forbid { V -[obl]-> N }
  size   10
"""
DATASET = """
dataset
  from Text
  train 60
  dev   20
  seed  1
  distinct sentences
"""
#: The base grammar without relative clauses and with more nouns.
RULES = (
    BASE.replace(PIECES["dataset"], "").replace(PIECES["rc"], "").replace("category RC with gap\n", "")
    + "".join(f'word N: "{en}"\n  ja "{ja}"\n  syn node(upos=NOUN)\n' for en, ja in NOUNS.items())
    + AMBIGUOUS
)
