"""SGL00xx: files that cannot be read, and files that use each other."""

from __future__ import annotations

from sgl.diagnostics.codes.code import MAIN, Code

_ADJECTIVES = """\
category Adj

word Adj: "black"
  ja  "黒い"
  syn node(upos=ADJ)
"""

_NP_ADJ = """\
rule np_adj: NP -> "the" Adj N
  ja  Adj N
  syn N -[det]-> "the"(upos=DET); N -[amod]-> Adj
"""

CODES = (
    Code(
        "SGL0001",
        "A file is not there, or cannot be opened",
        "A name after `use` is looked for beside the file that uses it: `use parts.np` reads "
        "`parts/np.sgl`. Names that begin with `stdlib.` come from the standard library. The "
        "file of a table is named with its ending, from the directory of the grammar that "
        "mentions it. Names that the missing file may declare are not reported as well.",
        {MAIN: "use adjective\n\n" + _NP_ADJ, "adjectives.sgl": _ADJECTIVES},
        {MAIN: "use adjectives\n\n" + _NP_ADJ, "adjectives.sgl": _ADJECTIVES},
    ),
    Code(
        "SGL0002",
        "A file is not a text in UTF-8",
        "Grammars and tables are texts in UTF-8, so that every script can be written in them "
        "and they mean the same on every computer. The message names the first byte that "
        "is not. Most editors offer the encoding when a file is saved.",
        no_example="a text on a page cannot show a file that is no text",
    ),
    Code(
        "SGL0003",
        "A file is too large",
        "A grammar file may have 4 million bytes, a table 32 million and 200,000 rows. A larger "
        "file is hardly one that somebody meant to name, and reading it could take all memory. "
        "Several files together may be larger.",
        no_example="it would fill a book",
    ),
    Code(
        "SGL0004",
        "Files use each other in a circle",
        "A file is read after the files that it uses, so that no file can use, directly or "
        "through others, one that uses it. The message lists the files of the circle. What "
        "two files need from one another belongs into a third.",
        {MAIN: "use adjectives\n\n" + _NP_ADJ, "adjectives.sgl": "use farm\n\n" + _ADJECTIVES},
        {MAIN: "use adjectives\n\n" + _NP_ADJ, "adjectives.sgl": _ADJECTIVES},
    ),
    Code(
        "SGL0005",
        "A file lies outside the project",
        "A grammar reads only files in the directory of its main file or below it, symbolic "
        "links included. So a directory is all that is needed to make a dataset again, and a "
        "grammar from somebody else cannot read other files of yours.",
        {
            MAIN: """\
lexicon animals from "../animals.yaml"
  N
    en  $en
    ja  $ja
    syn node(upos=NOUN)
""",
            "animals.yaml": "- {en: horse, ja: 馬}\n",
        },
        {
            MAIN: """\
lexicon animals from "animals.yaml"
  N
    en  $en
    ja  $ja
    syn node(upos=NOUN)
""",
            "animals.yaml": "- {en: horse, ja: 馬}\n",
        },
    ),
    Code(
        "SGL0006",
        "A used file declares no such name",
        "`use` with a list in parentheses makes only the listed names visible. A name that "
        "the file does not declare would be missing wherever the grammar needs it.",
        "use stdlib.en.verb (third_persons)\n",
        "use stdlib.en.verb (third_person)\n",
    ),
)
