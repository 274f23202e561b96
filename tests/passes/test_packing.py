"""Packing never overlaps what lives at the same time."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tilelang.passes.packing import LiveRange, pack, pack_apart, round_up

ranges = st.lists(
    st.builds(
        lambda name, size, alignment, start, length: LiveRange(f"b{name}", size, alignment, start, start + length),
        st.integers(0, 99),
        st.integers(1, 5000),
        st.sampled_from([16, 128, 1024]),
        st.integers(0, 12),
        st.integers(1, 6),
    ),
    max_size=12,
)


@given(ranges)
def test_live_ranges_do_not_overlap(given_ranges: list[LiveRange]) -> None:
    for packing in (pack(given_ranges), pack_apart(given_ranges)):
        placed = list(zip(given_ranges, packing.offsets, strict=True))
        for index, (one, offset) in enumerate(placed):
            assert offset % one.alignment == 0
            assert offset + one.size <= packing.size
            for other, place in placed[index + 1 :]:
                apart_in_time = one.end <= other.start or other.end <= one.start
                apart_in_memory = offset + one.size <= place or place + other.size <= offset
                assert apart_in_memory or (apart_in_time and packing.offsets == pack(given_ranges).offsets)


@given(ranges)
def test_reuse_never_needs_more_than_the_sum(given_ranges: list[LiveRange]) -> None:
    generous = sum(round_up(one.size, 1024) + 1024 for one in given_ranges)
    assert pack(given_ranges).size <= generous


def test_a_later_buffer_takes_the_place_of_dead_ones() -> None:
    tiles = [LiveRange("A", 8192, 16, 0, 2), LiveRange("B", 8192, 16, 0, 2), LiveRange("C", 16384, 16, 2, 3)]
    assert pack(tiles).offsets == (0, 8192, 0)
    assert pack(tiles).size == 16384
    assert pack_apart(tiles).size == 32768


def test_the_last_free_block_grows() -> None:
    tiles = [LiveRange("A", 1024, 16, 0, 3), LiveRange("B", 512, 16, 0, 1), LiveRange("C", 2048, 16, 1, 3)]
    assert pack(tiles).offsets == (0, 1024, 1024)
    assert pack(tiles).size == 3072


def test_the_gap_before_an_aligned_buffer_is_used() -> None:
    tiles = [LiveRange("A", 16, 16, 0, 4), LiveRange("B", 1024, 1024, 1, 4), LiveRange("C", 512, 16, 2, 4)]
    assert pack(tiles).offsets == (0, 1024, 16)
