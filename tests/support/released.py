"""The farm of the tutorial with logical forms and a release, small enough to be compiled in a test."""

from __future__ import annotations

from pathlib import Path

FARM = Path(__file__).parents[2] / "docs" / "examples"

RELEASE = """
release "1.2.0"
  licence   "CC-BY-4.0"
  authors   "Lovelace, Ada" "Farm Lab"
  languages en ja
  homepage  "https://example.org/farm"
  date      "2026-11-23"
"""

#: Texts of the farm, and what stands there instead.
_EDITS = (
    ("layer syn : graph on en", "layer syn : graph on en\nlayer sem : graph on en (free)\n\nview  amr = penman(sem)"),
    ("upos=NOUN)", "upos=NOUN)\n    sem node(type=entity, lemma=$en)"),
    ("Tense=Past)", "Tense=Past)\n    sem node(type=event, lemma=$en)"),
    ('Det: "the"  ~ 2\n', 'Det: "the"  ~ 2\n  sem node(type=det, definite=yes)\n'),
    ('Det: "a"\n', 'Det: "a"\n  sem node(type=det, definite=no)\n'),
    ("  syn VP -[nsubj]-> subj", "  syn VP -[nsubj]-> subj\n  sem VP -[agent]-> subj"),
    ("  syn V -[obj]-> obj", "  syn V -[obj]-> obj\n  sem V -[theme]-> obj"),
    ("  syn N -[det]-> Det\n", "  syn N -[det]-> Det\n  sem N -[det]-> Det\n"),
    ("N -[nmod]-> PP\n", "N -[nmod]-> PP\n  sem N -[det]-> Det; N -[nmod]-> PP\n"),
    ("train 1000", "train 120"),
    ("dev   100", "dev   10"),
    ("test  100", "test  10"),
    ("need   100", "need   10"),
    ("size   200", "size   20"),
)


def write_released_farm(directory: Path, release: str = RELEASE) -> Path:
    """Write the grammar; its main file."""
    for path in FARM.glob("*.yaml"):
        (directory / path.name).write_bytes(path.read_bytes())
    text = (FARM / "farm.sgl").read_text("utf-8")
    for old, new in _EDITS:
        assert old in text, old
        text = text.replace(old, new, 1)
    path = directory / "farm.sgl"
    path.write_text(text.replace("\n\npattern", f"{release}\n\npattern", 1), "utf-8")
    return path
