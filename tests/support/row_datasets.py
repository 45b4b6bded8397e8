"""Small datasets of several grammars, compiled once, for those who check rows."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import garden
import kites
from ambiguous_grammar import DATASET, RULES
from composed_grammar import SOURCE, TAKES
from diagnostics import BASE, MAIN

from sgl.cli.main import OK, run
from sgl.verify.rows import Rows, refusal
from sgl.verify.schema_grammar import Flaw

FARM = Path(__file__).parents[2] / "docs" / "examples"
_FOLDERS: list[TemporaryDirectory[str]] = []


#: A grammar with four sentences, all of which are in train.
ALL = """\
layer en  : text
layer syn : graph on en

category S
category N
category V

rule seen: S -> subj:N V obj:N
  syn V -[nsubj]-> subj; V -[obj]-> obj

word V: "see"
  syn node(lemma=see, upos=VERB)

word N: "dogs"
  syn node(lemma=dog, upos=NOUN)

word N: "cats"
  syn node(lemma=cat, upos=NOUN)

dataset
  from S
  train all
"""


def _farm(directory: Path) -> Path:
    """The farm of the tutorial, with fewer sentences."""
    for path in FARM.glob("*.*"):
        text = path.read_text("utf-8")
        for old, new in ((" 1000\n", " 120\n"), (" 100\n", " 12\n"), (" 200\n", " 20\n")):
            text = text.replace(old, new)
        (directory / path.name).write_text(text.replace("need   100", "need   5"), encoding="utf-8")
    return directory / "farm.sgl"


def written(directory: Path, text: str) -> Path:
    """Write a grammar, and the table of the one that has a restriction."""
    (directory / MAIN).write_text(text, encoding="utf-8")
    (directory / "takes.yaml").write_text(TAKES, encoding="utf-8")
    return directory / MAIN


GRAMMARS = {
    "farm": _farm,
    # Views as targets, a free layer, parts with quotas of their own.
    "kites": kites.write,
    # Words that are absorbed, contracted and written otherwise, with logical forms.
    "garden": garden.write,
    # Shares of targets, exposures that may repeat, lemmas that may repeat, a restriction.
    "composed": lambda directory: written(directory, BASE + SOURCE),
    # Sentences that are rejected as ambiguous, for both reasons.
    "ambiguous": lambda directory: written(directory, RULES + DATASET),
    # Sentences with several right answers, which are listed.
    "listed": lambda directory: written(directory, RULES + DATASET + "  ambiguous list\n"),
    # All sentences that there are.
    "all": lambda directory: written(directory, ALL),
    # Sentences that may repeat; nothing is parsed.
    "repeating": lambda directory: written(
        directory, RULES + DATASET.replace("  distinct sentences\n", "") + "  ambiguous ignore\n"
    ),
}


def compile_grammar(write: Callable[[Path], Path]) -> Path:
    """The dataset of a grammar that is written into a folder of its own."""
    _FOLDERS.append(TemporaryDirectory())
    directory = Path(_FOLDERS[-1].name)
    main = write(directory)
    with contextlib.chdir(directory):
        assert run(["compile", main.name, "--out", "out"]) == OK
    return directory / "out"


@cache
def compiled(name: str) -> Path:
    """The dataset of a grammar; it must not be changed."""
    return compile_grammar(GRAMMARS[name])


def rows_refused(directory: Path) -> str:
    """What ``python rows.py DIR`` says of a dataset, if it refuses it."""
    try:
        for _ in Rows(directory).rows():
            pass
    except (OSError, Flaw) as problem:
        return refusal(problem)
    return ""
