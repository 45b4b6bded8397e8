"""A slip: one small change of the program, such as a hand makes that types too fast.

    <  becomes <=        and  becomes or        +  becomes -        a number is one too large
    a call is dropped    a `not` is missing     an `if` never holds

Slips are made from the syntax tree, and written into the text where the node stands, so that every other line stays
as it is.  A slip is known by what it changes (file, function, the code before and after, and which of several such
places), and the draw goes by this name and the seed: a change elsewhere in a file leaves its slips as they are.
"""

from __future__ import annotations

import ast
import copy
import hashlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}


@dataclass(frozen=True, slots=True)
class Slip:
    """One change of a file; the changed code is ``text[start:end]``, and the slip is the ``nth`` of its kind there."""

    file: str
    function: str
    before: str
    after: str
    nth: int
    start: int
    end: int
    line: int

    @property
    def name(self) -> str:
        """What the slip is known by, whatever changes elsewhere."""
        again = f" #{self.nth}" if self.nth else ""
        return f"{self.file} {self.function}: {self.before} → {self.after}{again}"

    def written(self, text: str) -> str:
        """Return the text of the file with the slip in it."""
        whole = text.encode()
        return (whole[: self.start] + self.after.encode() + whole[self.end :]).decode()


def slips_of(file: str, text: str) -> list[Slip]:
    """Return all slips of a file, in the order of its lines."""
    begins = [0]
    for line in text.encode().splitlines(keepends=True):
        begins.append(begins[-1] + len(line))
    seen: Counter[tuple[str, str, str]] = Counter()
    found = []
    for function, node, changed in _changes(ast.parse(text)):
        before, after = ast.unparse(node), changed if isinstance(changed, str) else f"({ast.unparse(changed)})"
        key = function, before, after
        start = begins[node.lineno - 1] + node.col_offset
        end = begins[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)
        found.append(Slip(file, function, before, after, seen[key], start, end, node.lineno))
        seen[key] += 1
    return found


def package_slips(root: Path, package: str) -> list[Slip]:
    """Return the slips of all modules of ``sgl/PACKAGE``."""
    files = sorted((root / "sgl" / package).rglob("*.py"))
    texts = [(path.relative_to(root).as_posix(), path.read_text("utf-8")) for path in files]
    return [slip for file, text in texts for slip in slips_of(file, text)]


def drawn(slips: list[Slip], number: int, seed: int) -> list[Slip]:
    """Return slips drawn by their names and a seed."""
    return sorted(slips, key=lambda slip: hashlib.sha256(f"{seed} {slip.name}".encode()).digest())[:number]


_Place = ast.expr | ast.stmt


def _changes(tree: ast.Module) -> Iterator[tuple[str, _Place, ast.AST | str]]:
    """Yield function, node, and what takes its place, for all code that runs."""
    for function, node in _code(tree, ""):
        if isinstance(node, ast.expr):
            for changed in _changed_expression(node):
                yield function, node, changed
        elif isinstance(node, ast.If):
            yield function, node.test, "False"
        elif isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add | ast.Sub):
            yield function, node, _with_operator(node)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            yield function, node, "pass"


def _code(node: ast.AST, function: str) -> Iterator[tuple[str, _Place]]:
    """Yield the statements and expressions below a node that have an effect."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.ClassDef):
            yield from _code(child, f"{function}.{child.name}" if function else child.name)
        elif isinstance(child, ast.arguments):
            yield from ((function, default) for default in (*child.defaults, *child.kw_defaults) if default)
        elif not _only_said(node, child):
            if isinstance(child, ast.expr | ast.stmt):
                yield function, child
            yield from _code(child, function)


def _only_said(node: ast.AST, child: ast.AST) -> bool:
    """Return whether code is a type, a message, a decorator, or an assertion, which says what always holds."""
    if isinstance(child, ast.JoinedStr | ast.Assert):
        return True
    if isinstance(child, ast.If):
        return ast.unparse(child.test) == "TYPE_CHECKING"
    if isinstance(child, ast.keyword):
        return child.arg == "strict"
    declared = (getattr(node, "annotation", None), getattr(node, "returns", None), *getattr(node, "decorator_list", ()))
    return child in declared


def _changed_expression(node: ast.expr) -> Iterator[ast.AST | str]:
    if isinstance(node, ast.Compare):
        for index, operator in enumerate(node.ops):
            changed = copy.deepcopy(node)
            changed.ops[index] = _COMPARISONS[type(operator)]()
            yield changed
    elif isinstance(node, ast.BoolOp):
        changed_boolean = copy.deepcopy(node)
        changed_boolean.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield changed_boolean
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        yield _with_operator(node)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node.operand
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool | int):
        yield repr(not node.value if isinstance(node.value, bool) else node.value + 1)


def _with_operator(node: ast.BinOp | ast.AugAssign) -> ast.AST | str:
    changed = copy.deepcopy(node)
    changed.op = ast.Sub() if isinstance(node.op, ast.Add) else ast.Add()
    return ast.unparse(changed) if isinstance(changed, ast.AugAssign) else changed
