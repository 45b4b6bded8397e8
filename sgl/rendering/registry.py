"""The registry of views: notations in which a semantic graph is one line of text.

Each module of ``sgl.rendering.views`` registers its own, and says here all that the rest of
SGL wants to know of it::

    register(View("cogs", "the logical form of COGS", cogs_of, target=True))

A view that can be a *target* is written by standalone samplers, which contain its module: this
module, ``sgl.rendering.meaning`` and the modules of such views need nothing but the standard
library of Python 3.9, and their names have to differ.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from sgl.core.graph import Graph
from sgl.rendering.meaning import Meaning


def lemma_not_kept(lemma: str) -> int | None:  # noqa: ARG001
    """Return 0: nothing of a form depends on what its lemmas are."""
    return 0


def lemma_kept(lemma: str) -> int | None:  # noqa: ARG001
    """Return None: a form depends on all of its lemmas."""
    return None


class View(NamedTuple):
    """A view: its name, a phrase about it, and the function that writes a graph.

    ``write`` takes a graph that is laid out, and raises ``ViewError`` if it has no such form.
    A ``target`` can be what a dataset is written in.  ``kept`` says how many letters of a lemma
    decide about more than the place where the lemma stands, or None if all do.  ``syntax`` says
    how forms are compared by their meaning: as ``atoms`` or as ``terms``, or not at all.
    """

    name: str
    description: str
    write: Callable[[Meaning], str]
    target: bool = False
    kept: Callable[[str], int | None] = lemma_not_kept
    syntax: str = ""

    def render(self, graph: Graph, tokens: Sequence[str] = ()) -> str:  # noqa: ARG002
        """Return a graph in the notation of the view; the tokens of its sentence do not matter.

        Raises:
            ViewError: if the graph has no such form.
        """
        return self.write(Meaning(graph))


#: The views by name.
VIEWS: dict[str, View] = {}


def register(view: View) -> None:
    """Add a view.

    Raises:
        ValueError: if there is one of this name.
    """
    if view.name in VIEWS:
        raise ValueError(f"there are two views called '{view.name}'")
    VIEWS[view.name] = view
