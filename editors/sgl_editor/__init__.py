"""SGL for editors: the language server, and a page in the browser that is an editor over it.

A package of its own beside the compiler, which knows nothing of it: it asks :mod:`sgl.engine`, and its commands are
registered by entry points (``[project.entry-points."sgl.commands"]`` in ``pyproject.toml``), as anybody's can be.
"""

from sgl.cli.registry import WRITE, CommandEntry

LSP = CommandEntry("sgl_editor.lsp.server", "Start the language server.", WRITE)
PLAY = CommandEntry("sgl_editor.play.command", "Write a grammar in the browser.", WRITE)
