"""The commands of ``sglc``: those of the compiler, and those that packages register.

A package registers a command by an entry point of the group ``sgl.commands``.  Its name is
the name of the command, its value a :class:`CommandEntry`, which says where the command is and
what it does, so that ``sglc --help`` imports nothing heavy::

    # pyproject.toml                          # my_package/__init__.py
    [project.entry-points."sgl.commands"]     from sgl.cli.registry import CommandEntry
    greet = "my_package:GREET"                GREET = CommandEntry("my_package.greet", "Greet.")

The module of an entry has a click command called ``command``.  The tools of research in
``sgl.research`` are registered in the same way.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import click

#: The group of entry points that register commands.
GROUP = "sgl.commands"


class CommandEntry(NamedTuple):
    """A command: the module that has it as ``command``, and what it does in one line."""

    module: str
    summary: str

    def load(self) -> click.Command:
        """Import the command."""
        command: click.Command = import_module(self.module).command
        return command


_OWN: dict[str, CommandEntry] = {
    "audit": CommandEntry(
        "sgl.cli.audit", "Compare a corpus with a grammar; find structures in it."
    ),
    "cache": CommandEntry("sgl.cli.cache", "Show or clear what earlier runs have kept."),
    "check": CommandEntry("sgl.cli.check", "Read and check a grammar; draw nothing."),
    "compile": CommandEntry("sgl.cli.compile", "Prove, draw, write and verify a dataset."),
    "explain": CommandEntry("sgl.cli.explain", "Explain a diagnostic code."),
    "fit": CommandEntry("sgl.cli.fit", "Estimate the weights of a grammar from a corpus."),
    "parse": CommandEntry("sgl.cli.parse", "Show the trees of a sentence."),
    "prove": CommandEntry("sgl.cli.prove", "Prove what the patterns claim."),
    "sample": CommandEntry("sgl.cli.sample", "Show sentences of a grammar or a pattern."),
    "translate": CommandEntry("sgl.cli.translate", "Translate a sentence into the other layers."),
    "verify": CommandEntry(
        "sgl.cli.verify", "Check a written dataset or a certificate, independently."
    ),
}


@cache
def commands() -> dict[str, CommandEntry]:
    """Return the commands by name, in alphabetical order.

    A command of the compiler cannot be replaced; of two packages that register one name, the
    first that is found counts.
    """
    found = dict(_OWN)
    for point in entry_points(group=GROUP):
        if point.name not in found:
            found[point.name] = point.load()
    return dict(sorted(found.items()))
