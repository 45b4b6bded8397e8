"""Warn about splits that miss their targets, and about targets that share a split.

A target that cannot be reached is no point of a curve: whoever draws scores over wanted divergences has to know which
were reached.  The cause is a bound of the search that the split touches, and each bound has an option that loosens it.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from sgl.diagnostics import Diagnostics
from sgl.research.divergence.search import ANNEALING, GREEDY, Found

#: A divergence is reached if it is at most this far from its target.
REACHED = 0.02

#: A bound counts as touched from this share of it on, and is looser by this factor in a hint.
_TOUCHED, _LOOSER = 0.98, 2.5


def report(found: Mapping[str, Found], diagnostics: Diagnostics) -> None:
    """Warn about the splits, by name, that miss their targets, and about splits that are equal."""
    same, told, options = dict[str, list[str]](), list[str](), dict[str, None]()
    for name, (_, proof) in found.items():
        _report_limit(name, proof, diagnostics)
        same.setdefault(proof["assignment"], []).append(name)
        if missed := [*_missed(proof)]:
            causes = [*_causes(proof)]
            options.update(dict.fromkeys(option for _, option in causes))
            told.append(f"{name and f'`{name}` '}has {'; '.join([*missed, *(cause for cause, _ in causes)])}")
    if told:
        what = "the split misses its target" if len(found) == 1 else f"{len(told)} of {len(found)} splits miss a target"
        hint = f"{' or '.join(options)} may come nearer" if options else _NO_CAUSE
        diagnostics.warning("SGL1304", None, what, hint, notes=told)
    for names in (names for names in same.values() if len(names) > 1):
        listed = f"{', '.join(f'`{name}`' for name in names[:-1])} and `{names[-1]}`"
        diagnostics.warning("SGL1305", None, f"{listed} are the same split", "show it once, as what it reached")


#: The hint if no bound is in the way.
_NO_CAUSE = "the items may have no such split; a longer search (`--moves`) may come nearer"


def _report_limit(name: str, proof: dict[str, Any], diagnostics: Diagnostics) -> None:
    atoms, limit = proof["divergence"]["atoms"], proof["target"]["atom_limit"]
    if proof["method"]["name"] == ANNEALING and atoms > limit:
        split = f"no split{name and f' for {name}'} with an atom divergence of at most {limit:g} was found"
        hint = "the bounds may be too narrow, or the items too few"
        diagnostics.warning("SGL1303", None, f"{split}; this one has {atoms:.6f}", hint)


def _missed(proof: dict[str, Any]) -> Iterator[str]:
    """Yield the divergences that are far from their targets; for too much atom divergence there is a limit."""
    reached, wanted = proof["divergence"], proof["target"]
    if abs(reached["compounds"] - wanted["compounds"]) > REACHED:
        yield f"a compound divergence of {reached['compounds']:.4f} instead of {wanted['compounds']:g}"
    if wanted["atoms"] - reached["atoms"] > REACHED:
        yield f"an atom divergence of {reached['atoms']:.4f} instead of {wanted['atoms']:g}"


def _causes(proof: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the bounds that the split touches, each with the option that loosens it."""
    atoms, target, sizes, bounds = proof["divergence"]["atoms"], proof["target"], proof["sizes"], proof["bounds"]
    if proof["method"]["name"] == GREEDY:
        yield "the greedy method does not go back", f"`--method {ANNEALING}`"
    elif atoms >= _TOUCHED * target["atom_limit"]:
        place = "above" if atoms > target["atom_limit"] else "at"
        cause = f"its atom divergence, {atoms:.4f}, is {place} the limit of {target['atom_limit']:g}"
        looser = min(1.0, _LOOSER * max(target["atom_limit"], atoms, 0.001))
        yield cause, f"`--atom-limit {round(looser, 4):g}`"
    if 0 < bounds["discards"] <= sizes["discarded"]:
        yield "all items are discarded that may be", f"`--discard {2 * bounds['discards']}`"
