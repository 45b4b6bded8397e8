"""``sglc sample``: sentences of a grammar, a category or a pattern, as they are drawn."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from sgl.automata import SplitGrammar, StructureCompiler
from sgl.build.session import open_grammar
from sgl.cli.common import compile_options, grammar_argument, show
from sgl.cli.main import FAILED, OK, USAGE
from sgl.compile import Compiled
from sgl.core.grammar import CoreGrammar, Token
from sgl.core.interpret import Item, interpret
from sgl.core.plan import Constraint, Plan, Stratum
from sgl.diagnostics import Diagnostics, SourceMap, suggest
from sgl.graph import conllu
from sgl.sample import NotEnoughError, draw, pack

_STREAM = "sample"


@click.command("sample")
@grammar_argument
@click.argument("what", required=False)
@click.option("-n", "number", default=5, show_default=True, help="How many.")
@click.option("--seed", type=int, help="Seed of the random numbers.  [default: the dataset's]")
@click.option(
    "--show",
    "layers",
    default="",
    metavar="LIST",
    help="What to show: text layers, `tree`, `graph`.  [default: all text layers]",
)
@compile_options
def command(
    grammar: Path,
    what: str | None,
    number: int,
    seed: int | None,
    layers: str,
    settings: dict[str, str],
    form: str,
    color: str,
) -> int:
    """Show sentences of GRAMMAR: from all of it, or of WHAT.

    WHAT is a pattern (its generalization items), `train` (in-distribution
    sentences) or a category (phrases, from the whole grammar).
    """
    sources, diagnostics = SourceMap(), Diagnostics()
    compiled = open_grammar(grammar, settings, sources, diagnostics)
    show(diagnostics, sources, form, color)
    if compiled is None:
        return FAILED
    shown = [name.strip() for name in layers.split(",") if name.strip()]
    known = [*(layer.name for layer in compiled.grammar.text_layers), "tree", "graph"]
    for name in shown:
        if name not in known:
            click.echo(f"error: cannot show `{name}`; there is: {', '.join(known)}", err=True)
            return USAGE
    chosen = _choose(compiled, what)
    if isinstance(chosen, str):
        click.echo(f"error: {chosen}", err=True)
        return USAGE
    core, constraint = chosen
    return _show(compiled, core, constraint, number, seed, shown or known[:-2])


def _choose(compiled: Compiled, what: str | None) -> tuple[CoreGrammar, Constraint] | str:
    """The grammar to draw from and the constraint, or what is wrong with the name."""
    core = compiled.grammar
    if what is None:
        return core, Constraint()
    strata = compiled.plan.strata
    for stratum in strata:
        if what in (stratum.split, stratum.category, stratum.stream):
            return core, stratum.constraint
    names = [category.name for category in core.categories]
    matching = [i for i, name in enumerate(names) if what in (name, name.partition("[")[0])]
    if not matching:
        known = {s.category for s in strata} | {name.partition("[")[0] for name in names}
        return f"there is no pattern or category `{what}` {suggest(what, known)}".rstrip()
    return replace(core, start=matching[0]), Constraint()


def _show(
    compiled: Compiled,
    core: CoreGrammar,
    constraint: Constraint,
    number: int,
    seed: int | None,
    shown: list[str],
) -> int:
    split: SplitGrammar = StructureCompiler(core).split(constraint)
    if split.empty:
        click.echo("no sentence of the grammar qualifies; `sglc prove` says why", err=True)
        return FAILED
    stratum = Stratum(_STREAM, _STREAM, _STREAM, number, constraint)
    plan: Plan = replace(
        compiled.plan,
        strata=(stratum,),
        seed=compiled.plan.seed if seed is None else seed,
        distinct_sentences=False,
    )
    try:
        (part,) = draw(pack(core, plan, {_STREAM: split}))
    except NotEnoughError as problem:
        click.echo(f"error: {problem.reason}", err=True)
        return FAILED
    for index, found in enumerate(part.items, 1):
        _print(core, interpret(core, found.derivation), shown, index)
    return OK


def _print(core: CoreGrammar, item: Item, shown: list[str], index: int) -> None:
    texts = {layer.name: text for layer, text in zip(core.text_layers, item.texts, strict=True)}
    line = "\t".join(texts[name] for name in shown if name in texts)
    if line:
        click.echo(line)
    if "tree" in shown:
        click.echo(bracketing(core, item))
    if "graph" in shown:
        for graph, layer in zip(item.graphs, core.graph_layers, strict=True):
            anchor = core.text_layer(layer.anchor)
            name = core.text_layers[anchor].name
            click.echo(
                conllu(
                    graph,
                    item.tokens[anchor],
                    [(name, item.texts[anchor])],
                    sent_id=f"sample-{index:06d}",
                    category=_STREAM,
                ),
                nl=False,
            )


def bracketing(core: CoreGrammar, item: Item) -> str:
    """The derivation as a labelled bracketing of the source sentence."""
    stack: list[str] = []
    for number in reversed(item.derivation):
        rule = core.rules[number]
        children = [stack.pop() for _ in rule.rhs]
        parts = [
            part.text if isinstance(part, Token) else children[part.child]
            for part in rule.templates[0]
        ]
        label = core.categories[rule.lhs].name.partition("[")[0]
        stack.append(f"({label} {' '.join(parts)})")
    return stack.pop()
