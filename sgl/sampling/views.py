"""Views of drawn derivations: the graph is glued together and written in its notation."""

from __future__ import annotations

from collections.abc import Sequence

from sgl.core.gluing import glue
from sgl.rendering.cogs import cogs_of
from sgl.rendering.meaning import Meaning
from sgl.rendering.varfree import varfree_of
from sgl.sampling.engine import PackedView

#: The notations that a dataset can be written in, as functions of a graph that is laid out.
NOTATIONS = {"cogs": cogs_of, "varfree": varfree_of}


def view_of(view: PackedView, arity: Sequence[int], derivation: Sequence[int]) -> str:
    """The text of a derivation in a view."""
    return NOTATIONS[view.kind](Meaning(glue(view.rules, arity, derivation, written=True)))
