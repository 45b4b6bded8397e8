"""What earlier runs have found, kept on disk and found again by what it depends on.

An entry is addressed by a SHA-256 over everything that its value depends on: the code of
``sgl``, the Python and the libraries that run it, and what the caller names, which are
hashes of contents and never dates::

    cache = Cache(directory, environment)
    cache.put(proofs, "proofs", origin)             # origin: hash of files and settings
    cache.get(Proofs, "proofs", origin)             # the proofs; None if there are none

So an entry cannot be stale: where anything differs, another entry is asked for.  Entries
appear complete or not at all, and one that is damaged is as good as none; the directory
can be deleted at any time.  Commands switch the cache on (:func:`using`); whoever calls
the library gets no cache unless he asks for one.
"""

from sgl.cache.current import cached, current, using
from sgl.cache.place import cache_directory, open_cache
from sgl.cache.program import environment
from sgl.cache.store import LIMIT, Cache, Entry

__all__ = [
    "LIMIT",
    "Cache",
    "Entry",
    "cache_directory",
    "cached",
    "current",
    "environment",
    "open_cache",
    "using",
]
