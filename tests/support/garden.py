"""The French garden of docs/examples, whose punctuation and contractions rules do not know."""

from __future__ import annotations

from pathlib import Path

SOURCE = (Path(__file__).parents[2] / "docs" / "examples" / "garden.sgl").read_text("utf-8")

#: What gives it logical forms, which count the words of a text.
_MEANING = {
    "layer syn : graph on fr": "layer sem : graph on fr (free)\nview lf = cogs(sem)",
    "  syn V -[nsubj]-> NP;": "  sem V -[agent]-> NP",
    '  syn N -[det]-> "le"(upos=DET); N -[nmod]': "  sem N -[nmod:de]-> NP",
    '  syn N -[det]-> "le"(upos=DET); N -[appos]': "  sem N -[nmod:comme]-> NP",
    "  syn node(upos=NOUN)": "  sem node(type=entity)",
    "  syn node(lemma=dormir,": "  sem node(lemma=dormir, type=event)",
    "  seed  1": "  output lf",
}


def with_meanings() -> str:
    """The grammar with a semantic layer, whose forms are the output."""
    text = SOURCE
    for line, added in _MEANING.items():
        own = f"{line}\n{added}" if line.startswith("layer") else f"{added}\n{line}"
        assert line in text
        text = text.replace(line, own)
    return text


def write(directory: Path) -> Path:
    """Write the grammar with logical forms."""
    (directory / "garden.sgl").write_text(with_meanings(), encoding="utf-8")
    return directory / "garden.sgl"
