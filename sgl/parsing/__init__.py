"""Parse the sentences of a text layer back into derivations.

A sentence becomes a lattice of words, then a chart of spans, then a *packed forest* of all its readings.  ``Parser``
reads any text layer of a core grammar and says where a sentence without readings fails; ``BatchParser`` reads many
texts at once, without forests.
"""

from sgl.parsing.forest import Alternative, Automaton, Forest, Node, Ranked, best_readings, number_of
from sgl.parsing.layer import UnparsableLayerError
from sgl.parsing.parser import (
    LIMIT,
    SATURATED,
    BatchParser,
    BatchReadings,
    FirstRead,
    ParseFailure,
    Parser,
    describe_failure,
    read_first,
)
from sgl.parsing.spellings import TooLongError
