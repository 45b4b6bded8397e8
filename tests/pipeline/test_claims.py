"""A claim is one value: whoever shows it takes its name, its meaning and its verdict from the same place."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest
from toy import TOY, toy_plan

from sgl.automata import StructureCompiler, prove
from sgl.cli.main import run
from sgl.core.claims import Claim, Kind, Proofs, Verdict, verdict_of
from sgl.pipeline.guarantees import pattern_guarantees
from sgl.report.render import page_environment
from sgl.verify.dataset import Status

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "farm.sgl"


@pytest.fixture(scope="module")
def proofs() -> Proofs:
    return prove(StructureCompiler(TOY), toy_plan())


def claims(*verdicts: Verdict) -> list[Claim[None]]:
    return [Claim(Kind.HELD_OUT, "p", verdict, None) for verdict in verdicts]


@pytest.mark.parametrize(
    ("verdicts", "together"),
    [
        ([], Verdict.NOTHING),
        ([Verdict.NOTHING, Verdict.NOTHING], Verdict.NOTHING),
        ([Verdict.NOTHING, Verdict.PROVED], Verdict.PROVED),
        ([Verdict.PROVED, Verdict.WAIVED], Verdict.WAIVED),
        ([Verdict.WAIVED, Verdict.REFUTED, Verdict.PROVED], Verdict.REFUTED),
    ],
)
def test_claims_together_have_the_worst_verdict(verdicts: list[Verdict], together: Verdict) -> None:
    assert verdict_of(claims(*verdicts)) is together


def test_each_claim_of_a_pattern_names_the_pattern_and_is_of_one_kind(proofs: Proofs) -> None:
    for pattern in proofs.patterns:
        assert {claim.pattern for claim in pattern.claims} == {pattern.name}
        by_kind = [claim for kind in Kind for claim in pattern.of(kind)]
        assert sorted(map(id, by_kind)) == sorted(map(id, pattern.claims))


def test_a_pattern_has_a_row_for_each_guarantee_but_that_of_the_verifier(proofs: Proofs) -> None:
    for pattern in proofs.patterns:
        rows = pattern_guarantees(pattern)
        assert [(row.claim, row.method) for row in rows] == [
            (kind.value, kind.method) for kind in Kind if kind is not Kind.GRAPHS
        ]
        assert {Verdict(row.result).holds for row in rows} == {True, None}


def test_what_the_certificate_does_not_show_is_not_called_proved(proofs: Proofs) -> None:
    pattern = proofs.patterns[0]
    held_out, *rest = pattern_guarantees(pattern, missing={(pattern.name, "held out")})
    assert held_out.result == "not certified"
    assert Verdict(held_out.result).holds is None
    assert "not certified" not in {row.result for row in rest}


def test_a_waived_piece_does_not_break_the_licence(proofs: Proofs) -> None:
    pattern = proofs.of("pp_in_subject")
    waived = replace(pattern, pieces=tuple(replace(piece, verdict=Verdict.WAIVED) for piece in pattern.pieces))
    (row,) = (row for row in pattern_guarantees(waived) if row.claim == "licensed")
    assert row.result == "proved"
    assert row.detail.endswith("; 0 of 2 pieces in training, 2 waived")


def test_the_terminal_and_the_report_explain_the_same_kinds(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prove", str(EXAMPLE)]) == 0
    shown = capsys.readouterr().out
    lettered = [kind for kind in Kind if kind.letter]
    assert "  ".join(f"{kind.letter} {kind.value}" for kind in lettered) in shown
    assert len({kind.letter for kind in lettered}) == len(lettered)
    assert page_environment().globals["kinds"] == list(Kind)


def test_every_result_of_a_check_is_a_verdict() -> None:
    assert {Verdict(status).holds for status in get_args(Status)} == {True, False, None}
