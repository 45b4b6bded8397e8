"""SGL02xx: names and parameters."""

from __future__ import annotations

from sgl.diagnostics.codes.code import Code

CODES = (
    Code(
        "SGL0201",
        "A name means nothing",
        "Every category, feature, layer, structure, paradigm and so on that a grammar mentions "
        "is declared somewhere: in the same file, or in a file that it uses. A name that "
        "nearly fits is suggested. Each place is reported, and nothing that merely follows "
        "from it.",
        """\
rule np_old: NP -> "the" "old" Noun
  ja  "古い" Noun
  syn Noun -[det]-> "the"(upos=DET); Noun -[amod]-> "old"(upos=ADJ)
""",
        """\
rule np_old: NP -> "the" "old" N
  ja  "古い" N
  syn N -[det]-> "the"(upos=DET); N -[amod]-> "old"(upos=ADJ)
""",
    ),
    Code(
        "SGL0202",
        "A parameter has another kind of value",
        "A parameter may stand wherever a number may, if its value is one. `when x` and `when "
        "not x` ask for a switch, `on` or `off`; `>=` and `<=` compare numbers, and other "
        "values are compared by `=` and `!=`.",
        """\
param training = large

dataset
  from Text
  train training
""",
        """\
param training = 20

dataset
  from Text
  train training
""",
        instead_of=("dataset",),
    ),
    Code(
        "SGL0203",
        "A name is declared twice",
        "Two declarations of the same kind need two names, in all files of a grammar together: "
        "messages, reports and other declarations speak of them by name. Things of different "
        "kinds may share one. So it is with the classes and endings of a paradigm, the "
        "parameters of a function, and the clauses of a dataset.",
        """\
rule np: NP -> "a" N
  ja  N
  syn N -[det]-> "a"(upos=DET)
""",
        """\
rule np_a: NP -> "a" N
  ja  N
  syn N -[det]-> "a"(upos=DET)
""",
    ),
    Code(
        "SGL0204",
        "A declaration is never used",
        "Nothing mentions this feature, category, label set, word set, structure, paradigm or "
        "function. Often the place that should mention it mentions something else. It is a "
        "warning; the dataset does not depend on it.",
        """\
paradigm past
  regular "" -> "ed"
  e       "e" -> "ed"
""",
        {
            "farm.sgl": """\
paradigm past
  regular "" -> "ed"
  e       "e" -> "ed"

lexicon verbs from "verbs.yaml"
  V[form=past]
    en  past($en, $class)
    ja  $ja
    syn node(lemma=$en, upos=VERB, Tense=Past)
""",
            "verbs.yaml": "- {en: like, ja: 好んだ, class: e}\n",
        },
    ),
)
