"""``sglc test``: examples and recorded samples, what has changed in them, and reports."""

from __future__ import annotations

import json
from xml.etree import ElementTree as ET

import pytest
from diagnostics import BASE, MAIN
from workplace import PATTERN, Workplace

from sgl.cli.main import FAILED, OK, OUTPUT, run

GOOD = 'test "The dog saw the cat." => ja "犬が猫を見た。"\n'
REJECTED = 'test reject "The dog saw."\n'
LIKE = '  gen like "The dog near the cat saw the cat."\n'
#: Sentences of a pattern, as one asks for them.
ASKED = "$ sample p -n 2 --seed 5 --show en\n"


def said(work: Workplace, *arguments: str, status: int = OK) -> str:
    assert run(["test", MAIN, *arguments]) == status
    captured = work.capsys.readouterr()
    return captured.out + captured.err


def test_each_example_has_its_verdict_and_its_time(work: Workplace) -> None:
    work.write(MAIN, BASE + PATTERN + LIKE + GOOD + REJECTED)
    lines = said(work).splitlines()
    assert [line.split(" ms  ")[1] for line in lines[:-1]] == [
        "grammar  farm.sgl",
        "test  The dog saw the cat.",
        "test reject  The dog saw.",
        "gen like  The dog near the cat saw the cat.",
    ]
    assert all(line.startswith("passed") for line in lines[:-1])
    assert lines[-1].startswith("farm.sgl: 4 of 4 passed in ")


def test_a_failure_is_shown_as_check_shows_it(work: Workplace) -> None:
    work.write(MAIN, BASE + GOOD.replace("犬", "牛"))
    text = said(work, status=FAILED)
    assert "failed" in text
    assert "error[SGL0817]: the grammar gives another output in `ja`" in text
    assert "farm.sgl: 1 of 2 passed" in text


def test_several_grammars_are_tried_though_one_cannot_be_read(work: Workplace) -> None:
    work.write("broken.sgl", BASE + "rule r: NP -> Mouse\n")
    work.write(MAIN, BASE + GOOD)
    assert run(["test", "broken.sgl", MAIN, "--json"]) == FAILED
    cases = json.loads(work.capsys.readouterr().out)
    assert [(case["name"], case["code"]) for case in cases] == [
        ("grammar  broken.sgl", "SGL0201"),
        ("grammar  farm.sgl", ""),
        ("test  The dog saw the cat.", ""),
    ]
    assert {type(case["seconds"]) for case in cases} == {float}
    assert cases[-1]["line"] == 70


def test_outputs_are_updated_in_place(work: Workplace) -> None:
    wrong = GOOD.replace("犬", "牛") + "# a comment\n" + REJECTED
    path = work.write(MAIN, BASE + wrong)
    path.chmod(0o640)
    assert "updated: farm.sgl" in said(work, "--update")
    assert path.read_text("utf-8") == BASE + GOOD + "# a comment\n" + REJECTED
    assert path.stat().st_mode & 0o777 == 0o640
    assert "updated" not in said(work, "--update")


def test_a_comment_still_allows_its_warning_after_an_update(work: Workplace) -> None:
    longer = GOOD.replace("犬が猫", "牛がとても小さな猫")
    work.write(MAIN, longer + BASE + "# allow SGL0204\ncategory Unused\n")
    assert "SGL0204" not in said(work, "--update")


def test_a_quotation_is_written_as_the_language_writes_it(work: Workplace) -> None:
    quoting = BASE.replace('ja  "猫"', 'ja  "\\"猫\\\\"')
    path = work.write(MAIN, quoting + GOOD)
    said(work, "--update")
    assert path.read_text("utf-8").endswith('ja "犬が\\"猫\\\\を見た。"\n')
    said(work)


def test_what_no_output_can_mend_stays_a_failure(work: Workplace) -> None:
    path = work.write(MAIN, BASE + 'test reject "The dog saw the cat."\ntest "The dog." => ja "犬。"\n')
    before = path.read_bytes()
    assert said(work, "--update", status=FAILED).count("error[SGL0817]") == 2
    assert path.read_bytes() == before


def test_a_test_of_a_module_is_updated_there(work: Workplace) -> None:
    module = work.write("tests/more.sgl", GOOD.replace("犬", "牛"))
    work.write(MAIN, "use tests.more\n" + BASE)
    assert "updated: tests/more.sgl" in said(work, "--update")
    assert module.read_text("utf-8") == GOOD


# ---- recorded samples


def test_samples_are_recorded_and_then_must_not_change(work: Workplace) -> None:
    work.write(MAIN, BASE + PATTERN)
    path = work.write("farm.samples", f"What a reader should see first.\n\n{ASKED}\n$ sample -n 1 --show tree,graph\n")
    assert "nothing is recorded here yet" in said(work, status=FAILED)
    said(work, "--update")
    text = path.read_text("utf-8")
    assert text.startswith(f"What a reader should see first.\n\n{ASKED}The ")
    assert "(Text (S (NP the" in text
    said(work)
    said(work, "--update")
    assert path.read_text("utf-8") == text
    # What `sglc sample` shows is what is recorded.
    assert run(["sample", MAIN, *ASKED.split()[2:]]) == OK
    assert work.capsys.readouterr().out in text


def test_a_sample_that_changes_is_shown_beside_the_recorded_one(work: Workplace) -> None:
    work.write(MAIN, BASE + PATTERN)
    work.write("farm.samples", ASKED)
    said(work, "--update")
    work.write(MAIN, BASE.replace('"dog"', '"fox"') + PATTERN)
    text = said(work, status=FAILED)
    assert "error[SGL0834]: this sample differs from the recorded one" in text
    assert "= recorded: The dog" in text or "= recorded: The cat" in text
    assert "= now:      The" in text
    assert "fox" in text


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ("$ sample nothing\n", "there is no pattern or category `nothing`"),
        ("$ sample --show fr\n", "there is no layer or view `fr`"),
        ("$ sample -n many\n", "'many' is not a valid integer"),
        ("$ sample --out x.tsv\n", "No such option"),
        ("$ sample '{ V\n", "No closing quotation"),
        ("$ sample '{ V -[iobj]-> N }'\n", "iobj"),
        ("$ sample p --where '{ V -[nsubj]-> N; V -[nsubj]-> M }'\n", "no sentence of the grammar qualifies"),
    ],
)
def test_a_request_that_means_nothing_is_an_error_at_its_line(asked: str, reason: str, work: Workplace) -> None:
    work.write(MAIN, BASE + PATTERN)
    work.write("farm.samples", asked)
    text = said(work, status=FAILED)
    assert "farm.samples:1:1" in text
    assert "this sample cannot be drawn" in text
    assert reason in text


def test_a_file_that_is_no_text_is_refused(work: Workplace) -> None:
    work.write(MAIN, BASE)
    work.write("farm.samples", b"\xff\xfe")
    assert "SGL0002" in said(work, status=FAILED)


# ---- reports


def test_a_junit_report_has_every_case(work: Workplace) -> None:
    work.write(MAIN, BASE + GOOD.replace("犬", "牛") + REJECTED)
    said(work, "--junit", "report.xml", status=FAILED)
    (suite,) = ET.fromstring((work.directory / "report.xml").read_text("utf-8"))  # noqa: S314 - our own
    assert [suite.get(key) for key in ("tests", "failures")] == ["3", "1"]
    failed = suite[1]
    assert (failed.get("line"), failed[0].get("type")) == ("70", "SGL0817")
    # A report is replaced, anything else is not.
    said(work, "--junit", "report.xml", status=FAILED)
    work.write("notes.xml", "<notes/>")
    assert "SGL1103" in said(work, "--junit", "notes.xml", status=OUTPUT)
