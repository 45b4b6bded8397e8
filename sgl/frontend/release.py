"""Read the ``release`` declaration: version, licence, authors, and how the data are cited."""

import re
from datetime import date

from sgl.core.release import Release, canary_of, licences
from sgl.diagnostics import Label, suggest
from sgl.frontend.state import CompilerState
from sgl.lang import syntax as s

#: What the value of a clause looks like, and how to write it; texts that may be anything have none.
_FORMS = {
    "languages": (re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*"), 'codes such as `en`, `ja` or `"zh-Hant"`'),
    "homepage": (re.compile(r"https?://[^\s\"<>]+"), "an address that begins with `https://`"),
    "date": (re.compile(r"\d{4}-\d\d-\d\d"), '`"2026-11-23"`: year, month and day'),
    "canary": (re.compile("on|off"), "`on` or `off`"),
    "authors": (re.compile(r"\S.*"), '`"Lovelace, Ada"` or the name of a group'),
    "cite": (re.compile(r"\S.*"), "how the dataset is cited, in quotation marks"),
}
_SEVERAL = ("authors", "languages")
#: What every release says.
_EXAMPLES = {"licence": '`licence "CC-BY-4.0"`', "authors": '`authors "Lovelace, Ada"`'}
_KEYS = ("licence", *_FORMS)
_VERSION = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)")
#: A licence that is not in the table.
_OWN_LICENCE = re.compile(r"LicenseRef-[A-Za-z0-9.-]+")


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
    said: dict[str, tuple[str, ...]] = {}
    places: dict[str, s.Name] = {}
    for clause in first.clauses:
        key = clause.key.text
        if key in places:
            state.report_twice("clause", clause.key, places[key].span, "remove one of the two")
        places.setdefault(key, clause.key)
        if key not in _KEYS:
            hint = suggest(key, _KEYS, "it has")
            state.error("SGL0201", clause.key.span, f"a release has no `{key}`", hint)
            continue
        said[key] = tuple(value.text for value in clause.values)
        _check(clause, state)
    for key, example in _EXAMPLES.items():
        if key not in places:
            message = f"the release does not say its `{key}`"
            state.error("SGL0833", first.span, message, f"add {example}")
    if state.diagnostics.errors == errors:
        single = {key: values[0] for key, values in said.items()}
        authors = said["authors"]
        state.release = Release(
            version=first.version.text,
            licence=single["licence"],
            authors=authors,
            languages=said.get("languages", ()),
            cite=single.get("cite", ""),
            homepage=single.get("homepage", ""),
            date=single.get("date", ""),
            canary="" if single.get("canary") == "off" else canary_of(state.project.name, authors[0]),
        )


def _check(clause: s.ReleaseClause, state: CompilerState) -> None:
    """Report values of a clause that nobody could read."""
    key = clause.key.text
    if key not in _SEVERAL and len(clause.values) > 1:
        hint = "put the whole text in quotation marks"
        state.error("SGL0833", clause.values[1].span, f"`{key}` has one value", hint)
    for value in clause.values:
        if key == "licence":
            known = licences()
            if value.text not in known and not _OWN_LICENCE.fullmatch(value.text):
                hint = suggest(value.text, known, "it is one of SPDX") or ""
                state.error("SGL0833", value.span, f"there is no licence `{value}`", hint)
        elif not _FORMS[key][0].fullmatch(value.text) or (key == "date" and not _is_date(value.text)):
            state.error("SGL0833", value.span, f"`{value}` does not fit `{key}`", f"write {_FORMS[key][1]}")


def _is_date(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True
