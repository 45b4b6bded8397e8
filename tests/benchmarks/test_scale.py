"""What the front end does for a grammar grows with its size, and not with the square of it.

Counted are the lines of Python that each function runs, a line of a loop as often as it is gone through: four times as
many rules may take four times as many, and some more, since numbers get longer.  That sees no loop inside a library,
and no function that small grammars do without; `benchmarks/scale.py` has the times.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest

import sgl
from scale import SHAPES, write
from sgl.diagnostics import Diagnostics, SourceMap
from sgl.pipeline.grammar import check_grammar

PACKAGE = str(Path(sgl.__file__).parent)

#: Parts of the smaller grammar, and how many more lines the larger one may take than four times as many.
PARTS, SLACK = 24, 1.6
#: Lines of a function in the larger grammar that are worth a look: what is there once for each pair of parts has more.
NOTABLE = 4 * PARTS * 16

#: Each stratum excludes what all other patterns hold out, so that the plan itself has the square of the patterns.
SQUARE = {"patterns"}


def lines_run(path: Path) -> Counter[CodeType]:
    """How many lines each function of the package runs while a grammar is checked."""
    found: Counter[CodeType] = Counter()

    def local(frame: FrameType, event: str, _: Any) -> Any:  # noqa: ANN401 - as `sys.settrace` has it
        if event == "line":
            found[frame.f_code] += 1
        return local

    def trace(frame: FrameType, *_: Any) -> Any:  # noqa: ANN401
        return local if frame.f_code.co_filename.startswith(PACKAGE) else None

    diagnostics, before = Diagnostics(), sys.gettrace()
    sys.settrace(trace)
    try:
        check_grammar(path, {}, SourceMap(), diagnostics)
    finally:
        sys.settrace(before)
    assert diagnostics.errors == 0
    return found


@pytest.mark.slow
@pytest.mark.parametrize("shape", sorted(SHAPES.keys() - SQUARE))
def test_four_times_the_parts_take_four_times_the_lines(shape: str, tmp_path: Path) -> None:
    make = SHAPES[shape]
    few, many = (lines_run(write(make(n), tmp_path / str(n))) for n in (PARTS, 4 * PARTS))
    excess = {
        f"{Path(code.co_filename).name}: {code.co_qualname}": (few[code], lines)
        for code, lines in many.items()
        if few[code] and lines > max(NOTABLE, 4 * SLACK * few[code])
    }
    assert excess == {}
