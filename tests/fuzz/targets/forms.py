"""Logical forms, grammars of Alto, and templates of views."""

from __future__ import annotations

from functools import cache
from random import Random

from alto_files import SYNCHRONOUS

from fuzz import seeds
from fuzz.case import Case
from fuzz.mutation import bytes_mutated, tokens_mutated
from fuzz.targets.target import Target, said, shown
from sgl.core.graph import Graph, GraphNode
from sgl.diagnostics import Diagnostics, SourceFile, SourceMap
from sgl.rendering import ViewError
from sgl.rendering.template import template_view
from sgl.research.evaluate import equivalent, reformatted_exact_match
from sgl.research.exchange import lower_irtg, read_irtg, with_source, write_sgl
from sgl.research.logical_forms import LogicalFormError, read_cogs, read_varfree

# ---- logical forms

_MARKS = (
    *("(", ")", ",", ";", "*", "=", "AND", "LAMBDA", ".", "x", "_", "x _ 1", "e", "nmod", "agent"),
    *("theme", "0", "-1", "99999999999999999999", " ", "犬", "cat", "Emma", "1", "\n"),
)


def _form(random: Random) -> Case:
    first = random.choice(seeds.FORMS)
    other = random.choice((first, first, *seeds.FORMS))
    return Case({"gold": first.encode(), "prediction": _changed(random, other)})


def _changed(random: Random, text: str) -> bytes:
    if random.random() < 0.25:
        return bytes_mutated(random, text.encode())
    if random.random() < 0.1:
        text = " ".join([text] * random.choice((5, 50)))
    return tokens_mutated(random, text, _MARKS).encode()


def _read_form(case: Case) -> tuple[str, bool]:
    gold, prediction = (content.decode("utf-8", "replace") for content in case.files.values())
    found, read = [], 0
    for reader in (read_cogs, read_varfree):
        try:
            reader(prediction)
            read += 1
        except LogicalFormError as problem:
            found.append(str(problem))
    for form in ("cogs", "varfree"):
        try:
            found.append(equivalent(gold, prediction, form).reason)
        except LogicalFormError as problem:
            found.append(str(problem))
    found.append(reformatted_exact_match(gold, prediction).reason)
    return shown(found), read > 0


# ---- grammars of Alto

_IRTG = SYNCHRONOUS.partition("*/\n")[2]
_IRTG_MARKS = (
    *("?1", "?2", "?9", "?", "*(", "conc2(", "conc99(", "merge(", "[english]", "[x]", "!", "->", "[1]"),
    *("[1e999]", "[-1]", "[.]", "'", '"', "/*", "*/", "//", "_2", "_0", "(", ")", ",", "feature f: a::b"),
)


def _irtg(random: Random) -> Case:
    if random.random() < 0.3:
        content = bytes_mutated(random, _IRTG.encode())
    else:
        content = tokens_mutated(random, _IRTG, _IRTG_MARKS).encode()
    commands = (("import", "irtg", "g.irtg", "--out", "g.sgl"),) if random.random() < 0.1 else ()
    return Case({"g.irtg": content}, commands)


def _read_grammar(case: Case) -> tuple[str, bool]:
    sources, diagnostics = SourceMap(), Diagnostics()
    text = case.files["g.irtg"].decode("utf-8", "replace")
    source = sources.add(SourceFile("g.irtg", text))
    file = read_irtg(source, diagnostics)
    found = lower_irtg({"": file}, "g", source.span(0, 1), diagnostics) if file is not None else None
    if found is not None:
        write_sgl(with_source(found, diagnostics).grammar, comment="x")
    return said(diagnostics, sources)


# ---- templates

_TEMPLATES = (
    (
        "{% for node in nodes %}{{ node.lemma }}{% for role, other in node.edges %}"
        '{{- " " ~ role ~ "=" ~ other.lemma }}{% endfor %}{{ "; " if not loop.last }}{% endfor %}'
    ),
    (
        "{% macro term(node) %}{{ node.lemma }}({% for r, o in node.edges %}{{ r }}={{ term(o) }}"
        "{% endfor %}){% endmacro %}{{ term(root) }}"
    ),
    "{{ tokens | join('+') | replace('a', 'b') | upper }} {{ root.get('upos') | default('x') }}",
    "{% set x = 1 %}{% if root.position > x and 'a' in root.lemma %}{{ x + 2 }}{% endif %}",
    "{{ nodes | length }}{{ nodes | map(attribute='lemma') | sort | unique | join(' ') }}",
)
_TEMPLATE_WORDS = (
    *("{{", "}}", "{%", "%}", "{#", "#}", "|", "~", "+", "-", "*", "//", "%", "**", "==", "is", "not"),
    *("for", "in", "if", "elif", "else", "endfor", "endif", "set", "endset", "macro", "endmacro"),
    *("call", "block", "include 'x'", "import 'x' as y", "filter upper", "raw", "extends 'x'", "do"),
    *("nodes", "root", "tokens", "node", "loop", "loop.index", "loop.cycle", "self", "range(9)", "x"),
    *("lemma", "edges", "position", "get", "__class__", "__mro__", "_edges", "[0]", "[::-1]", "(1,)"),
    *("{}", "[]", "1e999", "-1", "0", "9" * 400, "'%s'", "'%0999d'", "none", "true", "namespace(a=1)"),
    *("upper", "join", "length", "replace", "default", "first", "last", "sort", "format", "attr('x')"),
    *("tojson", "xmlattr", "pprint", "batch(2)", "sum", "wordwrap(1)", "center(99999)", "\n", " "),
)


@cache
def _graph() -> tuple[Graph, tuple[str, ...]]:
    words = (("dog", 1), ("chase", 2), ("cat", 4), ("hen", 7))
    nodes = tuple(GraphNode((("lemma", word), ("upos", "X")), at) for word, at in words)
    edges = ((1, "nsubj", 0), (1, "obj", 2), (2, "nmod", 3))
    return Graph(nodes, edges, 1), ("The", "dog", "chased", "a", "cat", "near", "the", "hen", ".")


def _template(random: Random) -> Case:
    template = random.choice(_TEMPLATES)
    if random.random() < 0.15:
        content = bytes_mutated(random, template.encode())
    else:
        content = tokens_mutated(random, template, _TEMPLATE_WORDS).encode()
    if random.random() >= 0.02:
        return Case({"words.j2": content})
    commands = (("sample", "farm.sgl", "-n", "3", "--show", "en,words"),)
    return Case({**seeds.barn(), "words.j2": content}, commands)


def _read_template(case: Case) -> tuple[str, bool]:
    try:
        written = template_view(case.files["words.j2"].decode("utf-8", "replace"))(*_graph())
    except ViewError as problem:
        return str(problem), False
    # Its words are those of its author, but none of Python's may be among them.
    return shown((written,)), True


TARGETS = (
    Target("forms", "logical forms", 120, _form, _read_form),
    Target("irtg", "grammars of Alto", 40, _irtg, _read_grammar),
    Target("templates", "templates of views", 120, _template, _read_template),
)
