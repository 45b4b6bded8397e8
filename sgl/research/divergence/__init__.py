"""Split corpora by divergence: distribution-based compositionality assessment (Keysers et al. 2020).

A split by divergence keeps the parts of sentences (atoms) alike in training and test, and makes their combinations
(compounds) as different as wanted.  It complements held-out structures: nothing is proved about any structure, but
every corpus can be split.
"""

from sgl.core.arrays import SplitDivergence, divergence
from sgl.research.divergence.problem import *  # noqa: F403
from sgl.research.divergence.search import SplitTask, anneal, certificate, greedy
from sgl.research.divergence.sources import ElementSettings, ItemSet, NoItemsError, find_files, read_items
