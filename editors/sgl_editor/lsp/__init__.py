"""Implement the language server on the engine that the command line uses.

Read :mod:`sgl_editor.lsp.names` first: one table says what each name means, and most answers follow from it.
"""
