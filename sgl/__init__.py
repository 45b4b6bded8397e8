"""SGL: a language and compiler for compositional-generalization benchmarks.

An author writes one weighted synchronous grammar and says, for each
generalization pattern, which structure is held out of training.  The compiler
turns that into exact samplers, datasets and proofs.  The data flows one way
through the packages::

    lang -> frontend -> core -> automata -> sampling -> rendering -> dataset -> verify

``verify`` trusts nothing to its left: it re-reads only the written files.
"""

__version__ = "0.1.0"

#: Edition of the language that this compiler reads.
EDITION = "2026"
