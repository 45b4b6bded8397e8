"""Grammars that are loaded once and queried many times."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import AbstractContextManager, ExitStack
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from operator import index
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from sgl import foreign
from sgl.api.patterns import Pattern, Patterns
from sgl.api.texts import Text, Texts
from sgl.api.values import Findings, GrammarError, Shown, raised, settings_of, text, texts_of, whole, working
from sgl.cache import using
from sgl.characters import visible
from sgl.cli.terminal import count as number
from sgl.core.grammar import Token
from sgl.diagnostics import Diagnostic, Diagnostics, Severity, SourceMap
from sgl.diagnostics.model import one_of
from sgl.diagnostics.render import as_object
from sgl.disk import temporary
from sgl.lang.packed import main_of
from sgl.lang.project import BUNDLED
from sgl.resources import bundled_grammars, grammars_dir

if TYPE_CHECKING:
    from sgl.api.dataset import Dataset
    from sgl.automata import StructureCompiler
    from sgl.core.grammar import Rule
    from sgl.frontend import Compiled
    from sgl.parsing import Forest
    from sgl.pipeline.samples import SampleSource

#: Number of readings to examine per requested output of a translation.
_READINGS = 20

#: The code of a sentence that the grammar does not derive.
UNDERIVABLE = "SGL1101"


@dataclass(frozen=True)
class _Opened:
    """The origin of a grammar: its main file, its settings, and texts in place of files."""

    path: Path
    settings: Mapping[str, str]
    texts: Mapping[Path, bytes]
    place: AbstractContextManager[Path] | None = None

    def reading(self) -> AbstractContextManager[object]:
        """Read these texts in the block, without the cache, which only knows files."""
        stack = ExitStack()
        if self.texts:
            stack.enter_context(using(None))
            stack.enter_context(foreign.edited(self.texts))
        return stack

    def load(self) -> Grammar:
        """Compile the grammar and try its examples."""
        from sgl.pipeline.grammar import open_grammar
        from sgl.pipeline.sentences import check_examples

        sources, diagnostics = SourceMap(), Diagnostics()
        with working(None, sources), self.reading():
            compiled = open_grammar(self.path, self.settings, sources, diagnostics)
            if compiled is not None:
                check_examples(compiled, diagnostics)
        if compiled is None or diagnostics.errors:
            raise raised(diagnostics, sources)
        return Grammar(compiled, sources, diagnostics, self)


def load(source: str | PathLike[str], **parameters: str | int | bool) -> Grammar:
    """Return the grammar of a file, a dataset or its archive, or the bundled grammar of this name.

    To open a directory with the name of a bundled grammar, write ``./NAME``.  ``parameters`` are set as with ``--set``;
    true is ``on``.  The examples of the grammar are tried; ``check`` and ``prove`` prove its claims. Raises
    ``GrammarError``, whose text is the rendered messages.

    >>> import sgl
    >>> sgl.load("german").title
    'German from English'
    """
    path, bundled = Path(source), bundled_grammars().get(str(source))
    path = bundled.path if bundled is not None and not path.is_file() else path
    # What is unpacked of an archive is there as long as the grammar, which may be extended.
    with working(None, SourceMap()):
        main = main_of(path, (place := temporary()).__enter__)
    if not str(source) or "\n" in str(source) or main.is_dir():
        old = (main / "manifest.json").is_file()
        what = "a dataset without its grammar, of an older version of SGL" if old else "not a grammar file"
        message = f"`{visible(str(source))}` is {what}"
        hint = f"name a file, a dataset, or one of {', '.join(bundled_grammars())}; read a text with `sgl.loads`"
        raise raised([Diagnostic("SGL0001", Severity.ERROR, None, message, hint=hint)], SourceMap())
    return _Opened(main, settings_of(parameters), {}, place).load()


def loads(text: str, files: Mapping[str, str] | None = None, **parameters: str | int | bool) -> Grammar:
    """Return the grammar in a text; ``files`` are texts of tables and modules by path.

    Other files are searched for as if the text were in the current directory.  Raises ``GrammarError``.

    >>> import sgl
    >>> text = '''
    ... layer en : text
    ... category S
    ... category N
    ... rule s: S -> "a" N
    ... lexicon nouns from "nouns.yaml"
    ...   N
    ...     en $en
    ... dataset
    ...   from S
    ...   train 1
    ... '''
    >>> sgl.loads(text, files={"nouns.yaml": "- en: cat"}).sample(1)[0].source
    'a cat'
    """
    return _Opened(Path("grammar.sgl"), settings_of(parameters), texts_of(files, "grammar.sgl", text)).load()


def grammars() -> dict[str, str]:
    """Return the titles of the bundled grammars, by the names that ``load`` accepts."""
    return {name: grammar.title for name, grammar in bundled_grammars().items()}


class Grammar(Shown):
    """A compiled grammar without errors."""

    _part = "grammar"

    def __init__(self, compiled: Compiled, sources: SourceMap, diagnostics: Diagnostics, opened: _Opened) -> None:
        from sgl.rendering import outputs

        self.compiled, self._sources, self._opened = compiled, sources, opened
        self.name, self.title = compiled.project.name, compiled.project.title
        self.patterns = Patterns({pattern.name: Pattern(self, pattern) for pattern in compiled.plan.patterns})
        self.outputs = tuple(outputs(compiled.grammar))
        self.warnings = str(raised((d for d in diagnostics if d.severity is Severity.WARNING), sources))

    def __repr__(self) -> str:
        core = self.compiled.grammar
        return f"<grammar {self.name}: {number(len(core.rules), 'rule')}, {number(len(self.patterns), 'pattern')}>"

    def __len__(self) -> int:
        return len(self.compiled.grammar.rules)

    def extend(
        self,
        text: str,
        files: Mapping[str, str] | None = None,
        *,
        without: str | Iterable[str] = (),
        **parameters: str | int | bool,
    ) -> Grammar:
        """Extend the grammar with further declarations, like a file that uses it.

        ``without`` omits declarations of this grammar, as in ``use sget without (part concatenation)``; the text may
        redefine them.  ``files`` and ``parameters`` are as for ``loads``; parameters of this grammar stay set.  Raises
        ``GrammarError``.

        >>> import sgl
        >>> g = sgl.load("german").extend('test reject "blah"', without=["reason_with_auxiliary"])
        >>> g.name, g.accepts("blah")
        ('german_extended', False)
        """
        old, omitted = self._opened, ", ".join([without] if isinstance(without, str) else without)
        shipped = old.path.resolve().is_relative_to(grammars_dir().resolve())
        folder, main = Path() if shipped else old.path.parent, f"{old.path.stem}_extended.sgl"
        # The `use` lines come last, so that the text keeps its line numbers.  A file sees only what it uses.
        used = [f"use {unit.dotted(BUNDLED * shipped)}" for unit in self.compiled.project.units if not unit.root.prefix]
        content = "\n".join([text, "", *used[:-1], used[-1] + (f" without ({omitted})" if omitted else ""), ""])
        texts = {**old.texts, **texts_of(files, main, content, folder)}
        return _Opened(folder / main, {**old.settings, **settings_of(parameters)}, texts, old.place).load()

    def check(self, progress: Callable[[str], None] | None = None) -> Findings:
        """Check the grammar as ``sglc check`` does: its examples, its claims, and lints.

        The result has a row for each message, and is true if no message is an error.

        >>> import sgl
        >>> sgl.load("german").check().ok
        True
        """
        from sgl.pipeline.grammar import check_grammar

        sources, diagnostics, opened = SourceMap(), Diagnostics(), self._opened
        with working(self.compiled, sources), opened.reading():
            check_grammar(opened.path, opened.settings, sources, diagnostics, progress=progress)
        data = [as_object(found, sources) for found in diagnostics]
        columns = ("code", "severity", "message")
        rows = [tuple(map(found.__getitem__, columns)) for found in data]
        summary = f"{self.name}: {number(diagnostics.errors, 'error')}, {number(len(rows), 'message')}"
        said = str(raised(diagnostics, sources))
        return Findings(summary, not diagnostics.errors, columns, rows, {"diagnostics": data}, said)

    @property
    def rules(self) -> Findings:
        """The rules with children: ``number`` is that in the ``derivation`` of a text."""
        return self._listed("rule", lexical=False)

    @property
    def lexicon(self) -> Findings:
        """The words, and rules of words alone, with their texts in every layer."""
        return self._listed("word", lexical=True)

    def _listed(self, what: str, *, lexical: bool) -> Findings:
        core = self.compiled.grammar
        rules = [rule for rule in core.rules if rule.lexical == lexical]

        def row(rule: Rule) -> tuple[object, ...]:
            name = {at: core.categories[child].name for at, child in enumerate(rule.rhs)}
            layers = [
                " ".join(
                    item.text if isinstance(item, Token) else name[item.child] for item in rule.constituents(layer)
                )
                for layer in range(len(core.text_layers))
            ]
            return rule.id, rule.name, core.categories[rule.lhs].name, *layers, rule.weight

        columns = ("number", "name", "category", *(layer.name for layer in core.text_layers), "weight")
        return Findings(f"{self.name}: {number(len(rules), what)}", True, columns, list(map(row, rules)))

    @cached_property
    def _structures(self) -> StructureCompiler:
        from sgl.automata import StructureCompiler

        return StructureCompiler(self.compiled.grammar)

    def sample(
        self,
        count: int | str = 5,
        of: int | str | Pattern = "",
        *,
        seed: int | None = None,
        pattern: str | Pattern = "",
        beside: bool = False,
    ) -> Texts:
        """Draw texts from the whole grammar, or from a part ``of`` it as in ``sglc sample``.

        A part is a pattern, a split, a category, a structure in braces or a tree with holes; it may be the first
        argument. With ``beside``, each item of a pattern comes with the nearest training sentence, and the held-out
        structure is marked in both.

        >>> import sgl
        >>> g = sgl.load("german")
        >>> len(g.sample(3)), len(g.sample("NP")), len(g.sample("train", 2)), len(g.sample(2, of="train"))
        (3, 5, 2, 2)
        """
        from sgl.pipeline.samples import sampled_items

        if isinstance(count, str):
            if of and not isinstance(of, int):
                raise TypeError(f"`of` is given twice: {count!r} and {of!r}")
            count, of = of if isinstance(of, int) else 5, count
        if pattern:
            self._check(of := f"{getattr(pattern, 'name', pattern)}", self.patterns, "pattern")
        of, compiled = text(getattr(of, "name", of), "of"), self.compiled  # type: ignore[arg-type]
        count, seed = whole(count, "count"), None if seed is None else index(seed)
        with working(self.compiled, self._sources):
            source = self._source(of)
            items = sampled_items(compiled, source, count, seed)
            texts = [Text(source.grammar, compiled.plan, item.derivation) for item in items]
            made = self._beside(texts, of) if beside else Texts(texts)
            made.names = self.outputs
            return made

    def _source(self, of: str) -> SampleSource:
        from sgl.pipeline.samples import source_of

        # The request is not a file of the grammar, which a manifest would list.
        sources, diagnostics = SourceMap(dict(self._sources.files)), Diagnostics()
        source = source_of(self.compiled, of or None, sources, diagnostics)
        if source is None:
            raise raised(diagnostics, sources)
        return source

    def _beside(self, texts: list[Text], name: str) -> Texts:
        from sgl.pipeline.report import PairMaker

        if name not in self.patterns:
            raise GrammarError("only items of a pattern have training sentences beside them; name a pattern with `of`")
        (pattern,) = (pattern for pattern in self.compiled.plan.patterns if pattern.name == name)
        maker = PairMaker(self.compiled, self._structures)
        pairs = [maker.pair(pattern, item.derivation) for item in texts]
        asked = [replace(item, marked=pair.asked) for item, pair in zip(texts, pairs, strict=True)]
        return Texts(asked, None, [pair.shown for pair in pairs])

    def parse(self, sentence: str, *, layer: str = "", limit: int = 10) -> Texts:
        """Return the readings of a sentence, the likeliest first; ``total`` counts all readings."""
        from sgl.parsing import best_readings

        core, plan, limit = self.compiled.grammar, self.compiled.plan, whole(limit, "limit", 1)
        with working(self.compiled, self._sources):
            forest = self._read(sentence, layer)
            found = best_readings(forest, limit)
        return Texts([Text(core, plan, ranked.derivation, ranked.probability) for ranked in found], forest.count)

    def accepts(self, sentence: str, *, layer: str = "") -> bool:
        """Return whether the grammar derives a sentence; if not, ``parse`` shows how far it got.

        >>> import sgl
        >>> g = sgl.load("german")
        >>> g.accepts(g.sample()[0].source), g.accepts("blah")
        (True, False)
        """
        with working(self.compiled, self._sources):
            try:
                return self._read(sentence, layer) is not None
            except GrammarError as problem:
                if any(found.code != UNDERIVABLE for found in problem.diagnostics) or not problem.diagnostics:
                    raise
                return False

    def _read(self, sentence: str, layer: str) -> Forest:
        """Return the readings of a sentence in a layer; raises ``GrammarError``."""
        from sgl.parsing import Parser
        from sgl.pipeline.sentences import read_sentence

        core, sources, diagnostics = self.compiled.grammar, SourceMap(), Diagnostics()
        sentence, layer = text(sentence, "sentence"), text(layer, "layer") or self.compiled.plan.source
        self._check(layer, [known.name for known in core.text_layers], "text layer")
        forest = read_sentence(Parser(core, core.text_layer(layer)), sentence, None, sources, diagnostics)
        if forest is None:
            raise raised(diagnostics, sources)
        return forest

    def translate(self, sentence: str, *, to: str = "", layer: str = "", limit: int = 10) -> list[str]:
        """Return the distinct outputs of a sentence in the layer or view ``to``, the likeliest first."""
        to = to or self.compiled.plan.target
        self._check(to, self.outputs, "layer or view")
        found = dict.fromkeys(item[to] for item in self.parse(sentence, layer=layer, limit=limit * _READINGS))
        return list(found)[:limit]

    def prove(self, pattern: str | None = None, progress: Callable[[str], None] | None = None) -> Findings:
        """Prove the claims of all patterns, or of one.

        A failed claim does not raise.  The result is then false, and ``messages`` shows sentences that break the claim.
        """
        from sgl.pipeline.guarantees import proof_data
        from sgl.pipeline.proofs import establish, with_needs

        if pattern is not None:
            self._check(pattern, self.patterns, "pattern")
        with working(self.compiled, self._sources):
            diagnostics = Diagnostics()
            proofs = establish(self.compiled, self._structures, diagnostics, progress, pattern)
            if proofs is None:
                raise raised(diagnostics, self._sources)
            data = proof_data(with_needs(self.compiled, proofs), proofs, ())
        shown = data["patterns"]
        claims = list(dict.fromkeys(claim for entry in shown for claim in entry["guarantees"]))
        rows = [(p["name"], *(p["guarantees"].get(claim, "") for claim in claims)) for p in shown]
        proved, errors = sum(entry["proved"] for entry in shown), diagnostics.errors
        summary = f"{self.name}: {proved} of {number(len(shown), 'pattern')} proved"
        summary += f", {number(errors, 'error')}" if errors else ""
        ok = not errors and proved == len(shown)
        return Findings(summary, ok, ("pattern", *claims), rows, data, str(raised(diagnostics, self._sources)))

    def stats(self, of: str = "") -> Findings:
        """Compute the expected uses of each rule in a text; ``data`` also has words and labels."""
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
        """Prove, sample, write and verify the dataset; either all of it is written, or nothing."""
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

    def _check(self, name: str, known: Collection[str], what: str) -> None:
        if name not in known:
            raise GrammarError(f"there is no {what} `{name}`; {one_of(name, known)}")
