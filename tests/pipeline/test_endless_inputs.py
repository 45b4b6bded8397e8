"""An input whose texts can have endlessly many readings is refused: the parser could not list them all."""

from __future__ import annotations

import pytest
from workplace import Workplace

import sgl
from sgl.cli.main import FAILED, run
from sgl.frontend.lower import expand

#: The question leaves the first name out, which may have any number of adjectives.
MEETING = """\
layer story    : text
layer question : text
layer answer   : text
category Text
category NP
category Name
category Adj
rule t: Text -> a:NP "meets" b:Name
  question "who" "meets" b "?" drop a
  answer a drop b
rule more: NP -> Adj NP
  question Adj NP
  answer Adj NP
rule name: NP -> Name
word Adj: "big"
  question "big"
  answer "big"
word Name: "ann"
  question "ann"
  answer "A"
word Name: "bob"
  question "bob"
  answer "B"
dataset
  from Text
  input question
  output answer
  train 2
"""

#: Adjectives are not in the question, so that its name may have any number of them.
NAMED = MEETING.replace("question Adj NP", "question NP drop Adj").replace(" drop a\n", "\n", 1)
NAMED = NAMED.replace('"who" "meets" b "?"', 'a "meets" b "?"')


def check(text: str, work: Workplace) -> str:
    work.write("here.sgl", text)
    assert run(["check", "here.sgl"]) == FAILED
    return work.capsys.readouterr().err


def test_a_phrase_without_end_must_not_be_left_out(work: Workplace) -> None:
    told = "`question` cannot be the input of a dataset: `t` leaves out `NP`, of which there is no end"
    assert f"error[SGL0206]: {told}" in check(MEETING, work)


def test_phrases_that_hide_in_one_another_are_no_input(work: Workplace) -> None:
    told = "a phrase can contain another one with the same words there, again and again"
    assert f"error[SGL0206]: `question` cannot be the input of a dataset: {told}" in check(NAMED, work)


def test_joined_with_the_story_it_is_an_input() -> None:
    joined = MEETING.replace("input question", "input story question")
    assert sgl.loads(joined).compiled.plan.source == "story+question"


def test_left_hand_sides_are_counted(work: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Values that a condition refuses cost time as well."""
    monkeypatch.setattr(expand, "MAX_STEPS", 2_000)
    values = " < ".join(map(str, range(20)))
    features = "".join(f"feature {name} = {values}\n" for name in "abc")
    rule = (
        'category T\ncategory A[a, b, c]\nrule t: T -> A\nrule r: A[a=x, b=y, c=z] -> "w" where x > y, y > z, z > x\n'
    )
    text = f"layer en : text\n{features}{rule}dataset\n  from T\n  train 1\n"
    assert "error[SGL0706]: the features of the rules combine in more than 2,000 ways" in check(text, work)
