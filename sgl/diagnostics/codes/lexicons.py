"""SGL06xx: lexicon tables and morphology."""

from __future__ import annotations

from sgl.diagnostics.codes.code import MAIN, Code

_ANIMALS = """\
lexicon animals from "animals.yaml"
  N
    en  $en
    ja  $ja
    syn node(upos=NOUN)
"""

_VERBS = """\
paradigm past
  e       "e" -> "ed"
  regular ""  -> "ed"

lexicon verbs from "verbs.yaml"
  V[form=past]
    en  past($en, $class)
    ja  $ja
    syn node(lemma=$en, upos=VERB, Tense=Past)
"""

_KINDS = """\
- {en: horse, ja: 馬, kind: mammal}
- {en: crow, ja: 烏, kind: bird}
"""

_LEGS = """\
- {en: horse, ja: 馬, legs: 4}
- {en: crow, ja: 烏, legs: 2}
"""


_SPOKEN = """\
- {en: horse, ja: 馬, spoken: {ja: お馬さん}}
- {en: crow, ja: 烏}
"""


def _animals(table: str) -> dict[str, str]:
    return {MAIN: _ANIMALS, "animals.yaml": table}


def _verbs(table: str) -> dict[str, str]:
    return {MAIN: _VERBS, "verbs.yaml": table}


def _takes(table: str) -> dict[str, str]:
    restrict = "restrict { V -[obj]-> N } to takes(V, N)\n"
    return {MAIN: 'relation takes from "takes.yaml"\n\n' + restrict, "takes.yaml": table}


CODES = (
    Code(
        "SGL0601",
        "A table is not YAML",
        "A table is a YAML file. The message is that of the YAML reader, at the line where it "
        "could not go on; the mistake may stand a line above.",
        _animals("- {en: horse, ja: 馬\n"),
        _animals("- {en: horse, ja: 馬}\n"),
    ),
    Code(
        "SGL0602",
        "A YAML file is not a table",
        "A table is a list of rows, and a row is a mapping from columns to words or numbers, "
        "each column at most once. Lists inside rows have no meaning in a table; a mapping inside "
        "a row is a variant of it, whose cells are words or numbers.",
        _animals("horse: 馬\n"),
        _animals("- {en: horse, ja: 馬}\n"),
    ),
    Code(
        "SGL0603",
        "There is no such column or parameter",
        "In a lexicon `$en` is the value in the column `en` of the table, and some row must "
        "have that column. In the body of a function a name is one of its parameters.",
        {
            MAIN: _ANIMALS.replace("$ja", "$jp"),
            "animals.yaml": "- {en: horse, ja: 馬}\n",
        },
        _animals("- {en: horse, ja: 馬}\n"),
    ),
    Code(
        "SGL0604",
        "A cell is missing, or a word is empty in the source language",
        "A row without a cell that is asked for is most often an oversight, or its column is "
        "misspelt; where a column may be missing, `$ja or …` says what stands instead. In the "
        'source language a word may not be empty (`en: ""`) either: different structures '
        'would look the same. In other languages `ja: ""` is a word that is not spoken.',
        _animals("- {en: horse, ja: 馬}\n- {ja: 牛}\n"),
        _animals("- {en: horse, ja: 馬}\n- {en: cow, ja: 牛}\n"),
    ),
    Code(
        "SGL0605",
        "The same word is given twice",
        "Two words, or two rows of a lexicon, that agree in all languages and in the category "
        "count one word twice. Words that differ in one language only are two words.",
        _animals("- {en: horse, ja: 馬}\n- {en: horse, ja: 馬}\n"),
        _animals("- {en: horse, ja: 馬}\n- {en: cow, ja: 牛}\n"),
    ),
    Code(
        "SGL0606",
        "A paradigm has no such class",
        "The second argument of a paradigm is the inflection class of the word. Each class has "
        "a line in the paradigm.",
        _verbs("- {en: like, ja: 好んだ, class: regulr}\n"),
        _verbs("- {en: like, ja: 好んだ, class: e}\n"),
    ),
    Code(
        "SGL0607",
        "A paradigm does not fit a word",
        "A paradigm rewrites the end of a word. No ending of the class fits this word: the "
        "word or its class is wrong, or the paradigm lacks an ending.",
        _verbs("- {en: call, ja: 呼んだ, class: e}\n"),
        _verbs("- {en: call, ja: 呼んだ, class: regular}\n"),
    ),
    Code(
        "SGL0608",
        "A paradigm or function is called with the wrong arguments, or calls itself",
        "A function takes one argument for each of its parameters; a paradigm takes a word and "
        "its class, or only a word if it has one class. A function that calls itself never "
        "comes to an end.",
        {
            MAIN: _VERBS.replace("past($en, $class)", "past($en)"),
            "verbs.yaml": "- {en: like, ja: 好んだ, class: e}\n",
        },
        _verbs("- {en: like, ja: 好んだ, class: e}\n"),
    ),
    Code(
        "SGL0609",
        "A source word has a space in it",
        "A node of the graph stands on one word of the sentence, and words are separated by "
        "spaces. An expression of several words is a rule, in which each word has its place "
        "in the graph.",
        _animals("- {en: polar bear, ja: 白熊}\n"),
        _animals("- {en: bear, ja: 熊}\n"),
    ),
    Code(
        "SGL0610",
        "A lexicon has no words",
        "The table has no rows, `where` keeps none of them, or the lexicon names no category "
        "for its words. The words are then missing wherever they are needed.",
        {
            MAIN: _ANIMALS.replace('.yaml"', '.yaml" where kind = brid'),
            "animals.yaml": _KINDS,
        },
        {
            MAIN: _ANIMALS.replace('.yaml"', '.yaml" where kind = bird'),
            "animals.yaml": _KINDS,
        },
    ),
    Code(
        "SGL0611",
        "A source word has several translations that nothing tells apart",
        "Two words agree in the source language, in their category and in their node of the "
        "graph, and differ in another language: a sentence with such a word has several right "
        "translations, and the dataset contains one of them. It is a warning.",
        _animals("- {en: horse, ja: 馬}\n- {en: horse, ja: 駒}\n"),
        _animals("- {en: horse, ja: 馬}\n- {en: pony, ja: 駒}\n"),
    ),
    Code(
        "SGL0612",
        "A column is never used",
        "No lexicon over this table mentions the column, in its words, its categories, its "
        "conditions or its weight. Often the column is misspelt in some rows, and the lexicon "
        "takes its fallback there. It is a warning; the dataset does not depend on the column.",
        _animals("- {en: horse, ja: 馬, kana: うま}\n"),
        _animals("- {en: horse, ja: 馬}\n"),
    ),
    Code(
        "SGL0613",
        "Something that is no number is compared",
        "After `where`, `>=` and `<=` compare numbers: the value is one, and so is the cell of "
        "each row. Words are compared by `=` and `!=`. Numbers are written in plain digits, "
        "such as `12` or `0.5`.",
        {
            MAIN: _ANIMALS.replace('.yaml"', '.yaml" where legs >= 4'),
            "animals.yaml": _LEGS.replace("2", "two"),
        },
        {
            MAIN: _ANIMALS.replace('.yaml"', '.yaml" where legs >= 4'),
            "animals.yaml": _LEGS,
        },
    ),
    Code(
        "SGL0614",
        "A row of a relation is empty",
        "A row lists the words that a word goes with. One that goes with none could stand in no "
        "sentence; one that goes with any has no row.",
        _takes("see: []\n"),
        _takes("see: [dog, cat]\n"),
    ),
    Code(
        "SGL0616",
        "A variant of rows is not there, or does nothing",
        "`variant spoken` in a lexicon takes the cells that rows of its table have after "
        "`spoken:` in place of their own: some row must have such cells. As a warning it says "
        "that rows have a variant which no lexicon takes, or that repeats the cells of the row.",
        {
            MAIN: _ANIMALS.replace("\n", "\n  variant spokn\n", 1),
            "animals.yaml": _SPOKEN,
        },
        {
            MAIN: _ANIMALS.replace("\n", "\n  variant spoken\n", 1),
            "animals.yaml": _SPOKEN,
        },
    ),
)
