"""Sectors, banks and vector widths of a warp."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilelang.passes.access.traffic import bank_conflict, least_sectors, sectors_of, vector_width


@pytest.mark.parametrize(
    ("stride", "size", "sectors", "least"),
    [(4, 4, 4, 4), (8, 4, 8, 4), (32, 4, 32, 4), (16, 16, 16, 16), (2, 2, 2, 2), (0, 4, 1, 1)],
)
def test_sectors(stride: int, size: int, sectors: int, least: int) -> None:
    starts = [lane * stride for lane in range(32)]
    assert sectors_of(starts, size) == sectors
    assert least_sectors(starts, size) == least


@pytest.mark.parametrize(
    ("stride", "size", "ways"),
    [(4, 4, 1), (8, 4, 2), (128, 4, 32), (132, 4, 1), (0, 4, 1), (2, 2, 1), (64, 2, 16), (16, 16, 1), (128, 16, 8)],
)
def test_banks(stride: int, size: int, ways: int) -> None:
    assert bank_conflict([lane * stride for lane in range(32)], size) == ways


@given(st.integers(1, 64))
def test_odd_word_strides_have_no_conflict(half: int) -> None:
    assert bank_conflict([lane * 4 * (2 * half - 1) for lane in range(32)], 4) == 1


@pytest.mark.parametrize(("stride", "size", "width"), [(16, 4, 4), (8, 4, 2), (4, 4, 1), (16, 2, 8), (64, 32, 1)])
def test_vector_width(stride: int, size: int, width: int) -> None:
    assert vector_width([lane * stride for lane in range(32)], size) == width
