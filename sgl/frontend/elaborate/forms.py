"""Write out the clauses of layers, one for each, and the entries that blocks of forms stand for.

A clause may be about several layers of a kind, whose names stand before what it says.

A block of forms is written once, over a category and columns that each use of it gives::

    forms finite(X, particle)
      X[form=past]
        en  $past or ed($en)                          lexicon verbs from "verbs.yaml"
        ja  governs($particle, past($ja, $class))       finite(Vt[order=first], $case)

The lexicon gets the entry ``Vt[form=past, order=first]`` with ``$case`` for ``$particle``.
Functions are those of the file that names them.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sgl.diagnostics import Label, suggest
from sgl.frontend.elaborate.categories import ANY
from sgl.frontend.elaborate.substitution import Substitution
from sgl.frontend.names.resolved import Resolved
from sgl.frontend.names.scopes import Scope
from sgl.frontend.names.signature import Signature
from sgl.lang import syntax as s


def each_layer(
    clauses: Iterable[s.LayerClause], state: Resolved, children: Collection[str] = ()
) -> tuple[s.LayerClause, ...]:
    """Return the clauses, one for each layer that they name; what is no layer is reported.

    The names of ``children`` are those of layers only before statements about a graph.
    """
    kinds = {layer.name.text: layer.kind.text for layer, _ in state.names.of(s.Layer)}
    found: list[s.LayerClause] = []
    for clause in clauses:
        items = clause.template or ()
        if clause.statements is None:
            # Something is left to be said, and a child is meant rather than a layer.
            own = kinds.get(clause.layer.text.partition(".")[0])
            same = {name for name, kind in kinds.items() if kind == own}
            named = _leading(items[:-1], same.difference(children))
            left = items[len(named) :] if clause.template is not None else None
        else:
            layers = [name for name, kind in kinds.items() if kind == "graph"]
            named, left = _leading(items, layers), None
            for item in items[len(named) : len(named) + 1]:
                hint = f"the graph layers are: {', '.join(layers)}; edges are separated by `;`"
                state.error("SGL0306", item.span, "before the edges of a clause only graph layers are named", hint)
        layers_of_clause = (clause.layer, *named)
        found += [replace(clause, layer=layer, template=left) for layer in layers_of_clause]
    return tuple(found)


def _leading(items: Sequence[s.TemplateItem], layers: Collection[str]) -> list[s.Name]:
    """Return the names of layers, or of parts in them, that ``items`` begin with."""
    found: list[s.Name] = []
    for item in items:
        if not isinstance(item, s.Mention) or item.mode or item.name.text.partition(".")[0] not in layers:
            break
        found.append(item.name)
    return found


def entries_of(
    lexicon: s.Lexicon, scope: Scope, state: Resolved, signature: Signature | None = None
) -> tuple[s.Entry, ...] | None:
    """Return a lexicon's entries and, completed by the clauses below their use, its blocks; None after a report."""
    errors = state.diagnostics.errors
    entries: list[s.Entry] = []
    for entry in lexicon.entries:
        if isinstance(entry, s.Entry):
            entries.append(replace(entry, layers=each_layer(entry.layers, state)))
        elif (block := scope.find(s.Forms, entry.name)) is not None:
            entries += _entries_of_use(entry, block, state, signature)
    return tuple(entries) if state.diagnostics.errors == errors else None


def laid_over(over: tuple[s.LayerClause, ...], under: tuple[s.LayerClause, ...]) -> tuple[s.LayerClause, ...]:
    """Return clauses with those of ``under`` that are about layers of which they say nothing."""
    named = {clause.layer.text for clause in over}
    return (*(clause for clause in under if clause.layer.text not in named), *over)


def _entries_of_use(use: s.FormsUse, block: s.Forms, state: Resolved, signature: Signature | None) -> list[s.Entry]:
    wanted, given, found = [name.text for name in block.parameters], use.arguments, list[s.Entry]()
    if len(wanted) != len(given):
        takes = ", ".join(["a category", *(f"`${name}`" for name in wanted)])
        message = f"`{block.name}` takes {len(wanted) + 1} things, not {len(given) + 1}: {takes}"
        state.error("SGL0617", use.span, message, labels=[Label(block.name.span, "declared here")])
        return []
    values = dict(zip(wanted, given, strict=True))
    for entry in block.entries:
        if entry.category.name.text != block.category.text:
            message = f"an entry of `{block.name}` is of the category that its uses give it"
            state.error("SGL0617", entry.category.name.span, message, f"write `{block.category}[…]`")
            continue
        settings = [_setting(setting, use, values, state, signature) for setting in entry.category.settings]
        if None not in settings:
            # The category is that of the use, with the settings of both.
            written = (*(setting for setting in settings if setting is not None), *use.category.settings)
            category = s.CategoryRef(use.category.span, use.category.name, written)
            own, shared, below = (each_layer(clauses, state) for clauses in (entry.layers, block.shared, use.layers))
            layers = laid_over(laid_over(own, shared), below)
            found.append(s.Entry(use.span, category, Substitution(values, state).write_out(layers), block))
    return found


def _setting(
    written: s.Setting, use: s.FormsUse, values: Mapping[str, s.Expression], state: Resolved, known: Signature | None
) -> s.Setting | None:
    feature, own, problem = written.feature, use.category, ("", "", "")
    # Questions about a grammar are asked without its signature.
    info = known.categories.get(own.name.text) if known is not None else None
    possible = known.features.get(feature.text, ()) if known is not None else ()
    given: tuple[Any, ...] = Substitution(values, state).write_out(written.values)
    chosen = tuple(
        s.Name(value.name.text, value.name.span) if isinstance(value, s.Mention) else value for value in given
    )
    names = [value.text for value in chosen if isinstance(value, s.Name)]
    strange = next((name for name in names if name not in (*possible, ANY)), None)
    if any(setting.feature.text == feature.text for setting in own.settings):
        problem = ("SGL0403", f"`{feature}` is set here and in `{use.name}`", "remove one of them")
    elif info is not None and feature.text not in info.features:
        message = f"`{own.name}` has no feature `{feature}`, which `{use.name}` sets"
        problem = ("SGL0401", message, suggest(feature.text, info.features))
    elif info is not None and strange is not None:
        message = f"`{strange}` is not a value of the feature `{feature}`"
        problem = ("SGL0402", message, suggest(strange, possible, "its values are"))
    elif not all(isinstance(value, s.Name | s.Column | s.Fallback) for value in chosen):
        problem = ("SGL0617", f"the value of `{feature}` is a column or a plain value", "")
    code, message, hint = problem
    if code:
        state.error(code, own.span, message, hint, labels=[Label(written.span, f"`{use.name}` sets it here")])
        return None
    return replace(written, values=chosen)
