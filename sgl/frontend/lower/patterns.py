"""Lower patterns, parts and tests: each clause becomes structures of the core.

A part is a set of training sentences outside all patterns, with its own constraint.  A test names a layer for each
expected output: a text, or, for a graph layer, a structure that the graph of the sentence must contain::

    test "Ava saw a cat." => ja "…", syn { V[lemma=see] -[obj]-> N[lemma=cat] }
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial

from sgl.core.extent import Extent
from sgl.core.plan import EXPOSURE_PREFIX, IN_DISTRIBUTION, Exposure, Need, Part, Pattern, Quota
from sgl.core.structure import Body, NodeTest, Structure, Variable
from sgl.diagnostics import Label, Reported, Span, attempt, each, shortlist, sound, suggest, there
from sgl.frontend.elaborate.alternatives import each_structure
from sgl.frontend.elaborate.substitution import write_out
from sgl.frontend.lower.bodies import StructureContext
from sgl.frontend.lower.quotas import Clause, Sized, check_shares, count_asked_for, lower_clause, lower_sizes, sizes_of
from sgl.frontend.lower.structures import lower_structure
from sgl.frontend.names.dataset import SPLITS, DatasetSettings
from sgl.frontend.names.scopes import LEAVES, Resolved, Scope
from sgl.frontend.names.signature import Signed
from sgl.lang import syntax as s
from sgl.memory import kept
from sgl.values import dataclass, replace

_KEYWORDS = ("forbid", "never", "gen", "exclude", "waive", "need", "expose")
_UNSEEN = ("forms", "rules", "words")


@dataclass(frozen=True)
class LoweredPattern:
    """A pattern with the places of its clauses.

    ``spans`` lists the places of the clauses of each keyword, and of the items of ``size``, in the order of the fields
    of ``pattern``; ``places`` has the first clause with each structure.  ``target_structure`` matches sentences with a
    word that only exposures may contain.  ``examples`` are the clauses with this word; ``unseen`` are the kinds of
    ingredients that training need not show.
    """

    pattern: Pattern
    declaration: s.PatternDecl
    spans: Mapping[str, tuple[Span, ...]]
    places: Mapping[Structure, Span]
    target_structure: Structure | None
    examples: tuple[s.LikeClause, ...]
    unseen: frozenset[str] = frozenset()

    def span(self, kind: str, index: int) -> Span:
        """Return the place of a clause, or of the pattern's name if it has no such clause."""
        spans = self.spans.get(kind, ())
        return spans[index] if index < len(spans) else self.declaration.name.span


@dataclass(frozen=True)
class LoweredPart:
    """A part; ``sizes`` are the places of its quotas, ``places`` the places of its structures."""

    part: Part
    declaration: s.PartDecl
    sizes: tuple[Span, ...]
    places: Mapping[Structure, Span]


def lower_patterns(context: StructureContext, dataset: DatasetSettings | None) -> tuple[LoweredPattern, ...]:
    """Return the sound patterns, with structures of the core as clauses."""
    state, seen = context.state, _seen(context.beside, dataset, context.state)
    lowerings = [_PatternLowering(d, scope, context, dataset) for d, scope in state.names.of(s.PatternDecl)]
    found = [state.kept("pattern", (one.declaration, seen), one.run, LEAVES) for one in lowerings]
    return tuple(pattern for pattern in found if pattern is not None)


def lower_parts(context: StructureContext, dataset: DatasetSettings | None) -> tuple[LoweredPart, ...]:
    """Return the sound parts."""
    state, seen = context.state, _seen(context.beside, dataset, context.state)
    parts = state.names.of(s.PartDecl)
    found = [state.kept("part", (d, seen), partial(_part, d, scope, context), LEAVES) for d, scope in parts]
    return tuple(part for part in found if part is not None)


def _seen(contexts: Mapping[str, StructureContext], dataset: DatasetSettings | None, state: Resolved) -> object:
    """Return an object that changes only if the words, labels or patterns that patterns can mention do."""
    in_force = {id(pattern) for pattern, _ in state.names.of(s.PatternDecl)}
    every = state.project.declarations(s.PatternDecl)
    others = tuple((p.name.text, tuple(g.text for g in p.groups), id(p) in in_force) for p in every)
    content = tuple(context.content for context in contexts.values())
    return kept("seen", (), (content, others, dataset is not None), object)


class _PatternLowering:
    """The lowering of one pattern."""

    def __init__(
        self, declaration: s.PatternDecl, scope: Scope, context: StructureContext, dataset: DatasetSettings | None
    ) -> None:
        self.declaration, self.scope, self.dataset = declaration, scope, dataset
        self.state = state = context.state
        self.errors = state.diagnostics.errors
        self.speaking = [c for c in declaration.clauses if isinstance(c, s.TargetsClause)]
        self.targets = tuple(dict.fromkeys(w.text for c in self.speaking for w in c.words))
        self.context = replace(context, targets=self.targets if self.speaking else None)
        self.clauses: dict[str, list[Clause]] = {keyword: [] for keyword in _KEYWORDS}
        self.allowed = _allowed(declaration, state)

    def run(self) -> LoweredPattern:
        examples = [like for clause in self.declaration.clauses for like in self._clause(clause)]
        unseen = self._unseen()
        # Conditions on numbers of sentences may mention nodes of the items' structures.
        contained = self.clauses["gen"] or self.clauses["forbid"] + self.clauses["never"]
        anchors = contained if self.state.diagnostics.errors == self.errors else ()
        sizes = lower_sizes(self._sized(), anchors, self.scope, self.context)
        self._check([item.split for item, _ in sizes if item.split is not None])
        if self.state.diagnostics.errors > self.errors:
            raise Reported
        target = None
        if self.targets and any(clause.only_exposed for clause in self.speaking):
            test = NodeTest("lemma", frozenset(self.targets))
            target = Structure(self.context.layer.name, Body((Variable("N", (test,)),)))
        pattern = self._pattern(tuple(quota for _, quota in sizes), target)
        spans = {k: tuple(c.written.span for c in some) for k, some in self.clauses.items()}
        spans["size"] = tuple(item.span for item, _ in sizes)
        places = [(c.structure, c.written.span) for some in self.clauses.values() for c in some]
        places += _places_of(sizes)
        places += [(target, self.declaration.name.span)] if target is not None else []
        first = dict(reversed(places))
        return LoweredPattern(pattern, self.declaration, spans, first, target, tuple(examples), unseen)

    def _clause(self, clause: s.PatternClause) -> Iterator[s.LikeClause]:
        """Lower a clause with a structure; yield the example that it is, or has, if in force."""
        like: s.PatternClause | None = clause
        if isinstance(clause, s.StructureClause):
            like = clause.like
            sound(self._structure_clause, each_structure(clause, self.state))
        if isinstance(like, s.LikeClause) and self.state.parameters.holds(like.when):
            yield like

    def _unseen(self) -> frozenset[str]:
        clauses = [c for c in self.declaration.clauses if isinstance(c, s.Unseen)]
        clauses += self.dataset.unseen if self.dataset is not None else ()
        for name in (name for clause in clauses for name in clause.kinds):
            if name.text not in _UNSEEN:
                hint = suggest(name.text, _UNSEEN, "it can name")
                self.state.error("SGL0201", name.span, f"`unseen` cannot name `{name}`", hint)
        return frozenset(name.text for clause in clauses for name in clause.kinds)

    def _sized(self) -> Sequence[s.PatternClause]:
        own = sizes_of(self.declaration, self.state)
        if own or self.dataset is None:
            return own
        span = self.declaration.name.span
        groups = {group.text for group in self.declaration.groups}
        everyone = dict.fromkeys(g.text for p, _ in self.state.names.of(s.PatternDecl) for g in p.groups)
        sized = []
        for clause in self.dataset.gen:
            for name in (item.split for item in clause.items if item.split is not None):
                if name.text not in everyone:
                    hint = suggest(name.text, everyone, "there is")
                    self.state.error("SGL0201", name.span, f"no pattern is in the group `{name}`", hint)
            items = [item for item in clause.items if item.split is None or item.split.text in groups]
            items = [replace(item, span=span, split=None) for item in items]
            sized.append(replace(clause, items=tuple(items)))
        return sized

    def _check(self, splits: Iterable[s.Name]) -> None:
        name, clauses = self.declaration.name, self.declaration.clauses
        keywords = {clause.kind for clause in clauses if isinstance(clause, s.StructureClause)}
        if not keywords & {"forbid", "never"}:
            hint = "add `forbid { … }` with the structure that training must not contain"
            self.state.error("SGL0802", name.span, f"the pattern `{name}` holds out nothing", hint)
        if name.text == IN_DISTRIBUTION or name.text.startswith(EXPOSURE_PREFIX.rstrip(":")):
            message, hint = f"a pattern cannot be called `{name}`", "give it another name"
            notes = ("that is a category of training sentences in the data",)
            self.state.error("SGL0823", name.span, message, hint, notes=notes)
        for clause in self.speaking:
            self.context.check_lemmas(clause.words, "add it to a lexicon")
            if clause.only_exposed and "expose" not in keywords:
                message = "no training sentence will contain these words: there are no exposures"
                hint = "add `expose 100 { … }`, or leave out `seen only in exposures`"
                self.state.error("SGL0820", clause.span, message, hint)
        for split in splits:
            message = f"the items of a pattern are generalization items, which are never in `{split}`"
            hint = f"leave out `in {split}`; a `part` may have sentences in train, dev and test"
            self.state.error("SGL0829", split.span, message, hint)

    def _pattern(self, quotas: tuple[Quota, ...], target: Structure | None) -> Pattern:
        title, structures = self.declaration.title, {}
        for keyword, clauses in self.clauses.items():
            structures[keyword] = tuple(clause.structure for clause in clauses)
        reserved = [*structures["expose"], *([target] if target is not None else [])]
        return Pattern(
            name=self.declaration.name.text,
            title=title.text if title is not None else "",
            groups=tuple(group.text for group in self.declaration.groups),
            forbid=structures["forbid"],
            never=structures["never"],
            gen=structures["gen"] or structures["forbid"] + structures["never"],
            exclude=structures["exclude"],
            need=tuple(Need(clause.structure, clause.sentences) for clause in self.clauses["need"]),
            allow=self.allowed,
            targets=self.targets,
            expose=tuple(map(self._exposure, self.clauses["expose"])),
            reserved=tuple(dict.fromkeys(reserved)),
            quotas=quotas,
            waive=structures["waive"],
        )

    def _exposure(self, clause: Clause) -> Exposure:
        targets = self.targets if clause.written.share is not None else ()
        return Exposure(clause.structure, Extent(clause.sentences, targets=targets, repeated=clause.written.repeated))

    def _structure_clause(self, clause: s.StructureClause) -> None:
        if isinstance(clause.graph, s.Layered) and clause.kind == "need" and not clause.amount:
            # `need n { … }` is parsed like `need sem { … }`.
            first, *others = clause.graph.parts
            if not others and first.layer.text not in self.context.beside:
                amount = s.Amount(first.layer.span, first.layer, 0)
                clause = replace(clause, amount=amount, graph=first.graph)
        lowered = attempt(lower_clause, clause, self.scope, self.context)
        count = 1
        if clause.amount is not None:
            count = count_asked_for(clause.amount, clause.share, self.context)
            if clause.kind == "need" and clause.amount.value.text.isdecimal():  # A parameter may be 0.
                self.state.parameters.whole(clause.amount, 1)
        lowered = there(lowered)
        if clause.share is not None:
            count = max(count, len(self.targets))
            check_shares(clause.span, count, [lowered.structure], self.context)
        self.clauses[clause.kind].append(replace(lowered, sentences=count))


def _allowed(declaration: s.PatternDecl | s.PartDecl, state: Resolved) -> tuple[str, ...]:
    clauses = [clause for clause in declaration.clauses if isinstance(clause, s.AllowClause)]
    names = [name for clause in clauses for name in clause.names]
    if not names:
        return ()
    in_force = {pattern.name.text for pattern, _ in state.names.of(s.PatternDecl)}
    declared = [pattern.name.text for pattern, _ in state.names.declared(s.PatternDecl)]
    for name in names:
        if name.text not in declared:
            hint = f"there is: {shortlist(declared)}" if declared else ""
            state.report_missing("pattern", name, declared, hint, "pattern")
        elif isinstance(declaration, s.PatternDecl) and name.text == declaration.name.text:
            labels = [Label(declaration.name.span, "this pattern")]
            state.error("SGL0803", name.span, "a pattern need not allow its own structures", labels=labels)
    return tuple(name.text for name in names if name.text in in_force)


def _places_of(sizes: Sequence[Sized]) -> list[tuple[Structure, Span]]:
    return [(structure, item.span) for item, quota in sizes for structure in quota.structures]


def _part(declaration: s.PartDecl, scope: Scope, context: StructureContext) -> LoweredPart:
    state = context.state
    errors = state.diagnostics.errors
    clauses, title = declaration.clauses, declaration.title
    written = [clause for clause in clauses if isinstance(clause, s.StructureClause)]
    anchors = attempt(each, lambda clause: lower_clause(clause, scope, context), written) or []
    sizes = lower_sizes(clauses, anchors, scope, context)
    places = [*((found.structure, found.written.span) for found in anchors), *_places_of(sizes)]
    part = Part(
        name=declaration.name.text,
        title=title.text if title is not None else "",
        only=tuple(found.structure for found in anchors),
        quotas=tuple(quota for _, quota in sizes),
        repeated_lemmas=any(isinstance(clause, s.RepeatedLemmas) for clause in clauses),
        allow=_allowed(declaration, state),
        tested=any(clause.kind == "apart" for clause in written),
    )
    _check_part(declaration, state)
    if state.diagnostics.errors > errors:
        raise Reported
    return LoweredPart(part, declaration, tuple(item.span for item, _ in sizes), dict(reversed(places)))


def _check_part(declaration: s.PartDecl, state: Resolved) -> None:
    name = declaration.name
    structures = [c for c in declaration.clauses if isinstance(c, s.StructureClause)]
    sizes = sizes_of(declaration, state)
    if not structures:
        hint = "add `only { … }` with what no other sentence of the dataset contains, "
        hint += "or `apart { … }` with what generalization items contain as well"
        state.error("SGL0827", name.span, f"the part `{name}` has nothing of its own", hint)
    if len({clause.kind for clause in structures}) > 1:
        message = f"the part `{name}` has structures both `only` for itself and `apart`"
        hint = "write one of the two; items of patterns may contain what is `apart`"
        state.error("SGL0827", structures[-1].span, message, hint)
    for item in (item for clause in sizes for item in clause.items):
        if item.contexts is not None:
            state.error("SGL0827", item.contexts.span, "only items of patterns are instances with contexts")
        split = item.split
        if split is not None and split.text not in SPLITS:
            hint = suggest(split.text, SPLITS, "it may have some in")
            state.error("SGL0827", split.span, f"a part has no sentences in `{split}`", hint)
    if not sizes:
        state.error("SGL0827", name.span, f"the part `{name}` has no sentences", "say how many: `size 200`")


@dataclass(frozen=True)
class LoweredTest:
    """A test with the structures that it expects, in the order of ``declaration.graphs``."""

    declaration: s.Test
    structures: tuple[Structure, ...] = ()


def lower_tests(contexts: Mapping[str, StructureContext], state: Signed) -> tuple[LoweredTest, ...]:
    """Turn the graphs that tests expect into structures, and drop wrong ones."""
    seen = _seen(contexts, None, state)
    lower = partial(_lower_test, contexts=contexts, state=state)
    tests = state.names.of(s.Test)
    found = [state.kept("test", (test, seen), partial(lower, test, scope), LEAVES) for test, scope in tests]
    return tuple(test for test in found if test is not None)


def _lower_test(test: s.Test, scope: Scope, contexts: Mapping[str, StructureContext], state: Signed) -> LoweredTest:
    context = next(iter(contexts.values()), None)
    for layer in (expected.parts[0].layer for expected in test.graphs if context is None):
        if layer.text not in state.signature.unsound:
            state.report_missing("graph layer", layer, ())
    if context is None:
        return LoweredTest(test)
    return LoweredTest(test, tuple(sound(lambda ref: lower_structure(write_out(ref, scope), context), test.graphs)))
