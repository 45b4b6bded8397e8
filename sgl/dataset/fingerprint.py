"""The fingerprint of a grammar with its plan, and the identity of a dataset.

The fingerprint is the SHA-256 of the *core form*: what the author's files *mean*.  A certificate contains this form in
full, so that anybody can compute the fingerprint.  It does not depend on comments, layout, file names, line numbers or
the seed, which the identity names separately::

    sgl:0.1.0|edition:2026|grammar:sha256:1f0c…|seed:2024|items:69000

The compiler, the grammar and this line determine the data.  The signature of a dataset (``sgl.dataset.staged``) also
identifies its files.
"""

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from sgl import EDITION, __version__
from sgl.core.encoding import stated
from sgl.core.grammar import CoreGrammar
from sgl.core.plan import Plan

#: Length of the fingerprint in an identity, in hexadecimal digits.
SHORT = 12


def core_form(grammar: CoreGrammar, plan: Plan) -> dict[str, Any]:
    """Return the meaning of a grammar and its plan, without the seed."""
    return {"grammar": stated(grammar, exact=True), "plan": stated(plan, exact=True)}


def core_digest(core: Mapping[str, object]) -> str:
    """Return the SHA-256 of a core form in canonical JSON, hexadecimal."""
    text = json.dumps(core, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return sha256(text.encode()).hexdigest()


def fingerprint(grammar: CoreGrammar, plan: Plan) -> str:
    """Return the SHA-256 of the core form of a grammar and its plan, hexadecimal."""
    return core_digest(core_form(grammar, plan))


def identity(grammar_sha256: str, seed: int, items: int) -> str:
    """Return the line that identifies this dataset in all of its files."""
    return f"sgl:{__version__}|edition:{EDITION}|grammar:sha256:{grammar_sha256[:SHORT]}|seed:{seed}|items:{items}"
