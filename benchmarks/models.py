"""Does SGL do what its pages say?  Models that share nothing with the compiler, on random grammars.

    python benchmarks/models.py --list
    python benchmarks/models.py random_claims --pairs 3000
    python benchmarks/models.py random_claims --layers --pairs 2600 --seed 100000
    python benchmarks/models.py licensed --grammars 1500

Each model is a module of ``tests/models``, where some seeds of it are tests; its docstring says what it compares, and
``--help`` after its name lists its options.  The exit status is 1 if anything differs.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

MODELS = Path(__file__).parent.parent / "tests" / "models"
#: What is run, and the question that it answers.
QUESTIONS = {
    "random_claims": "are splits, verdicts and data of grammars and patterns right?",
    "random_grammars": "do automata and the definition agree?",
    "random_parts": "are phrases in several parts right?",
    "random_texts": "are texts, their readings and twins right?",
    "notation": "does what says things once mean what it means written out?",
    "licensed": "does training show the pieces that it is said to show?",
    "twins": "do the twins of a text differ from it as they are to?",
    "attributes": "do the graphs of sampled texts have the attributes that rules and words give?",
}


def model(name: str) -> Any:  # noqa: ANN401 - a module
    """Import a model."""
    if str(MODELS) not in sys.path:
        sys.path.append(str(MODELS))
    return import_module(name)


def main() -> int:
    """Run a model; the exit status is its own."""
    chosen = sys.argv[1] if len(sys.argv) > 1 else "--help"
    if chosen == "--list":
        print("\n".join(f"{name:16} {question}" for name, question in QUESTIONS.items()))
        return 0
    if chosen not in QUESTIONS:
        print(__doc__)
        return 0 if chosen in ("-h", "--help") else 2
    sys.argv = [f"models.py {chosen}", *sys.argv[2:]]
    return int(model(chosen).main())


if __name__ == "__main__":
    sys.exit(main())
