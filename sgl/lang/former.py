"""Old notation: what the language had once, and what is written in its place.

``grammar.lark`` still reads an old form, by a production whose name begins with ``former_``, so
that the message can say at the very place how it is written today.
"""

import re
from collections.abc import Callable

from lark import Token, Tree

from sgl.lang.parser import Finding, clip

_LONGEST = 60


def _with(pattern: str, replacement: str) -> Callable[[str], str]:
    """Return what writes an old form anew: a regular expression with what stands for it."""
    return lambda written: re.sub(pattern, replacement, written, count=1, flags=re.DOTALL)


#: How each production of an old form is written today; what stays as it is, is not old.
FORMER: dict[str, Callable[[str], str]] = {
    "former_repeat": _with(r"^repeat\b", "copy"),
    "former_edge": _with("->", "-[*]->"),
    "former_exclude": _with("^not", "exclude"),
    "former_need": _with(r"^need\s+(.*\S)\s*>=\s*(.*)", r"need \2 \1"),
    "former_output": _with("^target", "output"),
    "former_share": _with("^each target", "shared"),
    "in_test": _with(r"^lemma in ", ""),
    "not_in_test": _with(r"^lemma not in", "not"),
}


def old_notation(text: str, tree: Tree[Token]) -> Finding | None:
    """Return the first old form in a declaration that was read, if there is one."""
    found = list(tree.find_pred(lambda part: part.data in FORMER))
    for part in sorted(found, key=lambda part: part.meta.start_pos):
        start, end = part.meta.start_pos, part.meta.end_pos
        written = " ".join(text[start:end].split())
        anew = FORMER[part.data](written)
        if anew != written:
            hint = f"write `{clip(anew, _LONGEST)}`"
            return Finding(start, end, hint, f"`{clip(written)}` is old notation", "SGL0113")
    return None
