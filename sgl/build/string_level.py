"""The guarantee on strings: what parsing will say of the sentences of a dataset.

The proofs are about derivations.  A training *string* may have another reading,
which the grammar assigns to another derivation, and that reading may contain a
held-out structure; and an item may be ambiguous between two outputs.  Both are
decided by parsing every sentence.  No audit does that yet, so that the verdict is
``not checked`` for every pattern; an audit gives its verdicts here, and they appear
wherever guarantees are shown.
"""

from __future__ import annotations

from sgl.dataset import Guarantee

CLAIM = "string level"
METHOD = "parsing"
NOT_CHECKED = "not checked"


def on_strings(pattern: str) -> Guarantee:
    """What is known of the readings of the sentences, as far as a pattern is concerned."""
    detail = "whether a training sentence has another reading with the structure"
    return Guarantee(pattern, CLAIM, METHOD, NOT_CHECKED, detail)
