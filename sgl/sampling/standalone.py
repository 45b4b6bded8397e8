"""Write the standalone sampler: the tables and the code that draws from them.

``sampler.py`` is one module that needs nothing but Python 3.9 and reproduces
the rows of a dataset bit for bit.  It is not a second implementation: the
modules in ``BUNDLED`` are written into it as they stand, without their imports
of each other, around them the template ``templates/sampler.py.j2``::

    docstring, imports        template
    tables                    Base64, see sgl.sampling.packed
    random, engine, ...       the source of those modules: the plain functions
    command line              template
"""

from __future__ import annotations

import ast
import json
import textwrap
import zlib
from base64 import b64encode
from collections.abc import Sequence
from importlib.resources import files
from itertools import pairwise
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from sgl.rendering.views import VIEWS
from sgl.sampling.engine import PackedText, PackedView, State, Tables

#: The modules that the standalone sampler is made of, each after those it uses.
BUNDLED = (
    "sgl.core.graph",
    "sgl.core.gluing",
    "sgl.rendering.meaning",
    "sgl.rendering.registry",
    *sorted({view.write.__module__ for view in VIEWS.values() if view.target}),
    "sgl.sampling.random",
    "sgl.sampling.engine",
    "sgl.sampling.acceptance",
    "sgl.sampling.rows",
    "sgl.sampling.packed",
)

_PACKAGE = "sgl.sampling"


def standalone_source(tables: Tables, signature: str) -> str:
    """Return the source of the standalone sampler for these tables.

    ``signature`` names the dataset that it reproduces.
    """
    environment = Environment(
        loader=PackageLoader(_PACKAGE),
        undefined=StrictUndefined,
        autoescape=select_autoescape(),  # off: the result is Python, not HTML
        keep_trailing_newline=True,
    )
    imports, bodies = _bundle()
    return environment.get_template("sampler.py.j2").render(
        signature=json.dumps(signature),
        imports=imports,
        bodies=bodies,
        tables=textwrap.wrap(pack_text_of(tables), 92),
    )


def pack_text_of(tables: Tables) -> str:
    """Return the text from which ``sgl.sampling.packed.unpack`` reads the tables."""
    data = {
        "seed": tables.seed,
        "distinct_sentences": tables.distinct_sentences,
        "source": _layer(tables.source),
        "targets": [_heading_of(target) for target in tables.targets],
        "strata": [[*stratum[:-1], sorted(stratum.ambiguous)] for stratum in tables.strata],
        "rules": list(
            zip(
                tables.arity,
                tables.words,
                tables.lemmas,
                tables.source.templates,
                *map(_of_rules, tables.targets),
                strict=True,
            )
        ),
        "widths": _lexical_widths(tables),
        "states": [_packed_state(number, state) for number, state in enumerate(tables.states)],
    }
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return b64encode(zlib.compress(text.encode(), 9)).decode("ascii")


def _heading_of(target: PackedText | PackedView) -> list[Any]:
    return [target.name, target.kind] if isinstance(target, PackedView) else _layer(target)


def _of_rules(target: PackedText | PackedView) -> Sequence[Any]:
    """Return what each rule says in a target."""
    return target.rules if isinstance(target, PackedView) else target.templates


def _layer(text: PackedText) -> list[Any]:
    return [text.name, text.join, sorted(text.attach)]


def _is_lexical(state: State) -> bool:
    return not any(state.children)


def _widths(state: State) -> list[int]:
    return [after - before for before, after in pairwise([0, *state.bounds])]


def _lexical_widths(tables: Tables) -> list[int]:
    """Return the width of each rule in all lexical states that have it, or 0."""
    widths = [0] * len(tables.arity)
    for state in filter(_is_lexical, tables.states):
        for rule, width in zip(state.rules, _widths(state), strict=True):
            widths[rule] = width
    return widths


def _packed_state(number: int, state: State) -> list[Any]:
    if _is_lexical(state):
        return [after - before for before, after in pairwise([0, *state.rules])]
    rows = zip(_widths(state), state.rules, state.children, strict=True)
    return [
        [width, rule, *(child - number for child in children)] for width, rule, children in rows
    ]


def _bundle() -> tuple[str, list[str]]:
    """Return the imports that all the code needs, and each bundled module without its own."""
    imports: dict[str, set[str]] = {name: set() for name in ("argparse", "gc", "os", "sys")}
    imports |= {"hashlib": {"sha256"}, "itertools": {"islice"}, "pathlib": {"Path"}}
    bodies: list[str] = []
    for name in BUNDLED:
        package, _, module = name.rpartition(".")
        source = (files(package) / f"{module}.py").read_text(encoding="utf-8")
        tree = ast.parse(source)
        leading = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
        for node in leading:
            _collect(node, imports)
        after = max(node.end_lineno or 0 for node in leading)
        body = "\n".join(source.splitlines()[after:]).strip()
        bodies.append(f"{_heading(tree)}\n\n\n{body}")
    return _import_block(imports), bodies


def _collect(node: ast.Import | ast.ImportFrom, imports: dict[str, set[str]]) -> None:
    """Add what a statement imports from the standard library, by module."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            imports.setdefault(alias.name, set())
    elif node.module and node.module != "__future__" and node.module not in BUNDLED:
        imports.setdefault(node.module, set()).update(alias.name for alias in node.names)


def _import_block(imports: dict[str, set[str]]) -> str:
    """Import statements in the usual order: whole modules, then names."""
    whole = [f"import {module}" for module in sorted(imports) if not imports[module]]
    parts = [
        f"from {module} import {', '.join(sorted(imports[module], key=_name_order))}"
        for module in sorted(imports)
        if imports[module]
    ]
    return "\n".join(whole + parts)


def _name_order(name: str) -> tuple[bool, str]:
    """Classes before functions."""
    return not name[0].isupper(), name


def _heading(tree: ast.Module) -> str:
    """Return the docstring of a bundled module as a comment."""
    docstring = ast.get_docstring(tree) or ""
    return "\n".join(f"# {line}".rstrip() for line in docstring.splitlines())
