"""Read productions, one per line: of context-free grammars, NLTK's and others, and of synchronous ones.

    S -> NP[NUM=?n] VP[NUM=?n]  |  'hello'  [0.1]
    find -> 'filter' '(' value ',' find ')'  &  value find
    0.5  VP -> D_1 after D_2  ###  D_2 D_1

The sides of a production become text layers, and the nonterminals that the sides share become its children, paired by
index, or else the first of a name with the first, and so on.  In a file that quotes words, anything unquoted is a
nonterminal; in any other file, only names on the left of an arrow are.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from sgl.core.grammar import Item, Slot, Template, Token
from sgl.diagnostics import Diagnostics, SourceFile, Span, suggest
from sgl.lang.syntax import Name

#: The separators of sides that are recognised by default.
SEPARATORS = ("###", "|||", "&", "&&", "@@@", "<sep>", "<SEP>")

_ARROW = re.compile(r"\s*(?:-+>|→|::=|=>|(?<=\s)\|\|\|(?=\s))\s*")
#: A line break that does not end a production.
_FOLDED = re.compile(r"\\[ \t]*\r?\n|\r?\n(?=[ \t]*\|(?!\|))")
_TOKEN = re.compile(
    r"""\|\|\|(?=\s|$) | \|
    | "[^"]*"(?=[\s|\[]|$) | '[^']*'(?=[\s|\[]|$)
    | \[[^\s\[\]]*\] | [\[\]]
    | [^\s|\[\]] (?: [^\s|\[\]] | \[(?:[^\[\]]|\[[^\[\]]{0,99}\]){0,200}\] | [\[\]] )*""",
    re.VERBOSE,
)
_WEIGHT = re.compile(r"\[?([0-9.]+(?:[eE]-?[0-9]+)?)\]?")
_BRACKETED = re.compile(r"(\[[^\[\],]+),([0-9]{1,6})\]")
_MARKED = re.compile(r"([^\[\]][^\[\]]*?)(\[.*\])?(?:[_:]([0-9]{1,6}))?(\[.*\])?", re.DOTALL)
#: The form of a feature.
PLAIN = "a feature has words as its values: `NP[NUM=sg]`, `NP[NUM=?n]`, `V[+AUX]`"
#: The most mistakes reported for one file.
_SHOWN = 20


class Notation(NamedTuple):
    """A user's description of a file: the layers of the sides in order, the source among them, other signs."""

    layers: tuple[str, ...] = ()
    source: str = ""
    separator: str = ""
    start: str = ""


class Mention(NamedTuple):
    """A nonterminal in a production, with its features as written."""

    name: str
    features: str
    number: str
    span: Span


class SidedRule(NamedTuple):
    """A production with the templates of its sides; ``label`` is its own name, or empty."""

    label: Name
    left: Mention
    children: tuple[Mention, ...]
    weight: Name | None
    sides: tuple[Template, ...]


class Productions(NamedTuple):
    """A file of productions; ``layers`` maps each layer to the index of its side, the source first."""

    start: Mention
    rules: tuple[SidedRule, ...]
    layers: Mapping[str, int]


class _Line(NamedTuple):
    """``weight label: left -> tokens``."""

    weight: Name | None
    label: Name | None
    left: Name
    tokens: tuple[Name, ...]


def read_productions(source: SourceFile, notation: Notation, diagnostics: Diagnostics) -> Productions | None:
    """Return the productions of a file, or None after reporting errors."""
    return _LineReader(source, notation, diagnostics).read()


class _LineReader:
    """A reader that reads a file twice: first its left-hand sides, then the rest, which depends on them."""

    def __init__(self, source: SourceFile, notation: Notation, diagnostics: Diagnostics) -> None:
        self._source, self._notation, self._diagnostics = source, notation, diagnostics
        self._start: Name | None = None
        self._names: dict[str, None] = {}
        self._quoting, self._style = False, ""

    def read(self) -> Productions | None:
        # Continuation lines are joined, and every letter keeps its place.
        text = _FOLDED.sub(lambda found: " " * len(found[0]), self._source.text)
        lines = [line for found in re.finditer(r"[^\n]+", text) if (line := self._line(found)) is not None]
        whole = self._source.span(0, 1)
        if not lines and not self._diagnostics.errors:
            self._diagnostics.error("SGL1204", whole, "this file has no production", hint="such as `S -> NP VP`")
        if self._diagnostics.errors > 0:
            return None
        self._names = {self._mention(line.left).name: None for line in lines}
        self._style = next((sign for sign in "$[<" if all(name.startswith(sign) for name in self._names)), "")
        self._quoting = any(token.quoted for line in lines for token in line.tokens)
        separator = self._separator(lines)
        if (layers := self._layers(lines, separator, whole)) is None:
            return None
        rules = [rule for line in lines for rule in self._productions(line, separator, len(layers))]
        first = lines[0].left
        # The command line overrides the file.
        wanted = Name(self._notation.start, first.span) if self._notation.start else self._start or first
        start = self._mention(wanted)
        if start.name not in self._names:
            self._fail(wanted.span, f"no production makes the start `{start.name}`", suggest(start.name, self._names))
        return None if self._diagnostics.errors else Productions(start, tuple(rules), layers)

    def _fail(self, span: Span, message: str, hint: str = "", code: str = "SGL1218") -> None:
        if self._diagnostics.errors < _SHOWN:
            self._diagnostics.error(code, span, message, hint=hint)

    def _tokens(self, text: str, start: int, end: int) -> list[Name]:
        found: list[Name] = []
        for token in _TOKEN.finditer(text, start, end):
            if token[0] in ("#", "//"):
                break
            quoted = len(token[0]) > 1 and token[0][0] == token[0][-1] and token[0][0] in "'\""
            written = token[0][1:-1] if quoted else token[0]
            found.append(Name(written, self._source.span(token.start(), token.end()), quoted))
        return found

    def _line(self, line: re.Match[str]) -> _Line | None:
        text = line[0].strip()
        start = line.start() + len(line[0]) - len(line[0].lstrip())
        if not text or text.startswith(("#", "//")):
            return None
        span = self._source.span(start, start + len(text))
        if text.startswith("%"):
            said = self._tokens(line.string, start + 1, line.end())
            if len(said) == 2 and said[0].text == "start":
                self._start = said[1]
            else:
                self._fail(span, "this is not a directive", "`%start S` says where derivations begin")
            return None
        if (arrow := _ARROW.search(line.string, start, line.end())) is None:
            self._fail(span, "this line has no arrow", "a production is `A -> B c`; a comment begins with `#`")
            return None
        head = self._tokens(line.string, start, arrow.start())
        weight = head.pop(0) if len(head) > 1 and _WEIGHT.fullmatch(head[0].text) else None
        label = head.pop(0) if len(head) > 1 and head[0].text.endswith(":") else None
        if len(head) != 1 or head[0].quoted:
            self._fail(span, "write one nonterminal before the arrow", "`A -> B c`, or `0.5 label: A -> B c`")
            return None
        return _Line(weight, label, head[0], tuple(self._tokens(line.string, arrow.end(), line.end())))

    def _separator(self, lines: Sequence[_Line]) -> str:
        if self._notation.separator or len(self._notation.layers) == 1:
            return self._notation.separator
        signs = {token.text: token.span for line in reversed(lines) for token in line.tokens if not token.quoted}
        found = [sign for sign in SEPARATORS if sign in signs]
        if len(found) > 1:
            shown = " or ".join(f"`{sign}`" for sign in found)
            hint = f"`--separator '{found[0]}'` names it"
            self._fail(signs[found[1]], f"{shown} may separate the sides of productions", hint, "SGL1220")
        return found[0] if found else ""

    def _layers(self, lines: Sequence[_Line], separator: str, whole: Span) -> dict[str, int] | None:
        names, source = self._notation.layers, self._notation.source
        parted = [token.span for line in lines for token in line.tokens if token.text == separator and not token.quoted]
        if len(names) > 1 and not parted:
            message = f"no production has {len(names)} sides"
            hint = "`--separator '=>'` names what separates them"
        elif parted and not names:
            message = f"nothing says what the sides of `{separator}` are"
            hint = "`--layers program,source` names them in their order; `--layers source` takes it for a word"
        elif source not in ("", *names):
            message, hint = f"`{source}` is not a side", f"`--source` is one of {', '.join(names)}"
        elif len(names) > 1 and not source and "source" not in names:
            message, hint = "nothing says which side is the source", f"such as `--source {names[-1]}`"
        else:
            source = source or ("source" if len(names) > 1 else "")
            names = names or ("text",)
            return {name: names.index(name) for name in sorted(names, key=lambda name: name != source)}
        self._fail(parted[0] if parted else whole, message, hint, "SGL1220")
        return None

    def _mention(self, token: Name) -> Mention:
        text = token.text
        if text in self._names:
            return Mention(text, "", "", token.span)
        if (found := _BRACKETED.fullmatch(text)) is not None:
            return Mention(f"{found[1]}]", "", found[2], token.span)
        if (found := _MARKED.fullmatch(text)) is not None:
            name, first, index, second = found.groups("")
            if first[1:-1].isdigit():
                first, index = "", first[1:-1]
            # A name on the left may end like an index.
            if name in self._names or not self._names:
                return Mention(name if self._names else text.partition("[")[0], first or second, index, token.span)
        return Mention(text, "", "", token.span)

    def _productions(self, line: _Line, separator: str, count: int) -> Iterator[SidedRule]:
        alternatives = _parted(line.tokens, "|")
        left = self._mention(line.left)
        same = count == 1 or len(_parted(line.tokens, separator)) == 1
        for tokens in alternatives:
            weight, rest = line.weight, tokens
            if rest and not rest[-1].quoted and re.fullmatch(r"\[[0-9.eE-]+\]", rest[-1].text):
                *rest, weight = rest
            sides = _parted(rest, separator)
            if len(sides) == count + 1 and len(sides[-1]) == 1 and _WEIGHT.fullmatch(sides[-1][0].text):
                weight = sides.pop()[0]
            sides *= count if same else 1
            if len(sides) != count:
                self._fail(
                    tokens[0].span if tokens else line.left.span,
                    f"this production has {len(sides)} side{'s' * (len(sides) != 1)}, and {count} layers are named",
                    "each alternative has all sides: `A -> b & c | d & e`",
                )
                break
            yield self._linked(line, left, weight, sides)

    def _linked(self, line: _Line, left: Mention, weight: Name | None, sides: Sequence[Sequence[Name]]) -> SidedRule:
        """Return a production whose sides have the same children."""
        parts = [[self._part(token) for token in side] for side in sides]
        single = _single(parts)
        children: dict[tuple[str, str], Mention] = {}
        numbers: dict[tuple[str, str], int] = {}
        templates: list[Template] = []
        met: Counter[tuple[str, str]] = Counter()
        for side in parts:
            seen: Counter[str] = Counter()
            own: set[tuple[str, str]] = set()
            items: list[Item] = []
            for part in side:
                if not isinstance(part, Mention):
                    items += map(Token, part)
                    continue
                seen[part.name] += not part.number
                key = part.name, part.number or ("" if part.name in single else f" {seen[part.name]}")
                first = children.setdefault(key, part)
                if part.features and part.features != first.features:
                    if first.features:
                        self._fail(part.span, f"`{part.name}` has other features than on the other side")
                    children[key] = part
                own.add(key)
                items.append(Slot(numbers.setdefault(key, len(numbers))))
            templates.append(tuple(items))
            met.update(own)
        for key, child in children.items():
            if met[key] < len(parts):
                hint = "sides have the same nonterminals; an index says which are one: `A -> B_1 B_2 ### B_2 B_1`"
                self._fail(child.span, f"`{child.name}` does not occur equally often on each side", hint)
        label = line.label or Name("", (line.tokens or (line.left,))[0].span)
        return SidedRule(label, left, tuple(children.values()), weight, tuple(templates))

    def _part(self, token: Name) -> Mention | list[str]:
        """Return the nonterminal of a token, or its words."""
        text, mention = token.text, self._mention(token)
        if token.quoted or mention.name not in self._names:
            if not token.quoted and (text[0] in "'\"" and self._quoting):
                self._fail(token.span, "this quotation is never closed")
            elif not token.quoted and ("/" in text or text[0] == "?") and set(text) & set("[?"):
                self._fail(token.span, f"`{text}` has a gap or a category that varies", PLAIN, "SGL1219")
            elif not token.quoted and (self._quoting or (text[0] == self._style != text)):
                hint = suggest(mention.name, self._names) or "words are in quotation marks in this file"
                self._fail(token.span, f"no production makes `{mention.name}`", hint * self._quoting)
            if not all(word.isprintable() for word in text.split()):
                self._fail(token.span, "this word has a character that cannot be printed")
            return text.split()
        return mention


def _single(sides: Sequence[Sequence[Mention | list[str]]]) -> set[str]:
    """Return the names that some side has once: these may occur several times on another one."""
    counts = [Counter(x.name for x in side if isinstance(x, Mention) and not x.number) for side in sides]
    return {name for count in counts for name in count if min(other[name] for other in counts) == 1}


def _parted(tokens: Sequence[Name], sign: str) -> list[list[Name]]:
    cuts = [i for i, token in enumerate(tokens) if token.text == sign and not token.quoted]
    return [list(tokens[a + 1 : b]) for a, b in pairwise([-1, *cuts, len(tokens)])]
