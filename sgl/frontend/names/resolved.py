"""What passes work with once names have their meaning: the parameters, and all declarations in force.

Work is kept from one edit to the next by declaration: what was found of one is found again as long as it is the same,
and so is everything that it can depend on.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar, cast

from sgl.cache import kept, key_of, memory
from sgl.diagnostics import Span
from sgl.foreign import limits
from sgl.frontend.names.parameters import Parameters, set_parameters
from sgl.frontend.names.scopes import ResolvedNames, resolve_names
from sgl.frontend.names.session import Session
from sgl.lang import syntax as s

_T = TypeVar("_T")

#: What no other declaration depends on, and what no category, rule or word depends on.
LEAVES = (s.Rule, s.WordDecl, s.Lexicon, s.PatternDecl, s.PartDecl, s.Test, s.Weights)
WORDS_LEAVE = (*LEAVES, *(s.Dataset, s.StructureDecl, s.Labels, s.WordSet, s.Quota, s.Relation, s.Restrict))


@dataclass
class Resolved(Session):
    """A project whose names have their meaning."""

    parameters: Parameters
    names: ResolvedNames

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
        known = cast(tuple[_T, set[Span]] | None, keeping.find(key))
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
        if leaves not in self.names.foundations:
            rest = tuple(d for d in self.project.declarations(s.SyntaxNode) if not isinstance(d, leaves))
            files = tuple((unit.file.name, *(used.file.name for _, used in unit.uses)) for unit in self.project.units)
            equal = (files, self.project.unread, tuple(sorted(self.settings.items())), limits())
            self.names.foundations[leaves] = kept("foundation", rest, equal, object)
        return self.names.foundations[leaves]


def resolve(session: Session) -> Resolved | None:
    """Give names their meaning; return None if nothing is declared."""
    parameters = set_parameters(session)
    if parameters is None:
        return None
    names = resolve_names(session, parameters)
    return Resolved(session.project, session.settings, session.diagnostics, parameters, names)
