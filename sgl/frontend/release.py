"""Read the ``release`` declaration: version, licence, authors, and how the data are cited."""

import re

from sgl.core.release import Release, canary_of, known
from sgl.diagnostics import Label, suggest
from sgl.frontend.state import CompilerState
from sgl.lang import syntax as s

_VERSION = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)")
#: What every release says.
_NECESSARY = {"licence": 'add `licence "CC-BY-4.0"`', "authors": 'add `authors "Lovelace, Ada"`'}


def read_release(state: CompilerState) -> None:
    """Read what the main file says of a release.

    Before: ``names``.  After: ``release``, if there is one without mistakes.
    """
    declared = [d for d in state.project.main.file.declarations if isinstance(d, s.ReleaseDecl)]
    if not declared:
        return
    first, errors = declared[0], state.diagnostics.errors
    for other in declared[1:]:
        labels = [Label(first.span, "declared here first")]
        state.error("SGL0203", other.span, "a grammar has one `release` declaration", labels=labels)
    if not _VERSION.fullmatch(first.version.text):
        message = f"`{first.version}` is no version of a dataset"
        state.error("SGL0833", first.version.span, message, 'write three numbers: `release "1.0.0"`')
    said: dict[str, s.ReleaseClause] = {}
    for clause in first.clauses:
        if clause.key.text in said:
            earlier = said[clause.key.text].key.span
            state.report_twice("clause", clause.key, earlier, "remove one of the two")
        said.setdefault(clause.key.text, clause)
        _check(clause, state)
    for key, hint in _NECESSARY.items():
        if key not in said:
            state.error("SGL0833", first.span, f"the release does not say its `{key}`", hint)
    if state.diagnostics.errors == errors:
        values = {key: tuple(value.text for value in clause.values) for key, clause in said.items()}
        licence, cite, homepage, date, canary = (
            values.get(key, ("",))[0] for key in ("licence", "cite", "homepage", "date", "canary")
        )
        authors = values["authors"]
        guid = "" if canary == "off" else canary_of(state.project.name, authors[0])
        languages = values.get("languages", ())
        state.release = Release(first.version.text, licence, authors, languages, cite, homepage, date, guid)


def _check(clause: s.ReleaseClause, state: CompilerState) -> None:
    """Report a clause that no release has, and values that nobody could read."""
    key, table = clause.key.text, known()
    if key not in table["clauses"]:
        hint = suggest(key, table["clauses"], "it has")
        state.error("SGL0201", clause.key.span, f"a release has no `{key}`", hint)
        return
    form = table["clauses"][key]
    listed = table["licences"] if key == "licence" else {}
    if "several" not in form and len(clause.values) > 1:
        hint = "put the whole text in quotation marks"
        state.error("SGL0833", clause.values[1].span, f"`{key}` has one value", hint)
    for value in clause.values:
        if value.text not in listed and not re.fullmatch(form["form"], value.text):
            hint = suggest(value.text, listed, form["hint"]) if listed else form["hint"]
            state.error("SGL0833", value.span, f"`{value}` does not fit `{key}`", hint)
