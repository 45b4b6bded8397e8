"""Messages for programs: GitHub, SARIF and JUnit beside JSON, with one content."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import jsonschema
import pytest
from diagnostics import BASE, MAIN
from workplace import Workplace

from sgl.cli.main import FAILED, OK, run
from sgl.diagnostics import CODES, Diagnostic, Severity, SourceMap
from sgl.diagnostics.render import DOCUMENTS, as_object, github, junit, sarif

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "diagnostics.schema.json").read_text("utf-8"))
#: Several errors; one message has a secondary place, one Japanese before its caret.
WRONG = BASE + 'word N: "猫" ~ $x\nrule np: NP -> Mouse\n'


def said(work: Workplace, form: str) -> str:
    work.write(MAIN, WRONG)
    assert run(["check", MAIN, "--format", form]) == FAILED
    captured = work.capsys.readouterr()
    return captured.out if form in DOCUMENTS else captured.err


def objects(work: Workplace) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(said(work, "json"))
    return found


def test_json_keeps_to_the_published_schema(work: Workplace) -> None:
    found = objects(work)
    assert any(entry["labels"] for entry in found)
    jsonschema.validate(found, SCHEMA)
    without_place = as_object(Diagnostic("SGL0999", Severity.ERROR, None, "m"), SourceMap())
    jsonschema.validate([without_place], SCHEMA)


def test_all_forms_have_the_same_messages(work: Workplace) -> None:
    found = objects(work)
    log = json.loads(said(work, "sarif"))
    assert [result["ruleId"] for result in log["runs"][0]["results"]] == [entry["code"] for entry in found]
    report = ET.fromstring(said(work, "junit"))  # noqa: S314 - our own
    cases = report.findall("./testsuite/testcase")
    assert [case.get("name") for case in cases] == [f"{entry['code']}: {entry['message']}" for entry in found]
    lines = [line for line in said(work, "github").splitlines() if line.startswith("::")]
    assert [line.partition("title=")[2].partition("::")[0] for line in lines] == [entry["code"] for entry in found]


def test_sarif_has_what_code_scanning_asks_for(work: Workplace) -> None:
    log = json.loads(said(work, "sarif"))
    (ran,) = log["runs"]
    assert (log["version"], ran["columnKind"]) == ("2.1.0", "unicodeCodePoints")
    rules = ran["tool"]["driver"]["rules"]
    for rule in rules:
        assert rule["shortDescription"]["text"] == CODES[rule["id"]].title
        assert rule["helpUri"].endswith(f"{rule['id']}.md")
    for result, entry in zip(ran["results"], objects(work), strict=True):
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["message"]["text"].startswith(entry["message"])
        (where,) = result["locations"]
        region = where["physicalLocation"]["region"]
        place = entry["place"]
        assert [*region.values()] == [place["line"], place["column"], place["end_line"], place["end_column"]]
        assert len(result["relatedLocations"]) == len(entry["labels"])


def test_paths_are_addresses_in_sarif() -> None:
    entry = {**_entry(), "place": {"file": "my grammars/ä#1.sgl"}}
    (result,) = json.loads(sarif([entry]))["runs"][0]["results"]
    location = result["locations"][0]["physicalLocation"]
    assert location == {"artifactLocation": {"uri": "my%20grammars/%C3%A4%231.sgl"}}


def test_github_is_told_columns_of_one_line_only() -> None:
    place = {"file": "a,b.sgl", "line": 3, "column": 2, "end_line": 3, "end_column": 9}
    told = github({**_entry(), "place": place, "notes": ["50 %\nof all"], "hint": "write `x`"})
    assert told == (
        "::error file=a%2Cb.sgl,line=3,endLine=3,col=2,endColumn=9,title=SGL0201::"
        "no `M`%0A50 %25%0Aof all%0Ahint: write `x`"
    )
    assert ",col=" not in github({**_entry(), "place": {**place, "end_line": 4}})
    assert github(_entry()) == "::error title=SGL0201::no `M`"


def test_junit_fails_for_errors_and_skips_warnings() -> None:
    report = ET.fromstring(junit([_entry(), {**_entry(), "severity": "warning"}]))  # noqa: S314 - our own
    suite = report[0]
    assert [suite.get(key) for key in ("tests", "failures", "skipped")] == ["2", "1", "1"]
    assert [case[0].tag for case in suite] == ["failure", "skipped"]


def test_junit_has_no_character_that_xml_forbids() -> None:
    text = junit([{**_entry(), "message": "\x00\x1b\ud800<&>"}])
    assert ET.fromstring(text)[0][0].get("name") == "SGL0201: \ufffd\ufffd\ufffd<&>"  # noqa: S314 - our own


@pytest.mark.parametrize("form", list(DOCUMENTS))
def test_a_grammar_without_faults_gives_a_document_too(form: str, work: Workplace) -> None:
    work.write(MAIN, BASE)
    assert run(["sample", MAIN, "-n", "1", "--format", form]) == OK
    captured = work.capsys.readouterr()
    expected = {"json": "[]\n", "sarif": '"results": []', "junit": '<testcase name="check"'}
    assert expected[form] in captured.out
    assert "The " not in captured.out
    assert "The " in captured.err


def _entry() -> dict[str, Any]:
    return {
        "code": "SGL0201",
        "severity": "error",
        "message": "no `M`",
        "place": None,
        "label": "",
        "labels": [],
        "notes": [],
        "hint": "",
        "documentation_url": None,
    }
