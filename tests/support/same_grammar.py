"""Two ways to write a grammar that must mean the same: rule by rule, number by number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from sgl.core.derivation import RULES
from sgl.core.grammar import DERIVATION, CoreGrammar, Fragment, Rule
from sgl.diagnostics import Diagnostics, SourceMap
from sgl.diagnostics.registry import MAIN
from sgl.diagnostics.render import render
from sgl.pipeline.grammar import open_grammar


def core_of(grammar: str, tables: Mapping[str, str] | None = None) -> CoreGrammar:
    """Compile a grammar without errors, and forget where its rules were written."""
    with TemporaryDirectory() as directory:
        for name, text in {MAIN: grammar, **(tables or {})}.items():
            (Path(directory) / name).write_text(text, encoding="utf-8")
        sources, diagnostics = SourceMap(), Diagnostics()
        compiled = open_grammar(Path(directory) / MAIN, {}, sources, diagnostics)
        told = "\n".join(render(problem, sources) for problem in diagnostics)
    assert compiled is not None, told
    rules = tuple(replace(rule, origin=None) for rule in compiled.grammar.rules)
    return replace(compiled.grammar, rules=rules)


def rules_of(core: CoreGrammar) -> Counter[object]:
    """All rules as what they mean: whatever their order is, and that of the nodes in a graph.

    A name is cut at a double underscore: what stands for one rule may be several.  So derivations are left out.
    """
    return Counter(_meaning(core, rule) for rule in core.rules)


def _meaning(core: CoreGrammar, rule: Rule) -> object:
    categories = tuple(core.categories[number].name for number in (rule.lhs, *rule.rhs))
    fragments = tuple(
        _fragment(f) for f, g in zip(rule.fragments, core.graph_layers, strict=True) if g.name != DERIVATION
    )
    texts = tuple(t for t, layer in zip(rule.templates, core.text_layers, strict=True) if layer.name != RULES)
    return rule.name.split("__")[0], categories, f"{rule.weight:.9f}", texts, fragments, rule.keep


def _fragment(fragment: Fragment) -> object:
    nodes = fragment.nodes
    order = sorted(range(len(nodes)), key=lambda node: (nodes[node].glue, str(nodes[node])))
    edges = tuple((order.index(e.source), e.label, order.index(e.target)) for e in fragment.edges)
    exports = tuple(order.index(node) for node in fragment.exports)
    return tuple(nodes[node] for node in order), edges, exports
