"""Results of earlier runs, kept on disk under a hash of all that they depend on.

The cache key has the code of ``sgl``, the Python and the libraries that run it, and what the
caller names, which are hashes of contents and never dates::

    with using(open_cache()):
        text = cached(bytes, "certificate", (origin,), lambda: expensive())

So an entry cannot be stale: where anything differs, another entry is asked for.  Entries
appear complete or not at all, a damaged one counts as none, and the directory can be deleted
at any time.  Commands switch the cache on; a caller of the library has none by default.
"""

from sgl.cache.directory import cache_directory, environment, is_private
from sgl.cache.store import LIMIT, Cache, Entry, cached, current, open_cache, using

__all__ = [
    "LIMIT",
    "Cache",
    "Entry",
    "cache_directory",
    "cached",
    "current",
    "environment",
    "is_private",
    "open_cache",
    "using",
]
