"""SGL085x: what training has to show of the things that a pattern puts together."""

from __future__ import annotations

from sgl.diagnostics.codes.code import Code

_NO_OBJECT_PP = """\
pattern pp_in_subject "PP in object → subject"
  forbid { V -[nsubj]-> N; N -[nmod]-> M }
  size   10
"""

_NO_PP_AT_ALL = """\
pattern pp "PP"
  forbid { N -[nmod]-> M }
  size   10
"""

_SEES = """\
pattern dog_seen_now "the dog as an object in the present"
  forbid { V[Tense=Pres] -[obj]-> N[lemma=dog] }
  waive  { V[Tense=Pres] }
  size   5

pattern cat_seen_now "the cat as an object in the present"
  forbid { V[Tense=Pres] -[obj]-> N[lemma=cat] }
  waive  { V[Tense=Pres] }
  size   0
"""

CODES = (
    Code(
        "SGL0851",
        "Training cannot contain a piece of what is held out",
        "What is left of a held-out structure without one of its links is a piece of it. An "
        "item puts the pieces together in a new way, and that is the test; if training cannot "
        "contain a piece, the item tests two new things at once. `waive` names the pieces that "
        "training need not show.",
        _NO_OBJECT_PP + "  allow  pp\n\n" + _NO_PP_AT_ALL,
        _NO_OBJECT_PP,
    ),
    Code(
        "SGL0852",
        "A waived piece is no piece",
        "`waive` excuses a piece of what the pattern holds out: a structure of it without one "
        "of its links. Another structure has no effect there, so most likely it does not say "
        "what was meant.",
        _NO_OBJECT_PP + "  waive  { V -[obj]-> N }\n",
        _NO_OBJECT_PP + "  waive  { V -[nsubj]-> N }\n",
    ),
    Code(
        "SGL0853",
        "Items use what training never shows",
        "Every word of an item, every word in its frame and every form of the target language "
        "occurs in training, unless the pattern is about it. Here several patterns together "
        "hold out all sentences with it: each of them alone would leave some.",
        _SEES,
        _SEES.partition("\n\n")[0] + "\n",
    ),
)
