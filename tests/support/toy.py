"""A toy fragment of English and Japanese, written by hand as a core grammar.

Everything that makes dependency graphs interesting is here in small: PPs and
relative clauses on nouns, stacked adjectives, complement clauses, ditransitive
verbs, questions, and gaps that are bound near (``the dog that Emma saw``) and
far (``the dog that Emma said that Lina saw``).  With it come a plan with three
patterns, and derivations to try things on.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from random import Random

from toy_notation import GAP, GrammarBuilder, structure

from sgl.core.extent import Extent
from sgl.core.grammar import CoreGrammar, Rule
from sgl.core.plan import Constraint, Exposure, Need, Pattern, Plan, Quota, Stratum
from sgl.core.structure import Structure


def toy_grammar() -> CoreGrammar:
    """The toy fragment: 40 rules, every kind of dependency."""
    build = GrammarBuilder()
    for name in ("Text", "S", "Question", "NP", "VP", "PP"):
        build.category(name)
    for name in ("RC", "Gapped", "BareGapped"):
        build.category(name, GAP)
    for name in ("Det", "N", "Name", "Adj", "P", "Wh", "V", "VT", "VD", "VC", "VTbase", "VCbase"):
        build.category(name)

    build.rule("statement", "Text -> S", "^0 .", "0 。", "head=0; 0 -punct-> .", 4)
    build.rule("question", "Text -> Question", "^0 ?", "0 か ？", "head=0; 0 -punct-> ?")
    build.rule("clause", "S -> NP VP", "0 1", "0 が 1", "head=1; 1 -nsubj-> 0")
    build.rule("intransitive", "VP -> V", "0", "0", "head=0", 3)
    build.rule("transitive", "VP -> VT NP", "0 1", "1 を 0", "head=0; 0 -obj-> 1", 4)
    build.rule("ditransitive", "VP -> VD NP NP", "0 1 2", "1 に 2 を 0", "head=0; 0 -iobj-> 1; 0 -obj-> 2")
    build.rule("complement", "VP -> VC S", "0 that 1", "1 と 0", "head=0; 0 -ccomp-> 1; 1 -mark-> that")
    build.rule("np", "NP -> Det N", "0 1", "0 1", "head=1; 1 -det-> 0", 6)
    build.rule("name", "NP -> Name", "0", "0", "head=0", 3)
    build.rule("np_pp", "NP -> Det N PP", "0 1 2", "2 0 1", "head=1; 1 -det-> 0; 1 -nmod-> 2", 2)
    build.rule("np_rc", "NP -> Det N RC", "0 1 2", "2 0 1", "head=1; 1 -det-> 0; 1 -acl:relcl-> 2; 2.gap=1")
    build.rule("adjective", "N -> Adj N", "0 1", "0 1", "head=1; 1 -amod-> 0", 2)
    build.rule("pp", "PP -> P NP", "0 1", "1 0", "head=1; 1 -case-> 0")
    build.rule("rc_subject", "RC -> VP", "that 0", "0", "head=0; 0 -mark-> that; 0 -~nsubj-> gap")
    build.rule("rc_gap", "RC -> Gapped", "that 0", "0", "head=0; 0 -mark-> that; gap=0.gap")
    build.rule("gap_object", "Gapped -> NP VT", "0 1", "0 が 1", "head=1; 1 -nsubj-> 0; 1 -~obj-> gap", 4)
    build.rule(
        "gap_far",
        "Gapped -> NP VC Gapped",
        "0 1 that 2",
        "0 が 2 と 1",
        "head=1; 1 -nsubj-> 0; 1 -ccomp-> 2; 2 -mark-> that; gap=2.gap",
    )
    build.rule("who", "Question -> Wh VP", "0 1", "0 が 1", "head=1; 1 -nsubj-> 0")
    build.rule("what", "Question -> Wh BareGapped", "0 did 1", "0 を 1", "head=1; 1 -aux-> did; 1.gap=0", 2)
    build.rule("bare_object", "BareGapped -> NP VTbase", "0 1", "0 が 1", "head=1; 1 -nsubj-> 0; 1 -~obj-> gap", 3)
    build.rule(
        "bare_far",
        "BareGapped -> NP VCbase Gapped",
        "0 1 that 2",
        "0 が 2 と 1",
        "head=1; 1 -nsubj-> 0; 1 -ccomp-> 2; 2 -mark-> that; gap=2.gap",
    )

    build.word("Det", "the", "", 3, upos="DET")
    build.word("Det", "a", "", 1, upos="DET")
    for english, japanese, weight in (("dog", "犬", 5), ("cat", "猫", 3), ("book", "本", 2)):
        build.word("N", english, japanese, weight, upos="NOUN")
    build.word("Name", "Emma", "エマ", 2, upos="PROPN")
    build.word("Name", "Lina", "リナ", 1, upos="PROPN")
    build.word("Adj", "big", "大きな", 2, upos="ADJ")
    build.word("Adj", "small", "小さな", 1, upos="ADJ")
    build.word("P", "in", "の中の", 1, upos="ADP")
    build.word("P", "near", "の近くの", 2, upos="ADP")
    build.word("Wh", "what", "何", 2, upos="PRON", PronType="Int")
    build.word("Wh", "who", "誰", 1, upos="PRON", PronType="Int")
    build.word("V", "slept", "寝た", 2, lemma="sleep", upos="VERB", Tense="Past")
    build.word("V", "ran", "走った", 1, lemma="run", upos="VERB", Tense="Past")
    build.word("VT", "saw", "見た", 3, lemma="see", upos="VERB", Tense="Past")
    build.word("VT", "found", "見つけた", 2, lemma="find", upos="VERB", Tense="Past")
    build.word("VD", "gave", "あげた", 1, lemma="give", upos="VERB", Tense="Past")
    build.word("VC", "said", "言った", 2, lemma="say", upos="VERB", Tense="Past")
    build.word("VC", "knew", "知っていた", 1, lemma="know", upos="VERB", Tense="Past")
    build.word("VTbase", "see", "見た", 3, lemma="see", upos="VERB", VerbForm="Inf")
    build.word("VTbase", "find", "見つけた", 2, lemma="find", upos="VERB", VerbForm="Inf")
    build.word("VCbase", "say", "言った", 1, lemma="say", upos="VERB", VerbForm="Inf")
    return build.build("toy", "Text")


TOY = toy_grammar()


# --- a plan -----------------------------------------------------------------------------

PP_IN_SUBJECT = structure("{ V -[nsubj]-> N; N -[nmod]-> M }")
PP_IN_OBJECT = structure("{ V -[obj]-> N; N -[nmod]-> M }")
CAT_AS_OBJECT = structure("{ V -[obj|~obj|iobj]-> N[lemma=cat] }")
CAT_AS_SUBJECT = structure("{ V -[nsubj]-> N[lemma=cat] }")
DEEP_COMPLEMENT = structure("{ V -[ccomp]{2,}-> W }")
FAR_GAP = structure("{ V -[ccomp]+-> U; U -[~obj]-> W[PronType=Int] }")
EMMA_FINDS = structure("{ V[lemma=find] -[nsubj]-> N[lemma=Emma] }")
IN_COMPLEMENT = structure("{ V -[ccomp]-> W }")


def pattern(name: str, forbid: tuple[Structure, ...], **clauses: object) -> Pattern:
    """A pattern with the given clauses, the rest empty; ``gen`` defaults to ``forbid``."""
    empty: dict[str, object] = dict.fromkeys(
        ("groups", "never", "exclude", "need", "allow", "targets", "expose", "reserved", "quotas"), ()
    )
    values = empty | {"gen": forbid} | clauses
    return Pattern(name=name, title=name.replace("_", " "), forbid=forbid, **values)


def toy_plan() -> Plan:
    """Three patterns with 300 training, 30 exposure and 60 generalization items."""
    patterns = (
        pattern(
            "pp_in_subject",
            (PP_IN_SUBJECT,),
            need=(Need(PP_IN_OBJECT, 10),),
            quotas=(Quota(Extent(10), within=(IN_COMPLEMENT,)), Quota(Extent(10), outside=(IN_COMPLEMENT,))),
        ),
        pattern(
            "cat_as_object",
            (CAT_AS_OBJECT,),
            need=(Need(CAT_AS_SUBJECT, 20),),
            targets=("cat",),
            expose=(Exposure(CAT_AS_SUBJECT, Extent(30)),),
            reserved=(structure("{ N[lemma=cat] }"),),
            quotas=(Quota(Extent(20)),),
        ),
        pattern("far_gap", (FAR_GAP,), need=(Need(DEEP_COMPLEMENT),), quotas=(Quota(Extent(20)),)),
    )
    held_out = tuple(s for p in patterns for s in p.held_out)
    reserved = patterns[1].reserved
    base = Constraint(exclude=held_out + reserved)
    strata = [
        Stratum("train", "in_distribution", "train/in_distribution", Extent(300), base),
        Stratum(
            "train",
            "exposure:cat_as_object",
            "train/exposure:cat_as_object/0",
            Extent(30),
            Constraint(require=((CAT_AS_SUBJECT,),), exclude=held_out),
        ),
        Stratum("dev", "in_distribution", "dev/in_distribution", Extent(30), base),
        Stratum("test", "in_distribution", "test/in_distribution", Extent(30), base),
    ]
    for p in patterns:
        others = tuple(s for q in patterns if q is not p for s in q.held_out)
        for number, quota in enumerate(p.quotas):
            strata.append(
                Stratum(
                    "gen",
                    p.name,
                    f"gen/{p.name}/{number}",
                    quota.extent,
                    Constraint(
                        require=(p.gen, *((s,) for s in quota.within)), exclude=p.exclude + others + quota.outside
                    ),
                )
            )
    return Plan(
        seed=2024,
        source="en",
        target="ja",
        strata=tuple(strata),
        patterns=patterns,
        distinct_lemmas=("NOUN", "PROPN"),
        distinct_sentences=True,
        lemma_layer="syn",
    )


# --- derivations ------------------------------------------------------------------------


def random_derivations(grammar: CoreGrammar, number: int, seed: int, longest: int = 40) -> list[tuple[int, ...]]:
    """Derivations drawn by the weights of the rules, those with over ``longest`` rules dropped."""
    random = Random(seed)  # noqa: S311 - reproducible, not secret
    derivations = []
    while len(derivations) < number:
        derivation: list[int] = []
        open_categories = [grammar.start]
        while open_categories and len(derivation) <= longest:
            rules = grammar.rules_of[open_categories.pop()]
            rule = random.choices(rules, [rule.weight for rule in rules])[0]
            derivation.append(rule.id)
            open_categories.extend(reversed(rule.rhs))
        if not open_categories:
            derivations.append(tuple(derivation))
    return derivations


def all_derivations(grammar: CoreGrammar, height: int) -> dict[tuple[int, ...], float]:
    """Every derivation of at most this height, with its probability."""
    table: list[dict[tuple[int, ...], float]] = [{} for _ in grammar.categories]
    for _ in range(height):
        table = [
            {
                (rule.id, *(step for part in parts for step in part)): weight
                for rule in grammar.rules_of[category]
                for parts, weight in _combinations(rule, table)
            }
            for category in range(len(grammar.categories))
        ]
    return table[grammar.start]


def _combinations(
    rule: Rule, table: list[dict[tuple[int, ...], float]]
) -> Iterator[tuple[tuple[tuple[int, ...], ...], float]]:
    for parts in product(*(table[child].items() for child in rule.rhs)):
        weight = rule.weight
        for _, probability in parts:
            weight *= probability
        yield tuple(derivation for derivation, _ in parts), weight
