"""The honest datasets that are forged: eight small grammars, compiled once for all tests."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import kites
from ambiguous_grammar import DATASET, RULES
from commands_grammar import COMMANDS
from composed_grammar import SOURCE
from diagnostics import BASE
from row_datasets import compile_grammar, written

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"

#: A pattern that cuts, and asserts what need not be cut.
FALLING = """
rule named: Text -> capital N "."  ~ 0.1
  syn N -[punct]-> "."(upos=PUNCT)
  sem N
  keep in train

pattern falling_kite "A kite that falls"
  forbid { V[lemma=fall] -[nsubj]-> N[lemma=kite] }
  assert never { V[lemma=fall] -[nsubj]-> N[lemma=kite]; N -[nmod]-> M }
  waive { V[lemma=fall] -[nsubj]-> N[lemma=kite] }
  size   6
"""

#: Patterns about rules, in a grammar of texts.
RULED = """
pattern opposite_twice "opposite together with twice"
  forbid { twice; opposite }
  size   8

pattern left_after "a turn to the left after an action"
  forbid { after -[first]-> turn; turn -[D]-> "left" }
  need   2 { after -[*]+-> D }
  size   4 within { after -[second]-> plain }
"""

#: A pattern about a rule and a word; a role of it looks like a label of words.
JOINED = """
pattern dogs_near "a modified phrase below another one, and a dog as subject"
  forbid derivation { modified -[*]+-> M[rule=modified]; M -[Det]-> D } syn { V -[nsubj]-> N[lemma=dog] }
  size   6
"""


def _commands(directory: Path) -> Path:
    smaller = COMMANDS.replace("train all", "train 60\n  dev 6\n  test 6")
    return written(directory, smaller + RULED)


def _joined(directory: Path) -> Path:
    main = _farm(directory)
    main.write_text(main.read_text("utf-8") + JOINED, "utf-8")
    return main


def _farm(directory: Path) -> Path:
    """The farm of the tutorial, with few sentences."""
    smaller = {
        "train 1000": "train 40",
        "dev   100": "dev   6",
        "test  100": "test  6",
        "size   200": "size   12",
        "need   100": "need   no",
        "\nlayer en": "\nparam no = 0\nlayer en",
    }
    return _copied(directory, smaller)


def _copied(directory: Path, changes: dict[str, str]) -> Path:
    for path in EXAMPLES.glob("*.*"):
        text = path.read_text("utf-8")
        for old, new in changes.items():
            text = text.replace(old, new)
        (directory / path.name).write_text(text, encoding="utf-8")
    return directory / "farm.sgl"


def _kites(directory: Path) -> Path:
    smaller = kites.KITES.replace("train 200", "train 40").replace("need   5", "need   1")
    smaller = smaller.replace("size  20 outside", "size  6 outside").replace("5 in dev", "2 in dev")
    smaller = smaller.replace("size   20", "size   6").replace("dev   20", "dev   6")
    return kites.write(directory, smaller.replace("test  20", "test  6"))


def _kept(directory: Path) -> Path:
    """Kites with a rule that no cut removes, and with strings whose readings are counted."""
    grammar, _, rest = kites.KITES.partition("pattern pp_in_subject")
    dataset = rest.partition("dataset\n")[2].replace("20", "5").replace("varfree", "")
    return kites.write(directory, f"{grammar}{FALLING}\ndataset\n{dataset}  ambiguous report\n")


HONEST = {
    "farm": _farm,
    # Views as targets, a free layer, a part with quotas in two splits.
    "kites": _kites,
    # Shares of targets, exposures that may repeat, a restriction, a waived piece, a part.
    "composed": lambda directory: written(directory, BASE + SOURCE),
    # Sentences that are rejected as ambiguous, for both reasons.
    "ambiguous": lambda directory: written(directory, RULES + DATASET),
    # The same, with all outputs of a sentence as right answers.
    "listed": lambda directory: written(directory, RULES + DATASET + "  ambiguous list\n"),
    # A rule that no cut removes, a structure held out by assertion, readings that are counted.
    "kept": _kept,
    # Texts alone, with patterns about derivations.
    "commands": _commands,
    # A pattern about derivations and words.
    "joined": _joined,
}


@cache
def compiled(name: str) -> Path:
    """The dataset of a grammar; it must not be changed."""
    return compile_grammar(HONEST[name])
