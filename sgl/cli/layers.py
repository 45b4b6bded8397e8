"""Which layers a command line names."""

from __future__ import annotations

from collections.abc import Sequence

import click

from sgl.core.grammar import CoreGrammar
from sgl.diagnostics import suggest
from sgl.rendering import outputs

#: Names that a message lists.
_SHOWN = 12


def listed(text: str | None) -> list[str]:
    """The names in a list with commas."""
    return [name.strip() for name in (text or "").split(",") if name.strip()]


def are_known(names: Sequence[str], known: Sequence[str], what: str = "layer") -> bool:
    """Whether all names are known; says which one is not."""
    for name in names:
        if name not in known:
            hint = suggest(name, known) or f"there is: {', '.join(known)}"
            click.echo(f"error: there is no {what} `{name}`; {hint}", err=True)
            return False
    return True


def shortened(names: Sequence[str]) -> str:
    """Some names as a list, the first of them if there are many."""
    more = ", …" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more if names else "none"


def text_layers(grammar: CoreGrammar) -> list[str]:
    """The names of the text layers."""
    return [layer.name for layer in grammar.text_layers]


def output_names(grammar: CoreGrammar) -> list[str]:
    """The names of the text layers and of the views that are one line of text."""
    return list(outputs(grammar))


def graph_layers(grammar: CoreGrammar) -> list[str]:
    """The names of the graph layers that are trees, which CoNLL-U can hold."""
    return [layer.name for layer in grammar.graph_layers if not layer.free]
