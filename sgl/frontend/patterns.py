"""Lower patterns: each clause becomes structures of the core."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from sgl.core.plan import EXPOSURE_PREFIX, IN_DISTRIBUTION, Exposure, Need, Pattern, Quota
from sgl.core.structure import Body, NodeTest, Structure, Variable
from sgl.diagnostics import Label, Span, suggest
from sgl.frontend.names import Scope
from sgl.frontend.quotas import Quotas, anchor, check_shares, count_of_sentences
from sgl.frontend.state import CompilerState
from sgl.frontend.structures import lower_structure
from sgl.frontend.vocabulary import StructureContext
from sgl.lang import syntax as s

#: The keywords of clauses with a structure.
_KEYWORDS = ("forbid", "never", "gen", "not", "waive", "need", "expose")


@dataclass(frozen=True)
class LoweredPattern:
    """A pattern with where its clauses were written.

    ``spans`` lists the places of the clauses of each keyword, and of the items of ``size``,
    in the order of the fields of ``pattern``; ``places`` has the first clause with a
    structure.  ``target_structure`` matches sentences that contain a word which only
    exposures may contain.  ``examples`` are the ``like`` clauses.
    """

    pattern: Pattern
    declaration: s.PatternDecl
    spans: Mapping[str, tuple[Span, ...]]
    places: Mapping[Structure, Span]
    target_structure: Structure | None
    examples: tuple[s.LikeClause, ...]

    def span(self, kind: str, index: int) -> Span:
        """Return where a clause is; the pattern's name if it has none of this kind."""
        spans = self.spans.get(kind, ())
        return spans[index] if index < len(spans) else self.declaration.name.span


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


class _Clause(NamedTuple):
    """A clause that is sound, with its structure and its number of sentences."""

    written: s.StructureClause
    structure: Structure
    sentences: int


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
        self.clauses: dict[str, list[_Clause]] = {keyword: [] for keyword in _KEYWORDS}
        self.allowed: list[str] = []

    def run(self) -> LoweredPattern | None:
        errors = self.state.diagnostics.errors
        examples = []
        for clause in self.declaration.clauses:
            if isinstance(clause, s.StructureClause):
                self._structure_clause(clause)
            elif isinstance(clause, s.AllowClause):
                self._allow(clause)
            elif isinstance(clause, s.LikeClause) and self._holds(clause.when):
                examples.append(clause)
        sizes = self._sizes(sound=self.state.diagnostics.errors == errors)
        self._check_clauses()
        if self.state.diagnostics.errors > errors:
            return None
        target = self._target_structure()
        spans = {
            keyword: tuple(clause.written.span for clause in clauses)
            for keyword, clauses in self.clauses.items()
        }
        spans["size"] = tuple(item.span for item, _ in sizes)
        pattern = self._pattern(tuple(quota for _, quota in sizes), target)
        places = self._places(sizes, target)
        return LoweredPattern(pattern, self.declaration, spans, places, target, tuple(examples))

    def _check_clauses(self) -> None:
        """Report a pattern without a core, a taken name, and words that no exposure can show."""
        name = self.declaration.name
        clauses = self.declaration.clauses
        keywords = {clause.kind for clause in clauses if isinstance(clause, s.StructureClause)}
        if not keywords & {"forbid", "never"}:
            hint = "add `forbid { … }` with the structure that training must not contain"
            self.state.error("SGL0802", name.span, f"the pattern `{name}` holds nothing out", hint)
        if name.text == IN_DISTRIBUTION or name.text.startswith(EXPOSURE_PREFIX.rstrip(":")):
            self.state.error(
                "SGL0823",
                name.span,
                f"a pattern cannot be called `{name}`",
                "give it another name",
                notes=("that is a category of training sentences in the data",),
            )
        for clause in clauses:
            if (
                isinstance(clause, s.TargetsClause)
                and clause.only_exposed
                and "expose" not in keywords
            ):
                message = "no training sentence will contain these words: there are no exposures"
                hint = "add `expose 100 { … }`, or leave out `seen only in exposures`"
                self.state.error("SGL0820", clause.span, message, hint)

    def _pattern(self, quotas: tuple[Quota, ...], target: Structure | None) -> Pattern:
        structures = {
            keyword: tuple(clause.structure for clause in clauses)
            for keyword, clauses in self.clauses.items()
        }
        reserved = [*structures["expose"], *([target] if target is not None else [])]
        title = self.declaration.title
        return Pattern(
            name=self.declaration.name.text,
            title=title.text if title is not None else "",
            groups=tuple(group.text for group in self.declaration.groups),
            forbid=structures["forbid"],
            never=structures["never"],
            gen=structures["gen"] or structures["forbid"] + structures["never"],
            exclude=structures["not"],
            need=tuple(Need(clause.structure, clause.sentences) for clause in self.clauses["need"]),
            allow=tuple(self.allowed),
            targets=self.targets,
            expose=tuple(
                Exposure(count, structure, written.repeated, written.each_target)
                for written, structure, count in self.clauses["expose"]
            ),
            reserved=tuple(dict.fromkeys(reserved)),
            quotas=quotas,
            waive=structures["waive"],
        )

    def _places(
        self, sizes: Sequence[tuple[s.SizeItem, Quota]], target: Structure | None
    ) -> dict[Structure, Span]:
        written = [(c.structure, c.written.span) for some in self.clauses.values() for c in some]
        written += [(one, item.span) for item, quota in sizes for one in quota.structures]
        if target is not None:
            written.append((target, self.declaration.name.span))
        return dict(reversed(written))  # so that the first one stays

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
                    hint = suggest(word.text, lemmas) or "add it to a lexicon"
                    self.state.error("SGL0808", word.span, f"no word has `lemma={word}`", hint)

    # ---- clauses

    def _holds(self, when: s.When | None) -> bool:
        return when is None or self.state.parameters.holds(when)

    def _structure_clause(self, clause: s.StructureClause) -> None:
        structure = lower_structure(clause.graph, self.scope, self.context)
        count = count_of_sentences(clause.amount, self.state) if clause.amount is not None else 1
        if structure is None or count is None:
            return
        if clause.each_target:
            count = max(count, len(self.targets))
            if not check_shares(clause.span, count, [structure], self.context):
                return
        self.clauses[clause.kind].append(_Clause(clause, structure, count))

    def _allow(self, clause: s.AllowClause) -> None:
        for name in clause.names:
            if name.text not in self.known and self.scope.may_declare(s.PatternDecl, name.text):
                continue
            if name.text not in self.known:
                self.state.report_missing("pattern", name, self.known)
            elif name.text == self.declaration.name.text:
                self.state.error(
                    "SGL0803",
                    name.span,
                    "a pattern need not allow its own structures",
                    labels=[Label(self.declaration.name.span, "this pattern")],
                )
            elif self.known[name.text]:
                self.allowed.append(name.text)

    def _sizes(self, *, sound: bool) -> list[tuple[s.SizeItem, Quota]]:
        """Lower the quotas, whose conditions may speak of the nodes of what items contain."""
        contained = self.clauses["gen"] or self.clauses["forbid"] + self.clauses["never"]
        anchors = [
            anchor(structure, written.graph, self.scope, written.span)
            for written, structure, _ in (contained if sound else ())
        ]
        sizes = Quotas(anchors, self.scope, self.context).lower_all(self.declaration.clauses)
        for item, _ in sizes:
            if item.split is not None:
                self._report_split(item.split)
        return sizes

    def _report_split(self, split: s.Name) -> None:
        self.state.error(
            "SGL0829",
            split.span,
            f"the items of a pattern are generalization items, and none of them is in `{split}`",
            f"leave out `in {split}`; a `part` may have sentences in train, dev and test",
        )
