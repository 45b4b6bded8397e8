"""What there is before any pass: a project, its settings, and what has been said of both."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from sgl.diagnostics import Diagnostics, Label, SourceMap, Span, one_of, suggest
from sgl.lang import syntax as s
from sgl.lang.project import Project

_FIRST = "declared here first"


@dataclass
class Session:
    """A project that is compiled with some settings; passes report to its diagnostics.

    What passes have found is in the classes that are made from this one: the meaning of names in
    :class:`~sgl.frontend.names.resolved.Resolved`, layers and categories in
    :class:`~sgl.frontend.names.signature.Signed`.
    """

    project: Project
    settings: Mapping[str, str]
    diagnostics: Diagnostics

    def __post_init__(self) -> None:
        #: Add an error, or a warning, to the diagnostics.
        self.error, self.warning = self.diagnostics.error, self.diagnostics.warning

    def report_missing(
        self, kind: str, name: s.Name, known: Collection[str], hint: str = "", keyword: str = ""
    ) -> None:
        """Report a name that nothing has, unless an unreadable declaration with this ``keyword`` may have it."""
        if not keyword or not self.project.may_declare(keyword, name.text):
            hint = suggest(name.text, known) or hint or one_of(name.text, known)
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
