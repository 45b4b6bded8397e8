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

#: How much wider a capital is.
_CAPITAL = 0.14


def element(tag: str, *content: str, **attributes: str | float) -> Markup:
    """Return an element with escaped attributes; ``content`` is escaped unless it is markup.

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
    """Return an ``svg`` element that a screen reader announces by title and description.

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


def label_width(text: str) -> float:
    """Return the same for names, whose capitals are wide."""
    return text_width(text) + _CAPITAL * FONT_SIZE * sum(map(str.isupper, text))


def wrapped(text: str, width: float, lines: int) -> list[str]:
    """Return a name in lines of at most this width; what does not fit on the last one is left out.

    A line ends behind a space, a mark or a character of East Asian width, and within a word
    only if it has no such place.
    """
    found = [""]
    for piece in _pieces(text):
        if found[-1] and label_width(found[-1] + piece.rstrip()) > width:
            found.append("")
        for character in piece:
            if found[-1] and label_width(found[-1] + character) > width:
                found.append("")
            found[-1] += character
    kept = [line.strip() for line in found[:lines]]
    if len(found) > lines:
        # The last character may have no width, so more than one may have to go.
        while kept[-1] and label_width(kept[-1] + "…") > width:
            kept[-1] = kept[-1][:-1]
        kept[-1] += "…"
    return kept


def _pieces(text: str) -> list[str]:
    """Return a text cut where a line may end."""
    pieces = [""]
    for character in text:
        pieces[-1] += character
        if not character.isalnum() or display_width(character) > 1:
            pieces.append("")
    return pieces


def _number(value: str | float) -> str:
    if isinstance(value, str):
        return value
    return f"{value:.1f}".removesuffix(".0")
