"""Does training contain every piece of what is held out?

Each piece (:mod:`sgl.automata.proofs.pieces`) is looked for in training
(:mod:`sgl.automata.proofs.search`).  One that training cannot contain is refuted, with the
clauses that exclude it, unless the author waives it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sgl.automata.proofs.conflict import Conflict, find_conflict
from sgl.automata.proofs.evidence import Evidence
from sgl.automata.proofs.pieces import pieces_of
from sgl.automata.proofs.proofs import Piece, Verdict
from sgl.automata.proofs.search import TrainingSearch
from sgl.core.plan import Pattern
from sgl.core.structure import Structure


class Licensing:
    """The claims about the pieces of what the patterns of a plan hold out."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._search = TrainingSearch(evidence)

    def pieces(self, pattern: Pattern) -> tuple[Piece, ...]:
        """The claims about the pieces of what a pattern holds out, each piece once.

        Without training sentences nothing is claimed.
        """
        if not self._evidence.drawn_training:
            return ()
        waived = {structure.canonical() for structure in pattern.waive}
        claims: dict[Structure, Piece] = {}
        for whole, piece in _pieces(pattern):
            name = piece.canonical()
            if name not in claims:
                claims[name] = self._claim(whole, piece, waived=name in waived)
        return tuple(claims.values())

    def idle_waivers(self, pattern: Pattern) -> tuple[Structure, ...]:
        """What a pattern waives that is a piece of nothing it holds out."""
        known = {piece.canonical() for _, piece in _pieces(pattern)}
        return tuple(s for s in pattern.waive if s.canonical() not in known)

    def _claim(self, whole: Structure, piece: Structure, *, waived: bool) -> Piece:
        seen = self._search.find(piece)
        if seen is not None:
            return Piece(piece, whole, Verdict.PROVED, seen.stream, seen.derivation)
        if waived:
            return Piece(piece, whole, Verdict.WAIVED)
        conflict = why_absent(self._evidence, piece)
        return Piece(piece, whole, Verdict.REFUTED, conflict=conflict)


def why_absent(evidence: Evidence, structure: Structure) -> Conflict | None:
    """The clauses that keep a structure out of the first training stratum, if there is one."""
    if not evidence.drawn_training:
        return None
    constraint = evidence.drawn_training[0].stratum.constraint
    wanted = replace(constraint, require=(*constraint.require, (structure,)))
    return find_conflict(evidence.compiler, wanted)


def _pieces(pattern: Pattern) -> Iterator[tuple[Structure, Structure]]:
    """What a pattern holds out with each of its pieces."""
    for whole in pattern.held_out:
        for piece in pieces_of(whole):
            yield whole, piece
