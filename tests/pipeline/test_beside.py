"""What a pattern asks beside what training shows: what is marked is what the structure names."""

from pathlib import Path

import pytest

import sgl
from sgl.engine import Snapshot, Workspace
from sgl.pipeline.report import Pair, PairMaker
from sgl.report import Example

ROOT = Path(__file__).parents[2]
FARM = ROOT / "docs" / "examples" / "farm.sgl"
GERMAN = ROOT / "grammars" / "german.sgl"


def first_pair(snapshot: Snapshot, name: str) -> Pair:
    assert snapshot.compiled is not None
    pattern = next(p for p in snapshot.compiled.plan.patterns if p.name == name)
    item = snapshot.samples(name, 1)[0].item
    return PairMaker(snapshot.compiled, snapshot.structures).pair(pattern, item.derivation)


def marked_words(example: Example | None) -> list[str]:
    assert example is not None
    return [word.form for word in example.words if word.marked]


def marked_edges(example: Example) -> set[str]:
    return {arc.label for arc in example.arcs if arc.marked}


@pytest.fixture(scope="module")
def farm() -> Snapshot:
    return Workspace().open(FARM)


def test_the_structure_is_marked_in_the_item(farm: Snapshot) -> None:
    pair = first_pair(farm, "pp_in_subject")
    assert marked_edges(pair.asked) == {"nsubj", "nmod"}
    assert len(marked_words(pair.asked)) == 3


def test_the_other_sentence_is_one_of_training(farm: Snapshot) -> None:
    pair = first_pair(farm, "pp_in_subject")
    assert pair.shown is not None
    labels = {(arc.governor, arc.label, arc.dependent) for arc in pair.shown.arcs}
    subjects = {dependent for _, label, dependent in labels if label == "nsubj"}
    assert not any(label == "nmod" and governor in subjects for governor, label, _ in labels)


def test_a_path_is_marked_edge_by_edge() -> None:
    text = FARM.read_text("utf-8").replace("V -[nsubj]-> N; N -[nmod]-> M", "V -[nsubj]-> N; N -[nmod]{2,}-> M")
    workspace = Workspace()
    workspace.edit(FARM, text)
    pair = first_pair(workspace.open(FARM), "pp_in_subject")
    assert [arc.label for arc in pair.asked.arcs if arc.marked].count("nmod") >= 2


def test_nothing_is_marked_where_the_structure_is_on_another_layer() -> None:
    snapshot = Workspace().open(GERMAN)
    assert snapshot.compiled is not None
    layer = snapshot.compiled.plan.lemma_layer
    for pattern in snapshot.compiled.plan.patterns:
        own = [s for s in (pattern.gen or pattern.held_out) if s.layer == layer and not s.body.lengths]
        if not own:
            assert not marked_words(first_pair(snapshot, pattern.name).asked)
            return
    pytest.fail("german.sgl has a pattern on another layer")


@pytest.mark.parametrize(
    ("grammar", "pattern"),
    [("sget", "object_to_subject_proper"), ("sget", "past_to_present_infinitive"), ("slog", "prim_to_obj_common")],
)
def test_a_pattern_about_words_shows_one_word_before_and_after(grammar: str, pattern: str) -> None:
    """Its word is marked in both sentences, and no edge that both have marked."""
    (text,) = pairs = sgl.load(grammar).sample(1, of=pattern, seed=1, beside=True)
    (shown,) = pairs.beside
    assert shown is not None
    assert text.marked is not None
    lemmas = {node["form"]: node["lemma"] for _, node in text.to_networkx().nodes(data=True)}
    asked = {word.form for word in text.marked.words if word.marked}
    assert len(asked) == 1
    before = [word.form for word in shown.words if word.marked]
    assert len(before) == 1
    assert before[0][:3].casefold() == lemmas[asked.pop()][:3].casefold()
    assert shown.source != text.source
    labels = [{arc.label for arc in example.arcs if arc.marked} for example in (shown, text.marked)]
    assert labels[0] & labels[1] == set()
