"""Is *licensed* what docs/guarantees.md says, on random grammars and patterns?

What a pattern holds out has *pieces* (``pieces.py``); training must be able to contain each of them, unless the
pattern waives it, and each part that it needs.  Here the sentences of training are listed up to a length, by the
model of ``tests/models/claims_trees.py``, and every one is searched for every piece::

    python benchmarks/models.py licensed --grammars 1000 --seed 1
    python benchmarks/models.py licensed --grammars 1000 --seed 1 --layers

Compared are, for each pattern, which pieces there are and which waivers waive nothing; for each piece and each
need, the verdict, and the sentence that is shown; and for each piece and part of training, which of all sentences
up to the length have the piece.  A piece that is found must be licensed.  One that is licensed must be found if
the sentence that is shown is within the length.  Differences are printed, and the exit status is then 1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path
from random import Random

from claims_maker import Maker
from claims_matches import contains
from claims_patterns import Pattern, Portion, StreamClaims
from claims_streams import derivations, term_of
from claims_structures import Body, Structure
from claims_trees import Tree, trees
from harness import Compare, Difference, command
from pieces import Joint, answered, name_of, pieces, read, written
from sgl.automata import Proofs, StructureCompiler, StructureTooCostly, UnsupportedStructure, Verdict
from sgl.core import claims as answers
from sgl.core import structure as core
from sgl.core.interpret import interpret
from sgl.diagnostics import Diagnostics, SourceMap
from sgl.frontend import Compiled
from sgl.pipeline.grammar import open_grammar
from sgl.pipeline.proofs import establish

#: Words of the longest sentence, and the most phrases of a category that are listed.
LONGEST, MOST = 7, 1_200


class PieceMaker(Maker):
    """Draws grammars whose patterns have longer walks, greater counts, measures and waivers; and parts of training."""

    def __init__(self, random: Random, *, layered: bool = False) -> None:
        """Begin; with a ``layered`` grammar structures join two graph layers."""
        super().__init__(random, layered=layered)
        self.parts = tuple(
            Portion(f"part{n}", random.choice(("only", "apart")), self.structure())
            for n in range(random.choice((0, 0, 0, 1)))
        )
        self.patterns = tuple(self._changed(pattern) for pattern in self.patterns)
        #: Words that training has in the exposures of a pattern only.
        self.reserved = {
            pattern.name: random.choice(self.lemmas)
            for pattern in self.patterns
            if pattern.expose and random.random() < 0.4
        }

    def _changed(self, pattern: Pattern) -> Pattern:
        """The pattern with waivers, and sometimes with an assertion in place of a cut."""
        if len(pattern.forbid) > 1 and self.random.random() < 0.4:
            pattern = replace(pattern, forbid=pattern.forbid[:1], never=pattern.forbid[1:])
        return replace(pattern, waive=tuple(self._waived(pattern)))

    def structure(self) -> Structure:
        """A structure, some of whose walks and counts are greater; sometimes with a length."""
        random, own = self.random, super().structure()
        own = replace(self._greater(own), more=tuple(self._greater(part) for part in own.more))
        if random.random() < 0.1:
            own = replace(own, lengths=(("en", random.choice((">=", "<=")), random.randint(2, 5)),))
        return own

    def _greater(self, part: Structure) -> Structure:
        random = self.random
        walks = ((2, 2), (2, 2), (3, 3), (2, None), (2, 3))
        links = [
            own._replace(**dict(zip(("low", "high"), random.choice(walks), strict=True)))
            if random.random() < 0.15
            else own
            for own in part.body.links
        ]
        degrees = {
            name: (labels, sign, number + random.choice((0, 0, 1)))
            for name, (labels, sign, number) in part.body.degrees.items()
        }
        return replace(part, body=replace(part.body, links=tuple(links), degrees=degrees))

    def _waived(self, pattern: Pattern) -> Iterator[Structure]:
        random = self.random
        for (_, joint), piece in all_pieces(pattern).items():
            # There is no notation for a piece of a structure that joins layers.
            if random.random() < 0.25 and not joint:
                yield written(piece)
        if random.random() < 0.1:
            yield self.structure()

    def source(self) -> str:
        """The whole grammar file."""
        text = super().source()
        for name, lemma in self.reserved.items():
            text = text.replace(f"pattern {name}\n", f"pattern {name}\n  targets {lemma} seen only in exposures\n")
        return "\n".join([*(part.source() for part in self.parts), text])

    def streams(self) -> dict[str, StreamClaims]:
        """What is asked of the sentences of each part of training: by docs/structures.md, section "Patterns"."""
        # What is asserted is not cut.
        cut = tuple(s for pattern in self.patterns for s in pattern.forbid)
        parts = tuple(part.structure for part in self.parts)
        own = {pattern.name: self._reserved(pattern) for pattern in self.patterns}
        everything = tuple(s for some in own.values() for s in some)
        found = {"train/in_distribution": StreamClaims((), parts, (*cut, *everything))}
        for pattern in self.patterns:
            # An exposure may contain what its own pattern reserves.
            others = tuple(s for name, some in own.items() if name != pattern.name for s in some)
            for index, structure in enumerate(pattern.expose):
                found[f"train/exposure:{pattern.name}/{index}"] = StreamClaims((structure,), parts, (*cut, *others))
        for part in self.parts:
            rest = tuple(other.structure for other in self.parts if other != part)
            found[f"train/part:{part.name}/0"] = StreamClaims((part.structure,), rest, (*cut, *everything))
        return found

    def _reserved(self, pattern: Pattern) -> tuple[Structure, ...]:
        """The structures and words that only exposures of a pattern have."""
        words = [self.reserved[pattern.name]] if pattern.name in self.reserved else []
        tests = [{"N": ("lemma", False, (lemma,))} for lemma in words]
        return (*pattern.expose, *(Structure(Body(("N",), own, {}, ())) for own in tests))


#: The name of a piece, and whether it is of a structure that joins layers.
Name = tuple[str, bool]


def all_pieces(pattern: Pattern) -> dict[Name, Joint]:
    """The pieces of all that a pattern holds out."""
    return {(name_of(piece), bool(whole.more)): piece for whole in pattern.held_out for piece in pieces(read(whole))}


def told(structure: core.Structure) -> Name:
    """The name of a structure of the compiler."""
    return name_of(answered(structure)), "+" in structure.layer


def asked(structure: Structure) -> Name:
    """The name of a structure of the model."""
    return name_of(read(structure)), bool(structure.more)


# ---- the comparison


@dataclass(frozen=True)
class Training:
    """The sentences of each part of training up to a length."""

    of: Mapping[str, Sequence[Tree]]
    longest: int

    def shows(self, structure: Structure) -> bool:
        """Whether some sentence contains the structure."""
        return any(contains(tree, structure) for own in self.of.values() for tree in own)


def listing(maker: PieceMaker) -> Training:
    """List the sentences of training: by docs/structures.md, section "Patterns"."""
    listed, longest = trees(maker.grammar, LONGEST, MOST)
    kept = {rule.name for rule in maker.grammar.rules if rule.keep}

    def belongs(tree: Tree, own: StreamClaims) -> bool:
        some, none, cut = (any(contains(tree, s) for s in group) for group in (own.some, own.none, own.cut))
        return not none and (not cut or bool(tree.rules & kept)) and (some or not own.some)

    members = {name: [t for t in listed if belongs(t, own)] for name, own in maker.streams().items()}
    return Training(members, longest)


def compare(seed: int, place: Path, figures: Counter[str], *, layered: bool = False) -> None:
    """Compare one grammar with its patterns.

    Raises:
        Difference: the compiler and the model say different things.
    """
    maker = PieceMaker(Random(seed), layered=layered)  # noqa: S311
    place.mkdir(parents=True)
    for name, text in {"main.sgl": maker.source(), **maker.grammar.files()}.items():
        (place / name).write_text(text, "utf-8")
    diagnostics = Diagnostics()
    figures["grammars"] += 1
    compiled = open_grammar(place / "main.sgl", {}, SourceMap(), diagnostics)
    if compiled is None:
        figures["refused"] += 1
        return
    structures = StructureCompiler(compiled.grammar)
    try:
        proofs = establish(compiled, structures, diagnostics)
        if proofs is None:
            figures["undecided"] += 1
            return
        figures["proved or refuted"] += 1
        figures["with reserved words"] += bool(maker.reserved)
        figures["with an assertion"] += any(pattern.never for pattern in maker.patterns)
        figures["with a part"] += bool(maker.parts)
        training = listing(maker)
        for pattern in maker.patterns:
            check_pattern(compiled, pattern, proofs.of(pattern.name), training, figures)
        check_waivers(maker, proofs, {found.code for found in diagnostics.found})
        check_sentences(maker, compiled, structures, proofs, training, figures)
    except (StructureTooCostly, UnsupportedStructure):
        figures["too costly"] += 1


def check_pattern(
    compiled: Compiled, pattern: Pattern, proofs: answers.PatternProofs, training: Training, figures: Counter[str]
) -> None:
    """Compare the pieces of a pattern, the verdicts on them, and those on what it needs.

    Raises:
        Difference: there are others, or they have another verdict.
    """
    expected = all_pieces(pattern)
    found = {told(claim.structure): claim for claim in proofs.pieces}
    if expected.keys() != found.keys():
        more, lacking = found.keys() - expected.keys(), expected.keys() - found.keys()
        raise Difference(f"{pattern.name} has the pieces {sorted(more)}, and lacks {sorted(lacking)}")
    waived = {asked(structure) for structure in pattern.waive}
    for name, claim in found.items():
        figures["pieces"] += 1
        figures[f"pieces {claim.verdict.value}"] += 1
        if claim.verdict in (Verdict.REFUTED, Verdict.WAIVED) and (claim.verdict is Verdict.WAIVED) != (name in waived):
            raise Difference(f"the piece {claim.structure} is {claim.verdict.value}, against its `waive`")
        check_verdict(compiled, claim, written(expected[name]), training)
    for licence, structure in zip(proofs.licences, pattern.need, strict=True):
        figures["needs"] += 1
        check_verdict(compiled, licence, structure, training)


def check_verdict(compiled: Compiled, claim: answers.Claim[object], structure: Structure, training: Training) -> None:
    """Compare one verdict with the sentences of training.

    Raises:
        Difference: they contradict it.
    """
    shown = training.shows(structure)
    if shown and claim.verdict is not Verdict.PROVED:
        raise Difference(f"training has {structure}, which is {claim.verdict.value}")
    if claim.verdict is not Verdict.PROVED or claim.example is None:
        return
    grammar = compiled.grammar
    if len(interpret(grammar, claim.example).tokens[0]) > training.longest:
        return
    # What is drawn for a need are sentences of training, too.
    rest = training.of["train/in_distribution"]
    several = claim.evidence is not None
    own = training.of.values() if several else [training.of.get(claim.stream or "", rest)]
    term = term_of(grammar, claim.example)
    if not any(tree.term == term and contains(tree, structure) for members in own for tree in members):
        raise Difference(f"training has no {term} with {structure}, which is shown")


def check_waivers(maker: PieceMaker, proofs: Proofs, codes: set[str]) -> None:
    """Compare which waivers waive no piece (SGL0852).

    Raises:
        Difference: others do.
    """
    for pattern in maker.patterns:
        names = all_pieces(pattern)
        idle = {asked(s) for s in pattern.waive} - names.keys()
        found = {told(s) for s in proofs.of(pattern.name).idle_waivers}
        if idle != found or (idle and "SGL0852" not in codes):
            raise Difference(f"{pattern.name} waives {idle} in vain, and what is said is {found} with {codes}")


def check_sentences(
    maker: PieceMaker,
    compiled: Compiled,
    structures: StructureCompiler,
    proofs: Proofs,
    training: Training,
    figures: Counter[str],
) -> None:
    """Compare, for each piece, which sentences of each part of training contain it.

    Raises:
        Difference: others do.
    """
    own = {name: written(piece) for pattern in maker.patterns for name, piece in all_pieces(pattern).items()}
    claims = {told(claim.structure): claim.structure for found in proofs.patterns for claim in found.pieces}
    strata = [stratum for stratum in compiled.plan.strata if stratum.stream in training.of]
    for stratum, (name, piece) in product(strata, claims.items()):
        constraint = replace(stratum.constraint, require=(*stratum.constraint.require, (piece,)))
        split, members = structures.split(constraint), training.of[stratum.stream]
        expected = Counter(tree.term for tree in members if contains(tree, own[name]))
        found = Counter(term_of(compiled.grammar, d) for d in derivations(compiled, split, training.longest))
        figures["sentences"] += len(members)
        figures["sentences with a piece"] += expected.total()
        if expected != found:
            one = next(iter((expected - found) or (found - expected)))
            raise Difference(f"{stratum.stream}: {own[name]} differs in {one}")


def main() -> int:
    """Run the comparison; the result is the exit status."""
    return command(__doc__, comparison, {"layers": (False, "structures on three graph layers")})


def comparison(*, layers: bool) -> Compare:
    """Compare grammars with one graph layer or three."""
    return partial(compare, layered=layers)
