"""The labels of the edges in a rule, which may contain values of its feature variables.

``V -[obj]-> NP`` has the label ``obj``; in ``NP -[nmod:$p]-> PP`` with ``PP[prep=p]`` it is
``nmod:of`` or ``nmod:near``, as the phrase has it.
"""

from __future__ import annotations

from collections.abc import Iterable

from sgl.core.grammar import EXTRACTED, GraphLayer
from sgl.diagnostics import suggest
from sgl.frontend.attributes import RESERVED_LABELS
from sgl.frontend.productions import VariableTable
from sgl.frontend.state import State
from sgl.lang import syntax as s


def checked_label(
    label: s.LabelText, layer: GraphLayer, variables: VariableTable, state: State
) -> str | None:
    """The label as it is to be written, its variables after ``$``; None after a report."""
    text = f"${label.text}" if label.is_set else label.text
    for name in sorted(variables_of(text)):
        if name not in variables.domains:
            known = variables.domains
            state.diagnostics.error(
                "SGL0404",
                label.span,
                f"the rule has no feature variable `{name}`",
                hint=suggest(name, known) or "an edge of a rule has a label, no label set",
            )
            return None
    for spelled in () if layer.free or ":" in text else _spelled(text, variables):
        if spelled.removeprefix(EXTRACTED) in RESERVED_LABELS:
            state.diagnostics.error(
                "SGL0512", label.span, f"CoNLL-U has its own use for the label `{spelled}`"
            )
            return None
    return text


def variables_of(text: str) -> frozenset[str]:
    """The feature variables in a label."""
    return frozenset(part[1:] for part in text.split(":") if part.startswith("$"))


def _spelled(text: str, variables: VariableTable) -> Iterable[str]:
    """What a label can be, where all of it is a feature variable; else itself."""
    return sorted(variables.domains[text[1:]]) if text.startswith("$") else (text,)
