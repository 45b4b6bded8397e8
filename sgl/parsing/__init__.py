"""Parsing: from the sentences of a text layer back to derivations.

::

    sentence ──> lattice ──> chart ──> packed forest ──> readings
                 (words)     (spans)   (rules)

``Parser(grammar, layer)`` reads any text layer of a core grammar: ``forest`` has
all readings of a sentence, packed, and ``failure`` says where one without readings
fails.  A reading found in one layer can be interpreted in all others.

``BatchParser(parser)`` reads many texts at once, without forests: how many readings each
has, and the best one.
"""

from sgl.parsing.batch import SATURATED, BatchParser, BatchReadings, FirstRead, read_first
from sgl.parsing.chart import TooLongError
from sgl.parsing.forest import (
    Alternative,
    Automaton,
    Forest,
    Node,
    Ranked,
    best_readings,
    number_of,
    probability,
)
from sgl.parsing.parser import LIMIT, ParseFailure, Parser, describe_failure
from sgl.parsing.templates import UnparsableLayerError
