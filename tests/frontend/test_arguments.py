"""Structures and quotas with parameters, ranges of numbers, sizes that patterns share."""

from __future__ import annotations

import random
import re
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from diagnostics import BASE, MAIN, assert_diagnostics, diagnose
from hypothesis import given, settings
from hypothesis import strategies as st
from test_patterns import compiled

from sgl.core.plan import Constraint, Plan, Stratum

CHAIN = "structure chain(label, n) { A -[$label]{n}-> B }\n"
UNDER = "structure under(X) { C -[acl:relcl]-> X }\n"
SUBJECT = "pattern p\n  forbid { V -[nsubj]-> N; N -[nmod]-> M }\n"


def items(source: str, directory: Path, pattern: str = "p") -> list[Stratum]:
    strata = compiled(source, directory).plan.strata
    return [stratum for stratum in strata if (stratum.split, stratum.category) == ("gen", pattern)]


def asked(source: str, directory: Path) -> list[tuple[int, list[str], list[str]]]:
    """How many items of `p`, what they contain beside its structure, and what they do not."""
    return [
        (
            stratum.count,
            [str(one) for group in stratum.constraint.require[1:] for one in group],
            [str(one) for one in stratum.constraint.exclude],
        )
        for stratum in items(source, directory)
    ]


# ---- structures with parameters


def held_out(source: str, directory: Path) -> list[str]:
    (pattern,) = compiled(source + "  size 0\n", directory).plan.patterns
    return [str(structure) for structure in pattern.forbid]


@pytest.mark.parametrize(
    ("structure", "use", "meant"),
    [
        (CHAIN, "chain(nmod, 2)", "{ A -[nmod]{2}-> B }"),
        (CHAIN, "chain(nmod|acl:relcl, depth-1)", "{ A -[acl:relcl|nmod]{2}-> B }"),
        (CHAIN, "chain(^nmod, 2)", "{ A -[^nmod]{2}-> B }"),
        (CHAIN, "chain(*, 2)", "{ A -[*]{2}-> B }"),
        (CHAIN, "chain($objects, 2)", "{ A -[obj|~obj]{2}-> B }"),
        ("structure s(n) { A[#nmod>=n] -[det]-> B }\n", "s(2)", "{ A[#nmod>=2] -[det]-> B }"),
        ("structure s(n) { repeat n+1 N..M { N -[nmod]-> M } }\n", "s(1)", "{ N -[nmod]-> M_1; M_1 -[nmod]-> M }"),
        ("structure s(r) { A -[$r|nmod]-> B; C -[^$r]-> D }\n", "s(obj)", "{ A -[nmod|obj]-> B; C -[^obj]-> D }"),
        (
            "structure s(w) { N[lemma=$w] -[det]-> D } without { D[lemma!=$w] }\n",
            "s(dog|cat)",
            "{ N[lemma=cat|dog] -[det]-> D } without { D[lemma!=cat|dog] }",
        ),
        ("structure s(w) { N[@w, upos=NOUN] }\n", "s(@pets)", "{ N[lemma=cat|dog, upos=NOUN] }"),
        ("structure s(w) { N[not @w] }\n", """s("dog")""", "{ N[lemma!=dog] }"),
        (
            "structure s(X, n) { X -[nmod]-> Y; Y -[nmod]{n}-> Z }\n",
            "s(Y, 2)",
            "{ Y -[nmod]-> Y_1; Y_1 -[nmod]{2}-> Z }",
        ),
    ],
)
def test_an_argument_takes_the_place_of_its_parameter(structure: str, use: str, meant: str, tmp_path: Path) -> None:
    sets = "param depth = 3\nlabels objects = obj | ~obj\nwords pets = dog, cat\n"
    source = f"{sets}{structure}pattern p\n  forbid {use}\n"
    assert held_out(source, tmp_path) == [meant]


def test_a_number_of_the_grammar_gives_way_to_a_parameter_of_its_name(tmp_path: Path) -> None:
    source = f"param n = 4\n{CHAIN}pattern p\n  forbid chain(nmod, 2)\n  forbid chain(nmod, n)\n"
    assert held_out(source, tmp_path) == ["{ A -[nmod]{2}-> B }", "{ A -[nmod]{4}-> B }"]


def test_names_of_an_argument_mean_what_they_mean_where_it_stands(tmp_path: Path) -> None:
    """The file with the structure has a set of the same name, which is not asked for."""
    other = f"{CHAIN}labels RELATION = det\nstructure own {{ A -[$RELATION]-> B }}\n"
    (tmp_path / "shapes.sgl").write_text(other, encoding="utf-8")
    source = "use shapes (chain, own)\nlabels RELATION = nmod\npattern p\n"
    found = held_out(f"{source}  forbid chain($RELATION, 2)\n  forbid own\n", tmp_path)
    assert found == ["{ A -[nmod]{2}-> B }", "{ A -[det]-> B }"]


# ---- nodes of conditions


def test_a_condition_with_arguments_has_nodes_of_its_own(tmp_path: Path) -> None:
    """The chain of four is another one than that of three, though both are from A to B."""
    source = f"{CHAIN}pattern p\n  forbid chain(nmod, 3)\n  size 5 within chain(nmod, 4)\n"
    assert asked(source, tmp_path) == [(5, ["{ A -[nmod]{4}-> B }"], [])]


def test_a_node_that_is_an_argument_is_that_of_the_items(tmp_path: Path) -> None:
    source = f"{UNDER}{SUBJECT}  size 5 within under(N), 5 outside under(M)\n"
    start = "{ V -[nsubj]-> N; N -[nmod]-> M; C -[acl:relcl]-> "
    assert asked(source, tmp_path) == [(5, [start + "N }"], []), (5, [], [start + "M }"])]


def test_the_nodes_of_an_item_keep_their_names(tmp_path: Path) -> None:
    """So a condition between braces may be about the chain of the pattern itself."""
    source = f"{CHAIN}pattern p\n  forbid chain(nmod, 2)\n  size 5 within {{ B -[det]-> D }}\n"
    assert asked(source, tmp_path) == [(5, ["{ B -[det]-> D; A -[nmod]{2}-> B }"], [])]


# ---- ranges


def test_an_item_of_size_for_each_number(tmp_path: Path) -> None:
    size = "  size n+1 for n in 2..low+1 within chain(nmod, n) outside { A -[nmod]{n+1}-> B }\n"
    assert asked(f"param low = 2\n{CHAIN}{SUBJECT}{size}", tmp_path) == [
        (3, ["{ A -[nmod]{2}-> B }"], ["{ A -[nmod]{3}-> B }"]),
        (4, ["{ A -[nmod]{3}-> B }"], ["{ A -[nmod]{4}-> B }"]),
    ]


def test_what_is_needed_for_each_number(tmp_path: Path) -> None:
    source = f"{CHAIN}{SUBJECT}  need 4 for n in 1..2 chain(nmod, n)\n  size 0\n"
    (pattern,) = compiled(source, tmp_path).plan.patterns
    assert [(need.minimum, str(need.structure)) for need in pattern.need] == [
        (4, "{ A -[nmod]-> B }"),
        (4, "{ A -[nmod]{2}-> B }"),
    ]


# ---- quotas

HALVES = "quota halves(n) = n outside { A -[obj]-> B }, n within { V -[obj]-> B }\n"


def test_a_quota_says_its_numbers_once(tmp_path: Path) -> None:
    written = "  size 4 outside { A -[obj]-> B }, 4 within { V -[obj]-> B }, 3\n"
    named = compiled(f"{HALVES}{SUBJECT}  size halves(4), 3\n", tmp_path).plan
    assert named == compiled(SUBJECT + written, tmp_path).plan


def test_a_quota_may_be_made_of_another_and_have_more_conditions(tmp_path: Path) -> None:
    quotas = f"{HALVES}quota both = halves(2) outside {{ N -[acl:relcl]-> R }}, 1 when rich\n"
    source = f"param rich = off\n{quotas}{SUBJECT}  size both within {{ N -[det]-> D }}\n"
    found = asked(source, tmp_path)
    assert [count for count, _, _ in found] == [2, 2]
    assert [len(within) for _, within, _ in found] == [1, 2]
    assert all("acl:relcl" in outside[-1] for _, _, outside in found)


def test_so_many_per_target_of_a_quota(tmp_path: Path) -> None:
    quota = "quota each = 3 per target outside { A -[obj]-> B }\n"
    pattern = "pattern p\n  targets dog cat\n  forbid { V -[nsubj]-> N[@targets] }\n  size each\n"
    (stratum,) = items(quota + pattern, tmp_path)
    assert (stratum.count, stratum.extent.targets) == (6, ("dog", "cat"))


def test_a_dataset_gives_patterns_their_size(tmp_path: Path) -> None:
    """It is that of patterns without a size of their own; a size of 0 is one."""
    base = BASE.replace("dataset\n", "dataset\n  gen halves(4)\n")
    source = HALVES + SUBJECT
    source += "pattern q\n  forbid { A -[nmod]{3}-> B }\n  size 7\n"
    source += "pattern r\n  forbid { A -[nmod]{4}-> B }\n  size 0\n"
    strata = [one for one in compiled(source, tmp_path, base).plan.strata if one.split == "gen"]
    assert [stratum.count for stratum in strata] == [4, 4, 7, 0]


def test_a_dataset_gives_the_patterns_of_a_group_their_size(tmp_path: Path) -> None:
    base = BASE.replace("dataset\n", "dataset\n  gen 5 in deep, halves(4) in wide\n")
    source = HALVES + SUBJECT.replace("pattern p", "pattern p (wide)")
    source += "pattern q (deep)\n  forbid { A -[nmod]{3}-> B }\n"
    strata = [one for one in compiled(source, tmp_path, base).plan.strata if one.split == "gen"]
    assert [(stratum.category, stratum.count) for stratum in strata] == [("p", 4), ("p", 4), ("q", 5)]
    base = BASE.replace("dataset\n", "dataset\n  gen 5 in dep\n")
    files = {MAIN: f"{base}\n{source}"}
    assert diagnose(files, tmp_path).places() == [("SGL0201", "dep")]
    files = {MAIN: f"{base.replace(' dep', ' others')}\n{source.replace('(wide)', '(wide, red, old, blue)')}"}
    assert {told.hint for told in diagnose(files, tmp_path).found} == {"there is: wide, red, old, blue, deep"}


def test_the_label_of_an_extracted_edge_may_be_a_value(tmp_path: Path) -> None:
    source = """
feature role = obj | iobj
category Gap[role] with gap
rule np_gap: NP -> "the" N Gap
  ja  Gap N
  syn N -[det]-> "the"(upos=DET); N -[acl:relcl]-> Gap; Gap.gap = N
rule gap: Gap[role=r] -> "which" NP V[form=past]
  ja  NP "が" V
  syn V -[mark]-> "which"(upos=SCONJ); V -[nsubj]-> NP; V -[~$r]-> gap
"""
    rules = [rule for rule in compiled(source, tmp_path).grammar.rules if rule.name == "gap"]
    labels = [edge.label for rule in rules for edge in rule.fragments[0].edges]
    assert {label for label in labels if label.startswith("~")} == {"~obj", "~iobj"}


# ---- mistakes


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (f"{CHAIN}pattern p\n  forbid chain(nmod)\n", [("SGL0830", "chain(nmod)")]),
        (f"{CHAIN}pattern p\n  forbid chain\n", [("SGL0830", "chain")]),
        (f"{CHAIN}pattern p\n  forbid chain(2, 2)\n", [("SGL0830", "2")]),
        (f"{CHAIN}pattern p\n  forbid chain(nmod, *)\n", [("SGL0830", "*")]),
        (f"{CHAIN}pattern p\n  forbid chain(nmod, few)\n", [("SGL0201", "few")]),
        (f"{CHAIN}pattern p\n  forbid chain(nmd, 2)\n", [("SGL0807", "nmd")]),
        (f"{CHAIN}pattern p\n  forbid chain(nmod, 41)\n", [("SGL0801", "41")]),
        (f"{UNDER}pattern p\n  forbid under(obj)\n", [("SGL0830", "obj")]),
        ("structure s(n) { A -[nmod]-> B }\npattern p\n  forbid s(2)\n", [("SGL0830", "n")]),
        ("pattern p\n  forbid { N[lemma=$w] }\n", [("SGL0830", "$w")]),
        (f"{HALVES}{SUBJECT}  size halves\n", [("SGL0830", "halves")]),
        (f"{HALVES}{SUBJECT}  size halvs(2)\n", [("SGL0201", "halvs")]),
        (f"{HALVES}{SUBJECT}  size halvs\n", [("SGL0201", "halvs")]),
        (f"quota loop = loop, 2\n{SUBJECT}  size loop\n", [("SGL0830", "loop")]),
        (f"{SUBJECT}  size 2 for n in 4..3\n", [("SGL0705", "for n in 4..3")]),
        (f"{SUBJECT}  size 2 for n in 1..1000\n", [("SGL0705", "for n in 1..1000")]),
    ],
)
def test_a_mistake_is_told_once_and_where(source: str, expected: list[tuple[str, str]], tmp_path: Path) -> None:
    size = "" if "size" in source else "  size 0\n"
    assert_diagnostics(source + size, expected, tmp_path)


# ---- against plain replacement of texts

LABELS = ["nmod", "obj|~obj", "^nsubj", "acl:relcl"]
BODIES = [
    "A -[LABEL]{NUM}-> B",
    "A[#nmod<=NUM] -[LABEL]-> B; B -[det]-> C",
    "A -[LABEL]-> B; B[lemma=WORD] -[nmod]-> C",
    "repeat NUM A..B { A -[LABEL]-> B }; B -[det]-> C[lemma!=WORD]",
]
ENDS = ["", " without { A -[LABEL]-> Z }", " without { Y[lemma=WORD] -[LABEL]-> A }"]


def filled(body: str, label: str, number: str, word: str) -> str:
    return body.replace("LABEL", label).replace("NUM", number).replace("WORD", word)


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(st.randoms(use_true_random=False))
def test_what_is_abbreviated_is_what_is_written_out(chance: random.Random) -> None:
    """Structures, quotas and ranges give the plan of the text in which they are replaced."""
    body = "{ " + chance.choice(BODIES) + " }" + chance.choice(ENDS)
    used = [name for name in ("LABEL", "NUM", "WORD") if name in body]
    names = {"LABEL": "label", "NUM": "n", "WORD": "w"}
    structure = f"structure s({', '.join(names[u] for u in used)}) " + filled(body, "$label", "n", "$w")

    def values() -> dict[str, str]:
        number, word = str(chance.randint(1, 3)), chance.choice(["dog", "dog|cat"])
        return {"LABEL": chance.choice(LABELS), "NUM": number, "WORD": word}

    def call(values: dict[str, str]) -> str:
        return f"s({', '.join(values[name] for name in used)})"

    def text(values: dict[str, str]) -> str:
        return filled(body, values["LABEL"], values["NUM"], values["WORD"])

    def apart(text: str) -> str:
        return re.sub(r"\b([A-Z])\b", r"\1x", text)

    held, needed, within, outside = values(), values(), values(), values()
    size, low = str(chance.randint(0, 9)), chance.randint(1, 3)
    high = low + chance.randint(0, 2)
    range_value = {**within, "NUM": "i"}
    short = f"""{structure}
quota q(m) = m within {call(within)} outside {call(outside)}, m+1
pattern p
  targets dog cat
  forbid {call(held)}
  need 2 {call(needed)}
  size q({size}), 3 for i in {low}..{high} outside {call(range_value)}
"""
    numbers = [{**within, "NUM": str(number)} for number in range(low, high + 1)]
    ranged = ", ".join(f"3 outside {apart(text(one))}" for one in numbers)
    long = f"""pattern p
  targets dog cat
  forbid {text(held)}
  need 2 {text(needed)}
  size {size} within {apart(text(within))} outside {apart(text(outside))}, {int(size) + 1}, {ranged}
"""
    with tempfile.TemporaryDirectory() as directory:
        plans = [compiled(source, Path(directory)).plan for source in (short, long)]
    assert canonical(plans[0]) == canonical(plans[1])


def canonical(plan: Plan) -> list[Stratum]:
    """The strata of a plan, whatever the nodes of its structures are called."""

    def constraint(of: Constraint) -> Constraint:
        require = tuple(tuple(one.canonical() for one in group) for group in of.require)
        parts = [tuple(one.canonical() for one in some) for some in (of.exclude, of.cut)]
        return Constraint(require, *parts)

    return [replace(stratum, constraint=constraint(stratum.constraint)) for stratum in plan.strata]
