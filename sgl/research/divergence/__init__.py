"""Distribution-based compositionality assessment: splits by divergence (Keysers et al. 2020).

A split by divergence keeps what sentences are made of (atoms) alike in training and test and makes
how it is put together (compounds) as different as one wants.  It is complementary to held-out
structures: nothing is proved about any structure, but every corpus can be split.
"""

from sgl.core.arrays import SplitDivergence, divergence
from sgl.research.divergence.problem import *  # noqa: F403
from sgl.research.divergence.search import SplitTask, anneal, certificate, greedy
from sgl.research.divergence.sources import ElementSettings, ItemSet, NoItemsError, find_files, read_items
