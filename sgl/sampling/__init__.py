"""Sample the items of every stratum of a plan exactly: one seed, one result.

``pack`` turns the grammars of the splits into integer tables, and ``sample`` draws from them, item by item.
``StrataSampler`` does the same in batches, and ``standalone_source`` returns a module without dependencies that does
the same again.
"""

from sgl.sampling.acceptance import AMBIGUOUS, NotEnoughError, SampledItem, StratumItems, sample
from sgl.sampling.engine import LONGEST_DERIVATION, SCHEME, Tables
from sgl.sampling.tables import pack, standalone_source
