"""Are splits, verdicts and data what the documentation says, on random grammars and patterns?

Draws grammars with agreement, gaps, doubled edges, tables of words, restrictions, parameters and
kept rules, and patterns with all their clauses; writes them as SGL and compiles them.  A model
that shares nothing with the compiler (``claims_trees.py``) lists the sentences up to a length and
says of each to which streams it belongs::

    python benchmarks/models.py random_claims --pairs 1000 --seed 1 --datasets 20

With ``--layers`` grammars have two more graph layers, of which words may have no part in some, and
rules may leave it open which node is the head.  Patterns join several layers, with ``without``,
``within`` and ``outside`` about words of another one; what the documentation forbids is refused::

    python benchmarks/models.py random_claims --layers --pairs 2600 --seed 100000 --datasets 40

With ``--derivations`` patterns speak of the tree of rules, alone and joined with the graph layers, of which a grammar
may have none (``claims_deriving.py``)::

    python benchmarks/models.py random_claims --derivations --pairs 2000
    python benchmarks/models.py random_claims --derivations --layers --pairs 1000

Compared are, for each stream, the derivations with their texts and graphs; the verdicts of
proofs; the checker of certificates; the CoNLL-U of further layers, as it is written, made by the
checker of rows and read by the verifier; and, of every so many pairs, a dataset, in which no
string may have a reading that it must not have.  Differences are printed with their seeds, and the exit
status is then 1.  The grammars lie in a directory that is named at the end if there are any.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from random import Random

from claims_deriving import DerivingMaker
from claims_grammar import Grammar
from claims_maker import Maker, MeasuringMaker
from claims_matches import contains
from claims_streams import compare_files, compare_streams
from claims_trees import Tree, faults, trees
from harness import Compare, Difference, command
from sgl.automata import IngredientKind, Proofs, StructureCompiler, StructureTooCostly, UnsupportedStructure, Verdict
from sgl.diagnostics import Diagnostics, Severity, SourceMap
from sgl.frontend import Compiled
from sgl.pipeline.grammar import open_grammar
from sgl.pipeline.production import produce
from sgl.pipeline.proofs import certificate_file, establish, with_needs
from sgl.rendering.conllu import ConlluError
from sgl.sampling.acceptance import NotEnoughError
from sgl.verify import certificate_faults

#: Words of the longest sentence, and the most phrases of a category that are listed.
LONGEST, MOST = 8, 2_500
#: Matches that are joined for one structure on derivations; one that asks for more is too costly here.
BUDGET = 300_000


def main() -> int:
    """Run the comparison; the result is the exit status."""
    options: dict[str, tuple[bool | int, str]] = {
        "datasets": (20, "a dataset of every so many pairs"),
        "measures": (False, "patterns with lengths and depths"),
        "layers": (False, "structures on three graph layers"),
        "derivations": (False, "structures on derivations"),
    }
    return command(__doc__, comparison, options, number=("pairs", 100))


def comparison(*, datasets: int, measures: bool, layers: bool, derivations: bool) -> Compare:
    """Compare pairs of one kind, and a dataset of every so many of them."""

    def of(seed: int, place: Path, figures: Counter[str]) -> None:
        kind = DerivingMaker if derivations else MeasuringMaker if measures else Maker
        compare(seed, place, figures, dataset=seed % datasets == 0, kind=kind, layered=layers)

    return of


def compare(
    seed: int, place: Path, figures: Counter[str], *, dataset: bool, kind: type[Maker] = Maker, layered: bool = False
) -> None:
    """Compare one grammar with its patterns.

    Raises:
        Difference: the compiler and the model say different things.
    """
    maker = kind(Random(seed), layered=layered)  # noqa: S311
    diagnostics = Diagnostics()
    compiled = _opened(maker, place, diagnostics, figures)
    if compiled is None:
        return
    structures = StructureCompiler(compiled.grammar, BUDGET if maker.grammar.derived else None)
    listed, longest = trees(maker.grammar, LONGEST, MOST)
    figures["compiled"] += 1
    figures["with a restriction"] += bool(maker.grammar.relation)
    figures["with a kept rule"] += any(rule.keep for rule in maker.grammar.rules)
    figures["with doubled edges"] += any(_doubles(maker.grammar, tree) for tree in listed)
    try:
        members = compare_streams(maker, compiled, structures, listed, longest, figures)
        if layered or maker.grammar.derived:
            compare_files(compiled, structures, listed, longest, figures)
        proofs = establish(compiled, structures, diagnostics)
    except (StructureTooCostly, UnsupportedStructure):
        figures["too costly"] += 1
        return
    if proofs is None:
        figures["undecided"] += 1
        return
    check_verdicts(maker, proofs, members, figures)
    check_certificate(compiled, structures, proofs, figures)
    if dataset and proofs.proved and not diagnostics.errors:
        try:
            produced = produce(with_needs(compiled, proofs), structures, proofs, place / "out", lambda *_: None)
        except NotEnoughError:
            figures["too few sentences"] += 1
            return
        except ConlluError:
            # The same edge with and without ``~`` cannot be written.
            figures["not writable"] += 1
            return
        if not produced.verification.ok:
            raise Difference("the verifier finds violations")
        check_strings(maker, place / "out", listed, longest, figures)


def _opened(maker: Maker, place: Path, diagnostics: Diagnostics, figures: Counter[str]) -> Compiled | None:
    """Compile a grammar; None if it has errors.

    Raises:
        Difference: it has what the documentation forbids, or is said to have it.
    """
    place.mkdir(parents=True)
    for name, text in {"main.sgl": maker.source(), **maker.grammar.files()}.items():
        (place / name).write_text(text, "utf-8")
    figures["pairs"] += 1
    compiled = open_grammar(place / "main.sgl", {}, SourceMap(), diagnostics)
    wrong = {code for code, _ in faults(maker.grammar)} | maker.confused()
    codes = {found.code for found in diagnostics.found if found.severity is Severity.ERROR}
    if (wrong and compiled is not None) or codes & {"SGL0516", "SGL0518", "SGL0832"} - wrong:
        raise Difference(f"by the documentation the grammar has {wrong}, and what is said is {codes}")
    if compiled is None:
        figures[f"refused {min(codes)}"] += 1
    return compiled


def check_certificate(compiled: Compiled, structures: StructureCompiler, proofs: Proofs, figures: Counter[str]) -> None:
    """Check that the certificate is accepted, unless a stratum has no text.

    Raises:
        Difference: it is refused.
    """
    if proofs.unsatisfiable:
        figures["without items"] += 1
        return
    faults = certificate_faults(certificate_file(compiled, structures).content)
    if faults:
        raise Difference(f"the checker refuses the certificate: {faults[0]}")
    figures["certificates accepted"] += 1


def _doubles(grammar: Grammar, tree: Tree) -> bool:
    of = {rule.name: len(rule.edges) for rule in grammar.rules}
    written = sum(of.get(word, 0) for word in tree.term.replace("(", " ").split())
    return written > len(tree.edges)


def check_verdicts(maker: Maker, proofs: Proofs, members: dict[str, list[Tree]], figures: Counter[str]) -> None:
    """Compare verdicts with the sentences of the streams.

    Raises:
        Difference: a claim is proved and a sentence contradicts it, or refuted wrongly.
    """
    training = [tree for name, own in members.items() if not name.startswith("gen/") for tree in own]
    shown = {tree.term for tree in training}
    for pattern in maker.patterns:
        of = proofs.of(pattern.name)
        for claim, structure in zip(of.held_out, pattern.held_out, strict=True):
            leaks = any(contains(tree, structure) for tree in training)
            figures["claims"] += 1
            if leaks and claim.verdict is Verdict.PROVED:
                raise Difference(f"held out is proved of {structure}, and training contains it")
        for index, apart in enumerate(of.disjoint):
            figures["claims"] += 1
            items = members[f"gen/{pattern.name}/{index}"]
            if apart.verdict is Verdict.PROVED and any(tree.term in shown for tree in items):
                raise Difference(f"{pattern.name} is proved disjoint, and is not")
        for licence, structure in zip(of.licences, pattern.need, strict=True):
            figures["claims"] += 1
            seen = any(contains(tree, structure) for tree in training)
            if seen and licence.verdict is Verdict.REFUTED:
                raise Difference(f"training lacks {structure} by the proof, and has it")
        known = {rule for tree in training for rule in tree.rules}
        for thing in of.exposed.evidence.unseen:
            figures["claims"] += 1
            if thing.kind is IngredientKind.RULE and thing.name in known:
                raise Difference(f"training cannot use {thing.name} by the proof, and does")


def check_strings(maker: Maker, directory: Path, listed: Sequence[Tree], longest: int, figures: Counter[str]) -> None:
    """Check that no string of a dataset has a reading that it must not have.

    Raises:
        Difference: some string has.
    """
    readings: dict[str, list[Tree]] = defaultdict(list)
    for tree in listed:
        readings[tree.text].append(tree)
    # Strings are parsed with the whole grammar, without restrictions.
    held_out = [s for pattern in maker.patterns for s in pattern.held_out]
    figures["datasets"] += 1
    for split in ("train", "dev", "gen"):
        path = directory / "data" / f"{split}.tsv"
        for row in path.read_text("utf-8").splitlines() if path.exists() else ():
            source, target, _ = row.split("\t")
            own = readings[source]
            if len(source.split()) > longest:
                continue
            figures["strings"] += 1
            if not own or {tree.target for tree in own} != {target}:
                raise Difference(f"{split}: {source!r} has other outputs than {target!r}")
            bad = [s for s in held_out if any(contains(tree, s) for tree in own)]
            if bad and split != "gen":
                raise Difference(f"{split}: {source!r} has a reading with {bad[0]}")
