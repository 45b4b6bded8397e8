"""Complete what can be written at a place: the parser says what fits, the table of names says what it would mean.

The declaration up to the place is parsed with a made-up name at the place, then finished with as few tokens as the
parser needs.  The field of the syntax tree that has the made-up name says what kind of thing is wanted
(:mod:`sgl_editor.lsp.names`), and so what the choices are.
"""

import re
from collections.abc import Iterable
from functools import cache
from itertools import islice
from typing import Any

from lark import Token
from lark.exceptions import LarkError
from lsprotocol import types

from sgl.diagnostics import SourceFile
from sgl.lang import CLAUSES, DECLARATIONS, TABLE_SUFFIXES, TEMPLATE_SUFFIXES
from sgl.lang import syntax as s
from sgl.lang.builder import TreeBuilder
from sgl.lang.chunks import split_chunks
from sgl.lang.parser import parser
from sgl.resources import stdlib_dir
from sgl_editor.lsp.document import Document
from sgl_editor.lsp.names import DECLARED, TABLES, NameUse, named, uses_in

#: The made-up name, in each form that it can have after a sign.
_PROBE = "zzprobe"
_PROBES = {"": (_PROBE, _PROBE.capitalize()), "$": (f"${_PROBE}",), "@": (f"@{_PROBE}",), '"': (f'"{_PROBE}"',)}
_LINE = re.compile(
    r'(?:[^"\n]|"(?:[^"\\\n]|\\.)*")*?(?P<word>(?<=^use )[\w.]*|(?P<sign>[$@]?)\w*|(?P<quote>")[^"\n]*)$', re.MULTILINE
)
#: An example of each terminal that is not a word of the language, and the most parser states to try.
_SAMPLES = {"NAME": "z", "UPPER": "Z", "COLUMN": "$z", "SET": "@z", "NUMBER": "1", "WHOLE": "1", "STRING": '"z"'}
_STEPS = 400
#: The most files to offer.
_FILES = 200


def complete(document: Document, params: types.CompletionParams) -> list[types.CompletionItem]:
    """Return what can be written at a place."""
    offset = document.offset(params.position)
    text = document.source.text
    match = _LINE.match(text, text.rfind("\n", 0, offset) + 1, offset)
    if match is None or document.source.name not in document.grammar.names.units:
        return []
    start, sign = match.start("word"), match["sign"] or match["quote"] or ""
    found = {} if sign else dict.fromkeys(_keywords(text[:start]), "keyword")
    for probe in _PROBES[sign]:
        found |= _choices(document, text[:start], probe)
    place = document.range(start + len(sign), offset)
    kinds = types.CompletionItemKind
    return [
        types.CompletionItem(
            name,
            kind=kinds[TABLES["shown"].get(kind, ["", "", "Reference"])[2]],
            detail=kind.replace("_", " "),
            text_edit=types.TextEdit(place, name),
        )
        for name, kind in found.items()
        if _PROBE not in name.lower()
    ]


def _last(text: str) -> tuple[str, int]:
    *_, chunk = split_chunks(SourceFile("", text))
    # A chunk has no blanks at its end, but a clause that begins after them is on a new line.
    begins = bool(chunk.text) and not text.rpartition("\n")[2].strip()
    return chunk.text + "\n  " * begins, chunk.start


def _parsing(text: str) -> Any:  # noqa: ANN401 - the library has no types for it
    """Return the parser after it has read the beginning of a declaration."""
    parsing = parser().parse_interactive(text)
    parsing.exhaust_lexer()
    return parsing


@cache
def _words() -> frozenset[str]:
    return frozenset(_parsing("rule ").accepts())


def _fitting(parsing: Any) -> set[str]:  # noqa: ANN401 - the library has no types for it
    """Return the terminals that fit; if any name fits, leave out words that are also names."""
    expected: set[str] = parsing.accepts()
    return expected - (_words() - {"NAME"} if "NAME" in expected else set())


def _keywords(before: str) -> Iterable[str]:
    if before[-1:] in ("\n", ""):
        return DECLARATIONS
    try:
        expected = _fitting(_parsing(_last(before)[0]))
    except LarkError:
        return ()
    return [word for word in CLAUSES if word.upper() in expected]


def _choices(document: Document, before: str, probe: str) -> dict[str, str]:
    try:
        declaration = _ended(document.source.name, before + probe)
    except LarkError:
        return {}
    found: dict[str, str] = {}
    for use in (use for use in uses_in(declaration) if use.name.text.lower() == _PROBE):
        found |= dict.fromkeys(use.entry("words", ()), "keyword")
        for kind in use.entry("means", "").split():
            found |= dict.fromkeys(_names(document, kind, use), kind)
    return found


def _ended(file: str, text: str) -> s.Declaration | None:
    """Return the last declaration of a text, finished with as few tokens as possible."""
    written, start = _last(text)
    patterns = {one.name: one.pattern.value.removesuffix(r"(?!\w)") for one in parser().terminals}
    states, seen = [(_parsing(written), "")], set[object]()
    for state, added in states:
        expected = _fitting(state)
        if "$END" in expected:
            tree = parser().parse(f"{written}{added}")
            declaration: s.Declaration = TreeBuilder(SourceFile(file, text), start).transform(tree)
            return declaration
        for terminal in sorted(expected - {"_NL"}):
            following, sign = state.copy(), _SAMPLES.get(terminal, patterns[terminal])
            following.feed_token(Token(terminal, sign))
            stack = tuple(following.parser_state.state_stack)
            if stack not in seen and len(states) < _STEPS:
                seen.add(stack)
                states.append((following, f"{added} {sign}"))
    return None


def _names(document: Document, kind: str, use: NameUse) -> Iterable[str]:
    """Return the names of a kind that a name in a declaration can mean."""
    names, grammar, declaration = document.grammar.names, document.grammar, use.above[0]
    unit = names.units[document.source.name]
    if kind == "local":
        return names.locals(declaration)
    if kind == "category" and use.field in ("Mention.name", "NodeRef.name"):
        return (str(child.category.name) for child in s.parts_of(s.Child, declaration))
    if kind in ("value", "value!"):
        return names.features.get(names.feature(use), ())
    if kind == "column":
        files = (one for one, home in names.tables.items() if home == names.table(declaration))
        columns = (site.symbol for file in files if "forms " not in file for site in names.of(file))
        return (symbol.name for symbol in columns if symbol.kind == kind)
    if kind == "lemma":
        nodes = (node for rule in grammar.words() for node in rule.fragments[0].nodes)
        return sorted({value for node in nodes for key, value in node.attributes or () if key == "lemma"})
    if kind == "file" and isinstance(declaration, s.Use):
        tops = [(unit.path.parent, ""), (stdlib_dir(), "stdlib/")]
        files = (f"{sign}{file.relative_to(top).with_suffix('')}" for top, sign in tops for file in top.rglob("*.sgl"))
        return (file.replace("/", ".") for file in islice(files, _FILES))
    if kind == "file":
        paths = (path for path in unit.path.parent.rglob("*") if path.suffix in (*TABLE_SUFFIXES, *TEMPLATE_SUFFIXES))
        return (path.relative_to(unit.path.parent).as_posix() for path in islice(paths, _FILES))
    if kind == "any" and isinstance(declaration, s.Use):
        path = "/".join(map(str, declaration.path)) + ".sgl"
        own = (one.file.declarations for file, one in names.units.items() if file.endswith(path))
        return (name.text for declared in own for one in declared if (name := named(one)) is not None)
    sites = (site for file in names.units for site in names.of(file) if site.symbol.kind == kind)
    return (site.symbol.name for site in sites if site.declares or kind not in DECLARED)
