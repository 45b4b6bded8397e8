"""What ``sglc eval`` is asked for.

::

    sglc eval out/sget small=a.txt large.txt --json scores.json

    reads    out/sget/manifest.json …, a.txt, large.txt
    writes   scores.json, which is none of these
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from sgl.research.analyse.systems import named
from sgl.research.evaluate.benchmark import MANIFEST
from sgl.research.evaluate.compound_table import FILE as COMPOUNDS

#: Samples of a test of differences; more than the most would fill the memory.
SAMPLES, MOST_SAMPLES = 100_000, 10_000_000


@dataclass(frozen=True)
class Request:
    """What is to be scored and how: the options of the command line."""

    dataset: Path
    predictions: tuple[str, ...]
    settings: dict[str, str]
    form: str
    color: str
    split: str | None = None
    target: str | None = None
    grammar: Path | None = None
    language: str | None = None
    test: Literal["bootstrap", "randomisation"] = "randomisation"
    samples: int = SAMPLES
    seed: int = 1
    compounds: Path | None = None
    lexicon: Path | None = None
    published_rule: bool = False
    segment: str | None = None
    json_file: Path | None = None
    html_file: Path | None = None
    latex_file: Path | None = None

    @property
    def results(self) -> list[Path]:
        """The files that are written."""
        files = self.json_file, self.html_file, self.latex_file
        return [path for path in files if path is not None]

    @property
    def inputs(self) -> list[Path]:
        """The files that are read; of a dataset those that a result could be called like."""
        files = self.grammar, self.compounds, self.lexicon
        return [
            *(path for path in files if path is not None),
            *(named(given)[1] for given in self.predictions),
            *(self.dataset / name for name in ("", MANIFEST, COMPOUNDS)),
        ]
