"""Serve SGL to editors: the language server, and a page in the browser that is an editor on top of it.

This package stands apart from the compiler, which knows nothing of it: it calls :mod:`sgl.engine`, and registers its
commands by entry points (``[project.entry-points."sgl.commands"]`` in ``pyproject.toml``), as any package can.
"""

from sgl.cli.registry import WRITE, CommandEntry

LSP = CommandEntry("sgl_editor.lsp.server", "Start the language server.", WRITE)
PLAY = CommandEntry("sgl_editor.play.command", "Write a grammar in the browser.", WRITE)
