"""Which branches of the templates are taken: of Jinja, what coverage is of Python.

A branch is a macro, the body of a loop, or a side of an ``{% if %}`` or of ``x if y else z``.  While
``watched`` is entered, each template of the tree notes the branches that it takes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from unittest import mock

from jinja2 import Environment, nodes
from jinja2.visitor import NodeTransformer

ROOT = Path(__file__).parents[2]

#: A template, by its path, and the number of a branch in it.
Branch = tuple[str, int]


class Branches:
    """The branches of the templates that were rendered, each with its line and kind, and those that were taken."""

    def __init__(self) -> None:
        self.known, self.taken = dict[Branch, str](), set[Branch]()

    @property
    def missing(self) -> dict[Branch, str]:
        return {branch: text for branch, text in self.known.items() if branch not in self.taken}

    @property
    def rendered(self) -> set[str]:
        return {path for path, _ in self.taken}


_found = Branches()


def take(branch: Branch, value: object = "") -> object:
    """Note a branch, and return what it is worth."""
    _found.taken.add(branch)
    return value


def templates() -> dict[str, str]:
    """The templates of the tree, by their paths."""
    found = (path for top in ("sgl", "editors") for path in (ROOT / top).rglob("*.j2"))
    return {path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in sorted(found)}


def _bare(source: str) -> str:
    """A source without white space: some templates are read without their line ends."""
    return re.sub(r"\s+", "", source)


class _Watched(NodeTransformer):
    """Has a template note its branches, which it collects."""

    def __init__(self, path: str) -> None:
        self.path, self.branches = path, dict[Branch, str]()

    def _call(self, node: nodes.Node, kind: str, *value: nodes.Expr) -> nodes.Call:
        branch = (self.path, len(self.branches))
        self.branches[branch] = f"{self.path}:{node.lineno}: {kind}"
        taking = nodes.ImportedName(f"{__name__}.take")
        return nodes.Call(taking, [nodes.Const(branch), *value], [], None, None).set_lineno(node.lineno)

    def _begun(self, body: list[nodes.Node], node: nodes.Node, kind: str) -> list[nodes.Node]:
        return [nodes.Output([self._call(node, kind)]).set_lineno(node.lineno), *body]

    def visit_Template(self, node: nodes.Template) -> nodes.Node:  # noqa: N802 - Jinja2 decides
        self.generic_visit(node)
        node.body = self._begun(node.body, node, "the template")
        return node

    def visit_Macro(self, node: nodes.Macro) -> nodes.Node:  # noqa: N802 - Jinja2 decides
        self.generic_visit(node)
        node.body = self._begun(node.body, node, f"the macro {node.name}")
        return node

    def visit_If(self, node: nodes.If) -> nodes.Node:  # noqa: N802 - Jinja2 decides
        self.generic_visit(node)
        node.body = self._begun(node.body, node, "if")
        node.else_ = self._begun(node.else_, node, "else")
        return node

    def visit_For(self, node: nodes.For) -> nodes.Node:  # noqa: N802 - Jinja2 decides
        self.generic_visit(node)
        node.body = self._begun(node.body, node, "a round")
        return node

    def visit_CondExpr(self, node: nodes.CondExpr) -> nodes.Node:  # noqa: N802 - Jinja2 decides
        self.generic_visit(node)
        node.expr1 = self._call(node, "if …", node.expr1)
        node.expr2 = self._call(node, "if … else", node.expr2 or nodes.Const(""))
        return node


@contextmanager
def watched() -> Iterator[Branches]:
    """Note in this block which branches are taken."""
    paths = {_bare(source): path for path, source in templates().items()}
    parse = Environment._parse  # noqa: SLF001 - what reads every template

    def parse_watched(self: Environment, source: str, name: str | None, filename: str | None) -> nodes.Template:
        tree = parse(self, source, name, filename)
        path = paths.get(_bare(source))
        if path is not None:
            reader = _Watched(path)
            reader.visit(tree)
            _found.known.update(reader.branches)
        return tree

    _found.known.clear()
    _found.taken.clear()
    # Templates that were read before.
    kept = import_module("sgl.dataset.cards").templates, import_module("sgl.report.render")._macros  # noqa: SLF001
    for reader in kept:
        reader.cache_clear()
    try:
        with mock.patch.object(Environment, "_parse", parse_watched):
            yield _found
    finally:
        for reader in kept:
            reader.cache_clear()
