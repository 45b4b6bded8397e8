"""Distribution-based compositionality assessment: splits by divergence (Keysers et al. 2020).

::

    files, view = files_of([Path("out/farm")], None)
    material = read_material(files, Wanted(view))
    labels = anneal(material.elements, Target(compounds=1.0), Bounds(), seed=11)
    measure(material.elements, labels == TRAIN, labels == TEST)

A split by divergence keeps what sentences are made of (atoms) alike in training and test
and makes how it is put together (compounds) as different as one wants.  It is complementary
to held-out structures: nothing is proved about any structure, but every corpus can be split.
"""

from sgl.core.divergence import ATOM_ALPHA, COMPOUND_ALPHA, SplitDivergence, divergence
from sgl.research.divergence.bounds import DISCARDED, SETS, TEST, TRAIN, Bounds, NoSuchSplitError
from sgl.research.divergence.certificate import FORMAT, certificate
from sgl.research.divergence.derivations import derivation_trees
from sgl.research.divergence.elements import Elements, Occurrences, listed
from sgl.research.divergence.measure import divergence_of_counts, measure, recomputed
from sgl.research.divergence.search import Annealing, Greedy, Target, anneal, greedy
from sgl.research.divergence.sources import (
    VIEWS,
    Material,
    NoItemsError,
    Part,
    Wanted,
    files_of,
    read_material,
)

__all__ = [
    "ATOM_ALPHA",
    "COMPOUND_ALPHA",
    "DISCARDED",
    "FORMAT",
    "SETS",
    "TEST",
    "TRAIN",
    "VIEWS",
    "Annealing",
    "Bounds",
    "Elements",
    "Greedy",
    "Material",
    "NoItemsError",
    "NoSuchSplitError",
    "Occurrences",
    "Part",
    "SplitDivergence",
    "Target",
    "Wanted",
    "anneal",
    "certificate",
    "derivation_trees",
    "divergence",
    "divergence_of_counts",
    "files_of",
    "greedy",
    "listed",
    "measure",
    "read_material",
    "recomputed",
]
