"""What is known about one diagnostic code, and how its examples become whole grammars.

An example on a page is as small as the mistake it shows.  It becomes a grammar
together with the pieces of the base grammar (:mod:`sgl.diagnostics.codes.base`);
an example that shows another version of a piece stands instead of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sgl.diagnostics.codes.base import PIECES

#: The main file of every example.
MAIN = "farm.sgl"

Example = str | Mapping[str, str]
"""The text of the main file, or the texts of several files by name."""


@dataclass(frozen=True, slots=True)
class Code:
    """A diagnostic code with its page.

    ``title`` says in one line what is wrong, ``why`` in a few sentences why it
    matters.  ``wrong`` gives this diagnostic, and ``fixed`` gives none, when
    they are put together with the base grammar less the pieces ``instead_of``.
    A code without an example says in ``no_example`` why it has none.
    """

    code: str
    title: str
    why: str
    wrong: Example = ""
    fixed: Example = ""
    instead_of: tuple[str, ...] = ()
    no_example: str = ""

    def grammar(self, example: Example) -> dict[str, str]:
        """All files, by name, of one of the two examples."""
        files = as_files(example)
        base = [text for name, text in PIECES.items() if name not in self.instead_of]
        return {**files, MAIN: "\n".join([files[MAIN], *base])}


def as_files(example: Example) -> dict[str, str]:
    """An example as texts by file name, the main file first."""
    return {MAIN: example} if isinstance(example, str) else dict(example)
