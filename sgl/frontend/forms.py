"""Write the entries of a named block of forms into the lexicons that use it.

A block is written once, over a category and columns that each use of it gives::

    forms finite(X, particle)
      X[form=past]
        en  $past or ed($en)                          lexicon verbs from "verbs.yaml"
        ja  governs($particle, past($ja, $class))       finite(Vt[order=first], $case)

The lexicon gets the entry ``Vt[form=past, order=first]`` with ``$case`` for ``$particle``.
Functions are those of the file that names them.
"""

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from sgl.diagnostics import Label, suggest
from sgl.frontend.clauses import each_layer
from sgl.frontend.names import Scope
from sgl.frontend.productions import ANY
from sgl.frontend.state import CompilerState
from sgl.lang import syntax as s


def entries_of(lexicon: s.Lexicon, scope: Scope, state: CompilerState) -> tuple[s.Entry, ...] | None:
    """Return a lexicon's entries and, completed by the clauses below their use, its blocks; None after a report."""
    errors = state.diagnostics.errors
    entries: list[s.Entry] = []
    for entry in lexicon.entries:
        if isinstance(entry, s.Entry):
            entries.append(replace(entry, layers=each_layer(entry.layers, state)))
        else:
            entries += _entries_of_use(entry, scope, state)
    return tuple(entries) if state.diagnostics.errors == errors else None


def blocks_of(lexicon: s.Lexicon, scope: Scope) -> list[s.Forms]:
    """Return the blocks that a lexicon uses, of those that are declared."""
    uses = (entry for entry in lexicon.entries if isinstance(entry, s.FormsUse))
    found = (scope.peek(s.Forms, use.name.text) for use in uses)
    return [block for block in found if block is not None]


def laid_over(over: tuple[s.LayerClause, ...], under: tuple[s.LayerClause, ...]) -> tuple[s.LayerClause, ...]:
    """Return clauses with those of ``under`` that are about layers of which they say nothing."""
    named = {clause.layer.text for clause in over}
    return (*(clause for clause in under if clause.layer.text not in named), *over)


def _entries_of_use(use: s.FormsUse, scope: Scope, state: CompilerState) -> list[s.Entry]:
    block = scope.find(s.Forms, use.name)
    if block is None:
        return []
    wanted, given = [name.text for name in block.parameters], use.arguments
    if len(wanted) != len(given):
        takes = ", ".join(["a category", *(f"`${name}`" for name in wanted)])
        message = f"`{block.name}` takes {len(wanted) + 1} things, not {len(given) + 1}: {takes}"
        state.error("SGL0617", use.span, message, labels=[Label(block.name.span, "declared here")])
        return []
    values = dict(zip(wanted, given, strict=True))
    found = []
    for entry in block.entries:
        if entry.category.name.text != block.category.text:
            message = f"an entry of `{block.name}` is of the category that its uses give it"
            hint = f"write `{block.category}[…]`"
            state.error("SGL0617", entry.category.name.span, message, hint)
            continue
        settings = [_setting(setting, use, values, state) for setting in entry.category.settings]
        chosen = tuple(setting for setting in settings if setting is not None)
        if len(chosen) == len(settings):
            # The category is that of the use, with the settings of both.
            written = (use.category.name, (*chosen, *use.category.settings))
            category = s.CategoryRef(use.category.span, *written)
            own, shared, below = (each_layer(clauses, state) for clauses in (entry.layers, block.shared, use.layers))
            layers = laid_over(laid_over(own, shared), below)
            found.append(s.Entry(use.span, category, _given(layers, values), block))
    return found


def _setting(
    written: s.Setting, use: s.FormsUse, values: Mapping[str, s.Expression], state: CompilerState
) -> s.Setting | None:
    feature, own, problem = written.feature, use.category, ("", "", "")
    # Questions about a grammar are asked without its signature.
    known = state.signature if hasattr(state, "signature") else None
    info = known.categories.get(own.name.text) if known is not None else None
    possible = known.features.get(feature.text, ()) if known is not None else ()
    chosen: list[s.Name | s.Column | s.Fallback] = []
    for value in _given(written.values, values):
        if isinstance(value, s.Mention):
            chosen.append(s.Name(value.name.text, value.name.span))
        elif isinstance(value, s.Name | s.Column | s.Fallback):
            chosen.append(value)
        else:
            problem = ("SGL0617", f"the value of `{feature}` is a column or a plain value", "")
    twice = any(setting.feature.text == feature.text for setting in own.settings)
    names = [value.text for value in chosen if isinstance(value, s.Name)]
    strange = next((name for name in names if name not in (*possible, ANY)), None)
    if twice:
        problem = ("SGL0403", f"`{feature}` is set here and in `{use.name}`", "remove one of them")
    elif info is not None and feature.text not in info.features:
        message = f"`{own.name}` has no feature `{feature}`, which `{use.name}` sets"
        problem = ("SGL0401", message, suggest(feature.text, info.features))
    elif info is not None and strange is not None:
        message = f"`{strange}` is not a value of the feature `{feature}`"
        problem = ("SGL0402", message, suggest(strange, possible, "its values are"))
    code, message, hint = problem
    if code:
        labels = [Label(written.span, f"`{use.name}` sets it here")]
        state.error(code, own.span, message, hint, labels=labels)
        return None
    return replace(written, values=tuple(chosen))


def _given(part: Any, values: Mapping[str, s.Expression]) -> Any:  # noqa: ANN401
    if isinstance(part, s.Column) and part.name.text in values:
        return values[part.name.text]
    if isinstance(part, tuple):
        return tuple(_given(one, values) for one in part)
    if not values or not isinstance(part, s.SyntaxNode):
        return part
    names = (field.name for field in fields(part) if field.name != "span")
    return replace(part, **{name: _given(getattr(part, name), values) for name in names})
