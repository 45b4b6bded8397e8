"""Structures name the graph layers that they are about, and words join several of them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from diagnostics import BASE
from test_patterns import compiled, lowered

from sgl.core.structure import Structure

LAYERS = BASE
for old, new in {
    "layer syn : graph on en\n": "layer sem : graph on en (free)\nlayer dep : graph on ja (free)\n",
    "with gap\n": "with gap in syn\n",
    "  syn VP -[nsubj]-> NP\n": "  sem VP -[agent]-> NP\n  dep VP -[ga]-> NP\n",
    "  syn node": "  syn sem dep node",
}.items():
    LAYERS = LAYERS.replace(old, (old if new.startswith(("layer", "  sem")) else "") + new)


def held_out(clauses: str, directory: Path) -> tuple[Structure, ...]:
    source = f"pattern p\n{clauses}\n  size 0\n"
    (pattern,) = compiled(source, directory, LAYERS).plan.patterns
    return pattern.forbid


def nodes(text: str) -> str:
    """A joint structure with the layer of each node that has a star."""
    return re.sub(r"(\w+)\.(\w+)\*", r"\1.\2[graph.layer=\2]", text)


JOINT = "V.syn* -[nsubj]-> N.syn*; V.sem* -[agent]-> N.sem*; V.syn -[&]-> V.sem; N.syn -[&]-> N.sem"


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("{ V -[obj]-> N }", "{ V -[obj]-> N }"),
        ("syn { V -[obj]-> N }", "{ V -[obj]-> N }"),
        ("sem { V -[agent]-> N }", "sem { V -[agent]-> N }"),
        ("syn { V -[nsubj]-> N } sem { V -[agent]-> N }", f"syn+sem {{ {JOINT} }}"),
        # The layers stand in the order of the grammar, and other labels are labels of the layer.
        ("sem { V } syn { V -[^obj]-> N }", "syn+sem { V.syn* -[^&|obj]-> N.syn*; V.syn -[&]-> V.sem* }"),
        # In a `without` a word of the other layer is that word.
        (
            "syn { V } without { V -[obj]-> N } sem { N }",
            "syn+sem { V.syn*; N.sem* } without { V.syn* -[obj]-> N.syn*; N.syn -[&]-> N.sem }",
        ),
        # Words of two languages have nothing in common.
        ("dep { A -[ga]-> B } syn { V -[obj]-> N }", "syn+dep { A.dep* -[ga]-> B.dep*; V.syn* -[obj]-> N.syn* }"),
    ],
)
def test_a_structure_is_about_the_layers_that_it_names(written: str, text: str, tmp_path: Path) -> None:
    (structure,) = held_out(f"  forbid {written}", tmp_path)
    assert str(structure) == nodes(text)


def test_a_declared_structure_has_a_layer_of_its_own_or_that_of_its_use(tmp_path: Path) -> None:
    declared = (
        "structure link(label) { V -[$label]-> N }\nstructure role sem { V -[agent]-> N }\n"
        "pattern p\n  forbid sem link(agent)\n  forbid role\n  size 0\n"
    )
    (pattern,) = compiled(declared, tmp_path, LAYERS).plan.patterns
    assert pattern.forbid[0] == pattern.forbid[1]


def test_a_condition_of_another_layer_shares_words_with_the_structure(tmp_path: Path) -> None:
    source = (
        "pattern p\n  forbid { V -[nsubj]-> N }\n"
        "  size 3 within sem { V -[agent]-> M }, 3 outside dep { A -[ga]-> B }\n"
    )
    (pattern,) = compiled(source, tmp_path, LAYERS).plan.patterns
    within, outside = pattern.quotas
    assert str(within.within[0]) == nodes(
        "syn+sem { V.syn* -[nsubj]-> N.syn*; V.sem* -[agent]-> M.sem*; V.syn -[&]-> V.sem }"
    )
    assert str(outside.outside[0]) == "dep { A -[ga]-> B }"


def test_a_without_about_a_word_of_another_layer_is_joined_to_a_condition_on_that_word(tmp_path: Path) -> None:
    """`V` is the word of the match in both; `T` is new, and may be the `U` of the condition."""
    source = (
        "pattern p\n  forbid syn { V -[nsubj]-> N } sem { F -[agent]-> E } without { V -[agent]-> T }\n"
        "  size 3 within sem { V -[agent]-> U }\n"
    )
    (pattern,) = compiled(source, tmp_path, LAYERS).plan.patterns
    main = (
        "V.syn* -[nsubj]-> N.syn*; F.sem* -[agent]-> E.sem*; V.sem* -[agent]-> U.sem*; V.syn -[&]-> V.sem",
        "V.sem* -[agent]-> T.sem*; V.syn -[&]-> V.sem",
        "V.sem* -[agent]-> U.sem*; V.syn -[&]-> V.sem",
    )
    expected = " without ".join(f"{{ {body} }}" for body in main)
    assert str(pattern.quotas[0].within[0]) == nodes(f"syn+sem {expected}")


def test_a_condition_with_arguments_on_another_layer_has_nodes_of_its_own(tmp_path: Path) -> None:
    """One structure serves several layers, whose words are not the same; an argument is the item's word."""
    declared = "structure link(label) { V -[$label]-> N }\nstructure of(A, label) { A -[$label]-> N }\n"
    pattern_of = "pattern p\n  forbid link(nsubj)\n  size 3 within dep link(ga), 3 within sem of(V, agent)\n"
    (pattern,) = compiled(declared + pattern_of, tmp_path, LAYERS).plan.patterns
    own, shared = pattern.quotas
    assert str(own.within[0]) == "dep { V -[ga]-> N }"
    assert str(shared.within[0]) == nodes(
        "syn+sem { V.syn* -[nsubj]-> N.syn*; V.sem* -[agent]-> N_1.sem*; V.syn -[&]-> V.sem }"
    )


def test_a_number_by_name_is_no_layer(tmp_path: Path) -> None:
    source = (
        "param least = 7\npattern p\n  forbid { V -[nsubj]-> N }\n  need least { V -[obj]-> N }\n"
        "  need least sem { V -[agent]-> N }\n  size 0\n"
    )
    (pattern,) = compiled(source, tmp_path, LAYERS).plan.patterns
    assert [(need.minimum, str(need.structure)) for need in pattern.need] == [
        (7, "{ V -[obj]-> N }"),
        (7, "sem { V -[agent]-> N }"),
    ]


def test_a_plan_says_which_graphs_its_structures_are_about(tmp_path: Path) -> None:
    source = "pattern p\n  forbid dep { A -[ga]-> B }\n  size 0\n"
    assert compiled(source, tmp_path, LAYERS).plan.graphs == ("dep",)
    assert str(lowered("{ V -[obj]-> N }", tmp_path)) == "{ V -[obj]-> N }"
