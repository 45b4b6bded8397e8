"""Does SGL do what its pages say?  Models, forgers and makers of mistakes, on random or real grammars.

    python benchmarks/models.py --list
    python benchmarks/models.py random_claims --pairs 3000
    python benchmarks/models.py random_claims --layers --pairs 2600 --seed 100000
    python benchmarks/models.py agreement grammars/sget.sgl --random

Each is a module of ``tests``, where a small part of it is run; its docstring says what it compares, and ``--help``
after its name lists its options.  The exit status is 1 if something is wrong.
"""

from __future__ import annotations

import sys
from importlib import import_module

import common  # noqa: F401 - finds the modules of the tests

#: The models, and the question that each answers.
QUESTIONS = {
    "random_claims": "are splits, verdicts and data of grammars and patterns right?",
    "random_grammars": "do automata and the definition agree?",
    "random_parts": "are phrases in several parts right?",
    "random_texts": "are texts, their readings and twins right?",
    "random_paradigms": "are paradigms and tables of features right?",
    "notation": "does what says things once mean what it means written out?",
    "namings": "do names mean what their rules say?",
    "algebra": "do rules that compute with features mean what all their values say?",
    "licensed": "does training show the pieces that it is said to show?",
    "twins": "do the twins of a text differ from it as they are to?",
    "attributes": "do the graphs of sampled texts have the attributes that rules and words give?",
    "agreement": "do automata, subgraph search and the definition agree about the structures of a grammar?",
    "frequencies": "do samples of a grammar have the computed probabilities?",
    "roundtrip": "does every sampled sentence of a grammar parse back to itself?",
    "scoring": "are scores right on predictions with known faults?",
    "planted": "are the kinds of mistakes right on predictions with known ones?",
    "equivalence": "is a logical form equal to itself written otherwise, and to no form with another meaning?",
    "mutants": "is every wrong grammar caught?",
    "tampered": "is every changed dataset or certificate caught?",
}
_FOLDERS = {"mutants": "mutation", "tampered": "tampering"}


def main() -> int:
    """Run a model and return its exit status."""
    chosen = sys.argv[1] if len(sys.argv) > 1 else "--help"
    if chosen == "--list":
        print("\n".join(f"{name:16} {question}" for name, question in QUESTIONS.items()))
        return 0
    if chosen not in QUESTIONS:
        print(__doc__)
        return 0 if chosen in ("-h", "--help") else 2
    sys.argv = [f"models.py {chosen}", *sys.argv[2:]]
    folder = _FOLDERS.get(chosen)
    return int(import_module(f"{folder}.{chosen}" if folder else chosen).main())


if __name__ == "__main__":
    sys.exit(main())
