"""Structures and patterns as the compiler makes them of what an author writes."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from diagnostics import BASE, MAIN

from sgl.core.plan import Plan, foreign
from sgl.core.structure import Structure
from sgl.diagnostics import Diagnostics, SourceMap
from sgl.frontend import Compiled
from sgl.pipeline.grammar import open_grammar
from sgl.verify.structure import read_structure


def compiled(source: str, directory: Path, base: str = BASE) -> Compiled:
    (directory / MAIN).write_text(f"{base}\n{source}", encoding="utf-8")
    sources, diagnostics = SourceMap(), Diagnostics()
    with contextlib.chdir(directory):
        found = open_grammar(Path(MAIN), {}, sources, diagnostics)
    assert found is not None, list(diagnostics)
    return found


def lowered(structure: str, directory: Path) -> Structure:
    """The structure of a pattern that holds it out."""
    source = f"pattern p\n  forbid {structure}\n  size 0\n"
    (pattern,) = compiled(source, directory).plan.patterns
    return pattern.forbid[0]


# ---- the variables of `repeat`

ONCE = "repeat 1 N..M { N -[*]-> X; X -[*]-> M }"


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("{ repeat 2 N..M { N -[nmod]-> M } }", "{ N -[nmod]-> M_1; M_1 -[nmod]-> M }"),
        (
            "{ repeat 2 N..M { N -[nmod]-> M }; V -[nsubj]-> M_1 }",
            "{ N -[nmod]-> M_2; M_2 -[nmod]-> M; V -[nsubj]-> M_1 }",
        ),
        (
            f"{{ {ONCE} }} without {{ {ONCE.replace('N', 'P')} }}",
            "{ N -[*]-> X_1; X_1 -[*]-> M } without { P -[*]-> X_2; X_2 -[*]-> M }",
        ),
        (
            "{ repeat 2 N..M { N -[nmod]-> M } } without { M_1 -[det]-> D }",
            "{ N -[nmod]-> M_2; M_2 -[nmod]-> M } without { M_1 -[det]-> D }",
        ),
        (
            "{ repeat 1 N..M { N -[nmod]-> M } } without { repeat 2 M..K { M -[nmod]-> K } }",
            "{ N -[nmod]-> M } without { M -[nmod]-> K_1; K_1 -[nmod]-> K }",
        ),
    ],
)
def test_new_variables_meet_no_other(written: str, meant: str, tmp_path: Path) -> None:
    structure = lowered(written, tmp_path)
    assert str(structure) == meant
    assert len(read_structure(str(structure)).bodies) == 1 + len(structure.without)


# ---- parameters for numbers


PARAMETERS = "param depth = 3\nparam few = 2\n"


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("{ N -[nmod]{depth}-> M }", "{ N -[nmod]{3}-> M }"),
        ("{ N -[nmod]{depth+1}-> M }", "{ N -[nmod]{4}-> M }"),
        ("{ N -[nmod]{few, depth - 1}-> M }", "{ N -[nmod]{2}-> M }"),
        ("{ N -[nmod]{depth,}-> M }", "{ N -[nmod]{3,}-> M }"),
        ("{ N[#nmod>=few-1] }", "{ N[#nmod>=1] }"),
        ("{ repeat depth-1 N..M { N -[nmod]-> M } }", "{ N -[nmod]-> M_1; M_1 -[nmod]-> M }"),
    ],
)
def test_a_parameter_stands_for_a_number_in_a_structure(written: str, meant: str, tmp_path: Path) -> None:
    by_itself = f"{PARAMETERS}pattern p\n  forbid {written}\n  size 0\n"
    named = f"{PARAMETERS}structure s {written}\npattern p\n  forbid s\n  size 0\n"
    for source in (by_itself, named):
        (pattern,) = compiled(source, tmp_path).plan.patterns
        assert str(pattern.forbid[0]) == meant


def test_a_parameter_stands_for_a_number_of_sentences(tmp_path: Path) -> None:
    source = f"""{PARAMETERS}
pattern p
  forbid {{ V -[nsubj]-> N; N -[nmod]-> M }}
  need   few {{ V -[obj]-> N }}
  expose depth+2 {{ V -[obj]-> N; N -[nmod]-> M }}
  size   depth-1, few within {{ V -[obj]-> O }}
"""
    (pattern,) = compiled(source, tmp_path).plan.patterns
    assert pattern.need[0].minimum == 2
    assert pattern.expose[0].extent.count == 5
    assert [quota.extent.count for quota in pattern.quotas] == [2, 2]


def test_an_example_may_belong_to_one_setting(tmp_path: Path) -> None:
    source = """param depth = {0}
pattern p
  example "A dog in a house sees a cat." when depth = 1
  example "A dog in a house in a garden sees a cat." when depth = 2
  forbid {{ V -[nsubj]-> N; N -[nmod]{{depth}}-> M }}
  size   5
"""
    for depth, expected in ((1, "A dog in a house sees"), (2, "A dog in a house in a garden sees")):
        (lowered,) = compiled(source.format(depth), tmp_path).patterns
        (example,) = lowered.examples
        assert example.sentence.text.startswith(expected)


@pytest.mark.parametrize(("written", "meant"), [("1", 2), ("2", 2), ("20", 20)])
def test_each_target_is_exposed_at_least_once(written: str, meant: int, tmp_path: Path) -> None:
    source = f"""pattern p
  targets dog cat
  forbid {{ V -[obj]-> N[@targets] }}
  expose {written} shared {{ V -[nsubj]-> N[@targets] }}
  size   0
"""
    (pattern,) = compiled(source, tmp_path).plan.patterns
    assert pattern.expose[0].extent.count == meant


# ---- structures that are the same


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("{ V -[nsubj]-> N; N -[nmod]-> M }", "{ A -[nsubj]-> B; B -[nmod]-> C }", True),
        ("{ V -[nsubj]-> N; N -[nmod]-> M }", "{ M -[nsubj]-> N; N -[nmod]-> V }", True),
        ("{ V -[nsubj]-> N; N -[nmod]-> M }", "{ V -[nsubj]-> N; V -[nmod]-> M }", False),
        ("{ N } without { N -[*]-> X }", "{ A } without { A -[*]-> B }", True),
        ("{ N } without { N -[*]-> X }", "{ A } without { B -[*]-> A }", False),
        ("{ N } without { X -[*]-> Y }", "{ N } without { N -[*]-> Y }", False),
    ],
)
def test_names_of_variables_make_no_difference(first: str, second: str, same: bool, tmp_path: Path) -> None:
    pair = [lowered(text, tmp_path).canonical() for text in (first, second)]
    assert (pair[0] == pair[1]) == same


# ---- what items may not contain

PATTERNS = """
pattern a
  forbid {{ V -[nsubj]-> N; N -[nmod]-> M }}
  gen    {{ V -[nsubj]-> N; N -[nmod]-> M }}
  {allow}
  size   5
pattern b
  forbid {{ V -[obj]-> N; N -[nmod]-> M }}
  size   5
"""


def plan(allow: str, directory: Path) -> Plan:
    return compiled(PATTERNS.format(allow=allow), directory).plan


def test_items_lack_exactly_what_is_foreign_to_their_pattern(tmp_path: Path) -> None:
    for allow in ("", "allow b"):
        made = plan(allow, tmp_path)
        for stratum in made.strata:
            if stratum.split == "gen":
                (pattern,) = (p for p in made.patterns if p.name == stratum.category)
                assert stratum.constraint.exclude == foreign(pattern, made.patterns)


def test_what_is_allowed_is_not_foreign(tmp_path: Path) -> None:
    first, second = plan("allow b", tmp_path).patterns
    assert foreign(first, [first, second]) == ()
    assert foreign(second, [first, second]) == first.held_out


# ---- parts that training need not contain


def test_a_waived_part_is_kept_with_its_pattern(tmp_path: Path) -> None:
    source = "pattern p\n  forbid { V -[nsubj]-> N; N -[nmod]-> M }\n  size 0\n"
    waived = compiled(source + "  waive { A -[nmod]-> B }\n", tmp_path).plan.patterns[0].waive
    assert [str(part) for part in waived] == ["{ A -[nmod]-> B }"]
