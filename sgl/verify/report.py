"""What the verifier says: one result per check, with its evidence."""

import tomllib
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from sgl.verify.skeleton import visible

if TYPE_CHECKING:
    from sgl.verify.dataset import LoadedData

Status = Literal["passed", "failed", "skipped"]

#: Violations that are kept with their sentences; all are counted.
SHOWN = 20


@dataclass(frozen=True, slots=True)
class Violation:
    """One thing that is not as claimed.

    ``place`` is a file with a line, or the place in the manifest.  For a sentence, ``match`` pairs
    the variables of the structure that was found with their tokens, ``("N", "dog (2)")``, from 1.
    Quotations are as in the files; ``str`` escapes what a terminal would hide or obey.
    """

    message: str
    place: str = ""
    sent_id: str = ""
    sentence: str = ""
    match: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        parts = [self.message]
        if self.sentence:
            parts.append(f"{self.sent_id} “{self.sentence}”")
        if self.match:
            parts.append(", ".join(f"{name} = {token}" for name, token in self.match))
        if self.place:
            parts.append(self.place)
        return visible(" · ".join(parts))


@dataclass(frozen=True, slots=True)
class Figure:
    """A count worth reporting beside the verdict; ``detail`` gives examples."""

    label: str
    value: int
    detail: str = ""


@dataclass(slots=True)
class Result:
    """The outcome of one check, which fills it.

    ``total`` counts all violations, of which ``violations`` are the first, among ``checked``
    things.  ``reason`` says why a check was skipped.
    """

    code: str
    name: str
    claim: str
    status: Status = "passed"
    checked: int = 0
    total: int = 0
    violations: list[Violation] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    reason: str = ""

    @classmethod
    def of(cls, code: str) -> "Result":
        """Return the result of a check that has found nothing yet."""
        return cls(code, CLAIMS[code]["name"], CLAIMS[code]["claim"])

    def add(self, violation: Violation | Callable[[], Violation]) -> None:
        """Count a violation; it is made, if it has to be, and kept if it is among the first."""
        if len(self.violations) < SHOWN:
            self.violations.append(violation() if callable(violation) else violation)
        self.total += 1
        self.status = "failed"

    def fault(self, message: str, place: str = "", sent_id: str = "", sentence: str = "") -> None:
        """Count a violation in which no structure was found."""
        self.add(Violation(message, place, sent_id, sentence))

    def figure(self, label: str, value: int, detail: str = "") -> None:
        """Report a count."""
        self.figures.append(Figure(label, value, detail))


@dataclass(frozen=True, slots=True)
class Report:
    """The outcome of all checks on one dataset.

    ``items`` counts the sentences that were read, ``shapes`` how many different ones the structures
    can tell apart.  The ``signature`` is empty while the directory has no list of its files.
    """

    name: str
    identity: str
    signature: str
    items: int
    shapes: int
    results: tuple[Result, ...]

    @property
    def ok(self) -> bool:
        """Whether no check failed."""
        return not self.failed

    @property
    def failed(self) -> tuple[Result, ...]:
        """The checks that failed."""
        return tuple(result for result in self.results if result.status == "failed")

    def result(self, code: str) -> Result:
        """Return the outcome of the check with this code; raises ``KeyError``."""
        return {result.code: result for result in self.results}[code]

    def as_data(self) -> dict[str, object]:
        """Return the report as plain data, for JSON."""
        return {"ok": self.ok, **asdict(self)}


#: What reports to a result what is wrong with a dataset.
CheckFunction = Callable[["LoadedData", Result], None]

#: What is claimed of a dataset, and the functions that check it, by the codes of the checks.
CLAIMS = tomllib.loads(Path(__file__).with_name("checks.toml").read_text("utf-8"))
FUNCTIONS: dict[str, CheckFunction] = {}


def checks(code: str) -> Callable[[CheckFunction], CheckFunction]:
    """Make a function the check with a code in ``checks.toml``."""

    def register(function: CheckFunction) -> CheckFunction:
        FUNCTIONS[code] = function
        return function

    return register


class SkippedError(Exception):
    """Raised by a check that cannot be made here; the message says why."""
