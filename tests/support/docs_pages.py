"""The reference pages that are made from the program: ``python tests/support/docs_pages.py``.

=======================  =====================================================
``docs/diagnostics.md``  every code of the compiler, from the registry
``docs/checks.md``       every check of the verifier, from the checks themselves
=======================  =====================================================

The pages are kept in the repository, so that the site needs no plugin; a test
compares them with what this module makes.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from sgl.diagnostics.registry import markdown
from sgl.pipeline.reproduction import CLAIM, CODE, NAME
from sgl.verify.checks import CHECKS, MANIFEST_CLAIM, MANIFEST_CODE, MANIFEST_NAME

_CHECKS = """\
# Checks of the verifier

Use this page to look up what `sglc verify` checks in a written dataset. If a check needs another
check that has failed, it is skipped. This page is generated from the verifier.

| code | check | what must be true |
| --- | --- | --- |
"""


def checks_page() -> str:
    """Return the page of all checks of the verifier."""
    checks = [(MANIFEST_CODE, MANIFEST_NAME, MANIFEST_CLAIM)]
    checks += [(check.code, check.name, check.claim.explanation) for check in CHECKS]
    checks += [(CODE, NAME, f"{CLAIM} Only `sglc verify --grammar` makes this check.")]
    rows = [f"| {code} | {name} | {_cell(claim)} |" for code, name, claim in checks]
    return _CHECKS + "\n".join(rows) + "\n"


def pages() -> Iterator[tuple[str, str]]:
    """Yield every page: its name and its text."""
    yield "diagnostics.md", markdown()
    yield "checks.md", checks_page()


def main(directory: Path = Path("docs")) -> None:
    """Write the pages into ``directory``."""
    for name, text in pages():
        (directory / name).write_text(text, encoding="utf-8")


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


if __name__ == "__main__":
    main()
