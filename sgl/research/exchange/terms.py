"""What terms over Alto's algebras of strings and trees are as templates.

A string is its words.  A tree has no value in SGL; its template writes the tree as
Alto prints it, ``NP(Det(the),N(dog))``, in a layer without spaces.  Terms may be
deep (a string of a hundred words is a hundred operations), so they are not walked
by recursion.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field

from sgl.core.grammar import Item, Slot, Template, TextLayer, Token
from sgl.diagnostics import Diagnostics, Span
from sgl.research.exchange.irtg_file import IrtgTerm, Operation, TermVariable
from sgl.research.exchange.names import CONCATENATION, quoted

_WIDE = re.compile(r"conc([0-9]+)")
_WITH_ARITY = re.compile(r"(.+)_([0-9]+)", re.DOTALL)
_UNPRINTED = ("Cc", "Zl", "Zp")


@dataclass
class TermReader:
    """One term of a rule: the number of its children, and what has been found so far.

    ``split`` are the words with spaces in them, which became several words.
    """

    arity: int
    diagnostics: Diagnostics
    sound: bool = True
    split: list[Span] = field(default_factory=list)

    def fail(self, span: Span, message: str, hint: str = "") -> None:
        """Report that the term means nothing."""
        self.sound = False
        self.diagnostics.error("SGL1203", span, message, hint=hint)

    def slot(self, variable: TermVariable) -> Slot | None:
        """Return the child that a variable stands for."""
        number = int(variable.name) if re.fullmatch(r"[0-9]{1,6}", variable.name) else 0
        if 1 <= number <= self.arity:
            return Slot(number - 1)
        last = {0: "no children", 1: "one child, `?1`"}.get(
            self.arity, f"the children `?1` to `?{self.arity}`"
        )
        self.fail(variable.span, f"`?{variable.name}` is no child; the rule has {last}")
        return None

    def words(self, text: str, span: Span) -> list[str]:
        """Return the words of a constant: one, or several if it has spaces, or none."""
        words = text.split()
        if any(unicodedata.category(c) in _UNPRINTED for word in words for c in word):
            self.fail(span, "this word has a character that cannot be printed")
        if text and words != [text]:
            self.split.append(span)
        return words


@dataclass(frozen=True, slots=True)
class Algebra:
    """A kind of interpretation that has a counterpart: how its layer joins, and its terms."""

    join: str
    template: Callable[[IrtgTerm, TermReader], Template]
    is_tree: bool = False

    def layer(self, name: str) -> TextLayer:
        """Return the text layer of an interpretation."""
        return TextLayer(name, self.join)


def algebra(java_class: str) -> Algebra | None:
    """Return the algebra with a Java class; None where SGL has no counterpart."""
    return _ALGEBRAS.get(java_class.rpartition(".")[2])


def _strings(term: IrtgTerm, reader: TermReader) -> Template:
    """Read ``*(?1, *(the, ?2))``: two strings at a time."""

    def width(symbol: str) -> int | None:
        return 2 if symbol == CONCATENATION else None

    return _concatenated(term, reader, width, "StringAlgebra", "*(…, …)")


def _wide_strings(term: IrtgTerm, reader: TermReader) -> Template:
    """Read ``conc3(?1, the, ?2)``: as many as the symbol says."""

    def width(symbol: str) -> int | None:
        match = _WIDE.fullmatch(symbol)
        return int(match[1]) if match is not None else None

    return _concatenated(term, reader, width, "WideStringAlgebra", "conc2(…, …)")


def _concatenated(
    term: IrtgTerm,
    reader: TermReader,
    width: Callable[[str], int | None],
    name: str,
    known: str,
) -> Template:
    """Return the words of a term; ``width`` says how many strings a symbol concatenates."""
    items: list[Item] = []
    pending: list[IrtgTerm] = [term]
    while pending:
        part = pending.pop()
        if isinstance(part, TermVariable):
            slot = reader.slot(part)
            items.extend([slot] if slot is not None else [])
            continue
        symbol = part.symbol
        wanted = width(symbol.text)
        if not part.arguments and wanted is None:
            items.extend(map(Token, reader.words(symbol.text, symbol.span)))
        elif wanted is None:
            reader.fail(
                symbol.span,
                f"`{symbol}` is no operation of the {name}",
                hint=f"strings are concatenated by `{known}`",
            )
        elif wanted != len(part.arguments):
            reader.fail(
                symbol.span,
                f"`{symbol}` concatenates {wanted} strings, and here it has {len(part.arguments)}",
            )
        else:
            pending.extend(reversed(part.arguments))
    return tuple(items)


def _trees(term: IrtgTerm, reader: TermReader) -> Template:
    """Read ``NP(?1, N(?2))``."""
    return _printed(term, reader, lambda operation: operation.symbol.text)


def _trees_with_arities(term: IrtgTerm, reader: TermReader) -> Template:
    """Read ``NP_2(?1, N_1(?2))``: the arity is a part of the symbol, and not of the tree."""

    def label(operation: Operation) -> str:
        match = _WITH_ARITY.fullmatch(operation.symbol.text)
        if match is not None and int(match[2]) == len(operation.arguments):
            return match[1]
        reader.fail(
            operation.symbol.span,
            f"`{operation.symbol}` does not end in the number of its arguments, "
            f"`_{len(operation.arguments)}`",
            hint="the TreeWithAritiesAlgebra wants the arity after each symbol: `NP_2(…, …)`",
        )
        return operation.symbol.text

    return _printed(term, reader, label)


def _printed(term: IrtgTerm, reader: TermReader, label: Callable[[Operation], str]) -> Template:
    """Return the tree as a text; what stands between two variables is one word."""
    items: list[Item] = []
    text = ""
    pending: list[IrtgTerm | str] = [term]
    while pending:
        part = pending.pop()
        if isinstance(part, str):
            text += part
        elif isinstance(part, TermVariable):
            slot = reader.slot(part)
            if text:
                items.append(Token(text))
            text = ""
            items.extend([slot] if slot is not None else [])
        else:
            text += _label(label(part), part.symbol.span, reader)
            if part.arguments:
                text += "("
                pending.append(")")
                for argument in reversed(part.arguments):
                    pending.extend((argument, ","))
                pending.pop()
    if text:
        items.append(Token(text))
    return tuple(items)


def _label(text: str, span: Span, reader: TermReader) -> str:
    """Return a label as Alto prints it, with `_` for spaces, which would separate words."""
    name = "_".join(reader.words(text, span))
    try:
        return quoted(name)
    except ValueError:
        reader.fail(span, "this label has quotation marks of both kinds")
        return ""


_ALGEBRAS = {
    "StringAlgebra": Algebra(" ", _strings),
    "WideStringAlgebra": Algebra(" ", _wide_strings),
    "TreeAlgebra": Algebra("", _trees, is_tree=True),
    "TreeWithAritiesAlgebra": Algebra("", _trees_with_arities, is_tree=True),
}
