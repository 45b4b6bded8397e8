"""Clauses and weights that depend on the values of features, and features with an order.

What a rule with cases means is defined here by a few lines that write it once for every value.
"""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path
from random import Random

import pytest
from diagnostics import BASE, MAIN, diagnose
from same_grammar import core_of, rules_of

VALUES = list(product("xyz", "mn"))
WORDS = [("C", "c"), *((f"B[o={o}, p={p}]", f"b{o}{p}") for o, p in VALUES)]
SYSTEM = """
layer en  : text
layer de  : text
layer syn : graph on en
layer sem : graph on en (free)
feature o = x ~ 3 | y | z
feature p = m < n
category S
category A[o]
category B[o, p]
category C
rule start: S -> A[o=_]
dataset
  from S
  train 10
""" + "".join(
    f'word {category}: "{text}"\n  de  "{text}"\n  syn node(upos=X)\n  sem node(lemma={text})\n'
    for category, text in WORDS
)

#: What each layer may say.  In the last source order the word is left out.
SAYS = {
    "en": ['"w" c B', 'c "w" B', "B c"],
    "de": ["c B", 'B "v" c', "drop c B $o"],
    "syn": ["c -[~b:$o:$p]-> B", "B -[~c:$p]-> c"],
    "sem": ["B -[arg]-> c", "c -[of]-> B", "c -[arg]-> B; c -[of:$o]-> B"],
    "weight": ["2", "5"],
}
WITH_WORD, WITHOUT = 'B -[c]-> c; B -[w]-> "w"(upos=X)', "B -[c]-> c"

#: What is said for each pair of values.
Chosen = dict[tuple[str, str], int]


def choose(random: Random, number: int) -> Chosen:
    """One of so many things for each pair of values: by the first value, the second, or both."""
    place = random.choice([lambda i: i // 2, lambda i: i % 2, lambda i: i])
    picked = [random.randrange(number) for _ in VALUES]
    return {values: picked[place(i)] for i, values in enumerate(VALUES)}


def conditions(chosen: Chosen, one: int) -> dict[str, list[tuple[str, str]]]:
    """What is written behind a thing, with the values for which it is: once, or several times."""
    mine = [values for values in VALUES if chosen[values] == one]
    first, second = {o for o, _ in mine}, {p for _, p in mine}
    others = [o for o in "xyz" if o not in first]
    if mine == [(o, p) for o, p in VALUES if o in first]:
        listed = f"= {' | '.join(sorted(first))}" if len(others) != 1 else f"!= {others[0]}"
        return {f"if o {listed}": mine}
    if mine == [(o, p) for o, p in VALUES if p in second]:
        return {"if p > m" if second == {"n"} else "if p <= m": mine}
    return {f"if o = {o}, p = {p}": [(o, p)] for o, p in mine}


def lines(layer: str, chosen: Chosen, says: list[str], rest: int | None = None) -> list[str]:
    """The clauses of a layer; what is said for the ``rest`` has no condition."""
    return [
        f"  {layer}  {says[one]} {'' if one == rest else condition}"
        for one in sorted(set(chosen.values()))
        for condition in (conditions(chosen, one) if one != rest else [""])
    ]


@pytest.mark.parametrize("above", [True, False], ids=["value above", "value below"])
@pytest.mark.parametrize("seed", range(30))
def test_a_rule_with_cases_is_a_rule_for_each_value(seed: int, above: bool) -> None:
    random = Random(seed)  # noqa: S311 - what is tried is to stay the same
    chosen = {name: choose(random, len(says)) for name, says in SAYS.items()}
    word = {values: int(order == 2) for values, order in chosen["en"].items()}
    rest = chosen["de"]["x", "m"] if random.random() < 0.5 else None
    weights = [
        f"{SAYS['weight'][one]} {condition}"
        for one in sorted(set(chosen["weight"].values()))
        for condition in conditions(chosen["weight"], one)
    ]
    head = "A[o=o]" if above else "A[o=y]"
    short = [
        f'rule r: {head} -> B[o=o, p=p] c:C "w" ~ {", ".join(weights)}',
        *lines("en", chosen["en"], SAYS["en"]),
        *lines("de", chosen["de"], SAYS["de"], rest),
        *lines("syn", word, [WITH_WORD, WITHOUT]),
        *lines("syn", chosen["syn"], SAYS["syn"]),
        *lines("sem", chosen["sem"], SAYS["sem"]),
    ]
    full = [written_out(chosen, values, above) for values in VALUES]
    assert rules_of(core_of(SYSTEM + "\n".join(short) + "\n")) == rules_of(core_of(SYSTEM + "".join(full)))


def written_out(chosen: dict[str, Chosen], values: tuple[str, str], above: bool) -> str:
    """The rule for one pair of values: the values in the places of the variables, no conditions."""
    (o, p), says = values, {name: SAYS[name][chosen[name][values]] for name in SAYS}
    children = says["en"].replace("c", "c:C").replace("B", f"B[o={o}, p={p}]")
    quoted = f'"{o}"'
    tree = WITHOUT if chosen["en"][values] == 2 else WITH_WORD
    return (
        f"rule r__{o}{p}: A[o={o if above else 'y'}] -> {children}"
        f" ~ {share(chosen, values, above)}\n"
        f"  de  {says['de'].replace('$o', quoted)}\n"
        f"  syn {tree}; {says['syn'].replace('$o', o).replace('$p', p)}\n"
        f"  sem {says['sem'].replace('$o', o)}\n"
    )


def share(chosen: dict[str, Chosen], values: tuple[str, str], above: bool) -> str:
    """Its weight: those of one condition have one weight together, by the weights of values."""
    one, common = chosen["weight"][values], {"x": 3, "y": 1, "z": 1}
    (group,) = (mine for mine in conditions(chosen["weight"], one).values() if values in mine)
    total = sum(common[o] for o, _ in group if not above or o == values[0])
    return f"{float(SAYS['weight'][one]) * common[values[0]] / total:.12f}"


# ---- mistakes


def messages(rule: str, tmp_path: Path) -> list[tuple[str, str]]:
    return diagnose({MAIN: f"{BASE}\n{rule}"}, tmp_path, prove=False).places()


AGAIN = """
rule vp_again: VP[form=f] -> V[form=f] NP "again"{}
  syn V -[obj]-> NP; V -[advmod]-> "again"(upos=ADV)
"""
JA = '  ja  NP "を" "また" V'


@pytest.mark.parametrize(
    ("clauses", "expected"),
    [
        ([f"{JA} if f = past"], [("SGL0314", f"{JA.strip()} if f = past")]),
        ([f"{JA} if f = past", f"{JA} if f = pres"], []),
        ([f"{JA} if f = past", JA], []),
        ([f"{JA} if f != past", f"{JA} if f = pres", JA], [("SGL0314", f"{JA.strip()} if f = pres")]),
        ([f"{JA} if f = past | pres", JA], [("SGL0314", JA.strip())]),
        ([JA, JA], [("SGL0308", JA.strip())]),
        ([f"{JA} if g = past", JA], [("SGL0404", "g")]),
        ([f"{JA} if f = passt", JA], [("SGL0402", "passt")]),
        ([f"{JA} if f > past", JA], [("SGL0409", "f > past")]),
        ([JA, '  en  V "again" NP if f = past'], []),
        ([JA, '  en  V "again" "again" NP if f = past'], [("SGL0311", '"again"')]),
        ([JA, '  en  V "again" if f = past'], [("SGL0301", 'en  V "again" if f = past')]),
        ([JA, "  en  V NP if f = past"], [("SGL0505", '"again"(upos=ADV)')]),
        ([JA, '  en  V "again" NP'], [("SGL0311", 'en  V "again" NP')]),
    ],
    ids=str,
)
def test_conditions_that_do_not_fit(clauses: list[str], expected: list[tuple[str, str]], tmp_path: Path) -> None:
    assert messages(AGAIN.format("") + "\n".join(clauses) + "\n", tmp_path) == expected


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        (" ~ 5 if f = past", [("SGL0314", "5 if f = past")]),
        (" ~ 5 if f = past, 2", []),
        (" ~ 5, 2", [("SGL0314", "2")]),
        (" ~ 5 if f = past, f != pres, 2", []),
        (" ~ 5 if f = past, 2 if f = pres, 3", [("SGL0314", "3")]),
        (" ~ 5 if f = past, 2 if f != pres, 3", [("SGL0314", "2 if f != pres")]),
        (" ~ 0 if f = past, 2", [("SGL0701", "0 if f = past")]),
    ],
    ids=str,
)
def test_weights_that_do_not_fit(weights: str, expected: list[tuple[str, str]], tmp_path: Path) -> None:
    assert messages(AGAIN.format(weights) + JA + "\n", tmp_path) == expected


def test_a_graph_that_is_no_tree_for_some_value_is_told_with_the_value(tmp_path: Path) -> None:
    rule = AGAIN.format("") + JA + "\n  syn NP -[obj]-> V if f = past\n"
    outcome = diagnose({MAIN: f"{BASE}\n{rule}"}, tmp_path, prove=False)
    assert "= with `f = past`" in outcome.rendered()
    rule = rule.replace("NP -[obj]-> V", "V -[iobj]-> NP")
    outcome = diagnose({MAIN: f"{BASE}\n{rule}"}, tmp_path, prove=False)
    assert "in the rule `vp_again` with `f = past`" in outcome.rendered()


def test_conditions_on_very_many_combinations_of_values(tmp_path: Path) -> None:
    features = "abcdefghijklmn"
    names = ", ".join(f"x{name}={name}" for name in features)
    grammar = "".join(f"feature x{name} = {name}1 | {name}2\n" for name in features)
    grammar += f"category Many[{', '.join(f'x{name}' for name in features)}]\n"
    tests = ", ".join(f"{name} = {name}1" for name in features)
    grammar += f"rule many: N -> Many[{names}]\n  ja  Many if {tests}\n  ja  Many\n"
    assert messages(grammar, tmp_path) == [("SGL0706", "many")]


# ---- features with an order

ADJECTIVES = """
layer en  : text
feature slot = 1 < 2 < 3 < 4
category S
category N[slot]
category A[slot]
dataset
  from S
  train 10
rule start: S -> N[slot=_]
word N[slot=4]: "n"
""" + "".join(f'word A[slot={slot}]: "a{slot}"\n' for slot in "1234")


@pytest.mark.parametrize("comparison", ["<", ">", "<=", ">="])
def test_a_comparison_is_a_list_of_values(comparison: str) -> None:
    holds = {"<": int.__lt__, ">": int.__gt__, "<=": int.__le__, ">=": int.__ge__}[comparison]
    pairs = [(i, j) for i in "1234" for j in "1234" if holds(int(j), int(i))]
    below = {j: sum(other == j for _, other in pairs) for j in "1234"}
    full = "".join(f"rule q__{i}{j}: N[slot={j}] -> A[slot={i}] N[slot=4] ~ {1 / below[j]:.12f}\n" for i, j in pairs)
    for i in "1234":
        listed = "|".join(j for one, j in pairs if one == i)
        if listed:
            full += f"rule r__{i}: N[slot={i}] -> A[slot={i}] N[slot={listed}]\n"
    short = f"rule r: N[slot=i] -> A[slot=i] N[slot{comparison}i]\n"
    short += f"rule q: N[slot{comparison}i] -> A[slot=i] N[slot=4]\n"
    assert rules_of(core_of(ADJECTIVES + short)) == rules_of(core_of(ADJECTIVES + full))


def test_two_comparisons_are_two_values_and_one_with_a_value_is_a_list() -> None:
    short = "rule r: N[slot=i] -> N[slot>i] A[slot=i] A[slot>i] A[slot<3]\n"
    full = "".join(
        f"rule r__{i}{j}: N[slot={i}] -> N[slot={j}] A[slot={i}] A[slot={k}] A[slot=1|2] ~ {w}\n"
        for i, j, k, w in [(3, 4, 4, 1), (2, 4, "3|4", 2), (2, 3, "3|4", 2), (1, 4, "2|3|4", 3)]
    )
    lacking = [(1, 3, "2|3|4", 3), (1, 2, "2|3|4", 3)]
    full += "".join(
        f"rule r__{i}{j}: N[slot={i}] -> N[slot={j}] A[slot={i}] A[slot={k}] A[slot=1|2] ~ {w}\n"
        for i, j, k, w in lacking
    )
    start = "rule other__{}: N[slot={}] -> A[slot=1] ~ 1\n"
    short += "".join(start.format(i, i) for i in "123")
    full = full.replace("~ 2", "~ 0.5").replace("~ 3", "~ 0.333333333333")
    full += "".join(start.format(i, i) for i in "123")
    assert rules_of(core_of(ADJECTIVES + short)) == rules_of(core_of(ADJECTIVES + full))


@pytest.mark.parametrize(
    ("mention", "expected"),
    [
        ("N[slot>i]", []),
        ("N[slot>j]", [("SGL0404", "j")]),
        ("N[slot>4]", [("SGL0402", "slot>4")]),
        ("V[form>i]", [("SGL0409", "form>i")]),
    ],
)
def test_comparisons_that_cannot_be(mention: str, expected: list[tuple[str, str]], tmp_path: Path) -> None:
    more = 'feature form = a | b\ncategory V[form]\nword V: "v"\n'
    more += f"rule r: N[slot=i] -> A[slot=i] {mention}\n"
    found = diagnose({MAIN: ADJECTIVES + more}, tmp_path, prove=False).places()
    assert [one for one in found if one[0] not in ("SGL0307", "SGL0704")] == expected


def test_a_rule_of_words_alone_may_mention_its_features() -> None:
    """It has no children from which the values would come."""
    grammar = ADJECTIVES + 'layer de : text\nrule r: N[slot=i] -> "m"\n  de  $i\n'
    grammar = re.sub(r"(?m)^word .*$", r'\g<0>\n  de ""', grammar)
    assert {"1", "2"} <= {rule.words(1)[0] for rule in core_of(grammar).rules if rule.words(1)}
