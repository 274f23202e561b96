"""Layouts of shared tiles: swizzles, views, inverses."""

from __future__ import annotations

import pytest

from tilelang.ir.layout import Layout, linear_layout, swizzles
from tilelang.ir.layout.digits import of


@pytest.mark.parametrize("bits", [8, 16, 32])
@pytest.mark.parametrize("width", [swizzles.FULL, swizzles.HALF, swizzles.QUARTER])
def test_bank_swizzles_permute_units_of_a_row(bits: int, width: int) -> None:
    """Unit ``c`` of row ``r`` lies at ``c ^ (r // (8 / width))`` of the strip; nothing is lost."""
    unit = 128 // bits
    columns = unit * width * 2
    layout = swizzles.bank_swizzle(16, columns, bits, width)
    assert layout is not None
    assert layout.is_bijective()
    for row in range(16):
        for column in range(columns):
            strip, block, place = layout.at((row, column))
            swizzled = (column // unit % width) ^ (row % 8 // (8 // width))
            assert (strip, block) == (column // unit // width, row // 8)
            assert place == (row % 8 * width + swizzled) * unit + column % unit


def test_eight_rows_of_a_full_swizzle_touch_all_banks() -> None:
    """One 16-byte column of eight rows is what a phase of ldmatrix reads."""
    layout = swizzles.matrix_swizzle(64, 64, 16)
    assert layout is not None
    banks = {place * 2 // 4 % 32 for row in range(8) for place in (layout.table()[row * 64],)}
    assert len(banks) == 8


@pytest.mark.parametrize(
    ("columns", "bits", "kind"), [(64, 16, 8), (32, 16, 4), (16, 16, 2), (8, 16, None), (24, 32, 2), (128, 8, 8)]
)
def test_the_widest_swizzle_that_fits_is_taken(columns: int, bits: int, kind: int | None) -> None:
    layout = swizzles.matrix_swizzle(32, columns, bits)
    assert layout is not None
    assert swizzles.bank_width(layout, (32, columns), bits) == kind


def test_rows_that_no_swizzle_fits_are_padded() -> None:
    layout = swizzles.matrix_swizzle(16, 48, 8, False)
    assert layout is not None
    assert layout.at((1, 0)) == (48 + 0,)
    wide = swizzles.padded(16, 32, 16)
    assert wide.at((1, 0)) == (40,)
    assert wide.is_injective()
    assert not wide.is_bijective()


@pytest.mark.parametrize("k_inner", [True, False])
@pytest.mark.parametrize("is_a", [True, False])
def test_volta_swizzles_are_permutations(is_a: bool, k_inner: bool) -> None:
    layout = swizzles.volta_swizzle(64, 64, is_a, k_inner)
    assert sorted(layout.table()) == list(range(64 * 64))


def test_two_users_of_a_tile_share_the_narrower_swizzle() -> None:
    full = swizzles.bank_swizzle(64, 64, 16, swizzles.FULL)
    half = swizzles.bank_swizzle(64, 64, 16, swizzles.HALF)
    assert full is not None
    assert half is not None
    assert swizzles.merged(full, half, (64, 64), 16) == half
    assert swizzles.merged(half, full, (64, 64), 16) == half
    assert swizzles.merged(full, linear_layout((64, 64)), (64, 64), 16) is None


def test_expand_and_repeat() -> None:
    base = linear_layout((4, 8))
    assert base.expand((3,)).at((2, 1, 5)) == (2, 13)
    assert base.repeat(1, 2).at((1, 13)) == (1, 13)
    assert base.repeat(0, 3).output_shape == (3, 32)


def test_inverse_goes_back() -> None:
    layout = Layout((8, 6), (of(1, 6) % 2, of(0, 8) * 3 + of(1, 6) // 2))
    back = layout.inverse()
    assert back is not None
    assert all(back.at(layout.at((i, j))) == (i, j) for i in range(8) for j in range(6))
    assert layout.then(back).same_as(Layout((8, 6), (of(0, 8), of(1, 6))))
    assert Layout((8, 8), (of(0, 8) // 2, of(1, 8))).inverse() is None


def test_views_keep_the_storage() -> None:
    base = swizzles.matrix_swizzle(8, 64, 16)
    assert base is not None
    flat = base.reshape((512,))
    assert flat is not None
    assert flat.table() == base.table()
    narrow = base.reshape((8, 128), 16, 8)
    assert narrow is not None
    assert narrow.table()[6:8] == (base.table()[3] * 2, base.table()[3] * 2 + 1)
    wide = base.reshape((8, 32), 16, 32)
    assert wide is not None
    assert wide.table()[5] == base.table()[10] // 2


def test_elements_that_do_not_lie_side_by_side_have_no_wider_view() -> None:
    assert Layout((4, 8), (of(1, 8) * 4 + of(0, 4),)).reshape((4, 4), 16, 32) is None
    assert linear_layout((4, 8)).reshape((4, 9)) is None


def test_injectivity_is_exact() -> None:
    assert not Layout((8, 8), (of(0, 8) // 2, of(1, 8))).is_injective()
    assert Layout((8, 8), (of(0, 8) * 9 + of(1, 8),)).is_injective()
    assert not Layout((8, 8), (of(0, 8) * 7 + of(1, 8),)).is_injective()
