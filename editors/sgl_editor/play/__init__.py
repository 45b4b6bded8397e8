"""A page in the browser in which a grammar is written, sampled and proved as one types.

``server`` serves one page on this machine alone, to whoever has the address with its token.  The page speaks to the
language server of :mod:`sgl_editor.lsp`, in ``pages``, through a WebSocket, and asks it for what only a page can show:
samples with trees and graphs, and each pattern as what training shows beside what is asked.
"""
