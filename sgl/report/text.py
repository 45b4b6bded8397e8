"""Trees and graphs for a terminal.

A tree grows to the right, a word beside its category; a graph is a table of words,
each with its governor, and the extra edges behind::

    S                               1  Emma  PROPN  nsubj of 2 saw
    ├─ NP                           2  saw   VERB   root
    │  └─ Name Emma                 3  Lina  PROPN  obj of 2 saw
    └─ VP
       ├─ V saw
       └─ NP
          └─ Name Lina
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from sgl.diagnostics.model import display_width
from sgl.report.model import Example, TreeNode


def _with_words(node: TreeNode) -> tuple[str, Sequence[TreeNode]]:
    """Return a category, with its words if it has nothing else, and the nodes below it."""
    if node.children and not any(child.children for child in node.children):
        return " ".join([node.label, *(child.label for child in node.children)]), ()
    return node.label, node.children


def tree_lines(
    tree: TreeNode, line_of: Callable[[TreeNode], tuple[str, Sequence[TreeNode]]] = _with_words
) -> list[str]:
    """Return the lines of a tree.

    ``line_of`` gives the text of the line of a node, and the nodes on the lines below it.
    """
    lines: list[str] = []
    pending = [(tree, "", "")]
    while pending:
        node, first, rest = pending.pop()
        text, below = line_of(node)
        lines.append(first + text)
        for child in reversed(below):
            branch, trunk = ("└─ ", "   ") if child is below[-1] else ("├─ ", "│  ")
            pending.append((child, rest + branch, rest + trunk))
    return lines


def graph_lines(example: Example) -> list[str]:
    """Return the words of a sentence as lines of a table, each with the edges that lead to it."""
    rows = [
        (str(place + 1), word.form, word.upos, ", ".join(_edges(example, place)))
        for place, word in enumerate(example.words)
    ]
    return columns(rows)


def _edges(example: Example, place: int) -> Iterator[str]:
    if place == example.root:
        yield "root"
    for arc in example.arcs:
        if arc.dependent == place:
            label = f"~{arc.label}" if arc.extracted else arc.label
            yield f"{label} of {arc.governor + 1} {example.words[arc.governor].form}"


def columns(rows: Sequence[tuple[str, ...]], gap: str = "  ") -> list[str]:
    """Rows as lines with aligned columns; wide characters take two places."""
    widths = [max(display_width(cell) for cell in column) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        padded = [
            cell + " " * (width - display_width(cell))
            for cell, width in zip(row, widths, strict=True)
        ]
        lines.append(gap.join(padded).rstrip())
    return lines
