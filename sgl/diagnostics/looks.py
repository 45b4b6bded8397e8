"""What was found out about files, so that it can be asked again.

Reading a grammar follows names to files and reads these.  Every answer of the file system
that the result depends on is noted: where a path led, what a file contained.  While all
answers stay the same, reading again would give the same::

    looks.links["/farm/animals.yaml"]          "/farm/tables/animals.yaml"
    looks.contents["/farm/tables/animals.yaml"]      SHA-256 of its bytes

What is missing or cannot be read is noted by giving up (``complete`` is false): a message
about it may name other files of the directory, so that more counts than one path.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Looks:
    """The answers of the file system that a result depends on."""

    links: dict[str, str] = field(default_factory=dict)
    contents: dict[str, str] = field(default_factory=dict)
    complete: bool = True

    def followed(self, asked: Path, found: Path) -> None:
        """Note where a path led, symbolic links followed."""
        self._note(self.links, os.fspath(asked), os.fspath(found))

    def read(self, path: Path, content: bytes) -> None:
        """Note what a file contained."""
        self._note(self.contents, os.fspath(path), hashlib.sha256(content).hexdigest())

    def missed(self) -> None:
        """Note that something was not there, or not as it should be."""
        self.complete = False

    def _note(self, known: dict[str, str], path: str, answer: str) -> None:
        if known.setdefault(path, answer) != answer:
            # It was changed between two looks.
            self.complete = False

    def hold(self) -> bool:
        """Whether the file system would give the same answers now."""
        try:
            return (
                self.complete
                and all(str(Path(asked).resolve()) == led for asked, led in self.links.items())
                and all(_digest(path) == digest for path, digest in self.contents.items())
            )
        except (OSError, RuntimeError, ValueError):
            return False

    def digest(self) -> str:
        """The SHA-256 of all answers."""
        found = hashlib.sha256()
        for known in (self.links, self.contents):
            found.update(repr(sorted(known.items())).encode("utf-8", "backslashreplace"))
        return found.hexdigest()


def _digest(path: str) -> str:
    """The hash of a file; no file is larger than those that were read."""
    if not Path(path).is_file():
        # A pipe in its place would never end.
        return ""
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()
