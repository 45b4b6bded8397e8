"""Render the pages of reports and audits from their templates."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

from sgl.report.svg import draw_graph, draw_heights, draw_lengths, draw_tree

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


#: Results of claims that hold, and of claims that are open; all other results are failures.
_HOLDING = frozenset({"proved", "passed", "checked"})
_OPEN = frozenset({"not checked", "nothing to check", "not certified", "waived", "skipped"})


def render_report(data: Mapping[str, Any]) -> str:
    """Return the report as HTML, of the ``data`` that ``report.html.j2`` names at its head."""
    return page_environment().get_template("report.html.j2").render(data)


def render_audit(data: Mapping[str, Any], title: str) -> str:
    """Return the page of what :func:`sgl.corpus.audit.audit_data` gives, as HTML."""
    return page_environment().get_template("audit.html.j2").render(data=data, title=title)


def page_environment(*packages: str) -> Environment:
    """Return the environment of pages; templates of other ``packages`` may include its styles."""
    environment = Environment(
        loader=ChoiceLoader([PackageLoader(name) for name in ("sgl.report", *packages)]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "holds": _holds,
        "large": _large,
        "number": "{:,}".format,
        "percent": lambda share: f"{100 * share:.1f} %",
        "probability": _probability,
    }
    environment.globals |= {draw.__name__: draw for draw in (draw_graph, draw_heights, draw_lengths, draw_tree)}
    return environment


def _holds(result: str) -> bool | None:
    """Return whether a claim with this result holds; None if that is open."""
    return None if result in _OPEN else result in _HOLDING


def _large(value: int | None) -> str:
    """Return a number that may be very large: ``40,000``, ``1.2 · 10¹⁵``, or ``infinite``."""
    if value is None:
        return "infinite"
    return f"{value:,}" if value < 10_000_000 else _scientific(f"{Decimal(value):.1e}")


def _probability(value: float) -> str:
    """Return a probability: ``0``, ``12.3 %``, or ``4.5 · 10⁻⁷`` for a small one."""
    if not value:
        return "0"
    if value >= 0.001:
        return f"{100 * value:.2f} %"
    return _scientific(f"{value:.1e}")


def _scientific(text: str) -> str:
    mantissa, _, exponent = text.partition("e")
    return f"{mantissa} · 10{str(int(exponent)).translate(_SUPERSCRIPTS)}"
