"""What the passes know so far about one grammar.

Every result is an attribute that exists once its pass has run and found it; a pass says in
its :attr:`~sgl.frontend.passes.Pass.needs` which of them it cannot do without.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar, cast

from sgl import limits
from sgl.diagnostics import Diagnostics, Label, SourceMap, Span, suggest
from sgl.kept import kept, key_of, memory
from sgl.lang import syntax as s
from sgl.lang.project import Project

if TYPE_CHECKING:
    # The passes write what they find into the state, so that it cannot import them.
    from sgl.core.plan import Plan
    from sgl.core.release import Release
    from sgl.frontend.bodies import StructureContext
    from sgl.frontend.dataset import DatasetSettings
    from sgl.frontend.expand import Instance
    from sgl.frontend.lower import Lowered
    from sgl.frontend.names import ResolvedNames
    from sgl.frontend.parameters import Parameters
    from sgl.frontend.patterns import LoweredPart, LoweredPattern, LoweredTest
    from sgl.frontend.productions import Production
    from sgl.frontend.restrictions import LoweredRestriction
    from sgl.frontend.signature import Signature

_FIRST = "declared here first"

_T = TypeVar("_T")

#: What no other declaration depends on, and what no category, rule or word depends on.
LEAVES = (s.Rule, s.WordDecl, s.Lexicon, s.PatternDecl, s.PartDecl, s.Test, s.Weights)
WORDS_LEAVE = (*LEAVES, *(s.Dataset, s.StructureDecl, s.Labels, s.WordSet, s.Quota, s.Relation, s.Restrict))


@dataclass
class CompilerState:
    """What was set and found so far; ``declared`` has the grammar's own weights, ``lowered`` those in force.

    ``words`` are the productions of each lexicon and of each word, ``productions`` those of rules and words.
    """

    project: Project
    settings: Mapping[str, str]
    diagnostics: Diagnostics

    parameters: Parameters = field(init=False)
    names: ResolvedNames = field(init=False)
    signature: Signature = field(init=False)
    dataset: DatasetSettings = field(init=False)
    targets: tuple[str, ...] = field(init=False)
    rules: tuple[Production, ...] = field(init=False)
    words: tuple[tuple[Production, ...], ...] = field(init=False)
    productions: tuple[Production, ...] = field(init=False)
    instances: list[Instance] = field(init=False)
    declared: Lowered = field(init=False)
    lowered: Lowered = field(init=False)
    contexts: dict[str, StructureContext] = field(init=False)
    context: StructureContext = field(init=False)
    patterns: tuple[LoweredPattern, ...] = ()
    parts: tuple[LoweredPart, ...] = ()
    restrictions: tuple[LoweredRestriction, ...] = ()
    tests: tuple[LoweredTest, ...] = ()
    plan: Plan = field(init=False)
    release: Release | None = None

    def __post_init__(self) -> None:
        self._foundations: dict[tuple[type, ...], object] = {}
        #: Add an error, or a warning, to the diagnostics.
        self.error, self.warning = self.diagnostics.error, self.diagnostics.warning

    def kept(
        self, kind: str, same: tuple[object, ...], compute: Callable[[], _T], leaves: tuple[type, ...] = WORDS_LEAVE
    ) -> _T:
        """Return what was computed of the same things while all declarations but ``leaves`` were the same.

        A computation looks at no other leaf.  One that reports something, or reads a file, is not kept.
        """
        keeping = memory()
        if keeping is None:
            return compute()
        same = (self._foundation(leaves), *same)
        key = key_of(kind, same, None)
        known = cast(tuple[_T, set[int]] | None, keeping.find(key))
        if known is not None:
            self.names.used |= known[1]
            return known[0]
        before, self.names.used, clean = self.names.used, set(), (self.diagnostics.told, len(self.sources.files))
        value = compute()
        used, self.names.used = self.names.used, before | self.names.used
        if clean == (self.diagnostics.told, len(self.sources.files)):
            keeping.keep(key, (value, used), same)
        return value

    def _foundation(self, leaves: tuple[type, ...]) -> object:
        """Return an object that is the same while all declarations but leaves are."""
        if leaves not in self._foundations:
            rest = tuple(d for d in self.project.declarations(s.SyntaxNode) if not isinstance(d, leaves))
            files = tuple((unit.file.name, *(used.file.name for _, used in unit.uses)) for unit in self.project.units)
            equal = (files, self.project.unread, tuple(sorted(self.settings.items())), limits.current())
            self._foundations[leaves] = kept("foundation", rest, equal, object)
        return self._foundations[leaves]

    def report_missing(self, kind: str, name: s.Name, known: Iterable[str], hint: str = "", keyword: str = "") -> None:
        """Report a name that nothing has, unless an unreadable declaration with this ``keyword`` may have it."""
        if not keyword or not self.project.may_declare(keyword, name.text):
            hint = suggest(name.text, known) or hint
            self.error("SGL0201", name.span, f"there is no {kind} `{name}`", hint)

    def report_twice(
        self, kind: str, name: s.Name, earlier: Span, hint: str = "remove one of the two, or rename it"
    ) -> None:
        """Report a second declaration of one name."""
        message, labels = f"the {kind} `{name}` is declared twice", [Label(earlier, _FIRST)]
        self.error("SGL0203", name.span, message, hint, labels=labels)

    @property
    def sources(self) -> SourceMap:
        """The files that were read."""
        return self.project.sources
