"""Complete the command line on Tab, without importing a command.

``options.json`` has the parameters of all commands and the kinds of their values (``tests/support/completions.py``
writes it).  Names in a grammar are looked up in the text of its files.
"""

import json
import os
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from sgl.foreign import LIMITS, SOURCE, ForeignFileError, read_text
from sgl.resources import bundled_grammars

_DECLARED = re.compile(r"^(pattern|category|layer|view|column|param|use)[ \t]+([\w.]+)", re.MULTILINE)

#: For each kind of value: declarations that define its names, constant names, and a suffix.
_NAMES: dict[str, tuple[tuple[str, ...], tuple[str, ...], str]] = {
    "what": (("pattern", "category"), ("train", "dev", "test", "gen"), ""),
    "pattern": (("pattern",), (), ""),
    "layer": (("layer", "view", "column"), (), ""),
    "layers": (("layer", "view", "column"), ("tree", "graph"), ""),
    "setting": (("param",), (), "="),
    "limit": ((), LIMITS, "="),
}


def command(name: str) -> click.Command | None:
    """Return a stand-in for a command, to complete its parameters; None if another package registers the command."""
    table = json.loads(Path(__file__).with_name("options.json").read_text("utf-8"))
    return _command(name, table[name]) if name in table else None


def _command(name: str, found: Any) -> click.Command:  # noqa: ANN401 - JSON
    if isinstance(found, dict):
        return click.Group(name, commands={each: _command(each, inner) for each, inner in found.items()})
    return click.Command(name, params=[_parameter(**each) for each in found])


def _parameter(names: list[str], kind: str = "", choices: list[str] | None = None, **others: Any) -> click.Parameter:  # noqa: ANN401
    kinds: dict[str, Any] = {"shell_complete": partial(_complete, kind)} if kind else {}
    shape = kinds | {"type": click.Choice(choices)} if choices else kinds
    if names[0].startswith("-"):
        return click.Option(names, **shape, **others)
    return click.Argument(names, **shape, **{key: value for key, value in others.items() if key == "nargs"})


def _complete(kind: str, _context: click.Context, _parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    before, comma, last = begun.rpartition(",") if kind == "layers" else ("", "", begun)
    found = [CompletionItem(begun, type="file")] if kind in ("file", "grammar") else []
    values = dict.fromkeys(_values(kind))
    return found + [CompletionItem(before + comma + value) for value in values if value.startswith(last)]


def _values(kind: str) -> Iterator[str]:
    if kind == "grammar":
        yield from bundled_grammars()
    elif kind == "code":
        # Listing the files avoids reading the pages, as the registry would.
        yield from sorted(page.stem for page in (Path(__file__).parents[1] / "diagnostics" / "pages").glob("SGL*.md"))
    elif kind in _NAMES:
        keywords, always, end = _NAMES[kind]
        # Click has not parsed a line that ends with an option.
        for word in os.environ.get("COMP_WORDS", "").split()[2:]:
            bundled = None if Path(word).is_file() else bundled_grammars().get(word)
            main = Path(word) if bundled is None else bundled.path
            yield from (f"{name}{end}" for keyword, name in _declared(main, set()) if keyword in keywords)
        yield from (f"{name}{end}" for name in always)


def _declared(path: Path, seen: set[Path]) -> Iterator[tuple[str, str]]:
    """Yield the keyword and name of each declaration in a file and in the files that it uses."""
    if path in seen or not path.is_file():
        return
    seen.add(path)
    try:
        text = read_text(path, SOURCE)
    except ForeignFileError:
        return
    for keyword, name in _DECLARED.findall(text):
        if keyword == "use":
            yield from _declared(path.parent.joinpath(*name.split(".")).with_suffix(".sgl"), seen)
        yield keyword, name
