"""Views of drawn derivations: the graph is glued together and written in its notation."""

from __future__ import annotations

from collections.abc import Sequence

from sgl.core.gluing import glue
from sgl.graph.cogs import cogs
from sgl.graph.varfree import varfree
from sgl.sample.engine import PackedView

#: The notations that a dataset can be written in.
NOTATIONS = {"cogs": cogs, "varfree": varfree}


def view_of(view: PackedView, arity: Sequence[int], derivation: Sequence[int]) -> str:
    """The text of a derivation in a view."""
    return NOTATIONS[view.kind](glue(view.rules, arity, derivation, written=True))
