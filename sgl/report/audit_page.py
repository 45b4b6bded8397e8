"""The page of an audit: the JSON object of ``sglc audit`` as one HTML file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sgl.report.render import page_environment


def render_audit(data: Mapping[str, Any], title: str) -> str:
    """Return the page as HTML; equal data give equal pages.

    ``data`` is what :func:`sgl.corpus.audit.audit_data` gives.
    """
    return page_environment().get_template("audit.html.j2").render(data=data, title=title)
