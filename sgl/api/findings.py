"""A result: a table to look at, and everything that was found, as plain data."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, Any

from sgl.api.problems import working

if TYPE_CHECKING:
    import pandas as pd

#: Pictures of one page have different names.
_NUMBERS = count(1)


class Shown:
    """Something that a notebook shows with a part of the template."""

    _part = "findings"

    def _repr_html_(self) -> str:
        from sgl.report.render import page_environment

        environment = page_environment("sgl.api")
        environment.filters["shown"] = shown
        return environment.get_template("notebook.html.j2").render(part=self._part, it=self, numbers=_NUMBERS)


@dataclass(frozen=True, repr=False)
class Findings(Shown):
    """What a method has found."""

    summary: str
    ok: bool
    columns: Sequence[str]
    rows: Sequence[Sequence[object]]
    data: Mapping[str, Any] = field(default_factory=dict)
    messages: str = ""

    def __repr__(self) -> str:
        return f"<{self.summary}>"

    def __str__(self) -> str:
        from sgl.report.model import columns

        table = columns([tuple(self.columns), *(tuple(map(shown, row)) for row in self.rows)])
        return "\n".join([*table, "", self.summary, *[self.messages] * bool(self.messages)])

    @working()
    def to_pandas(self) -> "pd.DataFrame":
        """Return the table as a data frame; needs pandas."""
        import pandas as pd

        return pd.DataFrame(list(self.rows), columns=list(self.columns))


def shown(value: object) -> str:
    """Return a cell as a text: ``1,000``, ``0.25``, ``proved``."""
    if isinstance(value, float):
        return f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
