"""Find the clause to blame when several claims fail at once.

A structure that is too wide rules out parts that other patterns need, so that good patterns fail instead of the bad
one.  Each failed claim has a minimal conflict: clauses that cannot hold together.  The clause that is in most conflicts
is the one whose removal repairs most, so it is reported first, with its consequences; then the remaining failures are
treated in the same way (a greedy hitting set).
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from sgl.core.claims import Conflict, PatternProofs, Proofs
from sgl.core.pieces import connected
from sgl.core.plan import GEN, IN_DISTRIBUTION
from sgl.core.structure import Structure
from sgl.diagnostics import Diagnostics, Span
from sgl.frontend import Compiled
from sgl.frontend.elaborate.substitution import variables_in
from sgl.frontend.lower.patterns import LoweredPart, LoweredPattern
from sgl.lang import syntax as s
from sgl.pipeline.sentences import place_of_stream

#: A clause is reported if it alone makes at least this number of claims fail.
_SEVERAL = 2


class Failure(NamedTuple):
    """A failed claim: the clauses in conflict, and a description of the failure."""

    conflict: Conflict
    text: str


class Guilt(NamedTuple):
    """A clause with the failures that it causes."""

    structure: Structure
    failures: tuple[Failure, ...]


def guilty_clauses(proofs: Proofs) -> list[Guilt]:
    """Return the clauses that cause several failures, worst first."""
    failures, found = [*_failures(proofs)], list[Guilt]()
    while True:
        blamed: dict[Structure, list[Failure]] = {}
        for failure in failures:
            for structure in failure.conflict.exclude:
                blamed.setdefault(structure, []).append(failure)
        worst = max(blamed, key=lambda structure: len({x.text for x in blamed[structure]}), default=None)
        if worst is None or len({failure.text for failure in blamed[worst]}) < _SEVERAL:
            return found
        found.append(Guilt(worst, tuple(blamed[worst])))
        failures = [failure for failure in failures if failure not in blamed[worst]]


def report_guilt(compiled: Compiled, guilt: Guilt, as_in: Callable[[Structure], str], diagnostics: Diagnostics) -> None:
    """Report a clause with its consequences; ``as_in`` shows a sentence with a structure."""
    structure = guilt.structure
    declared: tuple[LoweredPattern | LoweredPart, ...] = (*compiled.patterns, *compiled.parts)
    owner = next((own for own in declared if structure in own.places), None)
    place = owner.places[structure] if owner is not None else compiled.dataset_span
    name = f"`{owner.declaration.name}`" if owner is not None else "a restriction"
    hint = _remedy(owner, structure)
    follows = "; ".join(dict.fromkeys(failure.text for failure in guilt.failures))
    message = f"{name} rules out what other clauses need"
    label = f"ruled out here{as_in(structure)}{scattered(structure)}"
    diagnostics.error("SGL0856", place, message, hint, label=label, notes=(f"therefore {follows}",))


def _remedy(owner: LoweredPattern | LoweredPart | None, structure: Structure) -> str:
    if isinstance(owner, LoweredPart):
        return (
            f"only sentences of the part `{owner.part.name}` may contain it: make it narrower there, or write `apart`"
        )
    if owner is not None and structure == owner.target_structure:
        return "its targets are `seen only in exposures`: leave this out, or choose other targets"
    if owner is not None and structure in owner.pattern.reserved:
        return "only exposures may contain what `expose` shows: let it show a narrower structure"
    if owner is not None and owner.pattern.forgets_targets:
        return f"no structure of `{owner.pattern.name}` mentions its targets: write `N[@targets]`"
    return "make the structure narrower, with tests or more edges"


def is_case(structure: Structure, proofs: PatternProofs, place_of: Callable[[Structure], Span]) -> bool:
    """Return whether a structure is only the case of a held-out clause in which two of its nodes coincide."""
    own = {claim.structure for claim in proofs.held_out if claim.structure.apart} - proofs.vacuous
    return any(place_of(other) == place_of(structure) for other in own)


def scattered(structure: Structure) -> str:
    """Return a remark on a structure whose edges share no node."""
    ends = {link.source for link in structure.body.links}
    parts = [part for part in connected(structure.body) if not ends.isdisjoint(part)]
    return "; its edges share no node" if len(parts) > 1 else ""


def nodes_in_common(compiled: Compiled, stream: str) -> str:
    """Return the start of a hint about nodes that a condition of ``size`` shares with the structure; empty if none."""
    place = place_of_stream(compiled, stream)
    for lowered in compiled.patterns:
        own = {n.text for clause in s.parts_of(s.StructureClause, lowered.declaration) for n in variables_in(clause)}
        for item in (item for item in s.parts_of(s.SizeItem, lowered.declaration) if item.span == place):
            shared = sorted({f"`{name}`" for name in variables_in(item) if name.text in own})
            if shared:
                return (
                    f"{', '.join(shared)} also stand for nodes of the structure here: rename those meant as others, or "
                )
    return ""


def _failures(proofs: Proofs) -> Iterator[Failure]:
    left: dict[Conflict, list[str]] = {}
    for stratum in proofs.unsatisfiable:
        split, category, *_ = stratum.stream.split("/")
        if category == IN_DISTRIBUTION:
            left.setdefault(stratum.conflict, []).append(f"`{split}`")
        elif split == GEN:
            yield Failure(stratum.conflict, f"no sentence can be an item of `{category}`")
    for conflict, splits in left.items():
        yield Failure(conflict, f"no sentence is left for {', '.join(splits)}")
    for claims in proofs.patterns:
        for licence in claims.licences:
            if licence.refuted and licence.conflict is not None:
                yield Failure(licence.conflict, f"training cannot contain what `{claims.name}` needs")
        for piece in claims.pieces:
            # A piece that occurs only with the whole does not concern other patterns.
            if piece.refuted and piece.conflict is not None and piece.whole not in piece.conflict.exclude:
                yield Failure(piece.conflict, f"training cannot contain a piece of what `{claims.name}` holds out")
