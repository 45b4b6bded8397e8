"""What pictures show: trees of phrases, and dependency graphs over words."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TreeNode:
    """A node of a constituent tree; a leaf is a word and has no children.

    ``note`` is what a reader sees on pointing at the node: the full category.
    """

    label: str
    children: tuple[TreeNode, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class GraphWord:
    """A token of the source sentence with its part of speech, if it has a node.

    ``marked`` sets it off from the others.
    """

    form: str
    upos: str = ""
    marked: bool = False


@dataclass(frozen=True, slots=True)
class Arc:
    """A labelled edge between words, by 0-based position.

    ``extracted`` marks an edge of the enhanced graph that is no part of the
    basic tree (``~obj`` in a grammar).
    """

    governor: int
    label: str
    dependent: int
    extracted: bool = False

    @property
    def left(self) -> int:
        """The first of its words."""
        return min(self.governor, self.dependent)

    @property
    def right(self) -> int:
        """The last of its words."""
        return max(self.governor, self.dependent)


@dataclass(frozen=True, slots=True)
class Example:
    """One item: its texts, its derivation as a tree of each text, and its graph.

    ``trees`` are those of source and target; there are none for a derivation
    that is too large for a picture.
    """

    source: str
    target: str
    trees: tuple[TreeNode, ...]
    words: tuple[GraphWord, ...]
    arcs: tuple[Arc, ...]
    root: int
