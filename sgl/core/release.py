"""What a release says of a dataset: whose it is, what one may do with it, how it is cited.

It is no part of the plan, and does not change the fingerprint of a grammar: the same rows may be
published again under another version or licence.
"""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5


@dataclass(frozen=True, slots=True)
class Release:
    """A release; what is optional and was not said is empty.

    ``licence`` is an identifier of SPDX, ``languages`` are codes such as ``en``, ``date`` is in ISO form.  ``canary``
    is a UUID to look for in what models were trained on; it is the same for all versions of a dataset.
    """

    version: str
    licence: str
    authors: tuple[str, ...]
    languages: tuple[str, ...] = ()
    cite: str = ""
    homepage: str = ""
    date: str = ""
    canary: str = ""


@cache
def known() -> Any:  # noqa: ANN401 - a file of ours
    """Return ``licences``, ``clauses`` with what they look like, and what the ``columns`` of rows are."""
    return json.loads(Path(__file__).with_name("release.json").read_text("utf-8"))


def canary_of(module: str, first_author: str) -> str:
    """Return the canary of the datasets of a grammar.

    >>> canary_of("farm", "Lovelace, Ada")
    'c09f773f-dd01-531c-9a4e-777a9ca7593d'
    """
    return str(uuid5(NAMESPACE_URL, f"sgl:{module}:{first_author}"))
