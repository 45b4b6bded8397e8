"""Write the standalone sampler: the tables and the code that draws from them.

``sampler.py`` is one module that needs nothing but Python 3.9 and reproduces the rows of a dataset
bit for bit.  It is not a second implementation: the modules in ``BUNDLED`` are written into it as
they stand, without their imports of each other, around them ``templates/sampler.py.j2``.
"""

import ast
import json
import textwrap
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from sgl.rendering.views import VIEWS
from sgl.sampling.engine import PackedView, Tables
from sgl.sampling.serialization import serialize

#: The modules of views; those that are ``COMMON`` are in every sampler, the others where they are used.
_OF_VIEWS = {name: view.write.__module__ for name, view in VIEWS.items()}
COMMON = ("cogs", "varfree")

#: The modules that standalone samplers are made of, each after those it uses.
BUNDLED = (
    "sgl.core.graph",
    "sgl.core.spelling",
    "sgl.rendering.meaning",
    "sgl.rendering.registry",
    *sorted(set(_OF_VIEWS.values())),
    "sgl.sampling.random",
    "sgl.sampling.engine",
    "sgl.sampling.acceptance",
    "sgl.sampling.rows",
    "sgl.sampling.serialization",
)


def standalone_source(tables: Tables, identity: str) -> str:
    """Return the source of the standalone sampler of the dataset with this identity."""
    environment = Environment(
        loader=PackageLoader("sgl.sampling"),
        undefined=StrictUndefined,
        autoescape=select_autoescape(),  # off: the result is Python, not HTML
        keep_trailing_newline=True,
    )
    #: What the command line imports, then also what the modules import: names by module.
    imports: dict[str, set[str]] = {name: set() for name in ("argparse", "gc", "os", "sys")}
    imports |= {"hashlib": {"sha256"}, "itertools": {"islice"}, "pathlib": {"Path"}}
    kinds = (*COMMON, *(target.kind for target in tables.targets if isinstance(target, PackedView)))
    idle = {*_OF_VIEWS.values()} - {_OF_VIEWS[kind] for kind in kinds}
    bodies = [_body(name, imports) for name in BUNDLED if name not in idle]
    whole = [f"import {module}" for module in sorted(imports) if not imports[module]]
    parts = [f"from {module} import {', '.join(sorted(names))}" for module, names in sorted(imports.items()) if names]
    return environment.get_template("sampler.py.j2").render(
        identity=json.dumps(identity),
        imports="\n".join(whole + parts),
        bodies=bodies,
        tables=textwrap.wrap(serialize(tables), 92),
    )


def _body(name: str, imports: dict[str, set[str]]) -> str:
    package, _, module = name.rpartition(".")
    source = (files(package) / f"{module}.py").read_text(encoding="utf-8")
    tree = ast.parse(source)
    after = 0
    for node in tree.body:
        if isinstance(node, ast.Import):
            for alias in node.names:
                imports.setdefault(alias.name, set())
        elif isinstance(node, ast.ImportFrom):
            if node.module and node.module not in ("__future__", *BUNDLED):
                imports.setdefault(node.module, set()).update(alias.name for alias in node.names)
        else:
            continue
        after = node.end_lineno or 0
    docstring = ast.get_docstring(tree) or ""
    heading = "\n".join(f"# {line}".rstrip() for line in docstring.splitlines())
    return f"{heading}\n\n\n" + "\n".join(source.splitlines()[after:]).strip()
