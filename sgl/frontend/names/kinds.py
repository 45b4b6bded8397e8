"""The kinds of declarations as authors call them, and the declarations that a ``use`` omits.

A file omits declarations of the files that it uses, to do without them or to redefine them::

    use sget without (part concatenation, pp_in_subject)

A name is omitted from the used file and from all files that this one uses.  If several kinds of declarations have the
name, all are omitted, or only those of the kind that precedes it.
"""

from collections.abc import Sequence
from pathlib import Path

from sgl.core.graphs import reachable
from sgl.diagnostics import Label, suggest
from sgl.frontend.names.parameters import Session
from sgl.lang import syntax as s
from sgl.lang.project import Unit

#: The names that authors use for kinds of declarations.
KINDS: dict[type, str] = {
    s.Layer: "layer",
    s.ViewDecl: "view",
    s.ColumnDecl: "column",
    s.Feature: "feature",
    s.CategoryDecl: "category",
    s.Labels: "label set",
    s.WordSet: "word set",
    s.StructureDecl: "structure",
    s.Paradigm: "paradigm",
    s.Function: "function",
    s.Rule: "rule",
    s.Literal: "literal",
    s.Lexicon: "lexicon",
    s.Forms: "block of forms",
    s.PatternDecl: "pattern",
    s.PartDecl: "part",
    s.Quota: "quota",
    s.Relation: "relation",
    s.Table: "table",
    s.Weights: "set of weights",
}

#: The keywords of kinds that differ from these names.
KEYWORDS = {s.Labels: "labels", s.WordSet: "words", s.Forms: "forms", s.Weights: "weights"}

#: Kind and name of an omitted declaration; an empty kind means any.
Left = tuple[str, str]


def left_out_of(units: Sequence[Unit], state: Session) -> dict[Path, dict[Left, Path]]:
    """Return the declarations that other files omit from each file, with the file that omits them."""
    found = dict[Path, dict[Left, Path]]({unit.path: {} for unit in units})
    by_path = {unit.path: unit for unit in units}
    uses = {unit.path: [used.path for _, used in unit.uses] for unit in units}
    for user in units:
        _check_alike(user, state)
        for use, used in user.uses:
            reached = [by_path[path] for path in reachable([used.path], uses)] if use.left_out else []
            known = {left for other in reached for d in other.file.declarations for left in is_called(d)}
            for gone in use.left_out or ():
                left = gone.kind.text if gone.kind is not None else "", gone.name.text
                if left not in known and not state.project.may_declare("", gone.name.text):
                    what, file = " ".join(filter(None, (left[0], f"`{gone.name}`"))), ".".join(map(str, use.path))
                    message, names = f"neither `{file}` nor what it uses declares {what}", {name for _, name in known}
                    state.error("SGL0006", gone.name.span, message, suggest(gone.name.text, names))
                for other in reached:
                    found[other.path][left] = user.path
    return found


def _check_alike(user: Unit, state: Session) -> None:
    """Report a file that is used both with and without an omission, which would apply to both uses."""
    whole = {used.path: use for use, used in user.uses if not use.left_out}
    for use, used in user.uses:
        if use.left_out and (other := whole.get(used.path)) is not None:
            names = ", ".join(f"`{gone.name}`" for gone in use.left_out)
            message = f"this file is used without {names}, and also in full"
            hint = "leave the same out of both, or use the file once"
            state.error("SGL0006", use.span, message, hint, labels=[Label(other.span, "nothing is left out here")])


def is_called(declaration: s.Declaration) -> set[Left]:
    """Return the names by which a declaration can be omitted; a restriction has the name of its relation."""
    if isinstance(declaration, s.Restrict):
        return {("", declaration.relation.text), ("restrict", declaration.relation.text)}
    if not isinstance(declaration, s.NamedDeclaration):
        return set()
    kind = type(declaration)
    return {("", declaration.name.text), (KEYWORDS.get(kind, KINDS.get(kind, "")), declaration.name.text)}
