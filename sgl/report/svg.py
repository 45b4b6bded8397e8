"""Writing SVG: elements as escaped text, and how wide a word is.

The colours are classes of the page's style sheet (``templates/report.html.j2``),
so that a picture follows the page into dark mode and onto paper.
"""

from __future__ import annotations

from markupsafe import Markup, escape

from sgl.diagnostics.source import display_width

#: Size of the text in pictures, in pixels.
FONT_SIZE = 13.0

#: A picture that does not fit is scaled down to this share of its size, then it scrolls.
SMALLEST = 0.75

#: Mean width of a character of the page's sans-serif font, in units of its size.
_CHARACTER = 0.56


def element(tag: str, *content: str, **attributes: str | float) -> Markup:
    """An element with escaped attributes; ``content`` is escaped unless it is markup.

    Numbers are rounded to a tenth of a pixel.  In names of attributes ``_``
    stands for ``-``, and a trailing one is dropped (``class_``).
    """
    written = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{escape(_number(value))}"'
        for name, value in attributes.items()
    )
    inside = Markup("").join(content)
    return Markup(f"<{tag}{written}>{inside}</{tag}>")  # noqa: S704 - every part is escaped


def picture(
    name: str, title: str, description: str, width: float, height: float, *content: Markup
) -> Markup:
    """An ``svg`` element that a screen reader announces by title and description.

    ``name`` has to be unique on the page.
    """
    return element(
        "svg",
        element("title", title, id=f"{name}-title"),
        element("desc", description, id=f"{name}-desc"),
        *content,
        xmlns="http://www.w3.org/2000/svg",
        role="img",
        aria_labelledby=f"{name}-title {name}-desc",
        viewBox=f"0 0 {_number(width)} {_number(height)}",
        width=width,
        height=height,
        style=f"min-width: {_number(SMALLEST * width)}px",
    )


def text_width(text: str, size: float = FONT_SIZE) -> float:
    """About how many pixels a text takes; wide East Asian characters count double."""
    return display_width(text) * size * _CHARACTER


def _number(value: str | float) -> str:
    if isinstance(value, str):
        return value
    return f"{value:.1f}".removesuffix(".0")
