"""What shells complete: ``sgl/cli/options.json``, made from the commands.

    python tests/support/completions.py      # writes it

A parameter has the names of its option, its shape, and the kind of its values.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from sgl.cli import completion
from sgl.cli.files import GrammarFile
from sgl.cli.registry import commands

TABLE = Path(completion.__file__).with_name("options.json")

#: Kinds of values by the name of the parameter.
KINDS = {
    "what": "what",
    "pattern": "pattern",
    "layers": "layers",
    "to": "layers",
    "source": "layer",
    "layer": "layer",
    "settings": "setting",
    "bounds": "limit",
    "code": "code",
    "deny": "code",
    "warn": "code",
    "allow": "code",
}


def table() -> str:
    """The file as it is to be."""
    lines = ",\n".join(f"{json.dumps(name)}: {_text(entry.load())}" for name, entry in sorted(commands().items()))
    return f"{{\n{lines}\n}}\n"


def _text(command: click.Command) -> str:
    return json.dumps(_shape(command), ensure_ascii=False)


def _shape(command: click.Command) -> Any:  # noqa: ANN401 - JSON
    if isinstance(command, click.Group):
        return {name: _shape(inner) for name, inner in command.commands.items()}
    return [_parameter(parameter) for parameter in command.params]


def _parameter(parameter: click.Parameter) -> dict[str, Any]:
    found: dict[str, Any] = {"names": [parameter.name]}
    if isinstance(parameter, click.Option):
        found = {"names": [*parameter.opts, *parameter.secondary_opts], "help": parameter.help}
        shape = {"is_flag": parameter.is_flag, "multiple": parameter.multiple}
        found |= {key: True for key, value in shape.items() if value}
    if parameter.nargs != 1:
        found["nargs"] = parameter.nargs
    if isinstance(parameter.type, click.Choice):
        found["choices"] = list(parameter.type.choices)
    kind = KINDS.get(parameter.name or "", "file" if isinstance(parameter.type, click.Path) else "")
    kind = "grammar" if isinstance(parameter.type, GrammarFile) else kind
    return found | ({"kind": kind} if kind and "choices" not in found and "is_flag" not in found else {})


if __name__ == "__main__":
    TABLE.write_text(table(), encoding="utf-8")
