"""Comments that allow a warning: ``# allow SGL0713``, optionally followed by a reason.

A comment applies to the declaration that contains it, or that begins directly below it.  It names its codes, and
:meth:`AllowedWarnings.unused` finds those that allow nothing.  Errors cannot be allowed.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from sgl.diagnostics import CODES, Diagnostic, Severity, SourceFile, SourceMap, Span, suggest
from sgl.values import dataclass, field

_COMMENT = re.compile(r"#[ \t]*allow[ \t]+(SGL\d+(?:[ \t]*,[ \t]*SGL\d+)*)")
_CODE = re.compile(r"SGL\d+")

#: The first code of warnings that only sampling or the analysis of a corpus gives.
_LATER = "SGL09"


class Allowance(NamedTuple):
    """A code in a comment, and the part of the file to which it applies: a declaration, or nothing."""

    code: str
    place: Span
    about: Span


@dataclass
class AllowedWarnings:
    """The warnings that comments of some files allow, and those that were needed."""

    sources: SourceMap
    _known: dict[str, tuple[SourceFile, tuple[Allowance, ...]]] = field(default_factory=dict)
    _used: set[Allowance] = field(default_factory=set)

    def __call__(self, found: Diagnostic) -> bool:
        """Return whether a comment allows a diagnostic."""
        if found.severity is not Severity.WARNING or found.span is None:
            return False
        start = self.sources.real(found.span).start
        allowing = {
            allowance
            for allowance in self._of(found.span.file)
            if allowance.code == found.code and allowance.about.start <= start < allowance.about.end
        }
        self._used |= allowing
        return bool(allowing)

    def kept(self, found: Diagnostic) -> Diagnostic | None:
        """Return a diagnostic unless a comment allows it; usable as ``Diagnostics.judge``."""
        return None if self(found) else found

    def unused(self) -> Iterator[Diagnostic]:
        """Yield a warning for each code in a comment that has allowed nothing so far."""
        for allowance in [entry for name in self.sources.files for entry in self._of(name)]:
            code = allowance.code
            if code not in CODES:
                message, hint = f"there is no code `{code}`", suggest(code, CODES)
            else:
                message, hint = f"this comment allows `{code}`, which does not occur here", "remove it"
            if code not in CODES or (allowance not in self._used and code < _LATER):
                yield Diagnostic("SGL0114", Severity.WARNING, allowance.place, message, hint=hint)

    def _of(self, name: str) -> tuple[Allowance, ...]:
        source = self.sources.get(name)
        # Most files have no such comment, and need not be cut into declarations.
        if source is None or not _COMMENT.search(source.text):
            return ()
        # The file may have been changed and read again.
        if name not in self._known or self._known[name][0] is not source:
            self._known[name] = source, tuple(_allowances(SourceFile(name, source.text)))
        return self._known[name][1]


def _allowances(source: SourceFile) -> Iterator[Allowance]:
    """Yield the allowances in the comments of a file."""
    from sgl.lang.chunks import split_chunks

    chunks = list(split_chunks(source))
    starts = [chunk.start for chunk in chunks if chunk.text]
    for text, at in (comment for chunk in chunks for comment in chunk.comments):
        codes = _COMMENT.match(text)
        if codes is None:
            continue
        start = max((start for start in starts if start < at.start), default=at.start)
        following = min((start for start in starts if start > at.start), default=len(source.text))
        between = source.text[at.end : following]
        if source.position(at.start)[1] == 1:
            # Other comments may come between, but no empty line.
            start = following if not re.search(r"\n[ \t]*\n", between) else at.start
        end = min((later for later in starts if later > start), default=len(source.text))
        for code in _CODE.finditer(codes[1]):
            place = at.start + codes.start(1) + code.start()
            yield Allowance(code[0], source.span(place, place + len(code[0])), source.span(start, end))
