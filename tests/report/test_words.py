"""Structures in words: what the notation says, said so that one can read it aloud."""

from pathlib import Path

import pytest

from sgl.core.structure import Structure
from sgl.diagnostics import Diagnostics, SourceMap
from sgl.engine import Workspace
from sgl.frontend import Compiled
from sgl.frontend.passes import read_structure
from sgl.report.model import any_in_words, in_words

SGET = Path(__file__).parents[2] / "grammars" / "sget.sgl"


@pytest.fixture(scope="module")
def sget() -> Compiled:
    compiled = Workspace().open(SGET).compiled
    assert compiled is not None
    return compiled


def read(compiled: Compiled, text: str) -> Structure:
    structure = read_structure(compiled, text, SourceMap(), Diagnostics())
    assert structure is not None
    return structure


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{ V -[nsubj]-> N; N -[nmod]-> M }", "N is the nsubj of V, and M is the nmod of N"),
        ("{ V -[obj|iobj]-> N }", "N is the iobj or obj of V"),
        ("{ V -[^nsubj]-> N }", "N is a dependent, not nsubj, of V"),
        ("{ V -[~obj]-> N }", "N is the extracted obj of V"),
        ("{ V -[ccomp]{3}-> C }", "C is 3 ccomp edges below V"),
        ("{ V -[ccomp]+-> C }", "C is 1 or more ccomp edges below V"),
        ("{ N[#amod>=2] }", "N has 2 or more dependents amod"),
        ("{ N[lemma=cat|dog] }", "the lemma of N is cat or dog"),
        ("{ N[lemma!=cat] }", "the lemma of N is not cat"),
        ("{ V -[obj]-> N } without { V -[iobj]-> M }", "N is the obj of V, unless M is the iobj of V"),
    ],
)
def test_a_structure_is_read_aloud(sget: Compiled, text: str, words: str) -> None:
    assert in_words(read(sget, text)) == words


def test_of_several_structures_one_is_enough(sget: Compiled) -> None:
    found = [read(sget, "{ V -[obj]-> N }"), read(sget, "{ V -[iobj]-> N }")]
    assert any_in_words(found) == "N is the obj of V; or N is the iobj of V"


def test_every_pattern_of_sget_has_a_short_sentence(sget: Compiled) -> None:
    for pattern in sget.plan.patterns:
        for structure in pattern.held_out:
            assert 0 < len(in_words(structure)) < 500, pattern.name
