"""A check of a grammar that was edited says what a check says that knows nothing, and says the same of a comment."""

from __future__ import annotations

from random import Random

import pytest
from edits import edited
from kept_farm import MAIN, edit, write_farm
from workplace import Workplace

from sgl.cache import Cache
from sgl.cli.main import run
from sgl.pipeline import grammar


@pytest.fixture
def farm(work: Workplace, cache: Cache) -> Workplace:  # noqa: ARG001 - in use
    return write_farm(work)


def said(work: Workplace, *options: str) -> list[str]:
    """What ``sglc check`` says, as a sorted list: claims come later than all else if they are not known."""
    status = run(["check", MAIN, "--format", "concise", *options])
    captured = work.capsys.readouterr()
    return sorted([str(status), captured.out, *captured.err.splitlines()])


@pytest.fixture
def no_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on nothing is compiled and nothing is proved."""
    monkeypatch.setattr(grammar, "_compiled", lambda *_: pytest.fail("it was compiled"))
    monkeypatch.setattr(grammar, "_check", lambda *_: pytest.fail("it was checked"))


#: Comments and empty lines, each with the text that is to stand there instead.
COMMENTS = {
    "at the top": ("layer en", "# a note\n\n# of two lines\nlayer en"),
    "between declarations": ("category NP", "# nominal phrases\ncategory NP"),
    "in a declaration": ("  train 1000", "  # sentences\n  train 1000"),
    "at the end of a line": ("  train 1000", "  train 1000   # sentences"),
    "at the end": ("{ V -[obj]-> N }\n", "{ V -[obj]-> N }\n\n# the end\n"),
}


@pytest.mark.parametrize("place", COMMENTS)
def test_a_comment_is_no_reason_to_compile(place: str, farm: Workplace, request: pytest.FixtureRequest) -> None:
    # A structure that nothing uses, at the end: its warning moves with it.
    edit(farm, MAIN, "\ndataset", "\nstructure idle { V -[obj]-> N }\n\ndataset")
    assert any("`idle` is never used" in line for line in said(farm))
    edit(farm, MAIN, *COMMENTS[place])
    cold = said(farm, "--no-cache")
    request.getfixturevalue("no_compiler")
    assert said(farm) == cold
    assert said(farm) == cold


def test_a_comment_that_allows_a_warning_counts(farm: Workplace, request: pytest.FixtureRequest) -> None:
    edit(farm, MAIN, "\ndataset", "\nstructure idle { V -[obj]-> N }\n\ndataset")
    assert any("`idle` is never used" in line for line in said(farm))
    edit(farm, MAIN, "structure idle", "# allow SGL0204\nstructure idle")
    request.getfixturevalue("no_compiler")
    assert not any("`idle` is never used" in line for line in said(farm))


def test_a_comment_in_a_file_that_is_used_is_none_of_the_lock(farm: Workplace) -> None:
    assert run(["lock", MAIN]) == 0
    farm.capsys.readouterr()
    before = said(farm)
    assert before == said(farm, "--no-cache")
    edit(farm, "prey.sgl", "words", "# the small ones\nwords")
    found = said(farm)
    assert any("SGL0007" in line for line in found)
    assert found == said(farm, "--no-cache")


def test_a_quotation_is_no_comment(farm: Workplace) -> None:
    said(farm)
    edit(farm, MAIN, '"The dog', '"# The dog')
    assert said(farm) == said(farm, "--no-cache")


@pytest.mark.parametrize("seed", range(2))
def test_random_edits_are_checked_as_by_a_check_that_knows_nothing(seed: int, farm: Workplace) -> None:
    random = Random(seed)  # noqa: S311
    for _ in range(6):
        text, what = edited((farm.directory / MAIN).read_text("utf-8"), random)
        farm.write(MAIN, text)
        assert said(farm) == said(farm, "--no-cache"), what


# ---- other commands on what is kept


@pytest.mark.parametrize("command", [["prove", MAIN], ["prove", MAIN, "--pattern", "pp_in_subject"]])
def test_a_proof_after_an_edit_is_that_of_a_command_that_knows_nothing(command: list[str], farm: Workplace) -> None:
    said(farm)
    edit(farm, MAIN, "\ndataset", "\n# a note\n\ndataset")
    edit(farm, MAIN, "need   100", "need   90")
    found = [(run([*command, *options]), farm.capsys.readouterr().out) for options in ((), ("--no-cache",))]
    assert found[0] == found[1]
    assert "need 90" in found[0][1] or len(command) == 2


#: Rules that no pattern tells from `noun_phrase`, and others: one after another, they take the place of a comment.
RULES = (
    'rule np_too: NP -> Det N  ~ 0.5\n  ja  N "ら" drop Det\n  syn N -[det]-> Det\n',
    "rule np_too: NP -> Det N\n  ja  N drop Det\n  syn N -[dep]-> Det\n",
    "rule np_too: NP -> N Det\n  ja  N drop Det\n  syn N -[nmod]-> Det\n",
    "",
)


def test_proofs_after_edits_of_rules_are_those_of_commands_that_know_nothing(farm: Workplace) -> None:
    said(farm)
    before = "\ndataset"
    for rule in RULES:
        edit(farm, MAIN, before, before := f"\n{rule}\ndataset")
        assert said(farm) == said(farm, "--no-cache")
        found = [(run(["prove", MAIN, "--json", *more]), farm.capsys.readouterr().out) for more in ([], ["--no-cache"])]
        assert found[0] == found[1]


def test_what_is_recorded_in_a_file_that_was_edited_stands_where_it_should(farm: Workplace) -> None:
    said(farm)
    wrong = 'ja "犬が猫を追いかけた。"'
    text = (farm.directory / MAIN).read_text("utf-8")
    farm.write(MAIN, f"# a note\n{text}".replace('ja "犬が鶏の近くの猫を追いかけた。"', wrong))
    assert said(farm) == said(farm, "--no-cache")
    run(["test", MAIN, "--update"])
    farm.capsys.readouterr()
    assert (farm.directory / MAIN).read_text("utf-8") == f"# a note\n{text}"
