"""Compile small grammars in tests and compare what the compiler says about them."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from sgl.automata import StructureCompiler
from sgl.cli.session import Judge
from sgl.diagnostics import Diagnostic, Diagnostics, SourceMap
from sgl.diagnostics.registry import MAIN, Code
from sgl.diagnostics.render import as_object, json_text, render, render_concise
from sgl.lang.allowed import AllowedWarnings
from sgl.morphology.check import check_inflected
from sgl.pipeline.grammar import open_grammar
from sgl.pipeline.proofs import establish
from sgl.pipeline.writable import check_unproved

#: The grammar that the examples of the pages belong to: its pieces, and the whole.
_PIECE = re.compile(r"^## (\w+)\n\n```sgl\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PIECES: dict[str, str] = dict(_PIECE.findall(files("sgl.diagnostics").joinpath("pages", "base.md").read_text("utf-8")))
BASE = "\n".join(PIECES.values())
#: The same for what is ambiguous, where that is of no interest.
UNREAD = BASE.replace("  seed  1\n", "  seed  1\n  ambiguous ignore\n")
#: Words of the parser and of Python that an author must never see.
INTERNAL = ("_NL", "RPAR", "LPAR", "UPPER", "NAME", "$END", "COLUMN", "LIKE_SPLIT", "Traceback")


@dataclass(frozen=True)
class Outcome:
    """What the compiler said about a grammar, and the texts it speaks of."""

    found: tuple[Diagnostic, ...]
    sources: SourceMap

    @property
    def codes(self) -> list[str]:
        return [diagnostic.code for diagnostic in self.found]

    def rendered(self) -> str:
        """All messages as a terminal shows them."""
        return "\n\n".join(render(diagnostic, self.sources) for diagnostic in self.found)

    def places(self) -> list[tuple[str, str]]:
        """For each message its code and the text that its carets mark."""
        return [(diagnostic.code, self.marked(diagnostic)) for diagnostic in self.found]

    def marked(self, diagnostic: Diagnostic) -> str:
        if diagnostic.span is None:
            return ""
        file = self.sources.get(diagnostic.span.file)
        return file.text[diagnostic.span.start : diagnostic.span.end] if file is not None else ""


def diagnose(
    files: Mapping[str, str | bytes],
    directory: Path,
    settings: Mapping[str, str] | None = None,
    *,
    prove: bool = True,
    morphology: bool = False,
) -> Outcome:
    """Write the files, then read, compile, check and prove the grammar among them.

    With ``morphology`` its Japanese forms are read by the analyser, which must be there.
    """
    for name, text in files.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
    sources = SourceMap()
    allowed = AllowedWarnings(sources)
    diagnostics = Diagnostics(Judge({}, allowed))
    with contextlib.chdir(directory):
        compiled = open_grammar(Path(MAIN), settings or {}, sources, diagnostics)
        if compiled is not None:
            check_unproved(compiled, diagnostics)
            if morphology:
                assert check_inflected(compiled, sources, diagnostics) is not None
            if prove and diagnostics.errors == 0:
                establish(compiled, StructureCompiler(compiled.grammar), diagnostics)
                diagnostics.extend(allowed.unused())
    return Outcome(tuple(diagnostics), sources)


def files_of(code: Code, example: Mapping[str, str]) -> dict[str, str]:
    """All files, by name, of one of the two examples of a code."""
    gone = PIECES if "everything" in code.instead_of else code.instead_of
    base = [text for name, text in PIECES.items() if name not in gone]
    return {**example, MAIN: "\n".join([example[MAIN], *base])}


def check_rendering(outcome: Outcome) -> None:
    """Every message can be shown in every form, in words that an author knows."""
    for diagnostic in outcome.found:
        shown = render(diagnostic, outcome.sources)
        colored = render(diagnostic, outcome.sources, color=True)
        concise = render_concise(diagnostic, outcome.sources)
        assert diagnostic.code in shown
        assert diagnostic.code in colored
        assert concise.count("\n") == 0
        own_words = "\n".join((diagnostic.message, diagnostic.label, diagnostic.hint))
        assert not [word for word in INTERNAL if word in own_words]
    assert render_json(outcome.found, outcome.sources)


def render_json(diagnostics: Iterable[Diagnostic], sources: SourceMap) -> str:
    return json_text([as_object(diagnostic, sources) for diagnostic in diagnostics])


def assert_diagnostics(source: str, expected: Sequence[tuple[str, str]], directory: Path, base: str = BASE) -> Outcome:
    """Declarations added to the base grammar give exactly these diagnostics.

    Each is expected as its code and the text that is marked, in the order of the file.
    """
    outcome = diagnose({MAIN: f"{base}\n{source}"}, directory)
    assert outcome.places() == list(expected), outcome.rendered()
    check_rendering(outcome)
    return outcome
