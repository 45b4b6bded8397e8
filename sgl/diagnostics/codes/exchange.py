"""SGL12xx: grammars from and for other tools."""

from __future__ import annotations

from sgl.diagnostics.codes.code import Code

_IMPORT = "it is about a file of Alto: "

CODES = (
    Code(
        "SGL1201",
        "An IRTG cannot be read",
        "`sglc import irtg` reads the format of Alto: declarations of interpretations, then "
        "rules, each with a line for every interpretation. Names with other characters than "
        "letters, digits and `_*$@+<>/.-` stand in quotation marks. The mark shows the first "
        "place that no such file can have.",
        no_example=_IMPORT + "`r1(NP, VP) -> S!` is written `S! -> r1(NP, VP)`",
    ),
    Code(
        "SGL1202",
        "An interpretation has no counterpart",
        "Text layers are the counterpart of interpretations over strings, and printed trees of "
        "those over trees. Interpretations over other algebras (graphs, sets, strings with "
        "gaps) are left out of the grammar that is written, and so are declared features; the "
        "rules and the other interpretations do not depend on them.",
        no_example=_IMPORT + "`interpretation sem: de.up.ling.irtg.algebra.SetAlgebra`",
    ),
    Code(
        "SGL1203",
        "A rule and its interpretations do not fit together",
        "Every rule has one value in each interpretation. A value is a term: its variables "
        "`?1`, `?2` are the children of the rule, its operations those of the algebra, with as "
        "many arguments as they take. A weight is a number from 0 on.",
        no_example=_IMPORT + "`NP -> r(N)` with the line `[english] *(the, ?2)`, but one child",
    ),
    Code(
        "SGL1204",
        "An IRTG derives nothing",
        "A derivation begins in a final state, which is marked by `!`, and ends in rules "
        "without children. Without a final state, or where every rule below it needs another "
        "one, there is no derivation: nor is there a grammar without an interpretation over "
        "strings or trees.",
        no_example=_IMPORT + "`S -> r1(NP, VP)`, where no state has the mark of `S!`",
    ),
    Code(
        "SGL1205",
        "Rules of an IRTG take part in no derivation",
        "Rules that no final state leads to, rules with a child that can never be built, and "
        "rules of weight 0 are in no derivation. SGL would take them for mistakes, so that they "
        "are left out; the language stays the same.",
        no_example=_IMPORT + "`NP -> r2 [0]`",
    ),
    Code(
        "SGL1206",
        "The weights of an IRTG are no probabilities",
        "Alto multiplies weights as they are; SGL divides them by the sum over all rules of a "
        "category. Where the sum is not 1, the probability of a derivation becomes another one, "
        "though the rules of one state keep their proportions.",
        no_example=_IMPORT + "`NP -> r2 [0.5]` as the only rule of `NP`",
    ),
    Code(
        "SGL1207",
        "A word of an IRTG has spaces in it",
        "A quoted constant of a string algebra is one word even if it has spaces. A text layer "
        "takes it apart at the spaces: the sentence reads the same and has more words. In a "
        "printed tree a space becomes `_`.",
        no_example=_IMPORT + "the line `[english] 'New York'`",
    ),
    Code(
        "SGL1208",
        "An interpretation cannot be the source layer",
        "The right-hand side of a rule is the template of the first text layer: it has every "
        "child once, and a word or a second child beside a child of its own category. The first "
        "interpretation over strings that is so becomes the source, else one over trees. Where "
        "there is none, a layer is added that prints the derivation, and the interpretations "
        "become further layers, in which children may be left out and repeated.",
        no_example=_IMPORT + "`A -> nop` with the line `[english] ''`, which has no words",
    ),
    Code(
        "SGL1209",
        "Words of an IRTG say the same",
        "Two rules of one state without children that have the same value in every "
        "interpretation are two derivations of one sentence. In SGL a word is there once: the "
        "rules are merged and their weights added, so that every sentence keeps its "
        "probability.",
        no_example=_IMPORT + "`N -> r1` and `N -> r2`, both with the line `[english] dog`",
    ),
    Code(
        "SGL1210",
        "How words are joined is not exported",
        "Other tools put words side by side with spaces. What `join` and `attach` say of a "
        "layer (no spaces in Japanese, none before a full stop) is not in the exported grammar; "
        "its sentences have the same words in the same order.",
        no_example='it is about `sglc export`, for a grammar with `layer en : text (attach ".")`',
    ),
    Code(
        "SGL1211",
        "A declaration is not exported",
        "The exported file has the rules of the grammar, with their weights and words. Graph "
        "layers and views stay behind, and so do patterns, parts and restrictions, which say "
        "what datasets contain and not what the language is: the exported grammar is the whole "
        "one, not that of its training data.",
        no_example="it is about `sglc export`, for a grammar with `layer syn : graph on en`",
    ),
    Code(
        "SGL1212",
        "A capital letter cannot be exported exactly",
        "`capital` is exported by categories of its own, such as `S_capital`, whose first word "
        "begins with a capital. Which word is the first has to follow from the category. It "
        "does not where the first child is empty in some sentences only, or where a child "
        "stands in a template twice, once at the beginning.",
        no_example="it is about `sglc export`, for `capital S` where `S` begins with a category "
        'that has a word `""` and others',
    ),
    Code(
        "SGL1213",
        "A word cannot be exported",
        "The formats of Alto and NLTK quote words by `'` or by `\"`, and have no way to write a "
        "word that contains both. In an IRTG the word `*` would be read as the concatenation of "
        "strings. Such a word has to be spelt otherwise before the grammar is exported.",
        no_example="it is about `sglc export irtg`, for a grammar with the word `*`",
    ),
    Code(
        "SGL1214",
        "A layer is not context-free",
        "A child that a template repeats says the same twice, whatever it says. No context-free "
        "rule can demand that. `sglc export irtg` writes such rules; `sglc export nltk` writes "
        "other layers of the grammar.",
        no_example="it is about `sglc export nltk`, for a layer with `repeat`",
    ),
    Code(
        "SGL1215",
        "A sentence has no form in CoNLL-U",
        "CoNLL-U wants one node for each word, a text that is its words with single spaces or "
        "none between them, and basic edges that are a tree; and it reserves a few characters. "
        "The message says which word or edge is not so. The other sentences are written.",
        no_example="it is about `sglc export conllu`, for a grammar with "
        '`layer en : text (join "-")`',
    ),
)
