"""Find the grammar that a dataset was made from, to judge predictions with it.

The manifest names the grammar, its parameters and its fingerprint.  It is looked for beside
the dataset, in the current directory, and among the grammars that come with SGL::

    out/sget/manifest.json     name sget      out/sget/sget.sgl, out/sget.sgl, ./sget.sgl,
                                              ./grammars/sget.sgl, …

A grammar with another fingerprint has changed since.  It may judge nevertheless, with a
warning; rows that it no longer derives are counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from sgl.dataset import fingerprint
from sgl.diagnostics import Diagnostics, SourceMap
from sgl.frontend import Compiled
from sgl.pipeline.grammar import open_grammar
from sgl.research.evaluate.benchmark import Benchmark
from sgl.resources import grammars_dir


def grammar_of(
    benchmark: Benchmark,
    given: Path | None,
    settings: Mapping[str, str],
    sources: SourceMap,
    diagnostics: Diagnostics,
) -> Compiled | None:
    """The grammar to judge with; None if there is none, or after errors."""
    origin = benchmark.origin
    path = given or next(_places(benchmark), None)
    if path is None:
        return None
    parameters = {**(origin.parameters if origin is not None else {}), **settings}
    compiled = open_grammar(path, parameters, sources, diagnostics)
    if compiled is None or origin is None:
        return compiled
    if fingerprint(compiled.grammar, compiled.plan) != origin.sha256:
        diagnostics.warning(
            "SGL1404",
            None,
            f"`{path}` is not the grammar that the dataset was made from",
            notes=["its fingerprint differs from the one in the manifest"],
            hint="`--grammar` names another one",
        )
    return compiled


def _places(benchmark: Benchmark) -> Iterator[Path]:
    """The files that may be the grammar, those near the dataset first."""
    if benchmark.origin is None or benchmark.directory is None:
        return
    directory = benchmark.directory.resolve()
    folders = [directory, directory.parent, Path(), Path("grammars")]
    with suppress(FileNotFoundError):
        folders.append(grammars_dir())
    for folder in folders:
        path = folder / f"{benchmark.origin.name}.sgl"
        if path.is_file():
            yield path
