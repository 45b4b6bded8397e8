"""Declarations for the base grammar with every kind of part, share and restriction."""

from __future__ import annotations

SOURCE = """
param exposures = 4
param selection = on

word N: "milk"
  ja  "牛乳"
  syn node(upos=NOUN)

word V[form=past]: "drank"
  ja  "飲んだ"
  syn node(lemma=drink, upos=VERB, Tense=Past)

relation takes from "takes.yaml"
restrict { V -[obj|~obj]-> N } to takes(V, N) when selection

pattern pp_in_subject "PP in object → subject"
  targets dog cat
  forbid { V -[nsubj]-> N[@targets]; N -[nmod]-> M }
  waive  { V -[nsubj]-> N[@targets] }
  need   exposures-3 { V[lemma=drink]; V -[obj]-> O }
  expose exposures shared repeated {
    V[Tense=Pres]; V -[obj]-> N[@targets]; N -[nmod]-> M }
  size   exposures+1 shared within { V[lemma=drink] }, 4 outside { V[lemma=drink] }

part relatives "Sentences with a relative clause"
  only { N -[acl:relcl]-> V }
  size 6 within { N -[det]-> D } within { A -[nsubj]-> B }
  repeated lemmas
"""

TAKES = "drink: [milk]\n"
