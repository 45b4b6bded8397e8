"""The pages of the diagnostic codes: for the terminal, and as one Markdown page.

``sglc explain SGL0301`` prints :func:`page`; ``python -m sgl.diagnostics.page``
writes ``docs/diagnostics.md``.  An example is shown without the base grammar that
it belongs to, which stands once on the Markdown page.
"""

from __future__ import annotations

import textwrap
from pathlib import Path

from sgl.diagnostics.codes.base import BASE
from sgl.diagnostics.codes.code import MAIN, Code, Example, as_files
from sgl.diagnostics.registry import TOPICS

_WIDTH = 80

_INTRODUCTION = f"""\
# Diagnostics

What the compiler can say about a grammar. Every message has a code; `sglc explain` with the
code prints its entry. An error stops the compilation, a warning does not. This page is made from
the registry of the compiler, and the tests compile every example: the wrong one gives this code
and no other, the right one gives none.

The examples are parts of a grammar. What they do not show is as in this one, the file `{MAIN}`:

```sgl
{BASE}```
"""


def page(code: Code) -> str:
    """The page of a code as plain text."""
    parts = [f"{code.code}: {code.title}", textwrap.fill(code.why, _WIDTH)]
    if code.no_example:
        parts.append(textwrap.fill(f"There is no example: {code.no_example}.", _WIDTH))
    for heading, example in (("Wrong:", code.wrong), ("Right:", code.fixed)):
        if example:
            parts.append(f"{heading}\n\n{textwrap.indent(_plain(example), '    ')}")
    return "\n\n".join(parts)


def markdown() -> str:
    """All codes by topic, as the page ``docs/diagnostics.md``."""
    parts = [_INTRODUCTION]
    for topic, codes in TOPICS.items():
        parts.append(f"## {topic}\n")
        parts.extend(_entry(code) for code in codes)
    return "\n".join(parts)


def main(path: Path = Path("docs") / "diagnostics.md") -> None:
    """Write the Markdown page."""
    path.write_text(markdown(), encoding="utf-8")


def _plain(example: Example) -> str:
    """An example as text; the names of its files stand above them if there are several."""
    files = as_files(example)
    if list(files) == [MAIN]:
        return files[MAIN].strip()
    return "\n\n".join(f"({name})\n{text.strip()}" for name, text in files.items())


def _entry(code: Code) -> str:
    anchor = code.code.lower()
    parts = [f"### {code.code}: {code.title} {{ #{anchor} }}", code.why]
    if code.no_example:
        parts.append(f"There is no example: {code.no_example}.")
    if code.wrong:
        parts += ["Wrong:", *_blocks(code.wrong, "text"), "Right:", *_blocks(code.fixed, "sgl")]
    return "\n\n".join(parts) + "\n"


def _blocks(example: Example, language: str) -> list[str]:
    """Fenced blocks, one for each file, named if there are several."""
    files = as_files(example)
    blocks = []
    for name, text in files.items():
        kind = language if name.endswith(".sgl") else "yaml"
        title = f"`{name}`:\n\n" if len(files) > 1 else ""
        blocks.append(f"{title}```{kind}\n{text.strip()}\n```")
    return blocks


if __name__ == "__main__":
    main()
