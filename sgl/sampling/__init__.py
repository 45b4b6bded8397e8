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

from sgl.sampling.distinct import AMBIGUOUS, Found, NotEnoughError, Progress, Referee, StratumDraw
from sgl.sampling.draw import Forecast, draw, forecast
from sgl.sampling.engine import LONGEST_DERIVATION, Tables
from sgl.sampling.interpreter import Interpreter
from sgl.sampling.random import SCHEME
from sgl.sampling.standalone import standalone_source
from sgl.sampling.tables import pack

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
