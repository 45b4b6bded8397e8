"""SGL08xx: structures, patterns and the dataset."""

from __future__ import annotations

from sgl.diagnostics.codes.base import EVERYTHING
from sgl.diagnostics.codes.code import MAIN, Code

_PP_IN_SUBJECT = """\
pattern pp_in_subject "PP in object → subject"
  forbid { V -[nsubj]-> N; N -[nmod]-> M }
  size   10
"""

_THREE_WORDS = """\
layer en  : text
layer syn : graph on en

category Text

word Text: "hello"
  syn node(upos=INTJ)

word Text: "goodbye"
  syn node(upos=INTJ)

word Text: "thanks"
  syn node(upos=INTJ)
"""

_TAKES = 'relation takes from "takes.yaml"\n\n'

CODES = (
    Code(
        "SGL0801",
        "A structure cannot mean anything",
        "A path has at least one edge, its lower bound is not above its upper one, `repeat` "
        "names two variables of its body, all others of which are its own, and counts are "
        "compared with `=`, `>=` or `<=`. A structure has at most forty repetitions and a few "
        "hundred edges.",
        _PP_IN_SUBJECT.replace("-[nmod]->", "-[nmod]{3,2}->"),
        _PP_IN_SUBJECT.replace("-[nmod]->", "-[nmod]{2,3}->"),
    ),
    Code(
        "SGL0802",
        "A pattern holds nothing out",
        "A pattern tests whether a model generalizes to something that training does not "
        "contain. `forbid` says what that is.",
        """\
pattern pp_in_subject "PP in object → subject"
  gen    { V -[nsubj]-> N; N -[nmod]-> M }
  size   10
""",
        _PP_IN_SUBJECT,
    ),
    Code(
        "SGL0803",
        "A pattern allows itself",
        "`allow` names other patterns whose held-out structures may occur in the items of this "
        "one. Its own occur in them anyway.",
        _PP_IN_SUBJECT + "  allow  pp_in_subject\n",
        _PP_IN_SUBJECT,
    ),
    Code(
        "SGL0804",
        "The grammar does not say what the dataset is",
        "The `dataset` declaration names, after `from`, the category of a whole text, and the "
        "sizes of the splits. That category carries no features: it would otherwise be open "
        "with which of their values a text begins.",
        """\
dataset
  train 20
""",
        """\
dataset
  from Text
  train 20
""",
        instead_of=("dataset",),
    ),
    Code(
        "SGL0807",
        "No rule makes an edge with this label",
        "A structure that asks for it could never be found, so that it would hold out nothing "
        "and its proof would be empty. In a set of labels that the project declares it is a "
        "warning; the sets of the library may contain labels that a grammar lacks.",
        _PP_IN_SUBJECT.replace("nmod", "nmmod"),
        _PP_IN_SUBJECT,
    ),
    Code(
        "SGL0808",
        "No word has this attribute or value",
        "A structure that asks for it could never be found, so that it would hold out nothing "
        "and its proof would be empty. Words are meant by their lemma.",
        """\
pattern dog_as_subject "object → subject"
  forbid { V -[nsubj]-> N[lemma=dogs] }
  size   10
""",
        """\
pattern dog_as_subject "object → subject"
  forbid { V -[nsubj]-> N[lemma=dog] }
  size   10
""",
    ),
    Code(
        "SGL0809",
        "A split cannot yield so many sentences",
        "Under the conditions of the split, such as `distinct sentences`, the grammar has "
        "fewer sentences than are asked for, or so few that they are not found. Nothing is "
        "written. The notes say what was drawn and why it was rejected.",
        _THREE_WORDS
        + """
dataset
  from Text
  train 4
  distinct sentences
""",
        _THREE_WORDS
        + """
dataset
  from Text
  train 3
  distinct sentences
""",
        instead_of=EVERYTHING,
    ),
    Code(
        "SGL0810",
        "A structure is too large to decide",
        "Whether the grammar can derive a structure is decided by an automaton that follows "
        "all its partial matches at once. A structure of many variables without tests has too "
        "many of them. Tests such as `[upos=NOUN]` and labels on edges make them few.",
        no_example="it would take a structure of many variables",
    ),
    Code(
        "SGL0811",
        "Training can contain what is held out",
        "`forbid` cuts the grammar for training; `assert never` and rules with `keep in train` "
        "are not cut. So the promise that training lacks this structure does not hold. The "
        "witness is the shortest sentence that breaks it.",
        _PP_IN_SUBJECT.replace("forbid", "assert never"),
        _PP_IN_SUBJECT,
    ),
    Code(
        "SGL0812",
        "No sentence can meet all conditions",
        "The clauses contradict one another in this grammar: every sentence that contains what "
        "one of them requires contains what another excludes. The message marks a smallest "
        "set of such clauses.",
        _PP_IN_SUBJECT + "  not    { P -[case]-> Q }\n",
        _PP_IN_SUBJECT + "  not    { V -[acl:relcl]-> W }\n",
    ),
    Code(
        "SGL0813",
        "Training cannot contain what the pattern needs",
        "`need` lists the parts that a model must have seen before it can put them together. "
        "If training cannot contain one of them, the items test two new things at once, and a "
        "failure says little.",
        _PP_IN_SUBJECT + "  need   { V -[nsubj]-> N; N -[nmod]-> M; V -[obj]-> O }\n",
        _PP_IN_SUBJECT + "  need   { V -[obj]-> N; N -[nmod]-> M }\n",
    ),
    Code(
        "SGL0814",
        "Training will contain too little of what the pattern needs",
        "The expected number of training sentences with this part is below the number asked "
        "for. It is a warning: the number that was drawn is counted when the dataset is "
        "verified.",
        _PP_IN_SUBJECT + "  need   { V -[obj]-> N; N -[nmod]-> M } >= 15\n",
        _PP_IN_SUBJECT + "  need   { V -[obj]-> N; N -[nmod]-> M } >= 1\n",
    ),
    Code(
        "SGL0815",
        "An item can also be a training sentence",
        "Every generalization item contains something that training does not: otherwise the "
        "item may have been seen. So what `gen` asks for must imply something held out.",
        _PP_IN_SUBJECT + "  gen    { N -[nmod]-> M }\n",
        _PP_IN_SUBJECT + "  gen    { V -[nsubj]-> N; N -[nmod]-> M; V -[obj]-> O }\n",
    ),
    Code(
        "SGL0816",
        "An item does not meet the conditions of its pattern",
        "Every item is proved to contain what its pattern asks for and nothing that it "
        "excludes. This message says that the proof failed, with the shortest item that "
        "refutes it.",
        no_example="items are drawn from a grammar that is cut to these conditions, so that "
        "only a mistake in the compiler can give this message",
    ),
    Code(
        "SGL0817",
        "An example is not treated as its author expects",
        "`test` and `like` clauses are examples that the grammar must derive, with these "
        "outputs, or must not derive, or that belong into a split. They show at once when a "
        "change to the grammar has an effect that was not meant.",
        'test "The dog saw the cat." => ja "猫が犬を見た。"\n',
        'test "The dog saw the cat." => ja "犬が猫を見た。"\n',
    ),
    Code(
        "SGL0818",
        "A structure that never occurs is held out",
        "No sentence of the whole grammar contains the structure. Holding it out takes nothing "
        "away from training, and its proof would be empty: most likely the structure does not "
        "say what was meant.",
        _PP_IN_SUBJECT + "  forbid { N -[det]-> D; D -[nmod]-> M }\n",
        _PP_IN_SUBJECT + "  forbid { V -[obj]-> N; N -[acl:relcl]-> W }\n",
    ),
    Code(
        "SGL0819",
        "Two patterns hold out the same structure",
        "The items of a pattern contain what it holds out and nothing that other patterns hold "
        "out. Both cannot be true of one structure: its variables may have other names, but it "
        "is the same. With `allow` in both patterns their items may be alike.",
        _PP_IN_SUBJECT
        + """
pattern modified_subject
  forbid { W -[nsubj]-> S; S -[nmod]-> X }
  size   10
""",
        _PP_IN_SUBJECT
        + """
pattern modified_object
  forbid { W -[obj]-> O; O -[acl:relcl]-> X }
  size   10
""",
    ),
    Code(
        "SGL0820",
        "Words are kept for exposures, and there are none",
        "`seen only in exposures` removes the words from all training sentences but the "
        "exposures of the pattern. Without `expose` a model never sees them: that tests "
        "guessing, not generalization.",
        """\
pattern cat_as_object "subject → object"
  targets cat seen only in exposures
  forbid { V -[obj]-> N[lemma in @targets] }
  size   5
""",
        """\
pattern cat_as_object "subject → object"
  targets cat seen only in exposures
  forbid { X -[^nsubj]-> N[lemma in @targets] }
  gen    { V -[obj]-> N[lemma in @targets] }
  expose 5 { V -[nsubj]-> N[lemma in @targets] }
  size   5
""",
    ),
    Code(
        "SGL0821",
        "More is needed than training has sentences",
        "`need { … } >= n` counts training sentences: those of `train` and all exposures. There "
        "are fewer of them than `n`, whatever they contain.",
        _PP_IN_SUBJECT + "  need   { V -[obj]-> N } >= 1000\n",
        _PP_IN_SUBJECT + "  need   { V -[obj]-> N } >= 10\n",
    ),
    Code(
        "SGL0822",
        "A pattern has no items",
        "Training is cut for the pattern, but nothing is drawn to test it: it has no `size`. "
        "With `size 0` that is meant: the pattern then only restricts training.",
        """\
pattern pp_in_subject "PP in object → subject"
  forbid { V -[nsubj]-> N; N -[nmod]-> M }
""",
        _PP_IN_SUBJECT,
    ),
    Code(
        "SGL0823",
        "The name of a pattern is taken",
        "The third column of the data tells items apart: the name of their pattern, or "
        "`in_distribution` and `exposure:…` for training sentences. A pattern of such a name "
        "could not be told from those.",
        _PP_IN_SUBJECT.replace("pp_in_subject", "exposure_to_pp"),
        _PP_IN_SUBJECT,
    ),
    Code(
        "SGL0824",
        "A node is named in some of the structures only",
        "In `within` and `outside`, a variable that has the name of a variable of `gen` is that "
        "node. With several `gen` structures it has to be one of all of them, or of none: "
        "otherwise the condition would say something else of each.",
        """\
pattern modified_noun "PP in object → subject or PP"
  forbid { V -[nsubj]-> N; N -[nmod]-> M }
  forbid { P -[nmod]-> N; N -[nmod]-> M }
  size   5 within { V -[obj]-> O }
""",
        """\
pattern modified_noun "PP in object → subject or PP"
  forbid { V -[nsubj]-> N; N -[nmod]-> M }
  forbid { P -[nmod]-> N; N -[nmod]-> M }
  size   5 within { M -[nmod]-> O }
""",
    ),
    Code(
        "SGL0825",
        "Targets cannot have equal shares",
        "`each target` gives every target of the pattern an equal share of the sentences. The "
        "pattern must then have targets, at least one sentence for each, and a structure in "
        "which a node is one of them, so that every sentence counts for a target.",
        """\
pattern seen_as_subject "object → subject"
  targets dog cat
  forbid { V -[nsubj]-> N[lemma in @targets]; N -[nmod]-> M }
  gen    { V -[nsubj]-> N; N -[nmod]-> M }
  size   6 each target
""",
        """\
pattern seen_as_subject "object → subject"
  targets dog cat
  forbid { V -[nsubj]-> N[lemma in @targets]; N -[nmod]-> M }
  size   6 each target
""",
    ),
    Code(
        "SGL0827",
        "A part of training is not complete",
        "A part is a number of training sentences with something of their own: `only` says what "
        "they contain and no other sentence of the dataset does, `size` says how many they are. "
        "Without the one they could not be told from other training sentences, without the "
        "other there are none. What is `apart` instead occurs in no other sentence of train, "
        "dev and test, but generalization items may contain it. `size 5 in dev` puts sentences "
        "of a part into dev.",
        """\
part relative_clauses "Sentences with a relative clause"
  size  5 within { N -[acl:relcl]-> V }
""",
        """\
part relative_clauses "Sentences with a relative clause"
  only  { N -[acl:relcl]-> V }
  size  5
""",
    ),
    Code(
        "SGL0828",
        "A relation is not between two nodes of its structure",
        "`restrict` asks a relation of two nodes, which are variables of the structure and not "
        "of a `without` part: in every match their lemmas have to stand together in the table.",
        {
            MAIN: _TAKES + "restrict { V -[obj]-> N } to takes(V, O)\n",
            "takes.yaml": "see: [dog]\n",
        },
        {
            MAIN: _TAKES + "restrict { V -[obj]-> N } to takes(V, N)\n",
            "takes.yaml": "see: [dog]\n",
        },
    ),
    Code(
        "SGL0829",
        "The items of a pattern are to stand in another split",
        "What a pattern asks for is held out of training: its items are generalization items, "
        "and all of them are in the split of these. A part of the dataset can have sentences "
        "in train, dev and test, for it holds nothing out.",
        """\
pattern pp_in_subject "PP in object → subject"
  forbid { V -[nsubj]-> N; N -[nmod]-> M }
  size   10 in dev
""",
        """\
pattern pp_in_subject "PP in object → subject"
  forbid { V -[nsubj]-> N; N -[nmod]-> M }
  size   10
""",
    ),
)
