"""Read Alto's codec for IRTGs: its syntax, and its terms as templates.

Values are built while the text is parsed, so no tree has to be walked, however deep its terms are.  The value of a
string is its words.  A tree has no value in SGL; its template writes it as Alto prints it, ``NP(Det(the),N(dog))``, in
a layer without spaces.

An ordered feature tree is a label with edges to such trees.  ``e(t, u)`` is ``t`` with one more edge ``e`` to ``u``, as
its last or, with ``pre_e``, its first.  Words can express that too, if each edge ends in a comma that is not written
before a bracket: ``see ( agent = Emma , theme = cat ( det = the , ) , )``.  Then the label is the first word, and the
edges are all other words except the outer brackets.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from importlib import resources
from itertools import groupby
from typing import Any, NamedTuple

from lark import Lark, Transformer, v_args
from lark import Token as Terminal
from lark.exceptions import UnexpectedInput, UnexpectedToken

from sgl.core.grammar import Item, Slot, Template, Token
from sgl.core.spelling import Finish
from sgl.diagnostics import Diagnostics, SourceFile, Span
from sgl.lang.syntax import Name
from sgl.research.exchange.names import is_quotable, quoted


class Operation(NamedTuple):
    """``*(?1, ?2)``, or a constant; an argument that is a name is the variable ``?name``."""

    symbol: Name
    arguments: "tuple[Operation | Name, ...]"


IrtgTerm = Operation | Name


class Interpretation(NamedTuple):
    """``interpretation english: de.up.ling.irtg.algebra.StringAlgebra``."""

    name: Name
    algebra: Name


class TreeState(NamedTuple):
    """A state of the tree automaton; ``final`` if it is marked so."""

    name: Name
    final: bool


class TermOf(NamedTuple):
    """``[english] *(?1, ?2)``: the meaning of the rule's label in an interpretation."""

    interpretation: Name
    term: IrtgTerm


class IrtgRule(NamedTuple):
    """``S! -> r1(NP, VP) [0.5]`` with the lines below it; ``weight`` is kept as written."""

    state: TreeState
    label: Name
    children: tuple[TreeState, ...]
    weight: Name | None
    terms: tuple[TermOf, ...]


class IrtgFile(NamedTuple):
    """A parsed IRTG; ``features`` are the names of its feature declarations."""

    interpretations: tuple[Interpretation, ...]
    features: tuple[Name, ...]
    rules: tuple[IrtgRule, ...]


def read_irtg(source: SourceFile, diagnostics: Diagnostics) -> IrtgFile | None:
    """Return the syntax tree of a file, or None after reporting errors."""
    grammar = resources.files("sgl.research.exchange").joinpath("irtg.lark").read_text("utf-8")
    builder = _SyntaxBuilder(source)
    parser = Lark(grammar, start="irtg", parser="lalr", transformer=builder, maybe_placeholders=True)
    try:
        found: Any = parser.parse(source.text)
    except UnexpectedInput as problem:
        _report(source, problem, parser, diagnostics)
        return None
    assert isinstance(found, IrtgFile)
    return found


def _only(kind: type[Any], children: tuple[object, ...]) -> tuple[Any, ...]:
    return tuple(child for child in children if isinstance(child, kind))


@v_args(inline=True)
class _SyntaxBuilder(Transformer[Terminal, Any]):
    """A builder of syntax trees; each member is named after a rule of the grammar."""

    interpretation, value = Interpretation, TermOf

    def __init__(self, source: SourceFile) -> None:
        super().__init__()
        self._source = source

    def plain(self, token: Terminal, marks: int = 0) -> Name:
        start, text = token.start_pos or 0, str(token)
        return Name(text[marks:], self._source.span(start, start + len(text)))

    def quoted(self, token: Terminal) -> Name:
        # The quotation marks are not part of the name.
        return Name(str(token)[1:-1], self.plain(token).span, quoted=True)

    def variable(self, token: Terminal) -> Name:
        return self.plain(token, 1)

    def feature(self, name: Name, *_: object) -> Name:
        return name

    def state(self, name: Name, final: Terminal | None) -> TreeState:
        return TreeState(name, final is not None)

    def operation(self, symbol: Name, *arguments: IrtgTerm | None) -> Operation:
        return Operation(symbol, tuple(child for child in arguments if child is not None))

    def rule(self, state: TreeState, label: Name, *rest: object) -> IrtgRule:
        weight = next((self.plain(token) for token in _only(Terminal, rest)), None)
        return IrtgRule(state, label, _only(TreeState, rest), weight, _only(TermOf, rest))

    def irtg(self, *children: object) -> IrtgFile:
        return IrtgFile(*(_only(kind, children) for kind in (Interpretation, Name, IrtgRule)))


#: The most letters of a text that a message shows.
_SHOWN = 29

#: The users' names for terminals that are not words of the notation.
_TERMINALS: dict[str, str] = {
    "$END": "the end of the file",
    **dict.fromkeys(("NAME", "SINGLE", "DOUBLE"), "a name"),
    "VARIABLE": "a variable like `?1`",
    "NUMBER": "a number",
    "FINAL": "`!`",
}


def _report(source: SourceFile, problem: UnexpectedInput, parser: Lark, diagnostics: Diagnostics) -> None:
    place: Any = problem
    start: int = place.pos_in_stream or 0
    found, expected = source.text[start : start + 1], set[str](getattr(problem, "allowed", None) or ())
    if isinstance(problem, UnexpectedToken):
        expected = set(problem.accepts or problem.expected)
        found = "" if problem.token.type == "$END" else str(problem.token)
        start = start if found else len(source.text.rstrip())
    literal = {t.name: f"`{t.pattern.value}`" for t in parser.terminals if t.pattern.type == "str"}
    known = literal | _TERMINALS
    shown = found if len(found) <= _SHOWN else f"{found[:_SHOWN]}…"
    diagnostics.error(
        "SGL1201",
        source.span(start, start + max(len(found), 1)),
        f"`{shown}` cannot appear here in an IRTG" if found else "this IRTG ends too early",
        hint=_hint(source.text[start:], found, {known[name] for name in expected & set(known)}),
    )


def _hint(rest: str, found: str, expected: set[str]) -> str:
    if rest.startswith("/*"):
        return "this comment is never closed; write `*/` where it ends"
    if found in ("'", '"'):
        return "this quotation is never closed"
    if found == "(" and "`->`" in expected:
        return "the state comes first: `S -> r1(NP, VP)`"
    if not found.isascii() and "a name" in expected:
        return "put a name with such characters in quotation marks"
    return "expected " + " or ".join(sorted(expected)) if expected else ""


_WITH_ARITY = re.compile(r"(.+)_([0-9]+)", re.DOTALL)
_UNPRINTED = ("Cc", "Zl", "Zp")


class Algebra(NamedTuple):
    """A kind of interpretation that has a counterpart; ``join`` and ``finish`` are those of its layer.

    For an algebra of strings, ``operation`` matches its symbols, including the number of strings to concatenate unless
    that is 2; ``example`` is such a term.
    """

    name: str
    join: str
    operation: str = ""
    example: str = ""
    finish: Finish | None = None


#: The algebras by the last parts of their Java classes.
ALGEBRAS = {
    known.name: known
    for known in (
        Algebra("StringAlgebra", " ", r"\*", "*(…, …)"),
        Algebra("WideStringAlgebra", " ", r"conc([0-9]+)", "conc2(…, …)"),
        Algebra("TreeAlgebra", ""),
        Algebra("TreeWithAritiesAlgebra", ""),
        Algebra("OrderedFeatureTreeAlgebra", " ", finish=Finish(absorb=((",", ")"),))),
    )
}


#: The label of a feature tree and its edges, as functions of its words.
_LABEL, _EDGES = ("first",), ("rest", "front", "rest")
#: Words that cannot be labels of a feature tree.
_SIGNS = ("", "(", ")", "=", ",")

_Part = IrtgTerm | Slot | str


class TermReader:
    """A reader of a rule's terms; ``split`` lists words with spaces, which became several words."""

    def __init__(self, arity: int, diagnostics: Diagnostics) -> None:
        self._arity = arity
        self._diagnostics = diagnostics
        self.split: list[Span] = []

    def template(self, term: IrtgTerm, algebra: Algebra) -> Template:
        """Return a term over an algebra as a template."""
        opened = self._string if algebra.operation else self._tree if not algebra.join else self._feature_tree
        parts: list[Slot | str] = []
        pending: list[_Part] = [term]
        while pending:
            part = pending.pop()
            if isinstance(part, str | Slot):
                parts.append(part)
            elif isinstance(part, Name):
                parts += self._slot(part)
            else:
                pending += reversed(opened(part, algebra))
        items: list[Item] = []
        # Everything between two variables of a tree is one word.
        for is_slot, group in groupby(parts, lambda part: isinstance(part, Slot)):
            if is_slot or algebra.join:
                items += (part if isinstance(part, Slot) else Token(part) for part in group)
            else:
                items.append(Token("".join(map(str, group))))
        return tuple(items)

    def _string(self, operation: Operation, algebra: Algebra) -> Sequence[_Part]:
        symbol, arguments = operation
        match = re.fullmatch(algebra.operation, symbol.text)
        if match is None and not arguments:
            return self._constant(symbol.text, symbol.span)
        if match is None:
            self._fail(
                symbol.span,
                f"`{symbol}` is not an operation of the {algebra.name}",
                f"strings are concatenated by `{algebra.example}`",
            )
            return ()
        wanted = int(match[1] if match.re.groups else 2)
        if wanted != len(arguments):
            self._fail(symbol.span, f"`{symbol}` concatenates {wanted} strings, and here it has {len(arguments)}")
            return ()
        return arguments

    def _tree(self, operation: Operation, algebra: Algebra) -> Sequence[_Part]:
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

    def _feature_tree(self, term: IrtgTerm, _: Algebra) -> Sequence[_Part]:
        first: list[_Part] = []
        last: list[tuple[_Part, ...]] = []
        while isinstance(term, Operation) and term.arguments:
            symbol = term.symbol.text
            before = symbol.startswith("pre_")
            label = symbol.removeprefix("pre_" if before else "post_")
            if len(term.arguments) != 2:
                self._fail(
                    term.symbol.span,
                    f"`{term.symbol}` adds an edge to a tree, and here it has {len(term.arguments)} arguments",
                    "`theme(…, …)` adds an edge `theme` from the first tree to the second",
                )
                return ()
            edge = (self._word(label, term.symbol.span), "=", term.arguments[1], ",")
            if before:
                first += edge
            else:
                last.append(edge)
            term = term.arguments[0]
        edges = [part for edge in reversed(last) for part in edge]
        if isinstance(term, Operation):
            word = self._word(term.symbol.text, term.symbol.span)
            return [word, "(", *first, *edges, ")"] if first or edges else [word]
        root, inside = ([replace(slot, functions=taken) for slot in self._slot(term)] for taken in (_LABEL, _EDGES))
        return [*root, "(", *first, *inside, *edges, ")"]

    def _word(self, text: str, span: Span) -> str:
        word = "_".join(self._constant(text, span))
        if word in _SIGNS:
            self._fail(span, f"a feature tree cannot be written with `{word}` as a label")
        return word

    def _slot(self, variable: Name) -> list[Slot]:
        name = variable.text
        number = int(name) if re.fullmatch(r"[0-9]{1,6}", name) else 0
        if 1 <= number <= self._arity:
            return [Slot(number - 1)]
        few = {0: "no children", 1: "one child, `?1`"}
        known = few.get(self._arity, f"the children `?1` to `?{self._arity}`")
        self._fail(variable.span, f"`?{name}` is not a child; the rule has {known}")
        return []

    def _constant(self, text: str, span: Span) -> list[str]:
        words = text.split()
        if any(unicodedata.category(c) in _UNPRINTED for word in words for c in word):
            self._fail(span, "this word has a character that cannot be printed")
        if text and words != [text]:
            self.split.append(span)
        return words

    def _fail(self, span: Span, message: str, hint: str = "") -> None:
        self._diagnostics.error("SGL1203", span, message, hint=hint)
