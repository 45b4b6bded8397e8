"""Patterns on roles in the language of SLOG, and on Japanese case with the words of SGET."""

from __future__ import annotations

from pathlib import Path

import pytest
from row_datasets import rows_refused

from sgl.cli.main import OK, run
from sgl.verify import verify
from sgl.verify.certificate import judge

GRAMMARS = Path(__file__).parents[2] / "grammars"


@pytest.mark.acceptance
@pytest.mark.parametrize(
    ("name", "held_out"),
    [
        ("slog_roles", ["sem { V -[agent]-> N; ", "syn+sem { V.syn"]),
        ("sget_cases", ["dep { V -[に]-> N; ", "dep { V[Voice=Pass] -[が]-> N; "]),
    ],
)
def test_patterns_on_further_layers_are_proved_certified_and_searched(
    name: str, held_out: list[str], tmp_path: Path
) -> None:
    directory = tmp_path / "out"
    assert run(["compile", str(GRAMMARS / f"{name}.sgl"), "--out", str(directory)]) == OK
    refusals, established = judge((directory / "certificate.json").read_bytes())
    assert refusals == []
    for structure in held_out:
        assert any(f": held out: {structure}" in claim for claim in established)
    assert rows_refused(directory) == ""
    assert verify(directory).ok
