"""Signs of other notations: what those who know them look for, and what SGL has instead.

Grammar formalisms write alternatives with ``|`` and options with ``?``, programming
languages begin comments with ``//``, and graphs are drawn with all kinds of arrows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from sgl.lang.surprise import Surprise


class Notation(NamedTuple):
    """Signs, where they are meant like this, and what to write."""

    signs: str
    where: Callable[[Surprise], bool]
    hint: str

    def applies(self, surprise: Surprise) -> bool:
        """Whether the surprise begins with one of the signs, and in such a place."""
        return (
            surprise.found[:1] in self.signs if surprise.found and self.where(surprise) else False
        )


#: Signs that begin a comment elsewhere, for lines that start no declaration.
COMMENTS = ("//", "/*", "--", "%", ";", "<!--", "(*")


def _on_right_hand_side(surprise: Surprise) -> bool:
    """In the first line of a rule, after its arrow, and not in brackets or after ``~``."""
    before = surprise.before
    _, arrow, children = before.partition("->")
    inside = children.count("[") > children.count("]")
    return (
        surprise.keyword == "rule"
        and bool(arrow)
        and "\n" not in before
        and "~" not in before
        and not inside
    )


def _in_weight(surprise: Surprise) -> bool:
    head = surprise.before
    return "~" in head.rpartition("\n")[2] and surprise.keyword in ("rule", "word", "lexicon")


def _in_graph(surprise: Surprise) -> bool:
    return surprise.takes("-[") or surprise.before.endswith(("-", "["))


def _comment(surprise: Surprise) -> bool:
    return surprise.rest.startswith(COMMENTS[:2])


def _between_edges(surprise: Surprise) -> bool:
    return surprise.takes(";")


def _after_word(surprise: Surprise) -> bool:
    return surprise.keyword == "word" and '"' in surprise.before and "\n" not in surprise.before


FOREIGN = (
    Notation("/", _comment, "a comment starts with `#`"),
    Notation("/%", _in_weight, "a weight is a plain number; only the proportions count"),
    Notation(
        "|", _on_right_hand_side, "a rule has one right-hand side; write a rule for each of them"
    ),
    Notation(",", _between_edges, "between edges stands `;`"),
    Notation("|", _after_word, "write a `word` for each of them"),
    Notation(
        "?(",
        _on_right_hand_side,
        "nothing is optional in a rule; write one with it and one without",
    ),
    Notation(
        "*+",
        _on_right_hand_side,
        "nothing is repeated by a sign; write a rule that contains its own category",
    ),
    Notation("-<=", _in_graph, "an edge leads from the head to the dependent: `V -[obj]-> N`"),
)
