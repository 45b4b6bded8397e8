"""The picture of the packages in layers, for the page on the architecture."""

from __future__ import annotations

from collections.abc import Iterator

LAYERS = (
    ("Doors", "what people and programs call", "cli api engine"),
    ("Job", "from a file to a verified dataset", "pipeline"),
    ("Output", "rows, pages, workers, audits", "dataset report parallel corpus"),
    ("Meaning of a split", "proofs, draws, readings, machine code", "automata sampling parsing accel"),
    ("Grammar", "text to grammar, derivation to text", "lang frontend lint rendering morphology"),
    ("Model", "grammar, structures and plan as values", "core"),
    ("Floor", "messages, files, processes", "diagnostics cache foreign disk children"),
)
#: What stands apart, with its first layer and how many layers it is beside.
APART = (
    ("research", "uses public names only", 0, 1),
    ("sgl_editor", "in editors/, over engine", 1, 1),
    ("verify", "imports none of the compiler", 2, 4),
)
_HEIGHT, _LEFT, _RIGHT = 54, 150, 560


def rooms() -> str:
    """Return the picture, as SVG in the colour of the text around it."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield (
        f'<svg class="rooms" viewBox="0 0 720 {len(LAYERS) * _HEIGHT + 4}" role="img" '
        'aria-label="The packages of SGL in layers; each layer imports what is below it. '
        'verify, research and the editors stand apart."'
        ' style="width:100%;height:auto;font-size:13px" fill="currentColor">'
    )
    for number, (title, told, names) in enumerate(LAYERS):
        y, x = number * _HEIGHT + 4, float(_LEFT)
        yield f'<text x="0" y="{y + 18}" font-weight="bold">{title}</text>'
        yield f'<text x="{_LEFT}" y="{y + 42}" font-size="11" opacity=".8">{told}</text>'
        for name in names.split():
            width = 7.6 * len(name) + 16
            yield _box(x, y, width, 26, name)
            x += width + 8
    for name, told, first, many in APART:
        y = first * _HEIGHT + 4
        yield _box(_RIGHT, y, 156, many * _HEIGHT - 12, name, ' stroke-dasharray="4 3"')
        yield f'<text x="{_RIGHT + 78}" y="{y + 35}" text-anchor="middle" font-size="10">{told}</text>'
    yield "</svg>"


def _box(x: float, y: float, width: float, height: float, name: str, dashed: str = "") -> str:
    size = f'width="{width:g}" height="{height:g}" rx="4"'
    box = f'<rect x="{x:g}" y="{y}" {size} fill="none" stroke="currentColor"{dashed}/>'
    return f'{box}<text x="{x + width / 2:g}" y="{y + 18}" text-anchor="middle">{name}</text>'
