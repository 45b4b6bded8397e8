"""``sglc prove --pattern``: clauses, automata, the invariant, and the smallest sentences."""

from collections.abc import Iterable, Iterator
from itertools import chain, zip_longest

from sgl.automata import (
    HeldOut,
    Instance,
    Licence,
    PatternProofs,
    Piece,
    StructureCompiler,
    Verdict,
    pieces_of,
    smallest_derivation,
)
from sgl.automata.algebra.boolean import intersection
from sgl.automata.algebra.tree_automaton import TreeAutomaton
from sgl.automata.proofs.invariant import StateExample, state_examples, with_other_words
from sgl.cli.terminal import count
from sgl.core.interpret import Derivation, derive_tokens, finish
from sgl.core.lemmas import content_lemmas
from sgl.core.plan import Constraint
from sgl.core.structure import Structure
from sgl.diagnostics.model import display_width
from sgl.frontend import Compiled
from sgl.pipeline.guarantees import excuses, pattern_guarantees, unparsed, used
from sgl.report import example_of
from sgl.report.model import columns, graph_lines, tree_lines

#: Phrases of an invariant that are shown, and names of what need not be seen.
_PHRASES, _NAMED = 16, 40

#: Columns for the phrase of an invariant.
_WIDTH = 48

#: What phrases are told apart by: whether the whole structure is in them, whether no training
#: sentence has them, and which pieces of the structure are in them, by number from 1.
_PhraseKind = tuple[bool, bool, tuple[int, ...]]


class PatternText:
    """The reasoning about one pattern.

    ``_training`` constrains in-distribution training; of ``_pictured`` the trees were shown.
    """

    def __init__(self, compiled: Compiled, structures: StructureCompiler, proofs: PatternProofs) -> None:
        self._compiled = compiled
        self._structures = structures
        self._proofs = proofs
        self._constraints = {s.stream: s.constraint for s in compiled.plan.strata}
        training = compiled.plan.in_distribution("train")
        self._training = Constraint() if training is None else training.constraint
        self._lemmas = content_lemmas(compiled.grammar, compiled.plan)
        self._pictured: set[str] = set()

    def lines(self) -> Iterator[str]:
        """Yield the pattern, its clauses and guarantees, then each claim with its reasons."""
        proofs = self._proofs
        lowered = next(p for p in self._compiled.patterns if p.pattern.name == proofs.name)
        title = f" “{lowered.pattern.title}”" if lowered.pattern.title else ""
        yield f"{proofs.name}{title}: {'proved' if proofs.proved else 'REFUTED'}"
        yield ""
        clauses = []
        for span in (clause.span for clause in lowered.declaration.clauses):
            file = self._compiled.project.sources.get(span.file)
            if file is not None:
                text = " ".join(file.text[span.start : span.end].split())
                clauses.append((f"{span.file}:{file.position(span.start)[0]}", text))
        yield from _indented(columns(clauses))
        for guarantee in pattern_guarantees(proofs):
            yield f"  {guarantee.claim}: {guarantee.result}"
        yield from chain.from_iterable(map(self._held_out, proofs.held_out))
        yield from chain.from_iterable(map(self._need, proofs.licences))
        yield from chain.from_iterable(map(self._piece, proofs.pieces))
        yield from chain.from_iterable(map(self._item, proofs.instances))
        exposed = proofs.exposed
        if exposed.counts:
            yield from _section("exposed", exposed.verdict.value)
            yield f"  items can use {used(exposed)}"
            yield from (f"  not in training: {text}" for text in excuses(exposed, _NAMED))
            for thing in exposed.missing:
                yield f"  MISSING in training: {thing.kind.value} {thing.name}"
        for disjoint in proofs.disjoint:
            yield from _section(f"not in training: {disjoint.stream}", disjoint.verdict.value)
            if disjoint.verdict is Verdict.PROVED:
                yield "  no derivation of an item is one of a training sentence"
        yield from _section("string level", unparsed(proofs.name).result)
        yield ("  the proofs are about derivations; `sglc compile` parses every sentence that it draws")

    # ---- the invariant

    def _held_out(self, claim: HeldOut) -> Iterator[str]:
        """Yield why a structure is held out: what its automaton meets in training."""
        automaton = self._structures.presence(claim.structure)
        split = self._structures.split(self._training)
        transitions = sum(len(table) for table in automaton.tables)
        in_training = sum(len(row) for row in split.transitions_of)
        yield from _section("held out", claim.verdict.value)
        yield f"  {claim.structure}"
        yield (f"  probability in the whole grammar {claim.mass:.3e}, in training {claim.train_mass:.3e}")
        yield (
            f"  its automaton: {count(len(automaton.category), 'state')}, "
            f"{count(transitions, 'transition')} between phrases"
        )
        yield (
            f"  the training grammar: {count(len(split.category), 'state')}, "
            f"{count(in_training, 'transition')} with the words"
        )
        pieces = pieces_of(claim.structure)
        kinds = self._kinds(claim.structure, pieces, automaton)
        if not kinds:
            return
        for number, piece in enumerate(pieces, 1):
            yield f"  piece {number}: {piece}"
        yield "  invariant: what phrases already contain, each with the smallest such phrase"
        rows = [self._phrase(kind, kinds[kind]) for kind in sorted(kinds)[:_PHRASES]]
        yield from _indented(columns(rows), "    ")
        if len(kinds) > _PHRASES:
            yield f"    … and {len(kinds) - _PHRASES} more kinds"
        if not any(whole and not absent for whole, absent, _ in kinds):
            yield ("  no training phrase contains the whole, and no rule makes it of those that are left")

    def _kinds(
        self, structure: Structure, pieces: tuple[Structure, ...], automaton: TreeAutomaton
    ) -> dict[_PhraseKind, list[StateExample]]:
        """Return what an automaton can remember of phrases: its states, by their kind."""
        grammar, automaton_of = self._compiled.grammar, self._structures.structure_automaton
        kinds: dict[_PhraseKind, list[StateExample]] = {}
        for state in state_examples(self._structures.split(self._training), automaton):
            whole, *parts = (automaton_of(part).accepts(grammar, state.phrase) for part in (structure, *pieces))
            found = tuple(number for number, part in enumerate(parts, 1) if part)
            kinds.setdefault((state.accepting or whole, not state.reached, found), []).append(state)
        return kinds

    def _phrase(self, kind: _PhraseKind, states: list[StateExample]) -> tuple[str, ...]:
        whole, absent, numbers = kind
        found = f"piece{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))}"
        smallest = min(states, key=lambda state: len(state.phrase))
        grammar = self._compiled.grammar
        layer = grammar.text_layer(self._compiled.plan.source)
        text = finish(grammar.text_layers[layer], derive_tokens(grammar, smallest.phrase, layer))
        category = grammar.categories[smallest.category].base
        return (
            "the whole" if whole else found if numbers else "nothing",
            "not in training" if absent else "in training",
            count(len(states), "state"),
            f"{category}: {shortened(text)}",
        )

    # ---- claims with sentences

    def _need(self, claim: Licence) -> Iterator[str]:
        yield from _section("needed in training", claim.verdict.value)
        yield f"  {claim.structure}"
        yield (
            f"  probability in training {claim.mass:.3e}; about {claim.expected:,.0f} "
            f"sentences expected, {claim.minimum:,} asked for"
        )
        # The smallest sentence of the first stratum that has the part.
        for stratum in self._compiled.plan.strata:
            if stratum.split == "train" and claim.example is not None:
                language = self._structures.language(stratum.constraint)
                if language.accepts(claim.example):
                    yield from self._smallest("the smallest", stratum.stream, claim.structure)
                    return

    def _piece(self, claim: Piece) -> Iterator[str]:
        yield from _section("piece of it in training", claim.verdict.value)
        yield f"  {claim.structure}"
        if claim.verdict is Verdict.WAIVED:
            yield "  training cannot contain it, and the pattern says that it need not"
        if claim.stream is not None:
            what = f"the smallest of {claim.stream}"
            yield from self._smallest(what, claim.stream, claim.structure)

    def _item(self, claim: Instance) -> Iterator[str]:
        yield from _section(f"items of {claim.stream}", claim.verdict.value)
        if not claim.mass:
            yield "  no sentence of the grammar qualifies"
            return
        yield (
            f"  probability {claim.mass:.3e}: rejection sampling would draw "
            f"{1 / claim.mass:,.0f} sentences for one item"
        )
        yield (f"  expected length {claim.expected_tokens:.1f} tokens, spectral radius {claim.spectral_radius:.3f}")
        language = self._structures.language(self._constraints[claim.stream])
        yield from self._sentence("the smallest", claim.example, language)

    def _smallest(self, what: str, stream: str, structure: Structure) -> Iterator[str]:
        language = self._structures.language(self._constraints[stream])
        both = intersection(language, self._structures.presence(structure))
        yield from self._sentence(what, smallest_derivation(both), both)

    def _sentence(self, what: str, derivation: Derivation | None, automaton: TreeAutomaton) -> Iterator[str]:
        """Yield a sentence with its tree and its graph, unless these were shown before."""
        if derivation is None:
            return
        plan = self._compiled.plan
        example = example_of(
            self._compiled.grammar,
            with_other_words(automaton, derivation, self._lemmas),
            source=plan.source,
            target=plan.target,
            graph=plan.lemma_layer,
        )
        yield f"  {what}: {example.source} | {example.target}"
        if example.source not in self._pictured:
            self._pictured.add(example.source)
            pictures = [*map(tree_lines, example.trees[:1]), graph_lines(example)]
            rows = list(zip_longest(*pictures, fillvalue=""))
            yield from _indented(columns(rows, "    "), "    ")


def shortened(text: str) -> str:
    """Return the beginning and the end of a text that is too wide."""
    if display_width(text) <= _WIDTH:
        return text
    words = text.split(" ")
    while len(words) > 2 and display_width(" ".join(words)) > _WIDTH - 2:
        del words[len(words) // 2]
    half = (len(words) + 1) // 2
    return " ".join([*words[:half], "…", *words[half:]])


def _section(what: str, verdict: str) -> Iterator[str]:
    yield ""
    yield f"{what}: {'REFUTED' if verdict == 'refuted' else verdict}"


def _indented(lines: Iterable[str], by: str = "  ") -> Iterator[str]:
    for line in lines:
        yield by + line
