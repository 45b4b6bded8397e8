"""The ten functions of PCFG SET as functions on texts, against the published data."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from sget import compile_file

from sgl.core.interpret import interpret
from sgl.frontend import Compiled
from sgl.parsing import Parser, UnparsableLayerError

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "docs" / "examples"
PUBLISHED = ROOT.parent / "shared" / "data" / "pcfgset"
#: Rows of training that are compared; all of dev are.
ROWS = 1_000


def compiled(directory: Path, symbols: list[str]) -> Compiled:
    """The grammar, with these symbols."""
    shutil.copy(EXAMPLES / "pcfg_set.sgl", directory)
    table = "".join(f"- {{symbol: {symbol}}}\n" for symbol in symbols)
    (directory / "symbols.yaml").write_text(table, encoding="utf-8")
    return compile_file(directory / "pcfg_set.sgl")


@pytest.mark.skipif(not PUBLISHED.exists(), reason="the published data is not there")
def test_it_has_the_outputs_of_the_published_rows(tmp_path: Path) -> None:
    lines = (PUBLISHED / "10k.dev.tsv").read_text("utf-8").splitlines()
    lines += (PUBLISHED / "10k.train.tsv").read_text("utf-8").splitlines()[:ROWS]
    rows = [tuple(line.split("\t")) for line in lines]
    symbols = {word for source, _ in rows for word in source.split() if re.match("[A-Z]", word)}
    grammar = compiled(tmp_path, sorted(symbols)).grammar
    parser = Parser(grammar)
    for source, target in rows:
        (derivation,) = parser.parse(source)
        assert interpret(grammar, derivation).texts == (source, target)
    assert len(rows) > ROWS


def test_a_layer_with_functions_is_not_parsed(tmp_path: Path) -> None:
    grammar = compiled(tmp_path, ["A1", "B2"]).grammar
    with pytest.raises(UnparsableLayerError, match="one-way"):
        Parser(grammar, 1)
