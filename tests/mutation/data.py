"""A small dataset of a mutant, verified against the manifest of the original.

It is small, so that it takes seconds, and large enough for every target to be seen: a
fifth of the training sentences, a twentieth of the exposures, a hundredth of the items.
What the mutant has changed in its own numbers stays changed, by one.  The manifest claims
what the original claims, its numbers reduced alike::

    mutant:    strata, splits  ──draw──> sentences ──┐
    original:  patterns, sizes ──scale─> manifest  ──┴─> verify
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from mutation.claims import TRAIN, Original
from sgl.automata import StructureCompiler
from sgl.core.plan import IN_DISTRIBUTION, Ambiguous, Need, Pattern, Plan, Quota, Stratum
from sgl.dataset import Provenance, manifest, write_checksums, write_manifest
from sgl.dataset.maker import ChunkMaker
from sgl.dataset.manifest import counted_labels
from sgl.dataset.rows import write_items
from sgl.frontend import Compiled
from sgl.sampling import pack
from sgl.sampling.acceptance import REASONS
from sgl.sampling.engine import PackedStratum
from sgl.sampling.strata import StrataSampler, StratumSample, sampler_for
from sgl.verify import Report, verify

#: Divides the numbers of training sentences, of exposures, and of the other splits.
DIVISORS = {IN_DISTRIBUTION: 5, "exposure": 20, "part": 20, "dev": 40, "test": 40, "gen": 100}

#: Numbers of needed parts vary with the sample; so much less than the share is enough.
SLACK = 0.5


def verify_small(
    directory: Path, original: Original, mutant: Compiled, compiler: StructureCompiler, sizes: Mapping[str, int]
) -> Report:
    """Draw, write and verify; ``sizes`` are those of streams that need other ones.

    Raises:
        NotEnoughError: the mutant cannot make so many sentences.
    """
    wanted = {stratum.stream: stratum for stratum in original.plan.strata}
    strata = tuple(stratum.of(_size(stratum, wanted.get(stratum.stream), sizes)) for stratum in mutant.plan.strata)
    plan = replace(mutant.plan, strata=strata)
    splits = {stratum.stream: compiler.split(stratum.constraint) for stratum in strata}
    tables = pack(mutant.grammar, plan, splits)
    sampler = sampler_for(tables)
    maker = ChunkMaker(mutant.grammar, plan, sampler)
    sampling = StrataSampler(sampler)
    samples = [sampling.stratum(number) for number in range(len(tables.strata))]
    files = write_items(directory, plan, maker.chunks, samples, counted=counted_labels(mutant.grammar, plan))
    claimed = scaled_plan(original, sizes)
    counts = [_claimed(stratum) for stratum in claimed.strata]
    provenance = Provenance("mutant", "", "0" * 64, {}, {})
    grammar = original.compiled.grammar
    write_manifest(directory, manifest(grammar, claimed, provenance, counts, [], files))
    write_checksums(directory, {})
    # The data are those of the mutant, and what they are held against is the old manifest.
    reason = "there is no certificate of both"
    return verify(directory, omitted=dict.fromkeys(("V025", "V030", "V031"), reason))


def _claimed(s: Stratum) -> StratumSample:
    """What the manifest says of a stratum, as if it had been drawn."""
    packed = PackedStratum(s.split, s.category, s.stream, s.extent, 0, s.repeated_lemmas)
    rejected, shares = dict.fromkeys(REASONS, 0), s.extent.shares()
    return StratumSample(packed, np.arange(s.count), s.count, rejected, shares, (), np.arange(0))


def scaled(stratum: Stratum) -> int:
    """The reduced number of sentences of a stratum of the original."""
    kind = stratum.category.partition(":")[0] if stratum.split == TRAIN else stratum.split
    return max(min(5, stratum.count), stratum.count // DIVISORS[kind])


def _size(stratum: Stratum, wanted: Stratum | None, sizes: Mapping[str, int]) -> int:
    """The number for a mutant's stratum: one off where the mutant's own number is off."""
    if wanted is None:
        return scaled(stratum)
    off = (stratum.count > wanted.count) - (stratum.count < wanted.count)
    return sizes.get(stratum.stream, scaled(wanted)) + off


def scaled_plan(original: Original, sizes: Mapping[str, int]) -> Plan:
    """The plan of the original with reduced numbers, in its strata and its patterns."""
    plan = original.plan
    strata = tuple(s.of(sizes.get(s.stream, scaled(s))) for s in plan.strata)
    patterns = tuple(_scaled_pattern(original, pattern, strata) for pattern in plan.patterns)
    count = {stratum.stream: stratum.count for stratum in strata}
    parts = tuple(
        replace(part, quotas=_scaled_quotas(part.quotas, f"train/part:{part.name}", count)) for part in plan.parts
    )
    # Nothing is parsed: what the mutant makes is judged by its graphs.
    return replace(plan, strata=strata, patterns=patterns, parts=parts, ambiguous=Ambiguous.IGNORE)


def _scaled_quotas(quotas: Sequence[Quota], stream: str, count: Mapping[str, int]) -> tuple[Quota, ...]:
    return tuple(replace(q, extent=q.extent.of(count[f"{stream}/{i}"])) for i, q in enumerate(quotas))


def _scaled_pattern(original: Original, pattern: Pattern, strata: tuple[Stratum, ...]) -> Pattern:
    count = {stratum.stream: stratum.count for stratum in strata}
    return replace(
        pattern,
        need=tuple(_scaled_need(original, need, strata) for need in pattern.need),
        expose=tuple(
            replace(exposure, extent=exposure.extent.of(count[f"train/exposure:{pattern.name}/{index}"]))
            for index, exposure in enumerate(pattern.expose)
        ),
        quotas=_scaled_quotas(pattern.quotas, f"gen/{pattern.name}", count),
    )


def _scaled_need(original: Original, need: Need, strata: tuple[Stratum, ...]) -> Need:
    """The number in proportion to what is expected in the small training split."""
    full = expected(original, need, original.plan.strata)
    small = expected(original, need, strata)
    return replace(need, minimum=max(1, int(SLACK * need.minimum * small / full)))


def expected(original: Original, need: Need, strata: tuple[Stratum, ...]) -> float:
    """The expected number of training sentences with a part."""
    text = str(need.structure)
    return sum(stratum.count * original.masses[stratum.stream, text] for stratum in strata if stratum.split == TRAIN)
