"""SGL03xx: rules and their layers."""

from __future__ import annotations

from sgl.diagnostics.codes.base import EVERYTHING
from sgl.diagnostics.codes.code import Code

CODES = (
    Code(
        "SGL0301",
        "A layer leaves out a child",
        "Every child stands exactly once in every layer. A child that is forgotten in one "
        "language would silently change the meaning of every sentence that the rule makes. "
        "Where a language really has no word for it, `drop` says so.",
        """\
category Adj

rule np_adj: NP -> "the" Adj N
  ja  N
  syn N -[det]-> "the"(upos=DET); N -[amod]-> Adj

word Adj: "black"
  ja  "黒い"
  syn node(upos=ADJ)
""",
        """\
category Adj

rule np_adj: NP -> "the" Adj N
  ja  Adj N
  syn N -[det]-> "the"(upos=DET); N -[amod]-> Adj

word Adj: "black"
  ja  "黒い"
  syn node(upos=ADJ)
""",
    ),
    Code(
        "SGL0302",
        "A child stands twice in a layer",
        "Every child stands exactly once in every layer. A language that says something twice "
        "does so with `repeat`, so that nobody has to wonder whether it was meant.",
        """\
rule vp_again: VP[form=f] -> V[form=f] NP "again"
  ja  NP "を" "また" V V
  syn V -[obj]-> NP; V -[advmod]-> "again"(upos=ADV)
""",
        """\
rule vp_again: VP[form=f] -> V[form=f] NP "again"
  ja  NP "を" "また" V
  syn V -[obj]-> NP; V -[advmod]-> "again"(upos=ADV)
""",
    ),
    Code(
        "SGL0303",
        "A rule or a word says nothing about a layer",
        "Every rule and every word has a value in every layer, so that every sentence has all "
        "its outputs. Only a rule with a single child and no words of its own may be silent: "
        "it passes the child up in every layer.",
        """\
word N: "horse"
  syn node(upos=NOUN)
""",
        """\
word N: "horse"
  ja  "馬"
  syn node(upos=NOUN)
""",
    ),
    Code(
        "SGL0304",
        "Two children of a rule have the same name",
        "A child is called by its role, or by its category when it has none. Two children of "
        "one category need roles, so that the layers can tell which of them is meant.",
        """\
rule vp_beside: VP[form=f] -> V[form=f] NP "beside" NP
  ja  NP "を" NP "のそばで" V
  syn V -[obj]-> NP; V -[obl]-> NP; NP -[case]-> "beside"(upos=ADP)
""",
        """\
rule vp_beside: VP[form=f] -> V[form=f] obj:NP "beside" place:NP
  ja  obj "を" place "のそばで" V
  syn V -[obj]-> obj; V -[obl]-> place; place -[case]-> "beside"(upos=ADP)
""",
    ),
    Code(
        "SGL0305",
        "A rule has no such child",
        "The clauses of a rule speak about the children on its right-hand side, by their roles "
        "or categories. A word of the described language is quoted, and a column of a table "
        "begins with `$`.",
        """\
rule np_old: NP -> "the" "old" N
  ja  古い N
  syn N -[det]-> "the"(upos=DET); N -[amod]-> "old"(upos=ADJ)
""",
        """\
rule np_old: NP -> "the" "old" N
  ja  "古い" N
  syn N -[det]-> "the"(upos=DET); N -[amod]-> "old"(upos=ADJ)
""",
    ),
    Code(
        "SGL0306",
        "A clause does not suit its layer",
        "A clause about a text layer is a sequence of words; a clause about a graph layer "
        "consists of edges, and for a word of its node. The layer of a clause is the name it "
        "begins with.",
        """\
word N: "horse"
  ja  node(upos=NOUN)
  syn node(upos=NOUN)
""",
        """\
word N: "horse"
  ja  "馬"
  syn node(upos=NOUN)
""",
    ),
    Code(
        "SGL0307",
        "The grammar has no layer of the kind that is needed",
        "The first text layer is the source language, in which the right-hand sides of rules "
        "are read; without it there are no sentences. Patterns speak about dependency graphs "
        "and need a graph layer.",
        """\
category Text

word Text: "hello"

dataset
  from Text
  train 1
""",
        """\
layer en : text

category Text

word Text: "hello"

dataset
  from Text
  train 1
""",
        instead_of=EVERYTHING,
    ),
    Code(
        "SGL0308",
        "A layer or one of its clauses is not complete or not clear",
        "A graph layer says on which text layer its nodes stand, since every node belongs to a "
        "word. `join` takes one quoted text, and stands once. A rule has one clause for each text "
        "layer.",
        """\
layer en  : text (attach ".")
layer ja  : text (join "")
layer syn : graph
""",
        """\
layer en  : text (attach ".")
layer ja  : text (join "")
layer syn : graph on en
""",
        instead_of=("layers",),
    ),
    Code(
        "SGL0309",
        "A rule computes something that only words compute",
        "Rules put children and words in order and connect them. Inflection belongs to `word` "
        "and `lexicon` declarations, where the word and its class are known; a rule asks for "
        "an inflected word by a feature. Likewise `node` describes a word, not a phrase.",
        """\
rule np_many: NP -> "many" N
  ja  N + "たち"
  syn N -[amod]-> "many"(upos=ADJ)
""",
        """\
rule np_many: NP -> "many" N
  ja  N "たち"
  syn N -[amod]-> "many"(upos=ADJ)
""",
    ),
    Code(
        "SGL0310",
        "An edge of a rule has not exactly one label",
        "A rule makes an edge, with one label. Alternatives, paths and sets of labels are for "
        "structures, which look for edges.",
        """\
rule vp_again: VP[form=f] -> V[form=f] NP "again"
  ja  NP "を" "また" V
  syn V -[obj|iobj]-> NP; V -[advmod]-> "again"(upos=ADV)
""",
        """\
rule vp_again: VP[form=f] -> V[form=f] NP "again"
  ja  NP "を" "また" V
  syn V -[obj]-> NP; V -[advmod]-> "again"(upos=ADV)
""",
    ),
    Code(
        "SGL0311",
        "A rule has a clause about the source layer",
        "The right-hand side of a rule, with its quoted words, is its template in the source "
        "language, and graphs stand on its words. A second template could contradict it: words "
        "that carry nodes of the graph would stand elsewhere, twice, or not at all.",
        """\
rule np_old: NP -> "the" "old" N
  en  "old" "the" N
  ja  "古い" N
  syn N -[det]-> "the"(upos=DET); N -[amod]-> "old"(upos=ADJ)
""",
        """\
rule np_old: NP -> "the" "old" N
  ja  "古い" N
  syn N -[det]-> "the"(upos=DET); N -[amod]-> "old"(upos=ADJ)
""",
    ),
    Code(
        "SGL0312",
        "A graph layer is not what patterns and graphs need",
        "The nodes of a graph are words of the source language, the first text layer: there "
        "every child of a rule stands exactly once, so that every word is exactly one node. In "
        "other languages a child may be left out or repeated. And the first graph layer, which "
        "patterns speak about, is a tree with additional edges: a free layer stands after it.",
        """\
layer en  : text (attach ".")
layer ja  : text (join "")
layer syn : graph on ja
""",
        """\
layer en  : text (attach ".")
layer ja  : text (join "")
layer syn : graph on en
""",
        instead_of=("layers",),
    ),
    Code(
        "SGL0313",
        "A view renders another kind of layer",
        "CoNLL-U is a notation of trees, logical forms are one of events and their roles, in "
        "which a word may have several heads. So `conllu` renders a graph layer that is a "
        "tree, the other kinds of views one that is `(free)`, and none a text.",
        "view cogs = cogs(syn)\n",
        "view trees = conllu(syn)\n",
    ),
)
