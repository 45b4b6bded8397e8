"""SGL07xx: weights, recursion, and what can be derived at all."""

from __future__ import annotations

from sgl.diagnostics.codes.code import MAIN, Code

_NP_OLD = """\
rule np_old: NP -> "the" "old" N
  ja  "古い" N
  syn N -[det]-> "the"(upos=DET); N -[amod]-> "old"(upos=ADJ)
"""

_NP_ADJ = """\
category Adj

rule np_adj: NP -> "the" Adj N
  ja  Adj N
  syn N -[det]-> "the"(upos=DET); N -[amod]-> Adj
"""

_ANIMALS = """\
lexicon animals from "animals.yaml"
  N
    en  $en
    ja  $ja
    syn node(upos=NOUN)
"""


def _weights(*files: str, lexicon: str = "") -> dict[str, str]:
    """A grammar that takes its weights from these files."""
    names = [f"farm.{number}.yaml" for number in range(1, len(files) + 1)]
    lines = [
        f'weights published_{number} from "{name}"\n' for number, name in enumerate(names, start=1)
    ]
    return {MAIN: "".join(lines) + lexicon, **dict(zip(names, files, strict=True))}


CODES = (
    Code(
        "SGL0701",
        "A weight is not a positive number",
        "The probability of a rule is its weight divided by the sum over all rules of its "
        "category; the words of a lexicon share its weight equally, by `zipf(…)` or by a "
        "column. Each weight is greater than 0: a rule that should not be used is left out "
        "with `when`, or removed.",
        _NP_OLD.replace('"old" N\n', '"old" N  ~ 0\n', 1),
        _NP_OLD.replace('"old" N\n', '"old" N  ~ 0.5\n', 1),
    ),
    Code(
        "SGL0702",
        "A category can never be built",
        "Every phrase ends in words. A category without rules and words, or one whose every "
        "rule needs another phrase of the same category, occurs in no sentence, and nor does "
        "any rule that asks for it.",
        _NP_ADJ,
        _NP_ADJ
        + """
word Adj: "black"
  ja  "黒い"
  syn node(upos=ADJ)
""",
    ),
    Code(
        "SGL0703",
        "A rule can never be used",
        "No children with the features that the rule asks for can be built. The notes list "
        "what can be built; often two features that should agree do not, or a word form is "
        "missing.",
        """\
feature number = one | many

category Adj[number]

rule np_adj: NP -> "the" Adj[number=many] N
  ja  Adj N
  syn N -[det]-> "the"(upos=DET); N -[amod]-> Adj

word Adj[number=one]: "single"
  ja  "一匹の"
  syn node(upos=ADJ)
""",
        """\
feature number = one | many

category Adj[number]

rule np_adj: NP -> "the" Adj[number=one] N
  ja  Adj N
  syn N -[det]-> "the"(upos=DET); N -[amod]-> Adj

word Adj[number=one]: "single"
  ja  "一匹の"
  syn node(upos=ADJ)
""",
    ),
    Code(
        "SGL0704",
        "A rule or a word never takes part in a sentence",
        "Nothing that starts from the category of the dataset leads to it, perhaps because no "
        "rule mentions its category with these features. It is a warning; the dataset does "
        "not depend on it.",
        """\
rule pp_behind: Place -> "behind" NP
  ja  NP "の後ろの"
  syn NP -[case]-> "behind"(upos=ADP)

category Place
""",
        """\
rule pp_behind: PP -> "behind" NP
  ja  NP "の後ろの"
  syn NP -[case]-> "behind"(upos=ADP)
""",
    ),
    Code(
        "SGL0705",
        "A number must be a whole number",
        "Sentences, repetitions and edges are counted, so that their numbers are whole and not "
        "negative. The message says what the smallest possible number is here.",
        """\
dataset
  from Text
  train 20.5
""",
        """\
dataset
  from Text
  train 20
""",
        instead_of=("dataset",),
    ),
    Code(
        "SGL0706",
        "The features multiply into too many rules",
        "A rule stands for one rule for each combination of the features that it leaves open, "
        "and these numbers multiply. Usually a feature that matters to one child need not be "
        "carried by all.",
        no_example="it would take a large grammar",
    ),
    Code(
        "SGL0707",
        "Sentences can grow without end",
        "If a phrase contains on average one phrase or more of its own kind, drawing a "
        "sentence need not come to an end, and the probabilities do not add up to one. The "
        "spectral radius of the mean matrix says how near a grammar is: it must be below 1. "
        "Recursive rules get less weight, or the others more.",
        """\
rule np_and: NP -> first:NP "and" second:NP  ~ 10
  ja  first "と" second
  syn first -[conj]-> second; second -[cc]-> "and"(upos=CCONJ)
""",
        """\
rule np_and: NP -> first:NP "and" second:NP  ~ 2
  ja  first "と" second
  syn first -[conj]-> second; second -[cc]-> "and"(upos=CCONJ)
""",
    ),
    Code(
        "SGL0708",
        "A category is built from itself without a word",
        "If a rule, or several rules together, lead from a category back to the same category "
        "with the same features and add no word, they can be applied any number of times: "
        "every sentence with such a category has infinitely many derivations.",
        """\
rule np_again: NP -> NP
""",
        """\
rule np_again: NP -> "that" NP
  ja  "その" NP
  syn NP -[det]-> "that"(upos=DET)
""",
    ),
    Code(
        "SGL0709",
        "A file of weights speaks of what is not there",
        "The rows of a file of weights name categories, rules, words and lexicons as the "
        "grammar does, a category with all its features: `VP[form=past]`. A name that the "
        "grammar has under no setting is a slip, or the file belongs to another grammar. "
        "What only the settings leave out is passed over.",
        _weights("rules:\n  NP: {np: 5, np_with_pp: 1}\n"),
        _weights("rules:\n  NP: {np: 5, np_pp: 1}\n"),
    ),
    Code(
        "SGL0710",
        "A file of weights has a word that its lexicon lacks",
        "The words of a lexicon are named by their lemmas. A word that has a weight but no row "
        "was removed from the table or renamed since the weights were estimated: the others "
        "share what it had. It is a warning; the dataset is drawn without the word.",
        {
            **_weights("lexicons:\n  N:\n    animals: {horse: 3, cow: 1}\n", lexicon=_ANIMALS),
            "animals.yaml": "- {en: horse, ja: 馬}\n- {en: sheep, ja: 羊}\n",
        },
        {
            **_weights("lexicons:\n  N:\n    animals: {horse: 3, sheep: 1}\n", lexicon=_ANIMALS),
            "animals.yaml": "- {en: horse, ja: 馬}\n- {en: sheep, ja: 羊}\n",
        },
    ),
    Code(
        "SGL0711",
        "A category has weights from two files",
        "The weights of a category are relative to one another, so that they come from one "
        "file. Several files may give weights to different categories, and a `when` clause "
        "chooses between two for the same.",
        _weights("rules:\n  NP: {np: 5, np_pp: 1}\n", "rules:\n  NP: {np: 2, np_rc: 1}\n"),
        _weights("rules:\n  NP: {np: 5, np_pp: 1}\n", "words:\n  N: {dog: 2, cat: 1}\n"),
    ),
)
