"""Lower patterns: each clause becomes structures of the core."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from sgl.core.plan import EXPOSURE_PREFIX, IN_DISTRIBUTION, Exposure, Need, Pattern, Quota
from sgl.core.structure import Body, NodeTest, Structure, Variable
from sgl.diagnostics import Label, Span, suggest
from sgl.frontend.names import Scope
from sgl.frontend.quotas import Anchor, Quotas, anchor, check_shares, count_of_sentences
from sgl.frontend.state import CompilerState
from sgl.frontend.structures import lower_structure
from sgl.frontend.vocabulary import StructureContext
from sgl.lang import syntax as s


@dataclass(frozen=True)
class LoweredPattern:
    """A pattern with where its clauses were written.

    ``spans`` lists the places of the clauses of each kind (``forbid``, ``never``,
    ``gen``, ``not``, ``need``, ``waive``, ``expose``, and the parts of ``size``) in
    the order of the fields of ``pattern``.  ``target_structure`` matches sentences that
    contain a word which only exposures may contain.  ``examples`` are the
    ``like`` clauses.
    """

    pattern: Pattern
    declaration: s.PatternDecl
    spans: Mapping[str, tuple[Span, ...]]
    target_structure: Structure | None
    examples: tuple[s.LikeClause, ...]

    def span(self, kind: str, index: int) -> Span:
        """Return where a clause is; the pattern's name if it has none of this kind."""
        spans = self.spans.get(kind, ())
        return spans[index] if index < len(spans) else self.declaration.name.span

    def place(self, structure: Structure) -> Span | None:
        """Return the first clause with this structure, or the name for the words of ``targets``."""
        pattern = self.pattern
        written = {
            "forbid": pattern.forbid,
            "never": pattern.never,
            "gen": pattern.gen,
            "not": pattern.exclude,
            "waive": pattern.waive,
            "need": [need.structure for need in pattern.need],
            "expose": [exposure.structure for exposure in pattern.expose],
        }
        for kind, structures in written.items():
            if structure in structures and kind in self.spans:
                return self.span(kind, list(structures).index(structure))
        for index, quota in enumerate(pattern.quotas):
            if structure in quota.structures:
                return self.span("size", index)
        return self.declaration.name.span if structure == self.target_structure else None


def lower_patterns(state: CompilerState) -> None:
    """Turn each clause of a pattern into structures of the core.

    Before: ``context``.  After: ``patterns``, those that are sound.
    """
    declared = state.names.of(s.PatternDecl)
    known = {declaration.name.text: False for declaration, _ in state.names.declared(s.PatternDecl)}
    known.update((declaration.name.text, True) for declaration, _ in declared)
    found = []
    for declaration, scope in declared:
        lowered = _Lowering(declaration, scope, state.context, known).run()
        if lowered is not None:
            found.append(lowered)
    state.patterns = tuple(found)


@dataclass
class _Parts:
    """What the clauses of a pattern have given so far."""

    forbid: list[Structure] = field(default_factory=list)
    never: list[Structure] = field(default_factory=list)
    gen: list[Structure] = field(default_factory=list)
    exclude: list[Structure] = field(default_factory=list)
    waive: list[Structure] = field(default_factory=list)
    need: list[Need] = field(default_factory=list)
    expose: list[Exposure] = field(default_factory=list)
    allow: list[str] = field(default_factory=list)
    quotas: list[Quota] = field(default_factory=list)
    examples: list[s.LikeClause] = field(default_factory=list)
    anchors: defaultdict[str, list[Anchor]] = field(default_factory=lambda: defaultdict(list))
    spans: dict[str, list[Span]] = field(default_factory=dict)

    def note(self, kind: str, span: Span) -> None:
        """Remember where a clause of this kind is."""
        self.spans.setdefault(kind, []).append(span)


class _Lowering:
    """The lowering of one pattern."""

    def __init__(
        self,
        declaration: s.PatternDecl,
        scope: Scope,
        context: StructureContext,
        known: Mapping[str, bool],
    ) -> None:
        self.declaration = declaration
        self.scope = scope
        #: All patterns, and whether they are in force.
        self.known = known
        self.state = context.state
        clauses = [c for c in declaration.clauses if isinstance(c, s.TargetsClause)]
        self.targets = tuple(dict.fromkeys(w.text for c in clauses for w in c.words))
        self.only_exposed = any(clause.only_exposed for clause in clauses)
        self.context = replace(context, targets=self.targets if clauses else None)
        self._check_targets(clauses)
        self.parts = _Parts()

    def run(self) -> LoweredPattern | None:
        errors = self.state.diagnostics.errors
        for clause in self.declaration.clauses:
            self._clause(clause)
        self._sizes(sound=self.state.diagnostics.errors == errors)
        if not any(
            isinstance(clause, s.StructureClause) and clause.kind in ("forbid", "never")
            for clause in self.declaration.clauses
        ):
            self.state.diagnostics.error(
                "SGL0802",
                self.declaration.name.span,
                f"the pattern `{self.declaration.name}` holds nothing out",
                hint="add `forbid { … }` with the structure that training must not contain",
            )
        self._check_clauses()
        if self.state.diagnostics.errors > errors:
            return None
        return self._result()

    def _check_clauses(self) -> None:
        """Report a name that is taken, and words that no exposure can show."""
        name = self.declaration.name
        clauses = self.declaration.clauses
        if name.text == IN_DISTRIBUTION or name.text.startswith(EXPOSURE_PREFIX.rstrip(":")):
            self.state.diagnostics.error(
                "SGL0823",
                name.span,
                f"a pattern cannot be called `{name}`",
                notes=("that is a category of training sentences in the data",),
                hint="give it another name",
            )
        exposes = any(isinstance(c, s.StructureClause) and c.kind == "expose" for c in clauses)
        for clause in clauses:
            if isinstance(clause, s.TargetsClause) and clause.only_exposed and not exposes:
                self.state.diagnostics.error(
                    "SGL0820",
                    clause.span,
                    "no training sentence will contain these words: there are no exposures",
                    hint="add `expose 100 { … }`, or leave out `seen only in exposures`",
                )

    def _result(self) -> LoweredPattern:
        parts = self.parts
        target = self._target_structure()
        reserved = [exposure.structure for exposure in parts.expose]
        if target is not None:
            reserved.append(target)
        title = self.declaration.title
        pattern = Pattern(
            name=self.declaration.name.text,
            title=title.text if title is not None else "",
            groups=tuple(group.text for group in self.declaration.groups),
            forbid=tuple(parts.forbid),
            never=tuple(parts.never),
            gen=tuple(parts.gen) or (*parts.forbid, *parts.never),
            exclude=tuple(parts.exclude),
            need=tuple(parts.need),
            allow=tuple(parts.allow),
            targets=self.targets,
            expose=tuple(parts.expose),
            reserved=tuple(dict.fromkeys(reserved)),
            quotas=tuple(parts.quotas),
            waive=tuple(parts.waive),
        )
        spans = {kind: tuple(places) for kind, places in parts.spans.items()}
        return LoweredPattern(pattern, self.declaration, spans, target, tuple(parts.examples))

    def _target_structure(self) -> Structure | None:
        if not self.only_exposed or not self.targets:
            return None
        test = NodeTest("lemma", frozenset(self.targets))
        return Structure(self.context.layer, Body((Variable("N", (test,)),)))

    def _check_targets(self, clauses: list[s.TargetsClause]) -> None:
        if not self.context.words.complete:
            return
        lemmas = self.context.words.attributes.get("lemma", frozenset())
        for clause in clauses:
            for word in clause.words:
                if word.text not in lemmas:
                    self.state.diagnostics.error(
                        "SGL0808",
                        word.span,
                        f"no word has `lemma={word}`",
                        hint=suggest(word.text, lemmas) or "add it to a lexicon",
                    )

    # ---- clauses

    def _clause(self, clause: s.PatternClause) -> None:
        if isinstance(clause, s.StructureClause):
            self._structure_clause(clause)
        elif isinstance(clause, s.AllowClause):
            self._allow(clause)
        elif isinstance(clause, s.LikeClause) and self._holds(clause.when):
            self.parts.examples.append(clause)

    def _holds(self, when: s.When | None) -> bool:
        return when is None or self.context.state.parameters.holds(when)

    def _structure_clause(self, clause: s.StructureClause) -> None:
        structure = lower_structure(clause.graph, self.scope, self.context)
        amount = self._count(clause.amount) if clause.amount is not None else 1
        if structure is None or amount is None:
            return
        self.parts.note(clause.kind, clause.span)
        plain = {
            "forbid": self.parts.forbid,
            "never": self.parts.never,
            "gen": self.parts.gen,
            "not": self.parts.exclude,
            "waive": self.parts.waive,
        }
        if clause.kind in plain:
            plain[clause.kind].append(structure)
            found = anchor(structure, clause.graph, self.scope, clause.span)
            self.parts.anchors[clause.kind].append(found)
        elif clause.kind == "need":
            self.parts.need.append(Need(structure, amount))
        else:
            self._expose(clause, amount, structure)

    def _expose(self, clause: s.StructureClause, count: int, structure: Structure) -> None:
        each = clause.each_target
        if each:
            count = max(count, len(self.context.targets or ()))
        if not each or check_shares(clause.span, count, [structure], self.context):
            self.parts.expose.append(Exposure(count, structure, clause.repeated, each))

    def _allow(self, clause: s.AllowClause) -> None:
        for name in clause.names:
            if name.text not in self.known and self.scope.may_declare(s.PatternDecl, name.text):
                continue
            if name.text not in self.known:
                self.state.diagnostics.error(
                    "SGL0201",
                    name.span,
                    f"there is no pattern `{name}`",
                    hint=suggest(name.text, self.known),
                )
            elif name.text == self.declaration.name.text:
                self.state.diagnostics.error(
                    "SGL0803",
                    name.span,
                    "a pattern need not allow its own structures",
                    labels=[Label(self.declaration.name.span, "this pattern")],
                )
            elif self.known[name.text]:
                self.parts.allow.append(name.text)

    def _sizes(self, *, sound: bool) -> None:
        """Lower the quotas, whose conditions may speak of the nodes of what items contain."""
        parts = self.parts
        anchors = parts.anchors["gen"] or [*parts.anchors["forbid"], *parts.anchors["never"]]
        quotas = Quotas(anchors if sound else (), self.scope, self.context)
        for clause in self.declaration.clauses:
            if isinstance(clause, s.SizeClause):
                for item, quota in quotas.lower_all(clause):
                    if item.split is not None:
                        self._report_split(item.split)
                    parts.note("size", item.span)
                    parts.quotas.append(quota)

    def _report_split(self, split: s.Name) -> None:
        self.state.diagnostics.error(
            "SGL0829",
            split.span,
            f"the items of a pattern are generalization items, and none of them is in `{split}`",
            hint=f"leave out `in {split}`; a `part` may have sentences in train, dev and test",
        )

    def _count(self, amount: s.Amount) -> int | None:
        """Return a number of sentences; None after a report."""
        return count_of_sentences(amount, self.state)
