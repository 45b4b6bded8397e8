"""Datasets that ask for little: none at all, patterns without items, training that is mostly exposures."""

from collections.abc import Iterable, Iterator

from sgl.core.plan import EXPOSURE_PREFIX, IN_DISTRIBUTION, Stratum
from sgl.frontend import Compiled
from sgl.lint.registry import Finding, Subject, of_dataset


@of_dataset("SGL0822")
def patterns_without_items(_: Subject, compiled: Compiled) -> Iterator[Finding]:
    """Find patterns that hold something out, and never test it."""
    for lowered in compiled.patterns:
        if lowered.pattern.forbid and not lowered.pattern.quotas:
            name = lowered.declaration.name
            yield Finding(name.span, f"the pattern `{name}` has no items", "say how many: `size 1000`")


@of_dataset("SGL0835")
def mostly_exposures(_: Subject, compiled: Compiled) -> Iterator[Finding]:
    """Find training with more exposures than other sentences."""
    training = [stratum for stratum in compiled.plan.strata if stratum.split == "train"]
    written, exposed = (_count(training, of) for of in (IN_DISTRIBUTION, EXPOSURE_PREFIX))
    # All sentences that there are have not been counted yet.
    if exposed > written > 0 and not any(stratum.extent.every for stratum in training):
        place = next(lowered.span("expose", 0) for lowered in compiled.patterns if lowered.pattern.expose)
        message = f"training has {exposed:,} exposures beside the {written:,} sentences of `train`"
        hint = "expose fewer: exposures come on top of `train`, and `per target` counts for each of the targets"
        yield Finding(place, message, hint)


def _count(strata: Iterable[Stratum], prefix: str) -> int:
    return sum(stratum.extent.count for stratum in strata if stratum.category.startswith(prefix))
