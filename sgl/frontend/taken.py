"""Check that what a ``use`` takes from a file by name comes with what it is made of.

A rule that ``use parts (np)`` takes is a rule over categories of ``parts.sgl``, and
these over features; a category that is not taken has no words and no rules.  So it
is taken by name as well::

    use parts (np, NP, N, number)
"""

from __future__ import annotations

from collections.abc import Iterator

from sgl.frontend.names import KINDS
from sgl.frontend.state import State
from sgl.lang import syntax as s


def check_taken(state: State) -> bool:
    """Whether all categories and features that are mentioned take part; reports the others."""
    complete = True
    present = {id(declaration) for declaration, _ in state.names.declarations}
    for declaration, scope in state.names.declarations:
        for kind, name in _parts(declaration):
            part = scope.peek(kind, name.text)
            if part is not None and id(part) not in present:
                _report(declaration, kind, name, state)
                complete = False
    return complete


def _parts(
    declaration: s.Declaration,
) -> Iterator[tuple[type[s.Feature] | type[s.CategoryDecl], s.Name]]:
    """What a declaration is made of: its kind, and where it is mentioned."""
    if isinstance(declaration, s.CategoryDecl):
        for feature in declaration.features:
            yield s.Feature, feature
    elif isinstance(declaration, s.Rule):
        yield s.CategoryDecl, declaration.lhs.name
        for child in declaration.rhs:
            if isinstance(child, s.Child):
                yield s.CategoryDecl, child.category.name
    elif isinstance(declaration, s.Lexicon):
        for entry in declaration.entries:
            yield s.CategoryDecl, entry.category.name
    elif isinstance(declaration, s.Word):
        yield s.CategoryDecl, declaration.category.name


def _report(declaration: s.Declaration, kind: type, name: s.Name, state: State) -> None:
    user = declaration.category.name if isinstance(declaration, s.Word) else declaration.name  # type: ignore[union-attr]
    state.diagnostics.error(
        "SGL0201",
        name.span,
        f"the {KINDS.get(type(declaration), 'word')} `{user}` is taken from this file, "
        f"but the {KINDS[kind]} `{name}` is not",
        hint=f"add `{name}` to the names after `use`",
    )
