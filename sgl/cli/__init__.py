"""The command line ``sglc``; ``docs/commands.md`` says what its exit codes mean."""

from sgl.cli.main import main

__all__ = ["main"]
