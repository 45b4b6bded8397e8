"""The language server: what editors show and do, from the engine that the command line uses.

Read :mod:`sgl_editor.lsp.names` first: one table says what each name stands for, and most answers follow from it.
"""
