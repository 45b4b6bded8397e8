"""The benchmarks say what they should: on a small grammar, and where something is wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from sget import sget

import agreement
import equivalence
import fitting
import frequencies
from common import Json, Workers, run_tasks
from mutation import compared, mutants
from mutation.claims import Original
from mutation.judge import judge, open_original
from mutation.source import Edit, Mutant, Source
from sgl.core.structure import Structure
from sgl.frontend import Compiled
from sgl.parsing import Parser
from sgl.pipeline.expectations import SplitSelection
from sgl.sampling import pack
from tampering import tampered
from tampering.copy import Copy

FARM = Path(__file__).parents[2] / "docs" / "examples" / "farm.sgl"


@cache
def farm() -> Original:
    return open_original(FARM)


# --- agreement --------------------------------------------------------------------------


def agree(structures: Sequence[Structure], third: bool = True) -> Json:
    compiled = farm().compiled
    sample = agreement.sample_of(compiled, items=8, seed=3, limit=30)
    return agreement.run(compiled, sample, structures, Workers(), "", third=third)


def random_structures(number: int) -> list[Structure]:
    compiled = farm().compiled
    graphs = agreement.sample_of(compiled, items=8, seed=3, limit=30).graphs
    return agreement.random_structures(compiled, number, seed=5, graphs=graphs)


@pytest.mark.slow
def test_random_structures_are_seen_alike_by_all_three_judges() -> None:
    result = agree(random_structures(30))
    assert result["disagreements"] == []
    assert result["by definition"] > 100
    assert 0 < result["positive"] < result["verdicts"]
    assert result["kinds"] >= 5


def test_random_structures_are_of_all_kinds() -> None:
    texts = [str(structure) for structure in random_structures(300)]
    for part in ("without", "^", "*", "{2,}", "+->", "#", "!=", "|"):
        assert any(part in text for text in texts), part


def test_a_wrong_judge_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agreement, "contains", lambda graph, _: len(graph.nodes) > 8)
    assert agree(random_structures(5))["disagreements"]


# --- frequencies ------------------------------------------------------------------------


def deviations(exponent: float = 1.0) -> Json:
    """The summary of the farm, drawn from probabilities raised to a power."""
    compiled, compiler = farm().compiled, farm().compiler
    splits = {s.stream: compiler.split(s.constraint) for s in compiled.plan.strata}
    bent = {
        stream: replace(
            split, transitions=replace(split.transitions, probabilities=split.transitions.probabilities**exponent)
        )
        for stream, split in splits.items()
    }
    tables = pack(compiled.grammar, compiled.plan, bent)
    return frequencies.summary(
        [
            frequencies.compare(compiled, splits[stream], tables, stream, 1500)
            for stream in ("train/in_distribution", "gen/pp_in_subject/0")
        ]
    )


def test_drawn_frequencies_are_the_computed_ones() -> None:
    summary = deviations()
    assert summary["comparisons"] > 20
    assert summary["p"] > 1e-3
    assert summary["heights p"] > 1e-3


def test_a_bent_sampler_is_noticed() -> None:
    summary = deviations(exponent=0.6)
    assert summary["p"] < frequencies.ALARM
    assert summary["heights p"] < frequencies.ALARM


# --- mutants ----------------------------------------------------------------------------


def verdict(old: str, new: str, *, kind: str = "by hand") -> Json:
    """What becomes of the farm with one text in place of another."""
    source = Source.read(FARM)
    name = FARM.name
    start = source.files[name].index(old)
    edit = Edit(name, start, start + len(old), new)
    return judge(farm(), source, Mutant(kind, "mutant", (edit,), "pp_in_subject"))


LEAK = """rule modified: NP -> Det N PP
  keep in train"""


@pytest.mark.parametrize(
    ("old", "new", "stage", "message"),
    [
        ("rule near: PP", "rule near: PQ", "reading", "PQ"),
        ('ja  obj "を" V', 'ja  V "を" obj', "example", "SGL0817"),
        ("rule modified: NP -> Det N PP", LEAK, "proof", "witness: "),
        ("size   200", "size   201", "verifier", "V008"),
        ("-[nsubj]-> N; N -[nmod]-> M }", "-[nsubj]-> N; N -[case]-> M }", "proof", "SGL0818"),
        ("N -[nmod]-> M }", "N -[nmod]-> M[lemma=hen] }", "comparison", "tests (held out)"),
        ("  distinct lemmas NOUN\n", "", "comparison", "{ W[lemma=cat]; X[lemma=cat] }"),
    ],
)
def test_a_harmful_mutant_is_caught(old: str, new: str, stage: str, message: str) -> None:
    result = verdict(old, new)
    assert result["verdict"] == stage, result
    assert message in result["message"]


def test_a_harmless_mutant_passes_with_the_reason() -> None:
    result = verdict("need   100", "need   10")
    assert result["verdict"] == "harmless"
    assert result["message"].startswith("it asks other things of the same data")
    assert verdict("~ zipf(1.0)", "~ zipf(0.5)")["message"].startswith("other weights")


def test_a_finding_without_a_witness_is_a_false_alarm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compared, "contains", lambda *_: False)
    result = verdict("N -[nmod]-> M }", "N -[nmod]-> M[lemma=hen] }")
    assert (result["verdict"], result["message"][:10]) == ("false alarm", "no witness")


def test_mutants_are_chosen_by_the_seed() -> None:
    source = Source.read(FARM)
    first, again, other = (mutants.choose(source, seed, 20) for seed in (1, 1, 2))
    assert first == again
    assert first != other
    for mutant in first.values():
        assert source.changed(mutant.edits).files != source.files


# --- tampering --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tampered.make_dataset(FARM, tmp_path_factory.mktemp("tampered") / "farm")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("planted in train · pp_in_subject", "caught"),
        ("changed byte · data/train", "caught"),
        ("one format · parquet: target", "caught"),
        ("malformed CoNLL-U · a second root", "caught"),
        ("dropped part · nmod", "caught"),
        ("manifest: claims · pp_in_subject: needs more", "caught"),
        ("other rows · another order", "caught"),
        ("manifest: less · pp_in_subject: needs nothing", "caught"),
        ("manifest: less · another title", "harmless"),
        ("relabelled graph · subject with amod", "not applicable"),
    ],
)
def test_tampering_is_caught_or_harmless(dataset: Path, name: str, expected: str) -> None:
    (found,) = [t for t in tampered.tamperings(Copy(dataset)) if f"{t.kind} · {t.name}" == name]
    result = tampered.tamper(dataset, found)
    assert result["verdict"] == expected, result


def test_a_copy_that_is_written_as_it_was_read_is_the_same(dataset: Path, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    copy = Copy(dataset)
    rows = copy.read("dev")
    texts = {folder: copy.path(folder, "dev").read_bytes() for folder in ("data", "conllu")}
    copy.write("dev", rows, texts)
    assert texts == {folder: copy.path(folder, "dev").read_bytes() for folder in texts}


# --- running ----------------------------------------------------------------------------


def test_an_interrupted_run_goes_on_where_it_stopped(tmp_path: Path) -> None:
    memory = tmp_path / "memory"
    memory.write_text('key\n["a", {"n": 1}]\n["b", {"n"', "utf-8")
    called = run_tasks(["a", "b"], lambda name: {"n": name}, Workers(2, memory), "key")
    assert called == {"a": {"n": 1}, "b": {"n": "b"}}
    called = run_tasks(["a"], lambda name: {"n": name}, Workers(1, memory), "another key")
    assert called == {"a": {"n": "a"}}


# --- equivalence ------------------------------------------------------------------------


FORMS = (
    "LAMBDA a . LAMBDA b . LAMBDA e . mend . agent ( e , b ) AND mend . theme ( e , a )",
    (
        "* clerk ( x _ 1 ) ; clerk . nmod . in ( x _ 1 , x _ 4 ) AND hat ( x _ 4 )"
        " AND see . agent ( x _ 5 , x _ 1 ) AND see . theme ( x _ 5 , Nora )"
    ),
    (
        "say . agent ( x _ 1 , Nora ) AND say . ccomp ( x _ 1 , x _ 4 )"
        " AND say . agent ( x _ 4 , ? ) AND say . ccomp ( x _ 4 , x _ 7 )"
        " AND sleep . agent ( x _ 7 , Tom )"
    ),
)


def test_all_judges_of_logical_forms_are_counted_and_only_the_published_metric_is_wrong() -> None:
    result = equivalence.run(FORMS * 5, every=1, seed=1)
    assert result["wrong"] == []
    counts = {(r["judge"], r["pairs"]): (r["number"], r["right"]) for r in result["verdicts"]}
    assert counts["equivalent", "renamed, shuffled"] == (15, 15)
    assert counts["VF2", "roles swapped"] == (15, 15)
    assert counts["VF2", "definiteness"] == (5, 5)
    assert counts["equivalent", "edge dropped"] == (10, 10)
    number, right = counts["published metric", "renamed, shuffled"]
    assert right < number
    assert all(row["ratio"] > 0 for row in result["speed"])


def test_a_wrong_verdict_about_logical_forms_is_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(equivalence.JUDGE_OF, "VF2", lambda _gold, _other: True)
    result = equivalence.run(FORMS, every=1, seed=1)
    assert {wrong["judge"] for wrong in result["wrong"]} == {"VF2"}
    assert "renamed, shuffled" not in {wrong["kind"] for wrong in result["wrong"]}


# --- weights from a corpus --------------------------------------------------------------


@pytest.mark.acceptance
def test_the_published_weights_give_the_published_constructs() -> None:
    """A sample of 20,000 from the published distribution itself is 0.011 away."""
    for published in ("on", "off"):
        near = sget(weights="published", published=published)
        assert fitting.distance(sampled_constructs(near), fitting.PUBLISHED) < 0.02
    assert fitting.distance(sampled_constructs(sget()), fitting.PUBLISHED) > 0.1


def sampled_constructs(compiled: Compiled) -> Counter[str]:
    selection = SplitSelection(compiled, "train")
    weights = np.array([rule.weight for rule in compiled.grammar.rules])
    drawn = selection.draw(weights, 20_000)
    kept = [tuple(derivation) for derivation in drawn if not selection.repeats(derivation)]
    return fitting.Constructs(compiled.grammar).count(kept)


@pytest.mark.slow
def test_constructs_are_told_apart_by_tense_and_dependents() -> None:
    compiled = sget()
    parser = Parser(compiled.grammar)
    constructs = fitting.Constructs(compiled.grammar)
    for sentence, expected in (
        ("Ava ran.", "past nsubj"),
        ("Ava sees Ella.", "pres nsubj obj"),
        ("Liam was fed a book by Logan.", "passive nsubj:pass obj obl:agent"),
        ("Liam said that Levi saw Ava.", "past ccomp nsubj"),
        ("What did Mia see?", "did nsubj ~obj=what"),
        ("Who ate Zoe?", "past nsubj=who obj"),
        ("A cheap nail, Liam found.", "past nsubj ~obj"),
    ):
        (derivation,) = parser.parse(sentence)
        assert constructs.count([derivation]) == {expected: 1}
        assert expected in fitting.PUBLISHED


def test_the_distance_of_distributions_and_the_correlation_of_ranks() -> None:
    assert fitting.distance({"a": 1, "b": 1}, {"a": 3, "c": 1}) == pytest.approx(0.5)
    assert fitting.spearman([1, 2, 3], [10, 20, 90]) == pytest.approx(1)
    assert fitting.spearman([1, 2, 3], [3, 2, 1]) == pytest.approx(-1)
    assert fitting.spearman([1, 1, 2, 3], [1, 1, 5, 4]) == pytest.approx(0.7778, abs=1e-4)
