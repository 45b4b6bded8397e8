"""Exact samplers: the items of every stratum of a plan, one seed, one result.

::

    tables = pack(grammar, plan, split_grammars)
    interpret = Interpreter(grammar)
    for part in draw(tables):
        for found in part.items:
            item = interpret(found.derivation)

``pack`` turns the grammars of the splits into integer tables and ``draw``
samples them; ``standalone_source`` is a module without dependencies that does
the same.
"""

from sgl.sample.distinct import AMBIGUOUS, Found, NotEnoughError, Progress, Referee, StratumDraw
from sgl.sample.draw import Forecast, draw, forecast
from sgl.sample.engine import LONGEST_DERIVATION, Tables
from sgl.sample.interpreter import Interpreter
from sgl.sample.random import SCHEME
from sgl.sample.standalone import standalone_source
from sgl.sample.tables import pack

__all__ = [
    "AMBIGUOUS",
    "LONGEST_DERIVATION",
    "SCHEME",
    "Forecast",
    "Found",
    "Interpreter",
    "NotEnoughError",
    "Progress",
    "Referee",
    "StratumDraw",
    "Tables",
    "draw",
    "forecast",
    "pack",
    "standalone_source",
]
