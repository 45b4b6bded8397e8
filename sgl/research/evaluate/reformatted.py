"""*Reformatted exact match*, the metric published with SLOG, as its script computes it.

The metric is meant to ignore the order of conjuncts and the names of variables.  What
the script does is sort conjuncts as text, old numbers included, and then number the
variables as they occur.  It is kept here, errors and all, so that new figures can be
set beside published ones; ``equivalent`` is what it is meant to be.  Known errors:

* Equal forms judged different: where a predicate occurs twice (a verb repeated along a
  chain of complements), since the old numbers decide the order; two definite nouns
  without anything else; functions with their conjuncts swapped.
* Different forms judged equal: a second conjunction after ``;`` is dropped; ``x`` and
  ``_`` are ignored wherever they stand; with two or more definite nouns a single
  conjunct may stand among them.

Metric: Li et al. 2023, *SLOG*, section 4.
"""

from __future__ import annotations

from sgl.research.evaluate.comparison import Comparison

_PIECES = " ; "
_CONJUNCTS = " AND "
_IGNORED = frozenset({"x", "_"})


def reformatted_exact_match(gold: str, prediction: str) -> Comparison:
    """Compare two COGS forms as the published script of SLOG does, errors included."""
    if reformatted(gold) == reformatted(prediction):
        return Comparison(True)
    return Comparison(False, "the reformatted texts differ")


def reformatted(text: str) -> str:
    """A COGS form with its parts sorted and its variables numbered in that order."""
    return _renumbered(_reordered(text))


def _reordered(text: str) -> str:
    bare = " ".join(token for token in text.split(" ") if token not in _IGNORED)
    pieces = bare.split(_PIECES)
    bodies = [piece for piece in pieces if _CONJUNCTS in piece]
    others = [piece for piece in pieces if _CONJUNCTS not in piece]
    if not bodies and len(others) <= 2:
        return bare
    body = _CONJUNCTS.join(sorted(bodies[0].split(_CONJUNCTS))) if bodies else ""
    return _PIECES.join([*sorted(others), body])


def _renumbered(text: str) -> str:
    numbers: dict[str, str] = {}
    return " ".join(
        numbers.setdefault(token, str(len(numbers) + 1)) if token.isdigit() else token
        for token in text.split(" ")
    )
