"""Report failed claims of the patterns, and the reasons, in the author's terms."""

from collections.abc import Sequence, Set
from itertools import chain

from sgl.automata import StructureCompiler
from sgl.automata.proofs.invariant import smallest_text
from sgl.core.claims import (
    Claim,
    Conflict,
    Cut,
    IngredientKind,
    Inventory,
    PatternProofs,
    Proofs,
    Reason,
    Supply,
    Unseen,
    Verdict,
    verdict_of,
)
from sgl.core.grammar import Fragment
from sgl.core.interpret import Derivation, interpret
from sgl.core.joint import seen_by, written
from sgl.core.plan import EXPOSURE_PREFIX, IN_DISTRIBUTION, NEED_PREFIX, PART_PREFIX, content_lemmas, repeats_lemma
from sgl.core.structure import Body, Link, NodeTest, Structure
from sgl.diagnostics import Diagnostics, Label, Span
from sgl.frontend import Compiled
from sgl.frontend.lower.patterns import LoweredPattern
from sgl.pipeline.guarantees import excuses
from sgl.pipeline.guilt import guilty_clauses, is_case, nodes_in_common, report_guilt, scattered
from sgl.pipeline.sentences import place_of_stream, places_of_structure
from sgl.values import dataclass, replace

#: Maximum numbers of rules of a witness to point at, of missing words to name, and of pieces to offer.
_SHOWN, _NAMED, _OFFERED = 4, 5, 4

#: Why there is no sentence, with a hint: several clauses, or one that fits everything.
_CONTRADICTION = ("these clauses cannot hold together in any sentence of the grammar", "drop one of them")
_NOWHERE = (
    "no sentence of the grammar contains all that is required",
    "correct it: `sglc sample --show graph` shows what the grammar makes",
)
_EVERYWHERE = (
    "every sentence of the grammar contains this structure",
    "make the structure narrower, with tests or more edges",
)

#: Names of strata in messages, by category prefix.
_CALLED = {NEED_PREFIX: "what `{}` needs", EXPOSURE_PREFIX: "the exposures of `{}`", PART_PREFIX: "the part `{}`"}

_SCATTERED = "its edges share no node"

#: Why a missing part matters.
_TWO_THINGS = "a generalization item would then test more than one new thing"


def report_refuted(compiled: Compiled, structures: StructureCompiler, proofs: Proofs, diagnostics: Diagnostics) -> None:
    """Report every refuted claim and every claim without effect; clauses to blame come first."""
    guilty = guilty_clauses(proofs)
    for guilt in guilty:
        report_guilt(compiled, guilt, _Reporter(compiled, structures, diagnostics).as_in, diagnostics)
    told = {failure.conflict for guilt in guilty for failure in guilt.failures}
    for claims in proofs.patterns:
        lowered = next(p for p in compiled.patterns if p.pattern.name == claims.name)
        exposures = EXPOSURE_PREFIX + claims.name
        blocked = any(stratum.stream.split("/")[1] == exposures for stratum in proofs.unsatisfiable)
        _PatternReporter(compiled, structures, diagnostics, lowered, blocked, told).report(claims)
    vacuous = frozenset[Structure]().union(*(pattern.vacuous for pattern in proofs.patterns))
    # Strata without a sentence are reported together if the same clauses are to blame.
    streams: dict[Conflict, list[str]] = {}
    for stratum in proofs.unsatisfiable:
        streams.setdefault(stratum.conflict, []).append(stratum.stream)
    for conflict, empty in streams.items():
        if conflict not in told and not any(vacuous.issuperset(group) for group in conflict.require):
            _Reporter(compiled, structures, diagnostics).empty(empty, conflict)


@dataclass(frozen=True)
class _Reporter:
    """Reports failures, with the clauses to blame and sentences that show the problem."""

    compiled: Compiled
    structures: StructureCompiler
    diagnostics: Diagnostics

    def witness(self, derivation: Derivation | None) -> tuple[str, ...]:
        if derivation is None:
            return ()
        repeats = repeats_lemma(derivation, self._lemmas())
        more = "; it repeats a word, and sentences of the dataset do not" if repeats else ""
        return (f"witness: {self._sentence(derivation)}{more}",)

    def as_in(self, structure: Structure) -> str:
        derivation = smallest_text(self.structures.disjunction((structure,)), self._lemmas())
        return "" if derivation is None else f", as in {self._sentence(derivation)}"

    def _lemmas(self) -> list[tuple[str, ...]]:
        return content_lemmas(self.compiled.grammar, self.compiled.plan)

    def _sentence(self, derivation: Derivation) -> str:
        layer = self.compiled.grammar.text_layer(self.compiled.plan.source)
        return f'"{interpret(self.compiled.grammar, derivation).texts[layer]}"'

    def clauses(self, conflict: Conflict | None, *, required: bool) -> list[Label]:
        """Return the clauses that rule something out, each with a sentence that contains its structure.

        With ``required``, the clauses that require something come first.
        """
        if conflict is None:
            return []
        held_out = set[Structure]() if required else self._held_out()
        said = [(s, "required here") for group in conflict.require for s in group] if required else []
        kept_out = "excluded here" if required else "reserved here"
        said += [(s, "held out here" if s in held_out else kept_out) for s in conflict.exclude]
        # A clause is labelled once, even if one requires what another excludes in the same words.
        labels: dict[Span, Label] = {}
        for structure, what in said:
            places = places_of_structure(self.compiled, structure)
            if (place := next((place for place in places if place not in labels), None)) is not None:
                labels[place] = Label(place, what + self.as_in(structure) + scattered(structure))
        return list(labels.values())

    def _held_out(self) -> set[Structure]:
        return {structure for pattern in self.compiled.plan.patterns for structure in pattern.held_out}

    def empty(self, streams: Sequence[str], conflict: Conflict) -> None:
        if conflict.opposed is not None:
            self._opposed(streams, conflict.opposed)
            return
        clauses = self.clauses(conflict, required=True)
        # A scattered structure is more likely to be a slip than a required one.
        clauses.sort(key=lambda label: not label.text.endswith(_SCATTERED))
        primary, *others = clauses or [Label(place_of_stream(self.compiled, streams[0]), "")]
        what = f"no sentence {'can be an item of' if _are_items(streams) else 'is left for'} {_names(streams)}"
        note, hint = _why_empty(conflict)
        if (note, hint) == _CONTRADICTION and not self._held_out().isdisjoint(conflict.exclude):
            hint += ", or `allow` the other pattern"
        hint = nodes_in_common(self.compiled, streams[0]) + hint if (note, hint) == _NOWHERE else hint
        label, notes = primary.text, (note,) if clauses else ()
        self.diagnostics.error("SGL0812", primary.span, what, hint, label=label, labels=others, notes=notes)

    def _opposed(self, streams: Sequence[str], structure: Structure) -> None:
        asking = place_of_stream(self.compiled, streams[0])
        places = places_of_structure(self.compiled, structure)
        others = [place for place in places if place != asking]
        whose = "items of " if _are_items(streams) else ""
        plan, said = self.compiled.plan, ("asked for here", "excluded here")
        quotas = chain.from_iterable([*(p.quotas for p in plan.patterns), *(p.quotas for p in plan.parts)])
        if any(structure in quota.outside for quota in quotas):
            said = said[::-1]  # The place is a `size … outside`.
        self.diagnostics.error(
            "SGL0812",
            asking,
            f"{whose}{_names(streams)} must contain a structure that they may not contain",
            label=said[0] if others else "both asked for and excluded here",
            labels=[Label(place, said[1]) for place in others][:1],
            notes=(f"the structure is {structure}{self.as_in(structure)}",),
            hint="drop one of the two clauses, or make one of the structures narrower",
        )


@dataclass(frozen=True)
class _PatternReporter(_Reporter):
    """Reports failed claims about one pattern; if its exposures are ``blocked``, without what training lacks.

    Conflicts that were already ``told`` are not repeated, nor are their consequences.
    """

    lowered: LoweredPattern
    blocked: bool
    told: Set[Conflict]

    def report(self, proofs: PatternProofs) -> None:
        for held_out in {claim.structure: claim for claim in proofs.held_out}.values():
            if held_out.refuted:
                self._leak(held_out)
            elif held_out.structure in proofs.vacuous and not is_case(held_out.structure, proofs, self._place):
                self._vacuous(held_out.structure)
        for index, licence in enumerate(proofs.licences):
            if licence.refuted and licence.conflict not in self.told:
                self._unlicensed(index, licence)
        self._pieces(proofs)
        self._items(proofs)
        if proofs.proved and not self.told:
            self._never_shown(proofs.exposed.evidence)

    def _pieces(self, proofs: PatternProofs) -> None:
        refuted = [piece for piece in proofs.pieces if piece.refuted and not self.blocked]
        unseen = [p for p in refuted if p.whole not in proofs.vacuous and p.conflict not in self.told]
        for piece in unseen:
            self._unseen_piece(piece)
        self._waivers(proofs)
        # Words that only an unseen piece introduces do not deserve a second message.
        if not unseen and not self.blocked and not self.told:
            self._unexposed(proofs)

    def _waivers(self, proofs: PatternProofs) -> None:
        for structure in proofs.idle_waivers:
            message = f"this is not a piece of what `{self.lowered.pattern.name}` holds out"
            hint = "remove the clause, or write one of the pieces"
            notes = [f"a piece is {self._written(p.structure)}" for p in proofs.pieces[:_OFFERED]]
            self.diagnostics.error("SGL0852", self._place(structure), message, hint, notes=notes)

    def _unexposed(self, proofs: PatternProofs) -> None:
        inventory = proofs.exposed.evidence
        if verdict_of(proofs.licences) is not Verdict.REFUTED:
            for stream in inventory.barred:
                self._barred(stream, inventory)
        if inventory.missing:
            self._missing(inventory.missing)

    def _items(self, proofs: PatternProofs) -> None:
        name, place = f"an item of `{self.lowered.pattern.name}`", self.lowered.declaration.name.span
        # Reasons for empty strata are reported for all strata together.
        for instance in proofs.instances:
            if instance.refuted and instance.conflict is None:
                problem = "contains what another clause excludes"
                if not instance.structures:
                    problem = "lacks the structure that every item must contain"
                self.diagnostics.error("SGL0816", place, f"{name} {problem}", notes=self.witness(instance.witness))
        if verdict_of(proofs.held_out) is not Verdict.REFUTED:
            for disjoint in (claim for claim in proofs.disjoint if claim.refuted):
                hint = "let `gen` imply one of the `forbid` structures"
                notes = (*self.witness(disjoint.witness), "an item must contain something that training does not")
                self.diagnostics.error("SGL0815", place, f"{name} can also be a training sentence", hint, notes=notes)

    def _place(self, structure: Structure) -> Span:
        return self.lowered.places.get(structure) or self.lowered.declaration.name.span

    def _written(self, structure: Structure) -> str:
        targets = self.lowered.pattern.targets
        named = str(NodeTest("lemma", frozenset(targets)))
        return written(structure).replace(named, "@targets") if targets else written(structure)

    def _leak(self, claim: Claim[Cut]) -> None:
        grammar = seen_by(self.compiled.grammar, claim.structure.layer)
        layer = grammar.graph_layer(claim.structure.layer)
        # The rules to blame are those kept in training or, for an assertion, those that make an edge or word that the
        # structure requires.
        guilty = dict.fromkeys(
            self.compiled.rule_spans[number]
            for number in claim.witness or ()
            if grammar.rules[number].keep
            or (claim.evidence.asserted and _makes(grammar.rules[number].fragments[layer], claim.structure))
        )
        how = "a rule with `keep in train` is not cut"
        if claim.evidence.asserted:
            how = "`assert never` leaves the grammar as it is"
        self.diagnostics.error(
            "SGL0811",
            self._place(claim.structure),
            f"training can contain what the pattern `{self.lowered.pattern.name}` holds out",
            label="this structure can still be derived",
            labels=[Label(span, "by this rule") for span in list(guilty)[:_SHOWN]],
            notes=(*self.witness(claim.witness), how),
            hint="remove the rule, or restrict it so that it no longer makes the structure",
        )

    def _vacuous(self, structure: Structure) -> None:
        notes, hint = [], "look at what the grammar makes: `sglc sample --show graph`"
        edges = structure.body.edges
        for index, edge in enumerate(edges):
            alone = _with_edges(structure, (edge,))
            if len(edges) > 1 and not self.as_in(alone):
                notes.append(f"no sentence contains {alone}")
            turned = replace(edge, source=edge.target, target=edge.source)
            other = _with_edges(structure, (*edges[:index], turned, *edges[index + 1 :]))
            if found := self.as_in(other):
                hint = f"turn an edge round? the grammar has {other}{found}"
        message = "this structure cannot occur in any sentence of the grammar: nothing is held out"
        self.diagnostics.error("SGL0818", self._place(structure), message, hint, notes=notes)

    def _unlicensed(self, index: int, claim: Claim[Supply]) -> None:
        asked = self.as_in(claim.structure)
        self.diagnostics.error(
            "SGL0813",
            self.lowered.span("need", index),
            f"training cannot contain this part, which `{self.lowered.pattern.name}` needs",
            label=f"needed here{asked}" if asked else "no sentence of the grammar contains this",
            labels=self.clauses(claim.conflict, required=False),
            notes=(_TWO_THINGS,),
            hint="correct the structure, or the `forbid` that rules it out",
        )

    def _unseen_piece(self, claim: Claim[None]) -> None:
        whole = self._place(claim.whole)
        labels = self.clauses(claim.conflict, required=False)
        others = [label for label in labels if label.span != whole]
        asked = self.as_in(claim.structure)
        piece = self._written(claim.structure)
        notes = [f"the piece is {piece}"]
        hint = "let training show the piece in another place"
        if not asked:
            notes.append("no sentence of the grammar contains it")
        elif not others:
            notes.append(f"whatever contains it contains the whole{asked}")
            hint = "leave the other link out of the structure if it says nothing new"
        self.diagnostics.error(
            "SGL0851",
            whole,
            f"training cannot contain a piece of what `{self.lowered.pattern.name}` holds out",
            label="the piece is this without one link",
            labels=others,
            notes=(*notes, _TWO_THINGS),
            hint=f"{hint}, or say that it need not be seen: `waive {piece}`",
        )

    def _barred(self, stream: str, inventory: Inventory) -> None:
        words = [thing for thing in inventory.unseen if thing.kind is IngredientKind.WORD]
        names = ", ".join(f"`{thing.name}`" for thing in words[:_NAMED]) + ", …" * (len(words) > _NAMED)
        how = ", as `expose 1 { N[@targets] }` does" if words[0].reason is Reason.TARGET else ""
        self.diagnostics.error(
            "SGL0853",
            place_of_stream(self.compiled, stream),
            f"every item of `{self.lowered.pattern.name}` has a word that training never shows",
            f"let training show it{how}; for a pattern without items write `size 0`",
            labels=[Label(self.compiled.rule_spans[words[0].rules[0]], f"`{words[0].name}` comes from here")],
            notes=(f"training lacks {names}", "an item with a word that no sentence of train has is left out"),
        )

    def _missing(self, missing: Sequence[Unseen]) -> None:
        first = missing[0]
        names = ", ".join(f"the {thing.kind.value} `{thing.name}`" for thing in missing[:_NAMED])
        more = len(missing) - _NAMED
        place = self.compiled.rule_spans[first.rules[0]]
        message = f"items of `{self.lowered.pattern.name}` can use what training never shows"
        hint = "add the words to `targets`, expose them, or hold out less"
        labels = [Label(place, f"`{first.name}` comes from here")]
        notes = (
            f"missing: {names}" + (f" and {more:,} more" if more > 0 else ""),
            "the patterns together hold out all sentences with it",
        )
        span = self.lowered.declaration.name.span
        self.diagnostics.error("SGL0853", span, message, hint, labels=labels, notes=notes)

    def _never_shown(self, inventory: Inventory) -> None:
        """Warn about words, forms and rules that no clause excuses and that are not the pattern's subject."""
        rule, entry = IngredientKind.RULE, IngredientKind.ENTRY
        things = tuple(
            thing
            for thing in inventory.excused
            if thing.kind is not entry
            and (thing.kind, thing.reason) != (rule, Reason.STRUCTURE)
            and f"{thing.kind.value}s" not in self.lowered.unseen
        )
        if things:
            kinds = dict.fromkeys(f"{thing.kind.value}s" for thing in things)
            texts = excuses(Inventory((), things))
            place = self.compiled.rule_spans[things[0].rules[0]]
            self.diagnostics.warning(
                "SGL0854",
                self.lowered.declaration.name.span,
                f"items of `{self.lowered.pattern.name}` have what training never shows: " + "; ".join(texts),
                f"let training show it; if the pattern is about this, say so: `unseen {' '.join(kinds)}`",
                labels=[Label(place, f"`{things[0].name}` comes from here")],
            )


def _makes(fragment: Fragment, structure: Structure) -> bool:
    """Return whether a fragment makes an edge or word that the structure requires by name."""
    labels = [link.labels for link in structure.body.links if not link.labels.negated]
    edges = any(label.accepts(edge.label) for label in labels for edge in fragment.edges)
    return edges or not _asked_lemmas(structure).isdisjoint(
        dict(n.attributes or ()).get("lemma") for n in fragment.nodes
    )


def _asked_lemmas(structure: Structure) -> frozenset[str]:
    tests = chain.from_iterable(variable.tests for variable in structure.body.variables)
    own = [test.values for test in tests if test.attribute == "lemma" and not test.negated]
    return frozenset[str]().union(*own)


def _why_empty(conflict: Conflict) -> tuple[str, str]:
    if conflict.exclude and not conflict.require:
        return _EVERYWHERE
    return _NOWHERE if not conflict.exclude and len(conflict.require) == 1 else _CONTRADICTION


def _with_edges(structure: Structure, edges: tuple[Link, ...]) -> Structure:
    nodes = sorted({end for edge in edges for end in (edge.source, edge.target)})
    new = {node: number for number, node in enumerate(nodes)}
    variables = tuple(structure.body.variables[node] for node in nodes)
    return replace(structure, body=Body(variables, tuple(edge.between(new) for edge in edges)), without=())


def _are_items(streams: Sequence[str]) -> bool:
    return all(stream.startswith("gen/") for stream in streams)


def _names(streams: Sequence[str]) -> str:
    names: dict[str, None] = {}
    for split, category in (stream.split("/")[:2] for stream in streams):
        called = [
            text.format(category.removeprefix(kind)) for kind, text in _CALLED.items() if category.startswith(kind)
        ]
        names[called[0] if called else f"`{split if category == IN_DISTRIBUTION else category}`"] = None
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
