"""Which structures the checks will ask for in the sentences of a category.

The set is written as an integer with a bit for each structure.  It saves searches that
no check asks for, and lets all searches of a frame be made together.  A structure that
is left out here is searched when a check asks for it, so that nothing rests on this
module but speed::

    train  in_distribution    what is held out, reserved, needed, own to a part, or nowhere
    train  exposure:p         the same, and what p exposes
    gen    p                  what is held out, own to a part, or nowhere; instances,
                              exclusions and quotas of p
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sgl.verify.items import EXPOSURE, GENERALIZATION, PART
from sgl.verify.manifest import Clause, Manifest, Quota


class Questions(dict[tuple[str, str], int]):
    """The structures asked for by split and category, found out when first looked up."""

    def __init__(self, manifest: Manifest) -> None:
        super().__init__()
        self._manifest = manifest

    def __missing__(self, key: tuple[str, str]) -> int:
        """The structures asked for in a category of a split."""
        numbers = {clause.number for clause in self._asked(*key)}
        bits = self[key] = sum(1 << number for number in numbers)
        return bits

    def _asked(self, split: str, category: str) -> Iterator[Clause]:
        manifest = self._manifest
        yield from manifest.nowhere
        for part in manifest.parts:
            yield from part.only
            if category == PART + part.name:
                yield from _of_quotas(part.quotas)
        for pattern in manifest.patterns:
            yield from pattern.held_out
            if split != GENERALIZATION:
                yield from pattern.reserved
                yield from (need.clause for need in pattern.need)
            if category == EXPOSURE + pattern.name:
                yield from (part.clause for part in pattern.expose)
            if category == pattern.name:
                yield from (*pattern.instances, *pattern.exclude)
                yield from _of_quotas(pattern.quotas)


def _of_quotas(quotas: Iterable[Quota]) -> Iterator[Clause]:
    for quota in quotas:
        yield from quota.outside
        for group in quota.within:
            yield from group
