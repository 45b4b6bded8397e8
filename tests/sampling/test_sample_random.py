"""Random numbers: pinned for ever, and independent of everything but their address."""

from hypothesis import given
from hypothesis import strategies as st

from sgl.sampling.engine import GAMMA, MASK, MIX_1, MIX_2, candidate_key, mix, number, stream_key

words = st.integers(0, MASK)


def test_the_numbers_are_those_of_splitmix64() -> None:
    # The published test vector: the first outputs of SplitMix64 from state 1234567.
    assert [number(1234567, draw) for draw in range(5)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


def test_keys_are_pinned() -> None:
    key = stream_key(2024, "train/in_distribution")
    assert key == 0x761D82D2BB3C87A2
    assert [candidate_key(key, index) for index in range(3)] == [
        0x3DBF6C861C15B88E,
        0x2DD0FFFBB9A6694D,
        0x5775746F828F39EE,
    ]


def unshifted(value: int, shift: int) -> int:
    """Undo ``value ^= value >> shift``."""
    result = value
    for _ in range(64 // shift):
        result = value ^ (result >> shift)
    return result


@given(words)
def test_mixing_loses_nothing(value: int) -> None:
    back = unshifted(mix(value), 31)
    back = unshifted(back * pow(MIX_2, -1, 2**64) & MASK, 27)
    back = unshifted(back * pow(MIX_1, -1, 2**64) & MASK, 30)
    assert back == value


@given(words, st.integers(0, 10**9))
def test_a_number_needs_none_before_it(key: int, draw: int) -> None:
    state = key
    state = (state + (draw + 1) * GAMMA) & MASK
    assert number(key, draw) == mix(state)


def test_streams_and_seeds_differ() -> None:
    keys = {stream_key(seed, name) for seed in range(50) for name in ("train", "dev", "gen/a")}
    assert len(keys) == 150
