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

from collections.abc import Iterator, Sequence

from sgl.diagnostics.source import display_width
from sgl.report.model import Example, TreeNode


def tree_lines(tree: TreeNode) -> list[str]:
    """Return the lines of a tree."""
    return list(_lines(tree, "", ""))


def _lines(node: TreeNode, first: str, rest: str) -> Iterator[str]:
    words = [child.label for child in node.children if not child.children]
    if node.children and len(words) == len(node.children):
        yield f"{first}{node.label} {' '.join(words)}"
        return
    yield f"{first}{node.label}"
    for child in node.children:
        last = child is node.children[-1]
        yield from _lines(
            child, rest + ("└─ " if last else "├─ "), rest + ("   " if last else "│  ")
        )


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
