"""SGL05xx: the nodes, edges and ports of a rule."""

from __future__ import annotations

from sgl.diagnostics.codes.base import EVERYTHING
from sgl.diagnostics.codes.code import Code

_NP_RC = """\
rule np_rc: NP -> "the" N RC
  ja  RC N
  syn N -[det]-> "the"(upos=DET); N -[acl:relcl]-> RC; RC.gap = N
"""

_RC = """\

rule rc: RC -> "that" NP V[form=past]
  ja  NP "が" V
  syn V -[mark]-> "that"(upos=SCONJ); V -[nsubj]-> NP; V -[~obj]-> gap
"""

_SLEPT = """\
module farm

layer en  : text (attach ".")
layer syn : graph on en
layer sem : graph on en (free)
view  cogs = cogs(sem)

category Text
category Name
category V

rule text: Text -> Name V "."
  syn V -[nsubj]-> Name; V -[punct]-> "."(upos=PUNCT)
  sem V -[agent]-> Name

word Name: "Nora"
  syn node(upos=PROPN)
  sem node(type=name)

word V: "slept"
  syn node(lemma=sleep, upos=VERB)
  sem node(lemma=sleep, type=event)

dataset
  from Text
  train 1
"""

CODES = (
    Code(
        "SGL0501",
        "There is no such port, or it cannot be used so",
        "Besides its head a phrase shows only the nodes that its category names after `with`. "
        "Other nodes inside a phrase cannot be reached from outside, so that what a rule does "
        "follows from the categories alone.",
        _NP_RC.replace("RC.gap", "RC.hole") + _RC,
        _NP_RC + _RC,
        instead_of=("rc",),
    ),
    Code(
        "SGL0502",
        "A port is left open",
        "A port of a child is bound to a node, passed on to a port of the left-hand side, or "
        "forgotten; a port of the left-hand side is opened by an edge or passed on from a "
        "child. Otherwise a gap would never be filled, and the graph would have a node "
        "without a word.",
        _NP_RC.replace("; RC.gap = N", "") + _RC,
        _NP_RC + _RC,
        instead_of=("rc",),
    ),
    Code(
        "SGL0503",
        "A port is bound twice",
        "A port is one node, so that it is bound once. Two nodes bound to one port would "
        "become the same node.",
        _NP_RC.replace("RC.gap = N", "RC.gap = N; RC.gap = N") + _RC,
        _NP_RC + _RC,
        instead_of=("rc",),
    ),
    Code(
        "SGL0504",
        "A node depends on nothing, or the head is not clear",
        "In every rule one node is the head, and every other node depends on it, directly or "
        "through others: then every sentence is a dependency tree. The head is the node that "
        "no edge of the rule leads to.",
        """\
rule vp_again: VP[form=f] -> V[form=f] NP "again"
  ja  NP "を" "また" V
  syn V -[advmod]-> "again"(upos=ADV)
""",
        """\
rule vp_again: VP[form=f] -> V[form=f] NP "again"
  ja  NP "を" "また" V
  syn V -[obj]-> NP; V -[advmod]-> "again"(upos=ADV)
""",
    ),
    Code(
        "SGL0505",
        "A quoted word of a graph clause is not a word of the rule",
        "A node of the graph stands on a word of the source sentence. So a quoted word in an "
        "edge stands on the right-hand side of the rule as well, and only once there: the edge "
        "could not tell two of them apart.",
        """\
rule vp_again: VP[form=f] -> V[form=f] NP "again"
  ja  NP "を" "また" V
  syn V -[obj]-> NP; V -[advmod]-> "agian"(upos=ADV)
""",
        """\
rule vp_again: VP[form=f] -> V[form=f] NP "again"
  ja  NP "を" "また" V
  syn V -[obj]-> NP; V -[advmod]-> "again"(upos=ADV)
""",
    ),
    Code(
        "SGL0506",
        "A word has no such attribute",
        "The attributes of a node become the columns of CoNLL-U: `lemma`, `upos` and `xpos` "
        "have columns of their own, all others are features in the sense of Universal "
        "Dependencies, which begin with a capital letter.",
        """\
word N: "horse"
  ja  "馬"
  syn node(pos=NOUN)
""",
        """\
word N: "horse"
  ja  "馬"
  syn node(upos=NOUN)
""",
    ),
    Code(
        "SGL0507",
        "A word of a rule has no place in the graph",
        "Every word of the source sentence is a node of its dependency graph. A word that is "
        "written in a rule gets its node, and its attributes, where an edge mentions it.",
        """\
rule vp_again: VP[form=f] -> V[form=f] NP "again"
  ja  NP "を" "また" V
  syn V -[obj]-> NP
""",
        """\
rule vp_again: VP[form=f] -> V[form=f] NP "again"
  ja  NP "を" "また" V
  syn V -[obj]-> NP; V -[advmod]-> "again"(upos=ADV)
""",
    ),
    Code(
        "SGL0508",
        "A node has two heads",
        "Unmarked edges form the basic dependency tree, in which every word but the root "
        "depends on exactly one other. Further edges, as of controlled subjects, belong to the "
        "enhanced graph and are marked with `~`.",
        """\
rule vp_again: VP[form=f] -> V[form=f] NP "again"
  ja  NP "を" "また" V
  syn V -[obj]-> NP; V -[advmod]-> "again"(upos=ADV); NP -[advmod]-> "again"
""",
        """\
rule vp_again: VP[form=f] -> V[form=f] NP "again"
  ja  NP "を" "また" V
  syn V -[obj]-> NP; V -[advmod]-> "again"(upos=ADV)
""",
    ),
    Code(
        "SGL0509",
        "The edges of a rule go round in a circle",
        "Unmarked edges form a tree, and in a tree nothing depends on itself, however "
        "indirectly. An additional edge is marked with `~`.",
        """\
rule clause_so: S -> NP VP "then" "so"
  ja  "そして" NP "が" VP
  syn VP -[nsubj]-> NP; "then"(upos=ADV) -[fixed]-> "so"(upos=ADV); "so" -[fixed]-> "then"
""",
        """\
rule clause_so: S -> NP VP "then" "so"
  ja  "そして" NP "が" VP
  syn VP -[nsubj]-> NP; VP -[advmod]-> "then"(upos=ADV); "then" -[fixed]-> "so"(upos=ADV)
""",
    ),
    Code(
        "SGL0510",
        "A node would be two words at once",
        "Binding makes two nodes one. A gap is a placeholder and takes the word it is bound "
        "to; two words cannot become one node.",
        """\
rule np_rc_pp: NP -> "the" N PP RC
  ja  RC PP N
  syn N -[det]-> "the"(upos=DET); N -[acl:relcl]-> RC; RC.gap = N; PP = N
""",
        """\
rule np_rc_pp: NP -> "the" N PP RC
  ja  RC PP N
  syn N -[det]-> "the"(upos=DET); N -[nmod]-> PP; N -[acl:relcl]-> RC; RC.gap = N
""",
    ),
    Code(
        "SGL0511",
        "A placeholder never gets a word",
        "A gap is opened in one rule and bound to a word in another, higher in the tree. A "
        "rule that forgets the port of a gap leaves a node without a word in the finished "
        "graph.",
        _NP_RC.replace("RC.gap = N", "forget RC.gap") + _RC,
        _NP_RC + _RC,
        instead_of=("rc",),
    ),
    Code(
        "SGL0512",
        "CoNLL-U cannot hold a label or an attribute",
        "Graphs are published as CoNLL-U. It separates features by bars and writes `_` for "
        "what is not there, so that no value contains spaces or bars or is `_`; only a lemma "
        "may contain them. The label `root` and the attributes `SpaceAfter` and `Extracted` "
        "have a meaning of their own.",
        """\
word N: "horse"
  ja  "馬"
  syn node(upos=NOUN, Gender="Fem|Masc")
""",
        """\
word N: "horse"
  ja  "馬"
  syn node(upos=NOUN, Gender="Fem,Masc")
""",
    ),
    Code(
        "SGL0513",
        "A text has no form in a view",
        "A view writes every text of the grammar. A logical form has words with a `type` "
        "(entity, name, wh or event) and a lemma of one word; every such word hangs on the "
        "head, and no edge leads to or from a function word, which has no attributes. Each rule "
        "and each word is tried in the smallest text that contains it.",
        _SLEPT.replace("type=name", "kind=name"),
        _SLEPT,
        instead_of=EVERYTHING,
    ),
)
