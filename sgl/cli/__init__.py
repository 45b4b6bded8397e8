"""The command line ``sglc``; ``docs/commands.md`` explains its exit codes."""

from sgl.cli.main import main

__all__ = ["main"]
