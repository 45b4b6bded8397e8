"""What methods return and raise: texts with all their layers, findings, and one exception."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from operator import index
from typing import TYPE_CHECKING, Any

from sgl.core.grammar import CoreGrammar
from sgl.core.interpret import Derivation, interpret
from sgl.core.plan import Plan
from sgl.diagnostics import Diagnostic, SourceMap
from sgl.diagnostics.render import render
from sgl.rendering import outputs

if TYPE_CHECKING:
    import pandas as pd

    from sgl.frontend import Compiled
    from sgl.report import Example


class GrammarError(Exception):
    """Something is wrong with a grammar, or with what is asked of it; the text says what and where.

    ``diagnostics`` are the messages as values, with their codes.
    """

    def __init__(self, text: str, diagnostics: tuple[Diagnostic, ...] = ()) -> None:
        super().__init__(text)
        self.diagnostics = diagnostics


def raised(diagnostics: Iterable[Diagnostic], sources: SourceMap) -> GrammarError:
    """Return the error that shows these messages."""
    found = tuple(diagnostics)
    return GrammarError("\n\n".join(render(each, sources, color=False) for each in found), found)


@contextmanager
def working(compiled: Compiled | None = None, sources: SourceMap | None = None) -> Iterator[None]:
    """Use the cache in the block; turn what a mistake of the user raises into a ``GrammarError``."""
    from sgl.cache import open_cache, using

    try:
        with using(open_cache()):
            yield
    except GrammarError:
        raise
    except Exception as problem:
        from click import UsageError

        from sgl.cli.failures import failure_of
        from sgl.pipeline.samples import SampleError
        from sgl.verify import VerifyError

        if isinstance(problem, UsageError):
            raise GrammarError(problem.format_message()) from problem
        if isinstance(problem, SampleError | VerifyError):
            raise GrammarError(str(problem)) from problem
        failure = failure_of(problem, compiled)
        if failure is None:
            raise
        raise raised([failure[0]], sources or SourceMap()) from problem


def whole(number: int, name: str, least: int = 0) -> int:
    """Return how many are asked for; raises ``TypeError`` for what is no whole number, and ``GrammarError``."""
    from sgl.frontend.names.parameters import MAX_COUNT

    if not least <= (found := index(number)) <= MAX_COUNT:
        raise GrammarError(f"`{name}` is {found:,}; it may be {least:,} to {MAX_COUNT:,}")
    return found


def text(value: str, name: str) -> str:
    """Return a text that is asked for; raises ``TypeError`` for anything else."""
    if not isinstance(value, str):
        raise TypeError(f"`{name}` is a text, and not {value!r:.100}")
    return value


#: Pictures of one page have different names.
_NUMBERS = count(1)


class Shown:
    """Something that a notebook shows with a part of the template."""

    _part = "findings"

    def _repr_html_(self) -> str:
        from sgl.report.render import page_environment

        environment = page_environment("sgl.api")
        environment.filters["shown"] = shown
        return environment.get_template("notebook.html.j2").render(part=self._part, it=self, numbers=_NUMBERS)


@dataclass(frozen=True, repr=False)
class Findings(Shown):
    """What a method has found."""

    summary: str
    ok: bool
    columns: Sequence[str]
    rows: Sequence[Sequence[object]]
    data: Mapping[str, Any] = field(default_factory=dict)
    messages: str = ""

    def __repr__(self) -> str:
        return f"<{self.summary}>"

    def __str__(self) -> str:
        from sgl.report.model import columns

        table = columns([tuple(self.columns), *(tuple(map(shown, row)) for row in self.rows)])
        return "\n".join([*table, "", self.summary, *[self.messages] * bool(self.messages)])

    @working()
    def to_pandas(self) -> pd.DataFrame:
        """Return the table as a data frame; needs pandas."""
        import pandas as pd

        return pd.DataFrame(list(self.rows), columns=list(self.columns))


def shown(value: object) -> str:
    """Return a cell as a text: ``1,000``, ``0.25``, ``proved``."""
    if isinstance(value, float):
        return f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


@dataclass(frozen=True, repr=False)
class Text:
    """A sentence with its value in every layer and view: ``text["ja"]``."""

    grammar: CoreGrammar
    plan: Plan
    derivation: Derivation
    probability: float | None = None
    marked: Example | None = None

    def __getitem__(self, name: str) -> str:
        known = outputs(self.grammar)
        if name not in known:
            raise KeyError(f"there is no layer or view {name!r}; there is: {', '.join(known)}")
        return known[name](self.derivation)

    @property
    def texts(self) -> dict[str, str]:
        """The text of each text layer, by its name."""
        names = (layer.name for layer in self.grammar.text_layers)
        return dict(zip(names, interpret(self.grammar, self.derivation).texts, strict=True))

    @property
    def tree(self) -> str:
        """The tree over the source, drawn in characters."""
        from sgl.report.model import tree_lines

        return "\n".join(tree_lines(self.example.trees[0])) if self.example.trees else ""

    @property
    def graph(self) -> str:
        """The dependency graph in CoNLL-U."""
        from sgl.cli.arguments import graph_text

        item = interpret(self.grammar, self.derivation)
        return graph_text(self.grammar, item, self.plan.lemma_layer, sent_id="text", category="text")

    @cached_property
    def example(self) -> Example:
        """What its pictures show."""
        from sgl.report import Example, example_of, tree_of

        if self.marked is not None:
            return self.marked
        plan = self.plan
        if not plan.lemma_layer:
            tree = tree_of(self.grammar, self.derivation, self.grammar.text_layer(plan.source))
            return Example(str(self), self[plan.target], (tree,), (), (), 0)
        return example_of(self.grammar, self.derivation, source=plan.source, target=plan.target, graph=plan.lemma_layer)

    def __repr__(self) -> str:
        return f"<{str(self)!r}>"

    def __str__(self) -> str:
        return self[self.plan.source]

    def _repr_html_(self) -> str:
        return Texts([self])._repr_html_()


class Texts(tuple[Text, ...], Shown):
    """Some texts, in their order."""

    total: int
    beside: tuple[Example | None, ...]
    _part = "texts"

    def __new__(cls, texts: Iterable[Text], total: int | None = None, beside: Iterable[Example | None] = ()) -> Texts:
        """Return these texts, with what else is known of them."""
        made = super().__new__(cls, texts)
        made.total, made.beside = len(made) if total is None else total, tuple(beside)
        return made

    def __repr__(self) -> str:
        more = f" of {self.total:,}" if self.total > len(self) else ""
        begin = " | ".join([*map(str, self[:2]), *["…"] * (len(self) > 2)])
        return f"<{len(self)}{more} text{'s' * (self.total != 1)}: {begin}>"

    def __str__(self) -> str:
        return "\n".join("\t".join(text.texts.values()) for text in self)
