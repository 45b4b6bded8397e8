"""The page of all forgeries: ``PYTHONPATH=tests/support:tests python -m forgery_page``."""

from __future__ import annotations

from pathlib import Path

import forgeries
from forging import FORGERIES, SIGNED, Forgery

PAGE = Path(__file__).parents[1] / "tampering" / "forgeries.md"
_HEAD = """\
# Forgeries

Use this page to see what a forger may try, and what refuses it. Each line is a function of
`tests/support/forgeries/` that changes a copy of an honest dataset. The forger then recomputes
everything that follows from the change: the digest of the certificate, the counts and hashes of the
manifest, the identity, and `SHA256SUMS` (except in the family *hashes*). `tests/forgery` checks that
`sglc verify` refuses each of the {count} forgeries with the named code, and accepts the honest
datasets. `PYTHONPATH=tests/support:tests python -m forgery_page` makes this page.

| codes | what refuses |
| --- | --- |
| C01 … | the [checker of certificates](../../docs/certificate.md), `python sgl/verify/certificate.py` |
| R01 … | the [checker of rows](../../docs/certificate.md), `python sgl/verify/rows.py` |
| V001 … | a [check of the verifier](../../docs/checks.md) |
"""
_SIGNED = """
These are good datasets of their own: `sglc verify` accepts them, but not as the dataset that was
published. `sglc verify --signature` refuses them (V028), and so does `sglc verify --grammar`.
"""


_ORDER = [
    "certificate_text",
    "grammars",
    "layers",
    "automata",
    "splits",
    "claims",
    "promises",
    "rows",
    "derivations",
    "answers",
    "graphs",
    "rule_trees",
    "files",
    "parquet",
    "whole",
    "signed",
]


def _place(forged: Forgery) -> int:
    return _ORDER.index(forged.act.__module__.partition(".")[2])


def page() -> str:
    """Return the page: a table for each family."""
    families: dict[str, list[str]] = {}
    for forged in sorted(FORGERIES.values(), key=_place):
        row = f"| {forged.name} | {forged.words} | {forged.refused_by} |"
        families.setdefault(forged.family, []).append(row)
    parts = [_HEAD.format(count=len(FORGERIES))]
    for family, rows in families.items():
        parts.append(f"\n## {family[0].upper()}{family[1:]}\n")
        parts += [_SIGNED] if family == SIGNED else []
        parts.append("\n| forgery | what it changes | refused by |\n| --- | --- | --- |\n")
        parts.append("\n".join(row.replace("`|`", "`\\|`") for row in rows) + "\n")
    return "".join(parts)


if __name__ == "__main__":
    assert forgeries.__all__
    PAGE.write_text(page(), encoding="utf-8")
