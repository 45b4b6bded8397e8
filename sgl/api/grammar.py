"""Grammars: loaded once, then asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, replace
from functools import cached_property
from operator import index
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from sgl.api.values import Findings, GrammarError, Shown, Text, Texts, raised, text, whole, working
from sgl.cli.terminal import count as number
from sgl.diagnostics import Diagnostics, Severity, SourceMap, suggest
from sgl.resources import bundled_grammars

if TYPE_CHECKING:
    from sgl.api.dataset import Dataset
    from sgl.automata import StructureCompiler
    from sgl.frontend import Compiled
    from sgl.pipeline.samples import SampleSource

#: For every output of a translation, readings that are looked at.
_READINGS = 20


def load(source: str | PathLike[str], **parameters: str | int | bool) -> Grammar:
    """Return a grammar: of a file, or one that comes with SGL, by its name.

    ``parameters`` are set as ``--set`` sets them; true is ``on``.  Raises ``GrammarError``, whose text
    is the rendered messages.

        g = sgl.load("sget", depth=4)
    """
    from sgl.pipeline.grammar import open_grammar

    path, bundled = Path(source), bundled_grammars().get(str(source))
    path = bundled.path if bundled is not None and not path.exists() else path
    settings = {
        name: {True: "on", False: "off"}[v] if isinstance(v, bool) else str(v) for name, v in parameters.items()
    }
    sources, diagnostics = SourceMap(), Diagnostics()
    with working(None, sources):
        compiled = open_grammar(path, settings, sources, diagnostics)
    if compiled is None:
        raise raised(diagnostics, sources)
    return Grammar(compiled, sources, diagnostics)


class Grammar(Shown):
    """A grammar without errors."""

    _part = "grammar"

    def __init__(self, compiled: Compiled, sources: SourceMap, diagnostics: Diagnostics) -> None:
        from sgl.rendering import outputs

        self.compiled, self._sources = compiled, sources
        self.name, self.title = compiled.project.name, compiled.project.title
        self.patterns = tuple(pattern.name for pattern in compiled.plan.patterns)
        self.outputs = tuple(outputs(compiled.grammar))
        self.warnings = str(raised((d for d in diagnostics if d.severity is Severity.WARNING), sources))

    def __repr__(self) -> str:
        core = self.compiled.grammar
        return f"<grammar {self.name}: {number(len(core.rules), 'rule')}, {number(len(self.patterns), 'pattern')}>"

    @cached_property
    def _structures(self) -> StructureCompiler:
        from sgl.automata import StructureCompiler

        return StructureCompiler(self.compiled.grammar)

    def sample(self, count: int = 5, *, seed: int | None = None, of: str = "", beside: bool = False) -> Texts:
        """Draw some texts: of the whole grammar, or ``of`` what ``sglc sample`` takes.

        That is a pattern, a split, a category, a structure in braces or a tree with holes.  With ``beside`` each item
        of a pattern has the nearest sentence of training beside it, and what is held out is marked in both.
        """
        from sgl.pipeline.samples import sampled_items

        compiled, count, seed = self.compiled, whole(count, "count"), None if seed is None else index(seed)
        with working(self.compiled, self._sources):
            source = self._source(text(of, "of"))
            items = sampled_items(compiled, source, count, seed)
            texts = [Text(source.grammar, compiled.plan, item.derivation) for item in items]
            return self._beside(texts, of) if beside else Texts(texts)

    def _source(self, of: str) -> SampleSource:
        from sgl.pipeline.samples import source_of

        # What is asked is no file of the grammar, which a manifest would list.
        sources, diagnostics = SourceMap(dict(self._sources.files)), Diagnostics()
        source = source_of(self.compiled, of or None, sources, diagnostics)
        if source is None:
            raise raised(diagnostics, sources)
        return source

    def _beside(self, texts: list[Text], name: str) -> Texts:
        from sgl.pipeline.report import PairMaker

        if name not in self.patterns:
            raise GrammarError("only items of a pattern have sentences of training beside them; name one with `of`")
        pattern = self.compiled.plan.patterns[self.patterns.index(name)]
        maker = PairMaker(self.compiled, self._structures)
        pairs = [maker.pair(pattern, item.derivation) for item in texts]
        asked = [replace(item, marked=pair.asked) for item, pair in zip(texts, pairs, strict=True)]
        return Texts(asked, None, [pair.shown for pair in pairs])

    def parse(self, sentence: str, *, layer: str = "", limit: int = 10) -> Texts:
        """Return the readings of a sentence, the likeliest first; ``total`` says how many there are."""
        from sgl.parsing import Parser, best_readings
        from sgl.pipeline.sentences import read_sentence

        core, plan, limit = self.compiled.grammar, self.compiled.plan, whole(limit, "limit", 1)
        sources, diagnostics = SourceMap(), Diagnostics()
        sentence, layer = text(sentence, "sentence"), text(layer, "layer") or plan.source
        with working(self.compiled, self._sources):
            self._check(layer, [known.name for known in core.text_layers], "text layer")
            forest = read_sentence(Parser(core, core.text_layer(layer)), sentence, None, sources, diagnostics)
            if forest is None:
                raise raised(diagnostics, sources)
            found = best_readings(forest, limit)
        return Texts([Text(core, plan, ranked.derivation, ranked.probability) for ranked in found], forest.count)

    def translate(self, sentence: str, *, to: str = "", layer: str = "", limit: int = 10) -> list[str]:
        """Return the different outputs of a sentence in the layer or view ``to``, the likeliest first."""
        to = to or self.compiled.plan.target
        self._check(to, self.outputs, "layer or view")
        found = dict.fromkeys(item[to] for item in self.parse(sentence, layer=layer, limit=limit * _READINGS))
        return list(found)[:limit]

    def prove(self, pattern: str | None = None, progress: Callable[[str], None] | None = None) -> Findings:
        """Prove the claims of all patterns, or of one; a claim that fails does not raise."""
        from sgl.pipeline.guarantees import proof_data
        from sgl.pipeline.proofs import establish, with_needs

        self._check(pattern or "", ("", *self.patterns), "pattern")
        diagnostics = Diagnostics()
        with working(self.compiled, self._sources):
            proofs = establish(self.compiled, self._structures, diagnostics, progress, pattern)
            if proofs is None:
                raise raised(diagnostics, self._sources)
            data = proof_data(with_needs(self.compiled, proofs), proofs, ())
        shown = data["patterns"]
        claims = list(dict.fromkeys(claim for entry in shown for claim in entry["guarantees"]))
        rows = [(p["name"], *(p["guarantees"].get(claim, "") for claim in claims)) for p in shown]
        proved = sum(entry["proved"] for entry in shown)
        summary = f"{self.name}: {proved} of {number(len(shown), 'pattern')} proved"
        ok = not diagnostics.errors and proved == len(shown)
        return Findings(summary, ok, ("pattern", *claims), rows, data, str(raised(diagnostics, self._sources)))

    def stats(self, of: str = "") -> Findings:
        """Count exactly how often a text uses each rule; ``data`` has words and labels as well."""
        from sgl.pipeline.expectations import expectations
        from sgl.pipeline.samples import split_of

        with working(self.compiled, self._sources):
            source = self._source(of)
            splits = [split_of(self.compiled, source.grammar, start, source.constraint) for start in source.starts]
            found = expectations(splits)
        rows = [(use.name, use.category, use.expected, use.share) for use in found.rules]
        columns = ("rule", "category", "expected", "share")
        return Findings(f"{of or self.name}: {found.tokens:.1f} words", True, columns, rows, asdict(found))

    def compile(
        self, directory: str | PathLike[str], progress: Callable[[str, int, int], None] | None = None
    ) -> Dataset:
        """Prove, sample, write and verify the dataset; it is complete, or it is not there."""
        from sgl.api.dataset import open_dataset
        from sgl.pipeline.production import produce
        from sgl.pipeline.proofs import establish, with_needs

        diagnostics, show = Diagnostics(), progress or (lambda *_: None)
        with working(self.compiled, self._sources):
            self._check("dataset", ["dataset"] * self.compiled.has_dataset, "declaration")
            proofs = establish(self.compiled, self._structures, diagnostics, lambda name: show(f"proving {name}", 0, 1))
            if proofs is None or diagnostics.errors:
                raise raised(diagnostics, self._sources)
            compiled = with_needs(self.compiled, proofs)
            produced = produce(compiled, self._structures, proofs, Path(directory), show)
        if not produced.verification.ok:
            failed = ", ".join(result.name for result in produced.verification.failed)
            raise GrammarError(f"the dataset has violations; nothing was written: {failed}")
        return open_dataset(directory)

    def _check(self, name: str, known: list[str] | tuple[str, ...], what: str) -> None:
        if name not in known:
            hint = suggest(name, known) or f"there is: {', '.join(known) or 'none'}"
            raise GrammarError(f"there is no {what} `{name}`; {hint}")
