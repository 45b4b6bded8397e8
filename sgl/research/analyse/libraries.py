"""Libraries that some commands need beside those of the compiler."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec

from sgl.diagnostics import Diagnostics


def installed(libraries: Sequence[str], extra: str, diagnostics: Diagnostics) -> bool:
    """Whether libraries are there that come with an extra of the package; reports those missing."""
    missing = [name for name in libraries if find_spec(name) is None]
    if missing:
        diagnostics.error(
            "SGL0904",
            None,
            f"no {' and no '.join(missing)}",
            hint=f"pip install 'sgl-compiler[{extra}]'",
        )
    return not missing
