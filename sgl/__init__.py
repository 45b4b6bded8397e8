"""SGL: a language and compiler for compositional-generalization benchmarks.

A grammar declares which structure each generalization pattern holds out of training.  SGL proves this, samples the
dataset, and scores the outputs of models::

    import sgl
    g = sgl.load("sget")                                  # or a file; sgl.grammars() lists what comes with SGL
    g.sample(5).to_pandas()                               # sentences with all layers
    g.patterns["pp_in_subject"].sample(3, beside=True)    # items beside what training shows
    g.prove()                                             # the claims
    d = g.compile("out/sget")                             # the dataset
    sgl.evaluate(d, {"model": predictions}).by("pattern").to_pandas()

All errors raise ``GrammarError``.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sgl.api.dataset import Dataset, Predictions, audit, evaluate, open_dataset, prompts
    from sgl.api.grammar import Grammar, grammars, load, loads
    from sgl.api.patterns import Pattern
    from sgl.api.texts import Text, Texts
    from sgl.api.values import Findings, GrammarError, Scores

__all__ = [
    "Dataset",
    "Findings",
    "Grammar",
    "GrammarError",
    "Pattern",
    "Predictions",
    "Scores",
    "Text",
    "Texts",
    "audit",
    "evaluate",
    "grammars",
    "load",
    "loads",
    "open_dataset",
    "prompts",
]

__version__ = "0.1.0"

#: Edition of the language that this compiler reads.
EDITION = "2026"


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'sgl' has no attribute {name!r}")
    # What writes and reads datasets takes longer to load than a grammar.
    of_data = ("Dataset", "Predictions", "Scores", "audit", "evaluate", "open_dataset", "prompts")
    home = "dataset" if name in of_data else "grammar"
    return getattr(import_module(f"sgl.api.{home}"), name)


def __dir__() -> list[str]:
    return [*__all__, "EDITION", "__version__"]
