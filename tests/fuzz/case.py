"""An input of the program: the files that are there, and what is done with them.

A case has all that is needed to run it again, in a directory of its own.  What failed is
written as a file of JSON, which ``fuzzing.py --replay FILE`` runs::

    {"target": "tables", "number": 17, "problem": "python name", "said": "... KeyError ...",
     "commands": [["check", "farm.sgl"]], "files": {"farm.sgl": "...", "x.bin": {"base64": "..."}}}
"""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

#: What stands in place of a file: a pipe, or a link to what follows.
PIPE, LINK = "pipe", "link:"


@dataclass(frozen=True)
class Case:
    """Files by name, and command lines of ``sglc``; each runs if the one before it ended well.

    Without command lines the target itself reads the files.  ``places`` are names at which
    there is no file but a pipe or a link.
    """

    files: Mapping[str, bytes]
    commands: tuple[tuple[str, ...], ...] = ()
    places: Mapping[str, str] = field(default_factory=dict)

    def write(self, folder: Path) -> None:
        """Make the files in an empty directory."""
        for name, content in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        for name, what in self.places.items():
            path = folder / name
            path.unlink(missing_ok=True)
            if what == PIPE:
                os.mkfifo(path)
            else:
                path.symlink_to(what.removeprefix(LINK))

    def mentions(self, text: str) -> bool:
        """Whether the input itself has a text, so that a message may quote it."""
        wanted = text.encode()
        return any(wanted in content for content in self.files.values()) or any(
            text in word for command in self.commands for word in command
        )


@dataclass(frozen=True)
class Finished:
    """What became of a case: ``problem`` is empty if nothing is wrong."""

    accepted: bool
    seconds: float
    megabytes: float
    problem: str = ""
    said: str = ""


@dataclass(frozen=True)
class Failure:
    """A case that came to a bad end."""

    target: str
    number: int
    case: Case
    problem: str
    said: str

    def write(self, folder: Path) -> Path:
        """Write it to a file that can be replayed."""
        folder.mkdir(parents=True, exist_ok=True)
        content = {
            "target": self.target,
            "number": self.number,
            "problem": self.problem,
            "said": self.said,
            "commands": self.case.commands,
            "files": {name: _shown(content) for name, content in self.case.files.items()},
            "places": dict(self.case.places),
        }
        path = folder / f"{self.target}-{self.number}.json"
        path.write_text(json.dumps(content, ensure_ascii=True, indent=1) + "\n", "utf-8")
        return path


def read_case(path: Path) -> tuple[str, Case]:
    """The target and the case of a file that ``Failure.write`` has made."""
    content = json.loads(path.read_text("utf-8"))
    files = {name: _bytes(value) for name, value in content["files"].items()}
    commands = tuple(tuple(command) for command in content["commands"])
    return content["target"], Case(files, commands, content["places"])


def _shown(content: bytes) -> Any:  # noqa: ANN401 - a value of JSON
    try:
        return content.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(content).decode()}


def _bytes(value: Any) -> bytes:  # noqa: ANN401 - a value of JSON
    return value.encode() if isinstance(value, str) else base64.b64decode(value["base64"])
