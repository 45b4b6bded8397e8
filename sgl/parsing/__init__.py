"""Parsing: from the sentences of a text layer back to derivations.

::

    sentence ──> lattice ──> chart ──> packed forest ──> readings
                 (words)     (spans)   (rules)

``Parser(grammar, layer)`` reads any text layer of a core grammar: ``forest`` has
all readings of a sentence, packed, and ``obstacle`` says where one without readings
fails.  A reading found in one layer can be interpreted in all others.

``BatchParser(parser)`` reads many texts at once, without forests: how many readings each
has, and the best one.
"""

from sgl.parsing.batch import SATURATED, BatchParser, FirstRead, Readings, read_first
from sgl.parsing.forest import (
    Alternative,
    Automaton,
    Forest,
    Node,
    Ranked,
    best_readings,
    probability,
)
from sgl.parsing.parser import LIMIT, Obstacle, Parser, describe_obstacle
from sgl.parsing.templates import UnparsableLayerError

__all__ = [
    "LIMIT",
    "SATURATED",
    "Alternative",
    "Automaton",
    "BatchParser",
    "FirstRead",
    "Forest",
    "Node",
    "Obstacle",
    "Parser",
    "Ranked",
    "Readings",
    "UnparsableLayerError",
    "best_readings",
    "describe_obstacle",
    "probability",
    "read_first",
]
