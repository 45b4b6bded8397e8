"""Languages of small grammars, and grammars by the names in them, for tests of exchange."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet
from toy import TOY, all_derivations

from sgl.core.grammar import CoreGrammar
from sgl.core.interpret import derive_tokens
from sgl.diagnostics import Diagnostics, SourceFile, SourceMap
from sgl.diagnostics.render import render
from sgl.frontend import Compiled, compile_project
from sgl.lang.project import load_project
from sgl.pipeline.grammar import open_grammar
from sgl.research.exchange import ImportedGrammar, lower_irtg, read_irtg, with_source, write_sgl
from sgl.research.exchange.lower_productions import lower_productions
from sgl.research.exchange.productions import Notation, read_productions

ROOT = Path(__file__).parents[2]
OUR_GRAMMARS = ("toy", "farm", "slog", "sget")


def marked(name: str, *others: object) -> ParameterSet:
    """A parameter set for a grammar of our own; the larger it is, the more seldom it is tried."""
    marks = {"slog": [pytest.mark.slow], "sget": [pytest.mark.acceptance]}
    return pytest.param(name, *others, marks=marks.get(name, []))


Sentence = tuple[tuple[str, ...], ...]


@cache
def our_grammar(name: str) -> CoreGrammar:
    """A grammar of our own, compiled."""
    if name == "toy":
        return TOY
    directory = ROOT / ("docs/examples" if name == "farm" else "grammars")
    return compiled(directory / f"{name}.sgl").grammar


def compiled(path: Path) -> Compiled:
    found = open_grammar(path, {}, SourceMap(), Diagnostics())
    assert found is not None
    return found


def imported(text: str) -> tuple[ImportedGrammar | None, Diagnostics, SourceMap]:
    """What is read from the text of an IRTG, before a source layer is chosen."""
    sources, diagnostics = SourceMap(), Diagnostics()
    source = sources.add(SourceFile("test.irtg", text))
    file = read_irtg(source, diagnostics)
    found = None
    if file is not None:
        found = lower_irtg({"": file}, "test", source.span(0, 1), diagnostics)
    return found, diagnostics, sources


def said_of(text: str, notation: Notation) -> tuple[ImportedGrammar | None, Diagnostics, SourceMap]:
    """What is read from the text of productions, with its source layer in front."""
    sources, diagnostics = SourceMap(), Diagnostics()
    source = sources.add(SourceFile("test.cfg", text))
    read = read_productions(source, notation, diagnostics)
    found = lower_productions(read, "test", diagnostics) if read is not None else None
    return with_source(found, diagnostics) if found is not None else None, diagnostics, sources


def written(grammar: CoreGrammar, directory: Path, symbolic: bool = False) -> CoreGrammar:
    """The grammar that the text written for a grammar compiles to."""
    path = directory / "written.sgl"
    path.write_text(write_sgl(grammar, symbolic=symbolic), encoding="utf-8")
    sources, diagnostics = SourceMap(), Diagnostics()
    project = load_project(path, sources, diagnostics)
    assert project is not None
    found = compile_project(project, {}, diagnostics)
    messages = "\n".join(render(diagnostic, sources) for diagnostic in diagnostics)
    assert found is not None, messages + path.read_text(encoding="utf-8")
    return found.grammar


def read_back(text: str, directory: Path) -> CoreGrammar:
    """The grammar that ``sglc import`` makes of the text of an IRTG, compiled."""
    found, diagnostics, _ = imported(text)
    assert found is not None
    found = with_source(found, diagnostics)
    assert diagnostics.errors == 0
    return written(found.grammar, directory)


def rules_by_name(grammar: CoreGrammar, layers: Sequence[int]) -> Counter[object]:
    """The rules in the names of their categories, each with the templates of some layers."""
    names = [category.name for category in grammar.categories]
    return Counter(
        (names[rule.lhs], tuple(names[child] for child in rule.rhs), tuple(rule.templates[layer] for layer in layers))
        for rule in grammar.rules
    )


def weights_by_name(grammar: CoreGrammar, layers: Sequence[int]) -> dict[object, list[float]]:
    """The weights of the rules that are alike but for their names."""
    names = [category.name for category in grammar.categories]
    found: dict[object, list[float]] = {}
    for rule in grammar.rules:
        key = (
            names[rule.lhs],
            tuple(names[child] for child in rule.rhs),
            tuple(rule.templates[layer] for layer in layers),
        )
        found.setdefault(key, []).append(rule.weight)
    return {key: sorted(weights) for key, weights in found.items()}


def language(grammar: CoreGrammar, height: int, layers: Sequence[str] | None = None) -> dict[Sentence, float]:
    """The probability of each tuple of sentences, over derivations of a limited height."""
    wanted = [grammar.text_layer(name) for name in layers or [x.name for x in grammar.text_layers]]
    found: dict[Sentence, float] = {}
    for derivation, probability in all_derivations(grammar, height).items():
        sentence = tuple(tuple(filter(None, derive_tokens(grammar, derivation, layer))) for layer in wanted)
        found[sentence] = found.get(sentence, 0.0) + probability
    return found
