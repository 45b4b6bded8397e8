"""``import sgl``: what the page From Python promises, and what it costs to import."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import sgl


def test_importing_loads_nothing_heavy() -> None:
    code = "import sys, sgl; print(sorted(m for m in sys.modules if m.startswith(('sgl.', 'numpy', 'lark', 'jinja2'))))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_name_is_there_and_no_other() -> None:
    assert [name for name in sgl.__all__ if not hasattr(sgl, name)] == []
    assert {*sgl.__all__} < {*dir(sgl)}
    with pytest.raises(AttributeError, match="no attribute 'lode'"):
        _ = sgl.lode


def test_a_bundled_grammar_is_loaded_by_name() -> None:
    assert sgl.load("german").title == "German from English"


def test_a_mistake_raises_with_the_message_of_the_command_line(place: Path) -> None:
    (place / "wrong.sgl").write_text("layer en : text\nlaier ja : text\n", "utf-8")
    with pytest.raises(sgl.GrammarError, match="did you mean `layer`") as found:
        sgl.load(place / "wrong.sgl")
    assert "SGL0103" in {each.code for each in found.value.diagnostics}
    with pytest.raises(sgl.GrammarError, match="the file `nowhere` does not exist"):
        sgl.load("nowhere")


def test_samples_are_those_of_the_command(grammar: sgl.Grammar, place: Path) -> None:
    texts = grammar.sample(3, seed=7, of="pp_in_subject")
    command = [sys.executable, "-m", "sgl", "sample", "farm.sgl", "pp_in_subject", "-n", "3", "--seed", "7"]
    done = subprocess.run(command, cwd=place, capture_output=True, text=True, check=True, encoding="utf-8")
    assert str(texts) == done.stdout.strip()


def test_a_text_has_all_its_layers(grammar: sgl.Grammar) -> None:
    (text,) = grammar.parse("The dog saw a cat.")
    assert text.texts == {"en": "The dog saw a cat.", "ja": "犬が猫を見た。"}
    assert text["amr"].startswith("(s / see")
    assert text.probability is not None
    assert "└─ NP" in text.tree
    assert "\tnsubj\t" in text.graph
    with pytest.raises(KeyError, match="there is: en, ja, amr"):
        text["fr"]


def test_translations_are_different_and_in_the_layer_asked_for(grammar: sgl.Grammar) -> None:
    found = grammar.translate("犬が猫を見た。", layer="ja", to="en")
    assert len(found) == len(set(found)) == 4
    assert grammar.translate(found[0]) == ["犬が猫を見た。"]


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda g: g.sample(of="pp_in_subjet"), "did you mean `pp_in_subject`"),
        (lambda g: g.sample(of="{ V -[obj> }"), "error"),
        (lambda g: g.sample(of="NP", beside=True), "items of a pattern"),
        (lambda g: g.parse("The dog near."), "expected one of: NP"),
        (lambda g: g.parse("x", layer="syn"), "there is no text layer `syn`"),
        (lambda g: g.translate("x", to="e"), "there is no layer or view `e`"),
        (lambda g: g.prove("other"), "there is no pattern `other`"),
    ],
)
def test_what_cannot_be_answered_raises(grammar: sgl.Grammar, ask: object, message: str) -> None:
    assert callable(ask)
    with pytest.raises(sgl.GrammarError, match=message):
        ask(grammar)


def test_what_is_asked_stands_beside_what_training_shows(grammar: sgl.Grammar) -> None:
    texts = grammar.sample(2, seed=1, of="pp_in_subject", beside=True)
    for text, beside in zip(texts, texts.beside, strict=True):
        assert text.marked is not None
        assert {arc.label for arc in text.marked.arcs if arc.marked} == {"nsubj", "nmod"}
        assert beside is not None
        assert beside.source != str(text)
    assert texts._repr_html_().count("<svg") == 12


def test_claims_are_a_table(grammar: sgl.Grammar) -> None:
    proofs = grammar.prove()
    assert proofs.ok
    assert repr(proofs) == "<farm: 1 of 1 pattern proved>"
    assert list(proofs.columns)[:2] == ["pattern", "held out"]
    assert proofs.rows[0][:2] == ("pp_in_subject", "proved")
    assert "proved" in str(proofs)
    json.dumps(proofs.data)


def test_a_claim_that_fails_does_not_raise(place: Path) -> None:
    text = (place / "farm.sgl").read_text("utf-8").replace("forbid { V -[nsubj]", "assert never { V -[nsubj]")
    (place / "leak.sgl").write_text(text, "utf-8")
    grammar = sgl.load(place / "leak.sgl")
    proofs = grammar.prove()
    assert not proofs.ok
    assert "SGL0811" in proofs.messages
    with pytest.raises(sgl.GrammarError, match="SGL0811"):
        grammar.compile(place / "leak")
    assert not (place / "leak").exists()


def test_a_grammar_without_graphs_is_compiled(place: Path) -> None:
    """It has its derivations, which are verified."""
    text = 'layer en : text\ncategory S\nword S: "yes"\nword S: "no"\ndataset\n  from S\n  train 1\n'
    (place / "plain.sgl").write_text(text, "utf-8")
    grammar = sgl.load(place / "plain.sgl")
    (reading,) = grammar.parse("yes")
    assert reading.tree == "S yes"
    assert "<svg" in reading._repr_html_()
    assert grammar.compile(place / "plain").verify().ok


def test_expected_uses_are_a_table(grammar: sgl.Grammar) -> None:
    uses = {row[0]: row[2] for row in grammar.stats("pp_in_subject").rows}
    assert uses["clause"] == pytest.approx(1)


def test_what_was_asked_before_leaves_no_trace_in_a_dataset(place: Path, dataset: sgl.Dataset) -> None:
    grammar = sgl.load(place / "farm.sgl")
    grammar.parse("The dog saw a cat.")
    grammar.sample(1, of="{ V -[obj]-> N }")
    assert grammar.compile(place / "again").signature == dataset.signature


def test_a_dataset_is_opened_verified_and_converted(dataset: sgl.Dataset) -> None:
    assert dataset.splits == {"train": 120, "dev": 10, "test": 10, "gen": 20}
    assert dataset.verify(dataset.signature).ok
    assert not dataset.verify("sgl:other").ok
    shown = list[tuple[str, int, int]]()
    dataset.verify(progress=lambda *call: shown.append(call))
    assert ("checked", *[shown[-1][2]] * 2) == shown[-1]
    look = dataset.verify(sample=1, progress=lambda *call: shown.append(call))
    assert (look.ok, look.data["verified"], shown[-1][0]) == (True, False, "looked at a sample")
    assert "not verified" in str(look)
    with pytest.raises(sgl.GrammarError, match="`sample` is -1"):
        dataset.verify(sample=-1)
    assert dataset.to_arrow("dev").num_rows == 10
    assert dataset.to_arrow().column_names[-1] == "split"
    with pytest.raises(sgl.GrammarError, match="there is no split `val`"):
        dataset.to_arrow("val")
    with pytest.raises(sgl.GrammarError, match=r"manifest\.json"):
        sgl.open_dataset(dataset.directory / "data")


def test_a_dataset_that_is_gone_raises(dataset: sgl.Dataset, tmp_path: Path) -> None:
    copy = shutil.copytree(dataset.directory, tmp_path / "copy")
    opened = sgl.open_dataset(copy)
    shutil.rmtree(copy)
    for ask in (opened.verify, opened.to_arrow, lambda: opened.to_arrow("dev")):
        with pytest.raises(sgl.GrammarError, match="copy"):
            ask()


def test_a_library_that_is_missing_is_named(dataset: sgl.Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(sgl.GrammarError, match="the library datasets is not installed; pip install datasets"):
        dataset.to_hf()


def test_a_dataset_becomes_a_data_frame_and_a_dataset_of_the_hub(dataset: sgl.Dataset) -> None:
    pytest.importorskip("pandas")
    pytest.importorskip("datasets")
    frame, splits = dataset.to_pandas("dev"), dataset.to_hf()
    assert list(splits) == ["train", "validation", "test", "gen"]
    assert list(frame.target) == splits["validation"]["target"]


def test_systems_are_scored(dataset: sgl.Dataset, place: Path) -> None:
    pytest.importorskip("scipy")
    targets = dataset.to_arrow("gen")["target"].to_pylist()
    (place / "gold.txt").write_text("\n".join(targets) + "\n", "utf-8")
    (place / "none.txt").write_text("犬\n" * len(targets), "utf-8")
    scores = sgl.evaluate(dataset, {"gold": place / "gold.txt", "none": place / "none.txt"}, samples=100)
    assert [row[:2] for row in scores.rows] == [("gold", 1.0), ("none", 0.0)]
    with pytest.raises(sgl.GrammarError, match="SGL1102"):
        sgl.evaluate(dataset, {"gold": place / "nowhere.txt"})


def test_predictions_for_rows_are_scored_with_a_grammar(
    grammar: sgl.Grammar, dataset: sgl.Dataset, place: Path
) -> None:
    pytest.importorskip("scipy")
    rows = dataset.directory / "data" / "gen.tsv"
    targets = dataset.to_arrow("gen")["target"].to_pylist()
    (place / "some.txt").write_text("\n".join(["ヌ", *targets[1:]]) + "\n", "utf-8")
    without = sgl.evaluate(rows, {"some": place / "some.txt"}, samples=100)
    assert "partial" not in without.data["metrics"]
    for given in (grammar, place / "farm.sgl"):
        found = sgl.evaluate(rows, {"some": place / "some.txt"}, grammar=given, samples=100)
        assert found.data["metrics"]["partial"] == "Partial Match"
        assert found.data["mistakes"]["systems"]["some"] == {"pp_in_subject": {"unrelated": 1}}


def test_a_corpus_is_audited(grammar: sgl.Grammar, dataset: sgl.Dataset) -> None:
    found = sgl.audit(grammar, dataset.directory / "data" / "dev.tsv")
    assert (found.data["rows"], found.data["parsed"], found.data["differing"]) == (10, 10, 0)


def test_reprs_are_short_and_pages_load_nothing(grammar: sgl.Grammar, dataset: sgl.Dataset) -> None:
    for thing in (grammar, grammar.sample(), grammar.sample()[0], grammar.prove(), dataset, dataset.verify()):
        assert len(repr(thing)) < 120
        page = thing._repr_html_()
        assert "<script" not in page
        assert "http" not in page.replace("http://www.w3.org/2000/svg", "")
