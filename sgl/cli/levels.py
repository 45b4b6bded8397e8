"""How much a warning counts: ``--deny``, ``--warn`` and ``--allow``, and comments that allow one.

A comment is about one declaration, and so has the last word.  Errors stay errors.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import click

from sgl.diagnostics import CODES, Diagnostic, Severity, suggest
from sgl.lang.allowed import AllowedWarnings

#: Where a context has the levels of codes, which the session alone needs.
LEVELS = "sgl.levels"

#: All codes that have no level of their own.
ALL = "all"

_HELP = {
    "deny": "Take the warning CODE, or `all`, for an error (repeatable).",
    "warn": "Keep CODE a warning in spite of `--deny all` (repeatable).",
    "allow": "Leave out the warning CODE, or `all` (repeatable).",
}


def _note(context: click.Context, parameter: click.Parameter, codes: tuple[str, ...]) -> None:
    """Note the level of each code; a code has one."""
    levels: dict[str, str] = context.meta.setdefault(LEVELS, {})
    level = parameter.name or ""
    for code in codes:
        name = code.lower() if code.lower() == ALL else code.upper()
        if name != ALL and name not in CODES:
            hint = suggest(name, CODES) or "`sglc explain` lists all"
            raise click.BadParameter(f"there is no code `{code}`; {hint}", context, parameter)
        if levels.setdefault(name, level) != level:
            raise click.BadParameter(f"`--{levels[name]} {name}` says otherwise", context, parameter)


def level_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--deny``, ``--warn`` and ``--allow`` to a command with a session."""
    for level, text in reversed(_HELP.items()):
        command = click.option(
            f"--{level}", multiple=True, metavar="CODE", callback=_note, expose_value=False, help=text
        )(command)
    return command


@dataclass(frozen=True)
class Judge:
    """What becomes of a diagnostic, by the levels of codes and the comments of files."""

    levels: Mapping[str, str]
    allowed: AllowedWarnings

    def __call__(self, found: Diagnostic) -> Diagnostic | None:
        """Return the diagnostic as it counts; None if it does not."""
        level = self.levels.get(found.code, "")
        if found.severity is Severity.ERROR:
            note = f"`--{level} {found.code}` has no effect, as this is an error"
            return replace(found, notes=(*found.notes, note)) if level in ("warn", "allow") else found
        level = level or self.levels.get(ALL, "")
        if self.allowed(found) or level == "allow":
            return None
        return replace(found, severity=Severity.ERROR) if level == "deny" else found
