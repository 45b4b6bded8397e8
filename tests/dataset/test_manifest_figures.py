"""What card and summary say in figures, and what a dataset refuses to hold."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sampling import plan_of, sample_and_write, tables_of, whole
from toy import TOY

from sgl.core.plan import Ambiguous
from sgl.dataset import Provenance, fingerprint, manifest
from sgl.dataset.cards import values_of
from sgl.dataset.fingerprint import core_form
from sgl.dataset.maker import ChunkMaker, expression_output, split_kind, target_output
from sgl.dataset.manifest import Readings, left_out, rejected_in_words, string_figures
from sgl.dataset.rows import Selection
from sgl.dataset.staged import OutputError, check_target
from sgl.rendering import ConlluError
from sgl.rendering.meaning import ViewError
from sgl.sampling import pack
from sgl.sampling.strata import sampler_for

PLAN = plan_of({"train": 30, "gen": 20}, lemmas=("NOUN",), sentences=True)


def manifest_of(folder: Path, readings: dict[str, Readings] | None = None) -> dict[str, Any]:
    samples, files = sample_and_write(folder, TOY, PLAN, tables_of(TOY, plan=PLAN))
    provenance = Provenance("toy", "Toy", fingerprint(TOY, PLAN), {}, {})
    return manifest(TOY, PLAN, provenance, samples, (), files, readings)


# --- figures ------------------------------------------------------------------------------------


def test_figures_are_sums_over_the_parts(tmp_path: Path) -> None:
    content = manifest_of(tmp_path)
    values = values_of(content)
    assert values["items"] == 50
    assert values["tests"] == Counter(in_distribution=50)
    assert values["repeated"] == []
    assert (values["size"], values["remarks"]) == ("n<1K", {own.stream: [] for own in PLAN.strata})
    assert [split["items"] for split in content["splits"].values()] == [30, 20]


@pytest.mark.parametrize(
    ("items", "size"),
    [(1, "n<1K"), (999, "n<1K"), (1000, "1K<n<10K"), (10_000, "10K<n<100K"), (9_999_999, "1M<n<10M"), (10**9, "n>10M")],
)
def test_each_size_class_is_ten_times_the_one_before(items: int, size: str, tmp_path: Path) -> None:
    content = manifest_of(tmp_path)
    content["splits"]["train"]["items"] = items - 20
    assert values_of(content)["size"] == size


def test_rejected_candidates_are_counted_by_reason_and_idle_reasons_are_not_named() -> None:
    found = rejected_in_words({"too_long": 0, "repeated_lemma": 1_234, "unexposed_word": 1})
    assert found == "1,234 for repeated lemma, 1 for a word that no sentence of train has"
    assert rejected_in_words({"too_long": 0}) == ""


def _every(rejected: dict[str, int], count: int, copies: int = 1) -> dict[str, Any]:
    extent = {"every": True, "copies": copies}
    stratum = {"stream": "gen/p", "extent": extent, "count": count, "rejected": rejected}
    other = {"stream": "gen/q", "extent": {"count": 3}, "count": 3, "rejected": {"too_long": 3}}
    return {"splits": {"gen": {"strata": [stratum, other]}}}


def test_sentences_that_all_were_asked_for_and_are_missing_are_told() -> None:
    assert left_out(_every({"too_long": 2, "repeated_sentence": 5}, 8)) == {
        "gen/p": "8 of 10 sentences; 2 left out: too long"
    }
    assert left_out(_every({"too_long": 2, "ambiguous": 1}, 24, copies=3)) == {
        "gen/p": "8 of 11 sentences; 3 left out: 1 for ambiguous, 2 for too long"
    }
    assert left_out(_every({"too_long": 0, "repeated_sentence": 5}, 8)) == {}


def test_readings_of_all_parts_are_added(tmp_path: Path) -> None:
    train = Readings(parsed=30, several=3, held_out=1, outputs=2, ambiguous=3)
    gen = Readings(parsed=20, several=2, outputs=1, ambiguous=1)
    content = manifest_of(tmp_path, {"train/in_distribution": train, "gen/in_distribution": gen})
    figures = string_figures(content)
    assert (figures.parsed, figures.several, figures.held_out, figures.outputs, figures.ambiguous) == (50, 5, 1, 3, 4)
    assert figures.sentence == (
        "50 parsed: 5 with several readings, 1 of them with one that contains what is held out, "
        "3 with another output; 4 rejected"
    )
    assert replace(figures, policy=Ambiguous.REPORT).sentence.endswith("4 KEPT (`ambiguous report`)")
    assert replace(figures, policy=Ambiguous.IGNORE).sentence.startswith("not parsed")
    assert replace(figures, several=0).sentence == "50 parsed: each has one reading"


def test_kinds_of_categories() -> None:
    names = ("in_distribution", "part:bare", "exposure:p", "pp_in_subject")
    assert [split_kind(name) for name in names] == ["iid", "part", "exposure", "gen"]


def test_the_core_form_has_weights_as_texts_and_no_truth_values() -> None:
    def leaves(value: object) -> list[object]:
        if isinstance(value, dict):
            value = [*value.values()]
        return [leaf for member in value for leaf in leaves(member)] if isinstance(value, list) else [value]

    form = core_form(TOY, PLAN)
    assert {type(leaf) for leaf in leaves(form)} <= {str, int, type(None)}
    assert repr(TOY.rules[0].weight) in map(str, leaves(form["grammar"]["rules"][0]))
    assert "seed" not in form["plan"]


# --- refused ------------------------------------------------------------------------------------


def chunk(category: str) -> bytes:
    plan = plan_of({"train": 3})
    (stratum,) = plan.strata
    plan = replace(plan, strata=(replace(stratum, category=category),))
    tables = pack(TOY, plan, {stratum.stream: whole(TOY)})
    sampler = sampler_for(tables)
    numbers = next(iter(sampler.tables.strata)).wanted
    selection = Selection(tables.strata[0], np.arange(numbers, dtype=np.int64))
    return ChunkMaker(TOY, plan, sampler).chunk("train", 1, [selection]).conllu[0]


def test_a_name_that_is_several_lines_cannot_be_a_comment() -> None:
    assert b"# category = one line\n" in chunk("one line")
    with pytest.raises(ConlluError, match=r"train-000001: the text .* is not one line"):
        chunk("two\u2028lines")


def test_a_text_without_a_form_is_quoted_in_the_words_of_the_first_graph() -> None:
    """Also for an output that shows no graph at all."""

    def refuse(*_: object) -> str:
        raise ViewError("it has no head")

    output = replace(expression_output(TOY, 0), grammar=TOY, name="lf", write=refuse)
    assert output.uses.graph is None
    graphs = replace(TOY, graph_layers=(TOY.graph_layers[0], replace(TOY.graph_layers[0], name="sem", anchor="ja")))
    derivation = tuple(
        next(rule.id for rule in TOY.rules if rule.name == name)
        for name in ("statement", "clause", "name", "Name:Emma", "intransitive", "V:ran")
    )
    with pytest.raises(ViewError, match=r"lf: it has no head, in “Emma ran \."):
        target_output(output).write(graphs, derivation)
    with pytest.raises(ViewError, match="in “エマ が 走った 。”"):
        target_output(replace(output, uses=output.uses._replace(graph=1))).write(graphs, derivation)


def test_a_directory_that_may_not_be_written_is_refused_before_anything_is_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_target(tmp_path / "out")
    asked: list[tuple[Path, int]] = []

    def access(path: Path, mode: int) -> bool:
        asked.append((path, mode))
        return False

    monkeypatch.setattr("sgl.dataset.staged.os.access", access)
    with pytest.raises(OutputError, match="you may not write in"):
        check_target(tmp_path / "new" / "out")
    assert asked == [(tmp_path, os.W_OK | os.X_OK)]
