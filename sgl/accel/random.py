"""The numbers of ``sgl.sampling.random`` in kernels: the same mixing, the same results."""

from __future__ import annotations

import numpy as np

from sgl.accel.jit import part

GAMMA = np.uint64(0x9E3779B97F4A7C15)
MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_2 = np.uint64(0x94D049BB133111EB)

_27, _30, _31 = np.uint64(27), np.uint64(30), np.uint64(31)


@part
def mix(value: np.uint64) -> np.uint64:
    """Return the finaliser of SplitMix64: a bijection of the 64-bit integers."""
    value = (value ^ (value >> _30)) * MIX_1
    value = (value ^ (value >> _27)) * MIX_2
    return value ^ (value >> _31)


@part
def candidate_key(key: np.uint64, index: int) -> np.uint64:
    """Return the key of candidate ``index`` (from 0) of the stream with this key."""
    return mix(key + np.uint64(index + 1) * GAMMA)
