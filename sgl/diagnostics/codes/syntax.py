"""SGL01xx: what cannot be read."""

from __future__ import annotations

from sgl.diagnostics.codes.code import Code

CODES = (
    Code(
        "SGL0101",
        "Something cannot stand where it stands",
        "The declaration cannot be read from the marked place on, and is left out; the "
        "declarations after it are read as usual. Names that it declares are not reported as "
        "missing. The hint says what could stand there.",
        """\
rule np_old NP -> "the" "old" N
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
        "SGL0102",
        "A quotation does not end on its line",
        "Words of the described languages stand between two straight quotation marks, on one "
        'line. A quotation mark inside them is written `\\"`.',
        """\
word N: "horse
  ja  "馬"
  syn node(upos=NOUN)
""",
        """\
word N: "horse"
  ja  "馬"
  syn node(upos=NOUN)
""",
    ),
    Code(
        "SGL0103",
        "A line does not start a declaration",
        "What starts in the first column is a declaration and starts with its keyword; the "
        "clauses of a declaration are indented. So a mistake in one declaration does not "
        "reach the next.",
        """\
wrod N: "horse"
  ja  "馬"
  syn node(upos=NOUN)
""",
        """\
word N: "horse"
  ja  "馬"
  syn node(upos=NOUN)
""",
    ),
    Code(
        "SGL0104",
        "Brackets do not fit together",
        "Every `(`, `[` and `{` is closed by its partner in the same declaration, and "
        "brackets do not cross. While a bracket is open, the ends of lines do not count.",
        """\
word V[form=past: "heard"
  ja  "聞いた"
  syn node(lemma=hear, upos=VERB, Tense=Past)
""",
        """\
word V[form=past]: "heard"
  ja  "聞いた"
  syn node(lemma=hear, upos=VERB, Tense=Past)
""",
    ),
    Code(
        "SGL0105",
        "Something is nested too deeply",
        "Brackets may stand in one another forty deep, and an expression may have as many "
        "parts in one another. Nothing that describes a language comes near it; a file that "
        "exceeds it was most likely made by a program that went wrong.",
        no_example="it would take forty brackets",
    ),
    Code(
        "SGL0106",
        "A file has more mistakes than are shown",
        "After a hundred mistakes the rest of a file is not read: it is most likely no "
        "grammar at all. Correct those that are shown, and check again.",
        no_example="it would take a hundred mistakes",
    ),
    Code(
        "SGL0107",
        "A quotation contains something that is not plain text",
        'Two characters are written with a backslash: `\\"` for a quotation mark and `\\\\` for '
        "the backslash itself. Tabs and line ends cannot stand in a word, since the files of "
        "the dataset are separated by them.",
        """\
word N: "ho\\trse"
  ja  "馬"
  syn node(upos=NOUN)
""",
        """\
word N: "horse"
  ja  "馬"
  syn node(upos=NOUN)
""",
    ),
)
