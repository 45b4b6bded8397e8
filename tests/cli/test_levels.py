"""Warnings that count more or less: on the command line, and by comments that name them."""

from __future__ import annotations

import pytest
from diagnostics import BASE, MAIN, assert_diagnostics
from workplace import ROWS, Workplace

from sgl.cli.main import FAILED, OK, USAGE, run
from sgl.engine import Workspace

#: A grammar with one warning.
UNUSED = BASE + "category Unused\n"


def codes(work: Workplace, *options: str, status: int = OK, text: str = UNUSED) -> list[str]:
    """What ``check`` says: ``warning[SGL0204]`` and the like."""
    work.write(MAIN, text)
    assert run(["check", MAIN, "--format", "concise", *options]) == status
    said = work.capsys.readouterr().err.splitlines()
    return [line.split(": ")[1] for line in said if "[SGL" in line]


@pytest.mark.parametrize(
    ("options", "status", "expected"),
    [
        ((), OK, ["warning[SGL0204]"]),
        (("--deny", "SGL0204"), FAILED, ["error[SGL0204]"]),
        (("--deny", "all"), FAILED, ["error[SGL0204]"]),
        (("--deny", "all", "--warn", "sgl0204"), OK, ["warning[SGL0204]"]),
        (("--allow", "all", "--deny", "SGL0204"), FAILED, ["error[SGL0204]"]),
        (("--deny", "SGL0405"), OK, ["warning[SGL0204]"]),
        (("--allow", "SGL0204"), OK, []),
    ],
    ids=str,
)
def test_a_code_has_the_level_that_is_asked_for(
    options: tuple[str, ...], status: int, expected: list[str], work: Workplace
) -> None:
    assert codes(work, *options, status=status) == expected


def test_an_error_stays_one_and_says_so(work: Workplace) -> None:
    work.write(MAIN, BASE + "rule np: NP -> Mouse\n")
    assert run(["check", MAIN, "--allow", "SGL0201"]) == FAILED
    assert "= `--allow SGL0201` has no effect: this is an error" in work.capsys.readouterr().err


def test_what_is_denied_stops_a_compilation(work: Workplace) -> None:
    work.write(MAIN, UNUSED)
    work.refuses(FAILED, "error[SGL0204]", command=("compile", "--deny", "all"))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--deny", "SGL0240"), "there is no code `SGL0240`"),
        (("--deny", "SGL0204", "--allow", "SGL0204"), "says otherwise"),
    ],
)
def test_contradictions_and_unknown_codes_are_refused(options: tuple[str, ...], said: str, work: Workplace) -> None:
    assert run(["check", MAIN, *options]) == USAGE
    assert said in work.capsys.readouterr().err


@pytest.mark.parametrize(
    "declaration",
    [
        "# allow SGL0204\ncategory Unused\n",
        "# allow SGL0204: later\n# about adverbs\ncategory Unused\n",
        "category Unused  # allow SGL0204: later\n",
        "category Unused\n  # allow SGL0713, SGL0204\n",
        "#allow SGL0204\ncategory Unused\n",
    ],
)
def test_a_comment_allows_a_warning_of_its_declaration(declaration: str, work: Workplace) -> None:
    expected = ["warning[SGL0114]"] if "SGL0713" in declaration else []
    assert codes(work, text=BASE + declaration) == expected
    # The comment knows better than the command line.
    assert codes(work, "--deny", "SGL0204", text=BASE + declaration) == expected


@pytest.mark.parametrize(
    "declaration",
    [
        "# allow SGL0204\n\ncategory Unused\n",
        '# allow SGL0204\nword N: "mouse"\n  ja "鼠"\n  syn node(upos=NOUN)\ncategory Unused\n',
        "category Unused\ncategory Other  # allow SGL0713\n",
    ],
)
def test_a_comment_elsewhere_allows_nothing_and_is_reported(declaration: str, work: Workplace) -> None:
    found = codes(work, text=BASE + declaration)
    assert sorted({*found}) == ["warning[SGL0114]", "warning[SGL0204]"]


def test_the_unused_code_is_marked(work: Workplace) -> None:
    source = "# allow SGL0204, SGL9998\ncategory Unused\n# allow SGL0201\n"
    marked = [("SGL0114", "SGL9998"), ("SGL0114", "SGL0201")]
    assert_diagnostics(source, marked, work.directory)


def test_unused_comments_are_reported_only_by_what_checks_everything(work: Workplace) -> None:
    text = BASE + "# allow SGL0204\ncategory Unused\n# allow SGL0854\n# allow SGL0908\n"
    assert codes(work, text=text) == ["warning[SGL0114]"]
    assert codes(work, "--fast", text=text) == []
    assert codes(work, "--allow", "SGL0114", text=text) == []


def test_other_commands_keep_to_comments_too(work: Workplace) -> None:
    work.write(MAIN, BASE + "# allow SGL0204\ncategory Unused\n")
    assert run(["sample", MAIN, "-n", "1"]) == OK
    assert work.capsys.readouterr().err == ""


def test_a_row_of_a_table_has_its_comment(work: Workplace) -> None:
    lexicon = 'lexicon more from "more.yaml"\n  N\n    en $en\n    ja $ja\n    syn node(upos=NOUN)\n'
    row = "- {en: hen, ja: 鶏, note: x}"
    work.write("more.yaml", f"{ROWS}{row}\n")
    assert codes(work, text=BASE + lexicon) == ["warning[SGL0612]"]
    work.write("more.yaml", f"{ROWS}{row}  # allow SGL0612: for readers\n")
    assert codes(work, text=BASE + lexicon) == []


def test_the_engine_of_editors_keeps_to_comments_too(work: Workplace) -> None:
    path = work.write(MAIN, BASE + "# allow SGL0204\ncategory Unused\ncategory Other\n")
    (found,) = Workspace().open(path).diagnostics
    assert "`Other`" in found.message
