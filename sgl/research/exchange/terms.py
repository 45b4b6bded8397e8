"""What terms over Alto's algebras of strings and trees are as templates.

A string is its words.  A tree has no value in SGL; its template writes the tree as Alto prints it,
``NP(Det(the),N(dog))``, in a layer without spaces.  Terms may be deep (a string of a hundred words
is a hundred operations), so they are not walked by recursion::

    StringAlgebra      *(?1, *(the, ?2))       WideStringAlgebra       conc3(?1, the, ?2)
    TreeAlgebra        NP(?1, N(?2))           TreeWithAritiesAlgebra  NP_2(?1, N_1(?2))
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

from sgl.core.grammar import Item, Slot, Template, Token
from sgl.diagnostics import Diagnostics, Span
from sgl.lang.syntax import Name
from sgl.research.exchange.irtg_file import IrtgTerm, Operation
from sgl.research.exchange.names import is_quotable, quoted

_WITH_ARITY = re.compile(r"(.+)_([0-9]+)", re.DOTALL)
_UNPRINTED = ("Cc", "Zl", "Zp")


class Algebra(NamedTuple):
    """A kind of interpretation that has a counterpart; ``join`` joins the words of its layer.

    Of an algebra of strings ``operation`` matches its symbols, with the number of strings that
    one concatenates unless that is 2; ``example`` is such a term.
    """

    name: str
    join: str
    operation: str = ""
    example: str = ""


_ALGEBRAS = (
    Algebra("StringAlgebra", " ", r"\*", "*(…, …)"),
    Algebra("WideStringAlgebra", " ", r"conc([0-9]+)", "conc2(…, …)"),
    Algebra("TreeAlgebra", ""),
    Algebra("TreeWithAritiesAlgebra", ""),
)


def algebra(java_class: str) -> Algebra | None:
    """Return the algebra with a Java class; None where SGL has no counterpart."""
    wanted = java_class.rpartition(".")[2]
    return next((known for known in _ALGEBRAS if known.name == wanted), None)


class TermReader:
    """Reads the terms of a rule with so many children.

    ``split`` are the words with spaces in them, which became several words.
    """

    def __init__(self, arity: int, diagnostics: Diagnostics) -> None:
        self._arity = arity
        self._diagnostics = diagnostics
        self.split: list[Span] = []

    def template(self, term: IrtgTerm, algebra: Algebra) -> Template:
        """Return what a term over an algebra is as a template."""
        opened = self._string if algebra.operation else self._tree
        parts: list[Slot | str] = []
        pending: list[IrtgTerm | str] = [term]
        while pending:
            part = pending.pop()
            if isinstance(part, str):
                parts.append(part)
            elif isinstance(part, Name):
                parts += self._slot(part)
            else:
                pending += reversed(opened(part, algebra))
        items: list[Item] = []
        # What stands between two variables of a tree is one word.
        for is_slot, group in groupby(parts, lambda part: isinstance(part, Slot)):
            if is_slot or algebra.operation:
                items += (part if isinstance(part, Slot) else Token(part) for part in group)
            else:
                items.append(Token("".join(map(str, group))))
        return tuple(items)

    def _string(self, operation: Operation, algebra: Algebra) -> Sequence[IrtgTerm | str]:
        """Return the strings that an operation concatenates, or the words of a constant."""
        symbol, arguments = operation
        match = re.fullmatch(algebra.operation, symbol.text)
        if match is None and not arguments:
            return self._constant(symbol.text, symbol.span)
        if match is None:
            self._fail(
                symbol.span,
                f"`{symbol}` is no operation of the {algebra.name}",
                f"strings are concatenated by `{algebra.example}`",
            )
            return ()
        wanted = int(match[1] if match.re.groups else 2)
        if wanted != len(arguments):
            self._fail(
                symbol.span,
                f"`{symbol}` concatenates {wanted} strings, and here it has {len(arguments)}",
            )
            return ()
        return arguments

    def _tree(self, operation: Operation, algebra: Algebra) -> Sequence[IrtgTerm | str]:
        """Return a node as Alto prints it, with `_` for spaces, which would separate words."""
        symbol, arguments = operation
        text = symbol.text
        if algebra.name == "TreeWithAritiesAlgebra":
            match = _WITH_ARITY.fullmatch(text)
            if match is not None and int(match[2]) == len(arguments):
                text = match[1]
            else:
                self._fail(
                    symbol.span,
                    f"`{symbol}` does not end in the number of its arguments, `_{len(arguments)}`",
                    "the TreeWithAritiesAlgebra wants the arity after each symbol: `NP_2(…, …)`",
                )
        label = "_".join(self._constant(text, symbol.span))
        if not is_quotable(label):
            self._fail(symbol.span, "this label has quotation marks of both kinds")
            label = ""
        children = [part for child in arguments for part in (",", child)]
        return [quoted(label), *(["(", *children[1:], ")"] if children else [])]

    def _slot(self, variable: Name) -> list[Slot]:
        """Return the child that a variable stands for; none after a report."""
        name = variable.text
        number = int(name) if re.fullmatch(r"[0-9]{1,6}", name) else 0
        if 1 <= number <= self._arity:
            return [Slot(number - 1)]
        few = {0: "no children", 1: "one child, `?1`"}
        known = few.get(self._arity, f"the children `?1` to `?{self._arity}`")
        self._fail(variable.span, f"`?{name}` is no child; the rule has {known}")
        return []

    def _constant(self, text: str, span: Span) -> list[str]:
        """Return the words of a constant: one, or several if it has spaces, or none."""
        words = text.split()
        if any(unicodedata.category(c) in _UNPRINTED for word in words for c in word):
            self._fail(span, "this word has a character that cannot be printed")
        if text and words != [text]:
            self.split.append(span)
        return words

    def _fail(self, span: Span, message: str, hint: str = "") -> None:
        """Report that the term means nothing."""
        self._diagnostics.error("SGL1203", span, message, hint=hint)
