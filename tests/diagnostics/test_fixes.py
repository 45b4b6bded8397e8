"""Hints that are edits: each that the examples of messages have is applied, and the message is gone."""

from __future__ import annotations

from pathlib import Path

import pytest
from diagnostics import MAIN
from test_diagnostics_golden import CASES, Case

from sgl.diagnostics import Diagnostic, SourceMap
from sgl.diagnostics.fixes import fixes_of
from sgl.engine import Snapshot, Workspace

#: The same mistake in another place, a mistake that the first one has hidden, and a file that no case has.
NEXT = {"A category with a bar", "Full-width signs look like plain ones", "A misspelt value, twice"}
NEXT |= {"The category of a lexicon that is not indented"}


#: A file that cannot be read, or a comment that allows nothing, is the fault of the edit.
UNREADABLE = {"SGL0101", "SGL0102", "SGL0103", "SGL0104", "SGL0114"}


def said(snapshot: Snapshot) -> tuple[Diagnostic, ...]:
    return (*snapshot.diagnostics, *snapshot.claims().diagnostics)


def told(snapshot: Snapshot) -> set[tuple[str, str]]:
    return {(one.code, one.message) for one in said(snapshot)}


def edits(case: Case, directory: Path) -> list[tuple[Diagnostic, str, Path, str]]:
    """For each fix the message, what it says, the file, and the text of the file after it."""
    for name, text in case.files().items():
        (directory / name).parent.mkdir(parents=True, exist_ok=True)
        (directory / name).write_text(text, "utf-8")
    snapshot = Workspace().open(directory / MAIN)
    sources: SourceMap = snapshot.sources
    return [
        (one, title, snapshot.path_of(edit.span.file), edit.applied(sources.files[edit.span.file].text))
        for one in said(snapshot)
        if one.span is not None and one.span.file in sources.files
        for title, edit in fixes_of(one, sources.files[one.span.file])
    ]


#: Of some files the fixes of every case are applied by default; the claims of others take longer.
QUICK = ("names", "newcomers", "reading", "rules")


@pytest.mark.parametrize(
    "case",
    [pytest.param(case, marks=() if case.path.stem in QUICK else pytest.mark.slow, id=str(case)) for case in CASES],
)
def test_a_fix_removes_its_message(case: Case, tmp_path: Path) -> None:
    found = edits(case, tmp_path)
    before = told(Workspace().open(tmp_path / MAIN)) if found else set()
    for message, title, path, text in found:
        workspace = Workspace()
        workspace.edit(path, text)
        after = told(workspace.open(tmp_path / MAIN))
        if case.title not in NEXT:
            assert (message.code, message.message) not in after, title
            assert not {code for code, _ in after - before} & UNREADABLE, title


def test_most_kinds_of_hints_that_are_edits_occur_in_the_examples(tmp_path: Path) -> None:
    quick = [case for case in CASES if case.path.stem in QUICK]
    found = [edit for number, case in enumerate(quick) for edit in edits(case, tmp_path / str(number))]
    assert len({message.code for message, *_ in found}) >= 8
    assert len(found) >= 40
