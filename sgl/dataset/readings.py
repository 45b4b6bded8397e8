"""What parsing the strings of a dataset has found: for each stratum, and in all.

The manifest has the figures of each stratum; everything that speaks of the whole, such as
the card, the report and the summary of ``sglc compile``, takes its sentence from here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sgl.core.plan import Ambiguous


@dataclass(frozen=True, slots=True)
class Readings:
    """What parsing the strings of a stratum has found, in numbers of strings.

    Attributes:
        parsed: the strings, those rejected as ambiguous included.
        several: those with several readings.
        held_out: strings of train, dev and test of which some reading contains what a
            pattern holds out; ``patterns`` counts them by pattern.
        outputs: strings whose readings differ in another text layer.
        ambiguous: strings of which one or the other is true.
    """

    parsed: int
    several: int
    held_out: int
    outputs: int
    ambiguous: int
    patterns: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StringFigures:
    """The figures of a whole dataset, and what its author wants of ambiguous strings."""

    policy: Ambiguous
    parsed: int
    several: int
    held_out: int
    outputs: int
    ambiguous: int

    @property
    def sentence(self) -> str:
        """The figures in words."""
        if self.policy is Ambiguous.IGNORE:
            return "not parsed, so that other readings are not looked at (`ambiguous ignore`)"
        if not self.several:
            return f"{self.parsed:,} parsed: each has one reading"
        kept = "rejected" if self.policy is Ambiguous.REJECT else "KEPT (`ambiguous report`)"
        return (
            f"{self.parsed:,} parsed: {self.several:,} with several readings, "
            f"{self.held_out:,} of them with one that contains what is held out, "
            f"{self.outputs:,} with another output; {self.ambiguous:,} {kept}"
        )


def string_figures(manifest: Mapping[str, Any]) -> StringFigures:
    """Return the figures of the dataset that has this manifest.

    Raises:
        KeyError, TypeError, ValueError: the manifest does not have them.
    """
    found = [
        stratum["readings"]
        for split in manifest["splits"].values()
        for stratum in split["strata"]
        if stratum["readings"] is not None
    ]
    names = ("parsed", "several", "held_out", "outputs", "ambiguous")
    policy = Ambiguous(manifest["ambiguous"]["policy"])
    return StringFigures(policy, *(sum(entry[name] for entry in found) for name in names))
