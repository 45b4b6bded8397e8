"""The page of a diagnostic code as ``sglc explain`` prints it, and all pages as one.

An example is shown without the base grammar that it belongs to, which stands once at the
beginning of ``docs/diagnostics.md``.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from itertools import groupby

from sgl.diagnostics.registry import CODES, MAIN, Code, base_grammar

_WIDTH = 80

_INTRODUCTION = """\
# Diagnostics

Use this page to look up a message of the compiler and to correct the mistake. Every message has a
code, and `sglc explain` with the code prints its entry. An error stops the compilation, a warning
does not. This page is generated from the registry of the compiler. The tests compile every example:
the wrong one gives this code and no other, and the right one gives none.

The examples are parts of a grammar. All other parts are as in this file, `{main}`:

```sgl
{base}```
"""


def page(code: Code) -> str:
    """Return the page of a code as plain text."""
    parts = [f"{code.code}: {code.title}", textwrap.fill(code.why, _WIDTH)]
    if code.no_example:
        parts.append(textwrap.fill(f"There is no example: {code.no_example}.", _WIDTH))
    for heading, example in (("Wrong:", code.wrong), ("Right:", code.fixed)):
        if example:
            parts.append(f"{heading}\n\n{textwrap.indent(_plain(example), '    ')}")
    return "\n\n".join(parts)


def markdown() -> str:
    """Return all codes by topic, as the page ``docs/diagnostics.md``."""
    parts = [_INTRODUCTION.format(main=MAIN, base=base_grammar())]
    for topic, codes in groupby(CODES.values(), key=lambda code: code.topic):
        parts.append(f"## {topic}\n")
        parts += [
            f"### {code.code}: {code.title} {{ #{code.code.lower()} }}\n\n{code.body}"
            for code in codes
        ]
    return "\n".join(parts)


def _plain(example: Mapping[str, str]) -> str:
    """Return an example as text; the names of its files stand above them if there are several."""
    if list(example) == [MAIN]:
        return example[MAIN].strip()
    return "\n\n".join(f"({name})\n{text.strip()}" for name, text in example.items())
