"""The command line ``sglc``.

Exit codes:

====  ====================================================================
0     everything is as it should be
1     the grammar has errors, a claim fails, a dataset has violations, a
      sentence has no reading, or a row of a corpus cannot be read
2     the command line itself is wrong
3     files cannot be written, a corpus cannot be opened, or something is
      not a dataset
70    a mistake in sglc itself
130   interrupted
====  ====================================================================
"""

from sgl.cli.main import main

__all__ = ["main"]
