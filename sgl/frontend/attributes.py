"""Attributes of words and labels of edges: which there may be, and which can be written.

Graphs are published as CoNLL-U, whose columns keep some characters and names for
themselves.  What it cannot hold is found here, before a sentence is drawn.  A label may
contain values of feature variables: in ``NP -[nmod:$p]-> PP`` with ``PP[prep=p]`` it is
``nmod:of`` or ``nmod:near``, as the phrase has it.
"""

from __future__ import annotations

from collections.abc import Iterable

from sgl.core.grammar import EXTRACTED, GraphLayer
from sgl.diagnostics import suggest
from sgl.frontend.productions import VariableTable
from sgl.frontend.state import CompilerState
from sgl.lang import syntax as s

#: Attributes with a CoNLL-U column of their own; all others are UD features.
COLUMNS = ("lemma", "upos", "xpos")
#: What CoNLL-U itself writes in the columns of labels and of features.
RESERVED_LABELS = ("root", "_")
RESERVED_ATTRIBUTES = ("SpaceAfter", "Extracted")


def check_attribute_name(attribute: s.Attribute, layer: GraphLayer, state: CompilerState) -> None:
    """Attributes are ``lemma``, ``upos``, ``xpos`` or UD features (capitalised).

    The words of a free layer may have any others.
    """
    name = attribute.name.text
    if layer.free:
        return
    if name not in COLUMNS and not name[0].isupper():
        state.error(
            "SGL0506",
            attribute.name.span,
            f"`{name}` is no attribute of a word",
            suggest(name, COLUMNS) or f"write `{name.capitalize()}=…`",
            notes=("besides lemma, upos and xpos a word has UD features, such as `Tense=Past`",),
        )
    elif name in RESERVED_ATTRIBUTES:
        message = f"CoNLL-U has its own use for the attribute `{name}`"
        state.error("SGL0512", attribute.name.span, message)


def is_writable(name: str, value: str) -> bool:
    """Return whether CoNLL-U can hold an attribute; a lemma may have spaces and bars in it."""
    if value == "_" or value != value.strip():
        return False
    text = value.replace(" ", "") if name == "lemma" else value.replace("|", " ")
    return not any(character.isspace() for character in text)


def checked_label(
    label: s.LabelText, layer: GraphLayer, variables: VariableTable, state: CompilerState
) -> str | None:
    """Return the label as it is to be written, its variables after ``$``; None after a report."""
    text = f"${label.text}" if label.is_set else label.text
    for name in sorted(variables_of(text)):
        if name not in variables.domains:
            known = variables.domains
            hint = suggest(name, known) or "an edge of a rule has a label, no label set"
            state.error("SGL0404", label.span, f"the rule has no feature variable `{name}`", hint)
            return None
    for spelled in () if layer.free or ":" in text else _spelled(text, variables):
        if spelled.removeprefix(EXTRACTED) in RESERVED_LABELS:
            state.error("SGL0512", label.span, f"CoNLL-U has its own use for the label `{spelled}`")
            return None
    return text


def variables_of(text: str) -> frozenset[str]:
    """Return the feature variables in a label."""
    return frozenset(part[1:] for part in text.split(":") if part.startswith("$"))


def _spelled(text: str, variables: VariableTable) -> Iterable[str]:
    """Return what a label can be, where all of it is a feature variable; else itself."""
    return sorted(variables.domains[text[1:]]) if text.startswith("$") else (text,)
