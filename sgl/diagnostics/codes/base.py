"""The base grammar that the examples of the diagnostic pages go together with.

It is cut into named pieces, so that an example can show another version of one
of them.
"""

from __future__ import annotations

#: The pieces in the order in which they make the grammar ``farm.sgl``.
PIECES: dict[str, str] = {
    "module": """\
module farm "Animals on a farm"
""",
    "layers": """\
layer en  : text (attach ".")
layer ja  : text (join "")
layer syn : graph on en
""",
    "features": """\
feature form = past | pres
""",
    "categories": """\
category Text
category S
category VP[form]
category V[form]
category NP
category N
category PP
category RC with gap
""",
    "text": """\
rule text: Text -> capital S "."
  ja  S "。"
  syn S -[punct]-> "."(upos=PUNCT)
""",
    "clause": """\
rule clause: S -> NP VP
  ja  NP "が" VP
  syn VP -[nsubj]-> NP
""",
    "vp": """\
rule vp: VP[form=f] -> V[form=f] NP
  ja  NP "を" V
  syn V -[obj]-> NP
""",
    "np": """\
rule np: NP -> "the" N  ~ 6
  ja  N
  syn N -[det]-> "the"(upos=DET)
""",
    "pp": """\
rule np_pp: NP -> "the" N PP
  ja  PP N
  syn N -[det]-> "the"(upos=DET); N -[nmod]-> PP

rule pp: PP -> "near" NP
  ja  NP "の近くの"
  syn NP -[case]-> "near"(upos=ADP)
""",
    "rc": """\
rule np_rc: NP -> "the" N RC
  ja  RC N
  syn N -[det]-> "the"(upos=DET); N -[acl:relcl]-> RC; RC.gap = N

rule rc: RC -> "that" NP V[form=past]
  ja  NP "が" V
  syn V -[mark]-> "that"(upos=SCONJ); V -[nsubj]-> NP; V -[~obj]-> gap
""",
    "words": """\
word N: "dog"
  ja  "犬"
  syn node(upos=NOUN)

word N: "cat"
  ja  "猫"
  syn node(upos=NOUN)

word V[form=past]: "saw"
  ja  "見た"
  syn node(lemma=see, upos=VERB, Tense=Past)

word V[form=pres]: "sees"
  ja  "見る"
  syn node(lemma=see, upos=VERB, Tense=Pres)
""",
    "dataset": """\
dataset
  from Text
  train 20
  seed  1
""",
}

#: The names of all pieces, for examples that are a grammar of their own.
EVERYTHING = tuple(PIECES)

BASE = "\n".join(PIECES.values())
