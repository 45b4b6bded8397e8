"""Write, sample and prove a grammar on a page in the browser, as you type.

``server`` serves one page on this machine alone, to whoever has the address with its token.  The page talks to the
language server of :mod:`sgl_editor.lsp`, in ``pages``, through a WebSocket, and asks it for what only a page can show:
samples with trees and graphs, and for each pattern an item next to what training shows.
"""
