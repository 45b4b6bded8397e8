"""The registry of views: notations in which a semantic graph is one line of text.

Each module of ``sgl.rendering.views`` registers its own, and says here all that the rest of SGL wants to know of it::

    register(View("cogs", "the logical form of COGS", cogs_of))

A view that is a target of a dataset is written by its standalone sampler, which contains the module
of the view: this module, ``sgl.rendering.meaning`` and the modules of views need nothing but the
standard library of Python 3.9, and their names have to differ.
"""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from sgl.core.graph import Graph
from sgl.rendering.meaning import Meaning, ViewError


def lemma_not_kept(lemma: str) -> int | None:  # noqa: ARG001
    """Return 0: nothing of a form depends on what its lemmas are."""
    return 0


#: In an unfinished form: stands before and after the number of a variable, and between parts.
OPEN, CLOSE, PART = "\uf8d0", "\uf8d1", "\uf8d2"
_MARKS = re.compile(f"[{OPEN}{CLOSE}{PART}]")


class View(NamedTuple):
    """A view: its name, a phrase about it, and the function that writes a graph.

    ``write`` takes a graph that is laid out, and raises ``ViewError`` if it has no such form. ``kept`` says how many
    letters of a lemma decide about more than the place where the lemma stands, or None if all do.  ``syntax`` says
    how forms are compared by their meaning: as ``atoms`` or as ``terms``, or not at all.

    Where the names of variables depend on the words, ``write`` leaves the form unfinished: with ``OPEN``, a number
    and ``CLOSE`` for variables.  ``finish`` names them, and returns a form without such marks as it is.
    """

    name: str
    description: str
    write: Callable[[Meaning], str]
    kept: Callable[[str], int | None] = lemma_not_kept
    syntax: str = ""
    finish: Callable[[str], str] | None = None

    def render(self, graph: Graph, tokens: Sequence[str] = ()) -> str:  # noqa: ARG002
        """Return a graph in this notation, whatever its tokens; raises ``ViewError``."""
        form = self.unfinished(graph)
        return form if self.finish is None else self.finish(form)

    def unfinished(self, graph: Graph) -> str:
        """Return the same before its variables have names; raises ``ViewError``."""
        meaning = Meaning(graph)
        if self.finish is not None and any(map(_MARKS.search, meaning.lemma.values())):
            raise ViewError("a word has a character that stands for variables")
        return self.write(meaning)


#: The views by name.
VIEWS: dict[str, View] = {}


def register(view: View) -> None:
    """Add a view; raises ``ValueError`` if there is one of this name."""
    if view.name in VIEWS:
        raise ValueError(f"there are two views called '{view.name}'")
    VIEWS[view.name] = view
