"""What ``sglc check`` says of a grammar: diagnostics, and a line with its size.

Kept by itself, so that to say the same again neither the grammar is loaded nor the
compiler imported.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sgl.cache import current
from sgl.diagnostics import Diagnostic, Diagnostics, SourceMap
from sgl.pipeline.origin import known_origin, request_of

if TYPE_CHECKING:
    from sgl.frontend import Compiled

_KIND = "check"


@dataclass(frozen=True, slots=True)
class Size:
    """How much a grammar declares."""

    name: str
    categories: int
    rules: int
    words: int
    patterns: int
    tests: int

    @classmethod
    def of(cls, compiled: Compiled) -> Size:
        """The size of a compiled grammar."""
        core = compiled.grammar
        words = sum(rule.lexical for rule in core.rules)
        return cls(
            compiled.project.name,
            len(core.categories),
            len(core.rules) - words,
            words,
            len(compiled.patterns),
            len(compiled.tests),
        )


@dataclass(frozen=True)
class Checked:
    """All that a check has found; ``size`` is None if the grammar cannot be compiled."""

    size: Size | None
    diagnostics: tuple[Diagnostic, ...]
    sources: SourceMap


def check_grammar(
    path: Path, settings: Mapping[str, str], sources: SourceMap, diagnostics: Diagnostics
) -> Size | None:
    """Read and check a grammar with its examples, or say what is known of it."""
    cache, origin = current(), known_origin(request_of(path, settings))
    checked = None
    if cache is not None and origin:
        checked = cache.get(Checked, _KIND, origin)
    if checked is None:
        checked, origin = _checked(path, settings)
        if cache is not None and origin:
            cache.put(checked, _KIND, origin)
    diagnostics.extend(checked.diagnostics)
    sources.files.update(checked.sources.files)
    return checked.size


def _checked(path: Path, settings: Mapping[str, str]) -> tuple[Checked, str]:
    """What there is to say, and the origin of the grammar that it is said of."""
    from sgl.pipeline.examples import check_examples
    from sgl.pipeline.session import opened_grammar

    opened, origin = opened_grammar(path, settings)
    diagnostics = Diagnostics()
    diagnostics.extend(opened.diagnostics)
    size = None
    if opened.compiled is not None:
        check_examples(opened.compiled, diagnostics)
        size = Size.of(opened.compiled)
    return Checked(size, diagnostics.found, opened.sources), origin
