"""Does training contain every piece of what is held out?

A benchmark that holds a structure out says that a model has seen everything
smaller.  The largest smaller things are its *pieces*: what is left of it when one link is
taken away::

    { V -[nsubj]-> N; N -[nmod]-> M }       without V–N   { N -[nmod]-> M }
                                            without N–M   { V -[nsubj]-> N }
    { V -[ccomp]{3}-> W }                   one shorter   { V -[ccomp]{2}-> W }
    { N[#amod>=5] }                         one fewer     { N[#amod>=4] }

A *link* is everything that a structure says of two nodes together: a relative
clause and its gap, ``N -[acl:relcl]-> V; V -[~obj]-> N``, are one link.  What
falls apart without a link gives a piece for each connected part.  A node that is
left alone and has no test says nothing and is no piece.  A ``without`` stays with
a piece that has all the nodes it speaks about.

Each piece is looked for in training (:mod:`sgl.automata.proofs.training`).  One that
training cannot contain is refuted, with the clauses that exclude it, unless the author
waives it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from sgl.automata.proofs.claims import Piece, Verdict
from sgl.automata.proofs.compiler import Conflict, find_conflict
from sgl.automata.proofs.evidence import Evidence
from sgl.automata.proofs.training import TrainingSearch
from sgl.core.plan import Pattern
from sgl.core.structure import (
    Body,
    DegreeTest,
    EdgeAtom,
    PathAtom,
    Structure,
    Variable,
)

Link = EdgeAtom | PathAtom


def pieces_of(structure: Structure) -> tuple[Structure, ...]:
    """Return the pieces of a structure, none of them twice up to the names of variables."""
    pieces: dict[Structure, Structure] = {}
    for reduced in _reduced(structure.body):
        for members in _connected(reduced):
            piece = _piece(structure, reduced, members)
            if piece is not None:
                pieces.setdefault(piece.canonical(), piece)
    return tuple(pieces.values())


@dataclass(frozen=True, slots=True)
class _Sketch:
    """A body under reduction: all its variables, and the links that are left."""

    variables: tuple[Variable, ...]
    links: tuple[Link, ...]


def _reduced(body: Body) -> Iterator[_Sketch]:
    """Yield the body with one link less or shorter, or one count lower, in each possible way."""
    links = body.links
    for pair in dict.fromkeys(frozenset((link.source, link.target)) for link in links):
        own = [link for link in links if {link.source, link.target} == pair]
        rest = tuple(link for link in links if {link.source, link.target} != pair)
        shorter = _shorter(own[0]) if len(own) == 1 else None
        yield _Sketch(body.variables, rest if shorter is None else (*rest, shorter))
    for place, variable in enumerate(body.variables):
        for number, test in enumerate(variable.degrees):
            if test.comparison != "<=" and test.number > 1:
                fewer = replace(test, number=test.number - 1)
                degrees = _exchanged(variable.degrees, number, fewer)
                changed = replace(variable, degrees=degrees)
                yield _Sketch(
                    (*body.variables[:place], changed, *body.variables[place + 1 :]), links
                )


def _exchanged(
    degrees: tuple[DegreeTest, ...], number: int, new: DegreeTest
) -> tuple[DegreeTest, ...]:
    return (*degrees[:number], new, *degrees[number + 1 :])


def _shorter(link: Link) -> Link | None:
    """Return a path with one edge less; ``None`` if nothing of the link is left."""
    if isinstance(link, EdgeAtom) or link.low <= 1:
        return None
    if link.low == 2:
        return EdgeAtom(link.source, link.labels, link.target)
    return replace(link, low=link.low - 1, high=link.low - 1)


def _connected(sketch: _Sketch) -> list[list[int]]:
    """Return the connected parts of a body, as lists of variables."""
    part = list(range(len(sketch.variables)))
    for link in sketch.links:
        kept, gone = part[link.source], part[link.target]
        part = [kept if name == gone else name for name in part]
    members: dict[int, list[int]] = {}
    for variable, name in enumerate(part):
        members.setdefault(name, []).append(variable)
    return list(members.values())


def _piece(structure: Structure, sketch: _Sketch, members: Sequence[int]) -> Structure | None:
    """Return the structure of one connected part; ``None`` if it says nothing."""
    links = [link for link in sketch.links if link.source in members]
    alone = sketch.variables[members[0]]
    if not links and not alone.tests and not alone.degrees:
        return None
    edges = [link for link in links if isinstance(link, EdgeAtom)]
    paths = [link for link in links if isinstance(link, PathAtom)]
    in_order: list[Link] = [*edges, *paths]
    # In the order of mention, so that the piece reads as an author would write it.
    ends = [end for link in in_order for end in (link.source, link.target)]
    number = {old: new for new, old in enumerate(dict.fromkeys([*ends, *members]))}
    names = {sketch.variables[old].name for old in members}
    known = {variable.name for variable in structure.body.variables}
    return Structure(
        layer=structure.layer,
        body=Body(
            variables=tuple(sketch.variables[old] for old in number),
            edges=tuple(
                replace(e, source=number[e.source], target=number[e.target]) for e in edges
            ),
            paths=tuple(
                replace(p, source=number[p.source], target=number[p.target]) for p in paths
            ),
        ),
        without=tuple(clause for clause in structure.without if _mentions(clause, known) <= names),
    )


def _mentions(clause: Body, names: Iterable[str]) -> set[str]:
    """Return the variables of the body that a ``without`` speaks about."""
    return {variable.name for variable in clause.variables}.intersection(names)


class Licensing:
    """The claims about the pieces of what the patterns of a plan hold out."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._search = TrainingSearch(evidence)

    def pieces(self, pattern: Pattern) -> tuple[Piece, ...]:
        """Return the claims about the pieces of what a pattern holds out, each piece once.

        Without training sentences nothing is claimed.
        """
        if not self._evidence.populated_training:
            return ()
        waived = {structure.canonical() for structure in pattern.waive}
        claims: dict[Structure, Piece] = {}
        for whole, piece in _pieces(pattern):
            name = piece.canonical()
            if name not in claims:
                claims[name] = self._claim(whole, piece, waived=name in waived)
        return tuple(claims.values())

    def idle_waivers(self, pattern: Pattern) -> tuple[Structure, ...]:
        """Return what a pattern waives that is a piece of nothing it holds out."""
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
    """Return the clauses that keep a structure out of the first training stratum."""
    if not evidence.populated_training:
        return None
    constraint = evidence.populated_training[0].stratum.constraint
    wanted = replace(constraint, require=(*constraint.require, (structure,)))
    return find_conflict(evidence.compiler, wanted)


def _pieces(pattern: Pattern) -> Iterator[tuple[Structure, Structure]]:
    """Yield what a pattern holds out with each of its pieces."""
    for whole in pattern.held_out:
        for piece in pieces_of(whole):
            yield whole, piece
