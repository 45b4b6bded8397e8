"""Graphs as the graph layers derive them: nodes on tokens, labelled edges.

An edge whose label starts with ``~`` leads to an extracted node (the gap of a
relative clause, a fronted wh-word, a controlled subject).  In UD terms the
unmarked edges form the basic tree and all edges together the enhanced graph.

This module needs nothing but the standard library of Python 3.9, because the standalone
sampler of a dataset contains it as it is.
"""

from __future__ import annotations

from typing import NamedTuple


class GraphNode(NamedTuple):
    """A node: its attributes (sorted pairs) and its token's 0-based position."""

    attributes: tuple[tuple[str, str], ...]
    position: int

    def get(self, attribute: str, default: str = "") -> str:
        """Return the value of an attribute, or ``default``."""
        for key, value in self.attributes:
            if key == attribute:
                return value
        return default


class Graph(NamedTuple):
    """A graph over the tokens of a sentence.

    ``nodes`` are in the order of their tokens; an edge ``(s, label, t)`` names
    nodes by their index in ``nodes``; ``head`` is the index of the head of the whole
    text.  ``edges`` are sorted; in a free layer they are sorted by their sources only,
    and the edges of one node stand in the order in which the derivation writes them:
    those of an outer rule before those of an inner one, those of one rule as written.
    That is how logical forms list the roles of an event, the subject first.
    """

    nodes: tuple[GraphNode, ...]
    edges: tuple[tuple[int, str, int], ...]
    head: int
