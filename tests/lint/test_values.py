"""Values of features that no phrase has."""

from __future__ import annotations

from pathlib import Path

import pytest
from diagnostics import BASE, MAIN, diagnose

from sgl.diagnostics import Severity

VALUES = BASE.replace("feature form = past | pres", "feature form = past | pres | future")


OFF = """\
param more = off
rule late: VP[form=f] -> V[form=future] NP
  when more
  ja  NP V
  syn V -[obj]-> NP
"""


@pytest.mark.parametrize(
    ("added", "told"),
    [
        ("", True),
        ('word V[form=future]: "eyes"\n  ja  "見る"\n  syn node(lemma=see, upos=VERB)\n', False),
        ('word V: "met"\n  ja  "会った"\n  syn node(lemma=meet, upos=VERB)\n', False),
        # What a setting adds, and what is idle for another reason, is no slip of the feature.
        (OFF, False),
        ('category Far[form]\nword Far[form=future]: "far"\n  ja  "遠"\n  syn node(upos=ADV)\n', False),
    ],
)
def test_a_value_that_no_phrase_has(added: str, told: bool, tmp_path: Path) -> None:
    outcome = diagnose({MAIN: VALUES + added}, tmp_path)
    assert {one.severity for one in outcome.found} <= {Severity.WARNING}, outcome.rendered()
    assert ("SGL0410" in outcome.codes) == told
