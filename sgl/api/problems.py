"""What raises: one exception, whose text is what the command line would print."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from sgl.diagnostics import Diagnostic, SourceMap
from sgl.diagnostics.render import render

if TYPE_CHECKING:
    from sgl.frontend import Compiled


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
def working(compiled: "Compiled | None" = None, sources: SourceMap | None = None) -> Iterator[None]:
    """Use the cache in the block; turn what a mistake of the user raises into a ``GrammarError``."""
    from sgl.cache import open_cache, using

    try:
        with using(open_cache()):
            yield
    except GrammarError:
        raise
    except Exception as problem:
        from sgl.cli.failures import failure_of
        from sgl.pipeline.samples import SampleError
        from sgl.verify import VerifyError

        if isinstance(problem, SampleError | VerifyError):
            raise GrammarError(str(problem)) from problem
        failure = failure_of(problem, compiled)
        if failure is None:
            raise
        raise raised([failure[0]], sources or SourceMap()) from problem
