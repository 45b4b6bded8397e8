"""The farm of the tutorial, made to read files of every kind, for tests of the cache."""

from __future__ import annotations

from pathlib import Path

from workplace import Workplace

FARM = Path(__file__).parents[2] / "docs" / "examples"
MAIN = "farm.sgl"
#: Declarations that make the farm read files of every kind.
MORE = """
use prey
param weights = learnt
weights learnt from "farm.weights.yaml"
relation chases from "chases.yaml"
restrict { V[upos=VERB] -[obj]-> N[upos=NOUN] } to chases(V, N)
view words = template(syn) from "words.j2"
"""
FILES = {
    "prey.sgl": "words prey = cat, dog\n",
    "farm.weights.yaml": "rules:\n  NP:\n    noun_phrase: 0.5\n    modified: 0.5\n",
    "chases.yaml": "chase: {of: [prey]}\n",
    "words.j2": "{{ tokens | join('+') }}",
}
#: For each kind of file something that changes what the grammar is.
EDITS = {
    MAIN: ("train 1000", "train 999"),
    "prey.sgl": ("cat, dog", "cat"),
    "animals.yaml": ("en: dog", "en: hound"),
    "farm.weights.yaml": ("modified: 0.5", "modified: 0.25"),
    "chases.yaml": ("prey]}", "prey]}\nhelp: [hen]"),
    "words.j2": ("'+'", "'-'"),
}


def write_farm(work: Workplace) -> Workplace:
    for path in FARM.glob("*.*"):
        work.write(path.name, path.read_bytes())
    for name, text in FILES.items():
        work.write(name, text)
    edit(work, MAIN, "use stdlib.ja.verb", MORE + "use stdlib.ja.verb")
    # A column that no lexicon mentions is worth a warning.
    edit(work, "animals.yaml", "ja: 犬", "ja: 犬, legs: 4")
    return work


def edit(work: Workplace, name: str, old: str, new: str) -> None:
    text = (work.directory / name).read_text("utf-8")
    assert old in text
    work.write(name, text.replace(old, new, 1))
