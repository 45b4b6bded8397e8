"""Small models that are written from the pages alone agree with the compiler, and notice when it is wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import algebra
import attributes
import claims_trees
import licensed
import namings
import pieces
import random_claims
import random_paradigms
import twins
from claims_grammar import Grammar
from claims_structures import Body, Labels, Link, Structure
from claims_trees import Derivation
from harness import run
from sgl.automata import PatternProofs, Proofs, Verdict
from sgl.core.interpret import interpret
from sgl.core.naming import Namer
from sgl.frontend.elaborate.algebra import FUNCTIONS
from sgl.frontend.lower import finishing

A, B = Labels(False, ("a",)), Labels(False, ("b",))


def structure(*links: Link, **tests: tuple[str, bool, tuple[str, ...]]) -> Structure:
    names = [*dict.fromkeys([*(name for link in links for name in (link.source, link.target)), *tests])]
    return Structure(Body(tuple(names), tests, {}, links))


def texts(whole: Structure) -> set[str]:
    return {str(pieces.written(piece)).replace("_syn", "") for piece in pieces.pieces(pieces.read(whole))}


# --- pieces: the examples of docs/guarantees.md and docs/measures.md --------------------------


def test_one_link_of_two_is_a_piece() -> None:
    whole = structure(Link("V", A, 1, 1, "N"), Link("N", B, 1, 1, "M"))
    assert texts(whole) == {"{ V -[a]-> N }", "{ N -[b]-> M }"}


def test_a_walk_is_shorter_by_one() -> None:
    assert texts(structure(Link("V", A, 3, 3, "W"))) == {"{ V -[a]{2,2}-> W }"}


def test_a_count_is_less_by_one() -> None:
    whole = Structure(Body(("N",), {}, {"N": (A, ">=", 5)}, ()))
    assert texts(whole) == {"{ N[#a>=4] }"}


def test_a_node_without_a_test_is_no_piece() -> None:
    whole = structure(Link("X", Labels(True, ()), 1, 1, "N"), N=("lemma", False, ("hedgehog",)))
    assert texts(whole) == {"{ N[lemma=hedgehog] }"}


def test_all_that_is_said_of_two_nodes_is_one_link() -> None:
    assert texts(structure(Link("N", A, 1, 1, "V"), Link("V", B, 1, 1, "N"))) == set()


def test_without_stays_with_a_piece_that_has_its_nodes() -> None:
    whole = structure(Link("V", A, 1, 1, "N"), Link("N", B, 1, 1, "M"))
    whole = replace(whole, without=(Body(("M", "X"), {}, {}, (Link("M", A, 1, 1, "X"),)),))
    assert texts(whole) == {"{ V -[a]-> N }", "{ N -[b]-> M } without { M -[a]-> X }"}


def test_a_measure_alone_is_a_piece() -> None:
    whole = replace(structure(Link("V", A, 1, 1, "N")), lengths=(("en", ">=", 3),))
    assert texts(whole) == {"{ V -[a]-> N }", "{ length en >= 3 }"}


# --- licensed ---------------------------------------------------------------------------------


def check_licensed(grammars: int, folder: Path, *, layered: bool = False) -> tuple[Counter[str], list[str]]:
    figures, differences = run(licensed.comparison(layers=layered), range(1, grammars + 1), folder)
    assert figures["pieces proved"]
    assert figures["pieces refuted"]
    return figures, differences


def test_what_training_licenses_is_what_its_sentences_show(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(licensed, "LONGEST", 5)
    assert check_licensed(16, tmp_path)[1] == []


@pytest.mark.slow
@pytest.mark.parametrize(("grammars", "layered"), [(60, False), (20, True)])
def test_what_training_licenses_in_more_grammars(grammars: int, layered: bool, tmp_path: Path) -> None:
    figures, differences = check_licensed(grammars, tmp_path, layered=layered)
    assert differences == []
    assert figures["sentences"] > 500


def with_pieces(monkeypatch: pytest.MonkeyPatch, change: Any) -> None:  # noqa: ANN401 - a function of any kind
    """Let the compiler answer otherwise."""
    right = licensed.establish

    def wrong(*arguments: Any) -> Proofs | None:  # noqa: ANN401 - those of the function
        proofs = right(*arguments)
        if proofs is None:
            return None
        changed = tuple(replace(own, pieces=tuple(change(own))) for own in proofs.patterns)
        return replace(proofs, patterns=changed)

    monkeypatch.setattr(licensed, "establish", wrong)
    monkeypatch.setattr(licensed, "LONGEST", 4)


def turned(verdicts: Mapping[Verdict, Verdict]) -> Any:  # noqa: ANN401 - a function of any kind
    def change(own: PatternProofs) -> list[Any]:
        return [replace(piece, verdict=verdicts.get(piece.verdict, piece.verdict)) for piece in own.pieces]

    return change


def test_a_piece_that_is_wrongly_refuted_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_pieces(monkeypatch, turned({Verdict.PROVED: Verdict.REFUTED}))
    _, differences = run(licensed.comparison(layers=False), range(1, 11), tmp_path)
    assert any("training has" in told for told in differences)


def test_an_example_that_lacks_the_piece_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def swapped(own: PatternProofs) -> list[Any]:
        shown = [piece.example for piece in own.pieces if piece.example is not None]
        others = iter(shown[1:] + shown[:1])
        return [piece if piece.example is None else replace(piece, example=next(others)) for piece in own.pieces]

    with_pieces(monkeypatch, swapped)
    _, differences = run(licensed.comparison(layers=False), range(1, 41), tmp_path)
    assert any("which is shown" in told for told in differences)


def test_a_piece_that_is_left_out_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_pieces(monkeypatch, lambda own: own.pieces[1:])
    _, differences = run(licensed.comparison(layers=False), range(1, 11), tmp_path)
    assert any("lacks" in told for told in differences)


# --- derivations ------------------------------------------------------------------------------

#: Seeds of small grammars: of texts alone, with one graph layer, and with three.
SMALL, LAYERED = (3, 4, 5, 10, 11, 13, 14), (1, 3, 5)


def check_derivations(seeds: tuple[int, ...], folder: Path, *, layered: bool = False) -> tuple[Counter[str], list[str]]:
    comparison = random_claims.comparison(datasets=3, measures=False, layers=layered, derivations=True)
    return run(comparison, seeds, folder)


@pytest.mark.parametrize(("seeds", "layered"), [(SMALL, False), (LAYERED, True)])
def test_structures_on_derivations_mean_what_the_page_says(
    seeds: tuple[int, ...], layered: bool, tmp_path: Path
) -> None:
    figures, differences = check_derivations(seeds, tmp_path, layered=layered)
    assert differences == []
    counted = ("verdicts on derivations alone", "verdicts on derivations joined", "certificates accepted")
    assert min(figures[name] for name in counted) > 0


def test_a_model_in_which_names_mean_nothing_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Derivation, "meant", lambda *_: None)
    assert any("sentences that it should not have" in told for told in check_derivations(SMALL, tmp_path)[1])


def test_a_model_in_which_all_children_hang_on_the_first_rule_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = claims_trees.derivation_of

    def flat(grammar: Grammar, term: str) -> Derivation:
        own = right(grammar, term)
        return replace(own, edges=frozenset((0, label, node) for _, label, node in own.edges))

    monkeypatch.setattr(claims_trees, "derivation_of", flat)
    assert any("sentences that it should not have" in told for told in check_derivations(SMALL, tmp_path)[1])


# --- twins ------------------------------------------------------------------------------------


def test_twins_are_what_the_clauses_say(tmp_path: Path) -> None:
    figures, differences = run(twins.comparison(datasets=24), range(1, 25), tmp_path)
    assert differences == []
    assert min(figures[name] for name in ("accepted", "refused SGL0325", "datasets", "pairs")) > 0


@pytest.mark.slow
def test_twins_in_more_grammars(tmp_path: Path) -> None:
    figures, differences = run(twins.comparison(datasets=10), range(1000, 1150), tmp_path)
    assert differences == []
    assert figures["verdicts"] > 5_000


def test_a_twin_of_other_words_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(*arguments: Any) -> Any:  # noqa: ANN401 - those of the function
        found = interpret(*arguments)
        return replace(found, texts=(found.texts[0], found.texts[1].replace("v", "wa")))

    monkeypatch.setattr(twins, "interpret", wrong)
    _, differences = run(twins.comparison(datasets=100), range(1, 13), tmp_path)
    assert any("times in the model" in told for told in differences)


def test_a_wrong_number_of_differences_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finishing, "differences", lambda grammar, _: [{1: ()} for _ in grammar.categories])
    _, differences = run(twins.comparison(datasets=100), range(1, 13), tmp_path)
    assert any("not refused" in told for told in differences)


# --- attributes -------------------------------------------------------------------------------


def test_graphs_have_the_attributes_that_rules_and_words_say(tmp_path: Path) -> None:
    figures, differences = run(attributes.compare, range(1, 5), tmp_path)
    assert differences == []
    assert figures["attributes"] > 500
    assert figures["edges"] > 100


@pytest.mark.slow
def test_graphs_of_more_grammars(tmp_path: Path) -> None:
    assert run(attributes.compare, range(1000, 1040), tmp_path)[1] == []


@pytest.mark.parametrize(
    ("layer", "right", "wrong", "what"),
    [
        ("", "\tNOUN\t", "\tVERB\t", "tree"),
        ("", "|Tense=Past", "", "tree"),
        ("", ":e", ":f", "tree"),
        ("sem", "kind=big", "kind=small", "free graph"),
        ("sem", ":agent", ":x", "free graph"),
    ],
)
def test_another_attribute_or_edge_is_noticed(
    layer: str, right: str, wrong: str, what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make = attributes.sampled

    def changed(compiled: Any, out: Path, diagnostics: Any) -> bool:  # noqa: ANN401 - those of the function
        made = make(compiled, out, diagnostics)
        path = out / "conllu" / layer / "train.conllu"
        if made:
            path.write_text(path.read_text("utf-8").replace(right, wrong), "utf-8")
        return made

    monkeypatch.setattr(attributes, "sampled", changed)
    _, differences = run(attributes.compare, range(1, 6), tmp_path)
    assert any(f"the {what} of" in told for told in differences)


# --- paradigms and tables ---------------------------------------------------------------------


def test_paradigms_and_tables_are_what_the_model_says(tmp_path: Path) -> None:
    figures, differences = run(random_paradigms.compare, range(1, 5), tmp_path)
    assert not differences
    assert figures["verdicts"] > 150


# --- algebra ----------------------------------------------------------------------------------


def test_rules_that_compute_mean_what_all_values_say(tmp_path: Path) -> None:
    figures, differences = run(algebra.comparison(), range(1, 7), tmp_path)
    assert differences == []
    assert figures["probabilities"] > 50


# --- names ------------------------------------------------------------------------------------


def test_names_mean_what_joined_places_say(tmp_path: Path) -> None:
    figures, differences = run(namings.comparison(), range(1, 25), tmp_path)
    assert differences == []
    assert figures["probabilities"] > 200
    assert figures["drawn"] > 200


def test_names_that_are_drawn_one_by_one_are_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Namer, "is_named", lambda _, derivation: bool(derivation))
    assert run(namings.comparison(), range(1, 5), tmp_path)[1]


@pytest.mark.slow
def test_rules_that_compute_in_more_grammars(tmp_path: Path) -> None:
    figures, differences = run(algebra.comparison(), range(100, 200), tmp_path)
    assert differences == []
    assert figures["grammars"] > 20


def test_another_sum_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(FUNCTIONS, "+", lambda left, right: left - right)
    monkeypatch.setitem(FUNCTIONS, "min", max)
    assert run(algebra.comparison(), range(1, 7), tmp_path)[1]
