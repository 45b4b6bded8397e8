"""Draw with grammarinator, a generator of test inputs from grammars of ANTLR v4.

The states of a stratum are written as rules of a parser grammar, from which grammarinator
makes a Python module with a function for each (Hodovan, Kiss & Gyimóthy 2018,
*Grammarinator: a grammar-based open source fuzzer*)::

    state 7:  "the" S9 [0.6] | S12 [0.4]          s7 : 'the' s9 | s12 ;

A grammar of ANTLR has no weights, and by default all alternatives of a rule are equally
likely.  ``WeightedModel`` multiplies them by given numbers; with the probabilities of the
sampler it draws from the same distribution as the others.
"""

from __future__ import annotations

import importlib.util
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType

from drawing_peers import Draw, Production, productions
from sgl.sampling.engine import Tables

#: The name of the grammar, which is part of that of the module.
_NAME = "Stratum"


def grammarinator_draw(tables: Tables, *, weighted: bool) -> Draw:
    """The trees of grammarinator, written with spaces between the words.

    Raises ``ImportError`` if it is not installed.
    """
    from grammarinator.runtime import DefaultModel, WeightedModel, simple_space_serializer

    states = productions(tables)
    with TemporaryDirectory() as folder:
        module = generator_of(write_antlr(states), Path(folder))
    model = DefaultModel()
    if weighted:
        weights = {
            (f"s{number}", 0, place): width / tables.states[number].bounds[-1]
            for number, alternatives in states.items()
            for place, (_, width) in enumerate(alternatives)
        }
        model = WeightedModel(model, weights=weights)
    generator = getattr(module, f"{_NAME}Generator")(model=model)
    start = getattr(generator, f"s{tables.strata[0].start}")

    def draw(number: int) -> None:
        # It draws with the generator that all of Python shares.
        random.seed(1)
        for _ in range(number):
            simple_space_serializer(start())

    return draw


def write_antlr(states: Mapping[int, Sequence[Production]]) -> str:
    """The states as a grammar of ANTLR v4, with a rule for each."""
    lines = [f"grammar {_NAME};"]
    for number, alternatives in states.items():
        written = [" ".join(_symbol(item) for item in right) for right, _ in alternatives]
        lines.append(f"s{number} : {' | '.join(written)} ;")
    return "\n".join(lines) + "\n"


def generator_of(grammar: str, folder: Path) -> ModuleType:
    """The module that grammarinator makes of a grammar, from files in ``folder``."""
    from grammarinator.tool import ProcessorTool

    source = folder / f"{_NAME}.g4"
    source.write_text(grammar, encoding="utf-8")
    ProcessorTool("py", str(folder)).process([str(source)])
    place = folder / f"{_NAME}Generator.py"
    found = importlib.util.spec_from_file_location(place.stem, place)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def _symbol(item: str | int) -> str:
    if isinstance(item, int):
        return f"s{item}"
    quoted = item.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{quoted}'"
