"""How large the files of an author may be.

The limits stand by themselves, so that whoever asks whether a grammar is known need not
import what reads one.
"""

from __future__ import annotations

#: Bytes that a grammar file, and a table, may have.
MAX_SOURCE = 4_000_000
MAX_TABLE = 32_000_000
