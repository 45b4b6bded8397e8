"""SGL04xx: features and their values."""

from __future__ import annotations

from sgl.diagnostics.codes.code import Code

#: Articles that agree with nouns in one rule; the example has another.
_ARTICLES = """\
feature num = sg | pl

category Article[num]
category Noun[num]

word Article[num=sg]: "this"
  ja  ""
  syn node(upos=DET)

word Article[num=pl]: "these"
  ja  ""
  syn node(upos=DET)

word Noun[num=sg]: "horse"
  ja  "馬"
  syn node(upos=NOUN)

word Noun[num=pl]: "horses"
  ja  "馬"
  syn node(lemma=horse, upos=NOUN)

rule np_article: NP -> Article[num=n] Noun[num=n]
  ja  Noun drop Article
  syn Noun -[det]-> Article

"""

CODES = (
    Code(
        "SGL0401",
        "A category does not carry this feature",
        "The declaration of a category lists the features that it carries. A feature that is "
        "not in the list could neither be asked for nor agree with anything.",
        """\
rule np_a: NP -> "a" N[form=past]
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
        "SGL0402",
        "A feature has no such value",
        "A name after `=` is a value of the feature or a variable. A variable agrees with "
        "something, so that it stands at least twice in its rule; a name that stands once is "
        "most likely a misspelt value. In a table it is the cell that is shown.",
        """\
word V[form=psat]: "heard"
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
        "SGL0403",
        "A value or a feature is given twice",
        "A feature lists each of its values once, and the brackets of a category set each "
        "feature once. Several possible values are separated by `|`.",
        """\
rule vp_again: VP -> V[form=past, form=pres] NP "again"
  ja  NP "を" "また" V
  syn V -[obj]-> NP; V -[advmod]-> "again"(upos=ADV)
""",
        """\
rule vp_again: VP -> V[form=past|pres] NP "again"
  ja  NP "を" "また" V
  syn V -[obj]-> NP; V -[advmod]-> "again"(upos=ADV)
""",
    ),
    Code(
        "SGL0404",
        "`$` stands before something that is no variable and no column",
        "In a rule `$f` writes the value of the feature variable `f`, which some category of "
        "the rule mentions in its brackets, and so it does in the label of an edge: "
        "`-[nmod:$p]->`. In a lexicon `$en` is the value in the column `en`. A structure has no "
        "variables of features.",
        """\
rule vp_again: VP[form=f] -> V[form=f] NP "again"
  ja  NP $case "また" V
  syn V -[obj]-> NP; V -[advmod]-> "again"(upos=ADV)
""",
        """\
rule vp_again: VP[form=f] -> V[form=f] NP "again"
  ja  NP "を" "また" V
  syn V -[obj]-> NP; V -[advmod]-> "again"(upos=ADV)
""",
    ),
    Code(
        "SGL0405",
        "A rule leaves a feature open that others make agree",
        "A feature that a rule does not mention may have any value there. That is a slip where "
        "all other rules make it agree with something that stands beside it here as well, or "
        "where words have a feature that no rule asks for or passes on. What comes out are "
        "sentences without agreement, or with several derivations. Where any value is meant, "
        "`_` says so: `NP[num=_]`.",
        _ARTICLES
        + """\
rule np_article_pp: NP -> Article Noun PP
  ja  PP Noun drop Article
  syn Noun -[det]-> Article; Noun -[nmod]-> PP
""",
        _ARTICLES
        + """\
rule np_article_pp: NP -> Article[num=n] Noun[num=n] PP
  ja  PP Noun drop Article
  syn Noun -[det]-> Article; Noun -[nmod]-> PP
""",
    ),
)
