"""Random numbers that are a function of (seed, stream, candidate, draw) alone.

There is no generator that is advanced from item to item.  Every number is
computed from where it is used, so that a candidate does not depend on how many
were drawn before it, on the other streams, or on who draws it::

    seed 2024, stream "train/in_distribution"  -> stream key
    stream key, candidate 17                   -> candidate key
    candidate key, draw 0, 1, 2, ...           -> one 64-bit number each

The mixing is SplitMix64: a counter that moves by an odd constant, followed by a
bijective finaliser (Steele, Lea & Flood 2014, "Fast splittable pseudorandom
number generators", section 3; the finaliser's constants are Stafford's variant
13, as in the Java library).
"""

from hashlib import sha256

#: Name of the scheme, for manifests; a change of any number changes the name.
SCHEME = "splitmix64-counter/1"

MASK = 0xFFFFFFFFFFFFFFFF
GAMMA = 0x9E3779B97F4A7C15
MIX_1 = 0xBF58476D1CE4E5B9
MIX_2 = 0x94D049BB133111EB


def mix(value: int) -> int:
    """Return the finaliser of SplitMix64: a bijection of the 64-bit integers."""
    value = ((value ^ (value >> 30)) * MIX_1) & MASK
    value = ((value ^ (value >> 27)) * MIX_2) & MASK
    return value ^ (value >> 31)


def stream_key(seed: int, stream: str) -> int:
    """Return the 64-bit key of a stream: the first bytes of SHA-256 of "seed/stream"."""
    digest = sha256(f"{seed}/{stream}".encode()).digest()
    return int.from_bytes(digest[:8], "big")


def candidate_key(key: int, index: int) -> int:
    """Return the key of candidate ``index`` (from 0) of the stream with this key."""
    return mix((key + (index + 1) * GAMMA) & MASK)


def number(key: int, draw: int) -> int:
    """Draw ``draw`` (from 0) of the candidate with this key: 64 random bits."""
    return mix((key + (draw + 1) * GAMMA) & MASK)
