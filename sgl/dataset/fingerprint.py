"""The fingerprint of a grammar with its plan, and the identity of a dataset.

The fingerprint is the SHA-256 of the *core form*: what the author's files *mean*.  A certificate contains this form in
full, so that anybody can compute the fingerprint.  It does not depend on comments, layout, file names, line numbers or
the seed, which the identity names separately::

    sgl:0.1.0+f2c860ec08ac|edition:2026|grammar:sha256:1f0c…|seed:2024|items:69000

The build, after the version, tells states of one version of the compiler apart.  Whoever has the compiler, the grammar
and this line gets the same data.  The signature of a dataset (``sgl.dataset.staged``) names the files as well.
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


def identity(grammar_sha256: str, seed: int, items: int, build: str = "") -> str:
    """Return the line that says which dataset this is, in all of its files."""
    version = f"{__version__}+{build}" if build else __version__
    return f"sgl:{version}|edition:{EDITION}|grammar:sha256:{grammar_sha256[:SHORT]}|seed:{seed}|items:{items}"
