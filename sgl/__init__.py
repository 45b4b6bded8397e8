"""SGL: a language and compiler for compositional-generalization benchmarks.

An author writes one weighted synchronous grammar and says, for each
generalization pattern, which structure is held out of training.  The compiler
turns that into exact samplers, datasets and proofs.  The data flows one way
through the packages::

    lang -> frontend -> core -> automata -> sampling -> rendering -> dataset -> verify

``verify`` trusts nothing to its left: it re-reads only the written files.

For users of Python there is one door, and what is behind it is loaded when it is used::

    import sgl
    g = sgl.load("sget")
    g.sample(5)
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sgl.api.dataset import Dataset, audit, evaluate, open_dataset
    from sgl.api.grammar import Grammar, load
    from sgl.api.values import Findings, GrammarError, Text, Texts

__all__ = [
    "Dataset",
    "Findings",
    "Grammar",
    "GrammarError",
    "Text",
    "Texts",
    "audit",
    "evaluate",
    "load",
    "open_dataset",
]

__version__ = "0.1.0"

#: Edition of the language that this compiler reads.
EDITION = "2026"


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'sgl' has no attribute {name!r}")
    # What writes and reads datasets takes longer to load than a grammar.
    home = "dataset" if name in ("Dataset", "audit", "evaluate", "open_dataset") else "grammar"
    return getattr(import_module(f"sgl.api.{home}"), name)


def __dir__() -> list[str]:
    return [*__all__, "EDITION", "__version__"]
