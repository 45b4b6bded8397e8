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
from sgl.research.exchange.irtg_names import CONCATENATION, quoted
from sgl.research.exchange.irtg_syntax import Operation, Term, Variable

_WIDE = re.compile(r"conc([0-9]+)")
_WITH_ARITY = re.compile(r"(.+)_([0-9]+)", re.DOTALL)
_UNPRINTED = ("Cc", "Zl", "Zp")


@dataclass
class Lowering:
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

    def slot(self, variable: Variable) -> Slot | None:
        """The child that a variable stands for."""
        number = int(variable.name) if re.fullmatch(r"[0-9]{1,6}", variable.name) else 0
        if 1 <= number <= self.arity:
            return Slot(number - 1)
        last = {0: "no children", 1: "one child, `?1`"}.get(
            self.arity, f"the children `?1` to `?{self.arity}`"
        )
        self.fail(variable.span, f"`?{variable.name}` is no child; the rule has {last}")
        return None

    def words(self, text: str, span: Span) -> list[str]:
        """The words of a constant: one, or several where it has spaces; none where it is empty."""
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
    template: Callable[[Term, Lowering], Template]
    is_tree: bool = False

    def layer(self, name: str) -> TextLayer:
        """The text layer of an interpretation."""
        return TextLayer(name, self.join)


def algebra(java_class: str) -> Algebra | None:
    """The algebra by the name of its Java class; None where SGL has no counterpart."""
    return _ALGEBRAS.get(java_class.rpartition(".")[2])


def _strings(term: Term, lowering: Lowering) -> Template:
    """``*(?1, *(the, ?2))``: two strings at a time."""
    return _concatenated(
        term, lowering, lambda symbol: 2 if symbol == CONCATENATION else None, "StringAlgebra"
    )


def _wide_strings(term: Term, lowering: Lowering) -> Template:
    """``conc3(?1, the, ?2)``: as many as the symbol says."""
    return _concatenated(term, lowering, _width, "WideStringAlgebra")


def _width(symbol: str) -> int | None:
    match = _WIDE.fullmatch(symbol)
    return int(match[1]) if match is not None else None


def _concatenated(
    term: Term, lowering: Lowering, arity: Callable[[str], int | None], name: str
) -> Template:
    items: list[Item] = []
    pending: list[Term] = [term]
    while pending:
        part = pending.pop()
        if isinstance(part, Variable):
            slot = lowering.slot(part)
            items.extend([slot] if slot is not None else [])
            continue
        symbol = part.symbol
        wanted = arity(symbol.text)
        if not part.arguments and wanted is None:
            items.extend(map(Token, lowering.words(symbol.text, symbol.span)))
        elif wanted is None:
            known = "*(…, …)" if arity(CONCATENATION) else "conc2(…, …)"
            lowering.fail(
                symbol.span,
                f"`{symbol}` is no operation of the {name}",
                hint=f"strings are concatenated by `{known}`",
            )
        elif wanted != len(part.arguments):
            lowering.fail(
                symbol.span,
                f"`{symbol}` concatenates {wanted} strings, and here it has {len(part.arguments)}",
            )
        else:
            pending.extend(reversed(part.arguments))
    return tuple(items)


def _trees(term: Term, lowering: Lowering) -> Template:
    """``NP(?1, N(?2))``."""
    return _printed(term, lowering, lambda operation: operation.symbol.text)


def _trees_with_arities(term: Term, lowering: Lowering) -> Template:
    """``NP_2(?1, N_1(?2))``: the arity is a part of the symbol, and not of the tree."""

    def label(operation: Operation) -> str:
        match = _WITH_ARITY.fullmatch(operation.symbol.text)
        if match is not None and int(match[2]) == len(operation.arguments):
            return match[1]
        lowering.fail(
            operation.symbol.span,
            f"`{operation.symbol}` does not end in the number of its arguments, "
            f"`_{len(operation.arguments)}`",
            hint="the TreeWithAritiesAlgebra wants the arity after each symbol: `NP_2(…, …)`",
        )
        return operation.symbol.text

    return _printed(term, lowering, label)


def _printed(term: Term, lowering: Lowering, label: Callable[[Operation], str]) -> Template:
    """The tree as a text; what stands between two variables is one word."""
    items: list[Item] = []
    text = ""
    pending: list[Term | str] = [term]
    while pending:
        part = pending.pop()
        if isinstance(part, str):
            text += part
        elif isinstance(part, Variable):
            slot = lowering.slot(part)
            if text:
                items.append(Token(text))
            text = ""
            items.extend([slot] if slot is not None else [])
        else:
            text += _label(label(part), part.symbol.span, lowering)
            if part.arguments:
                text += "("
                pending.append(")")
                for argument in reversed(part.arguments):
                    pending.extend((argument, ","))
                pending.pop()
    if text:
        items.append(Token(text))
    return tuple(items)


def _label(text: str, span: Span, lowering: Lowering) -> str:
    """A label as Alto prints it, with `_` for spaces, which a text layer would take apart."""
    name = "_".join(lowering.words(text, span))
    try:
        return quoted(name)
    except ValueError:
        lowering.fail(span, "this label has quotation marks of both kinds")
        return ""


_ALGEBRAS = {
    "StringAlgebra": Algebra(" ", _strings),
    "WideStringAlgebra": Algebra(" ", _wide_strings),
    "TreeAlgebra": Algebra("", _trees, is_tree=True),
    "TreeWithAritiesAlgebra": Algebra("", _trees_with_arities, is_tree=True),
}
