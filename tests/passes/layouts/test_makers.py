"""Layouts by name, as ``tilelang.layout`` and the intrinsics' helpers make them. The formulas are upstream 0.1.15's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tilelang import intrinsics
from tilelang import layout as layouts
from tilelang.ir.buffer import Buffer
from tilelang.ir.dtype import DType
from tilelang.ir.layout.layout import Layout
from tilelang.language import make_blockscaled_gemm_layout
from tilelang.passes.layouts.annotated import annotated_layout

if TYPE_CHECKING:
    from collections.abc import Callable

    from tilelang.ir.layout.fragment import Fragment


def tile(*shape: int, dtype: str = "float16", scope: str = "shared.dyn") -> Buffer:
    element = DType.parse(dtype)
    assert element is not None
    return Buffer("tile", shape, element, scope)


def made(maker: Callable[..., Any], buffer: Buffer, **options: object) -> Layout | Fragment | None:
    return annotated_layout(maker(buffer, **options), buffer)


@pytest.mark.parametrize(
    ("maker", "buffer", "options", "points"),
    [
        (layouts.make_linear_layout, tile(3, 8, 8), {}, {(1, 2, 3): (83,)}),
        (layouts.make_full_bank_swizzled_layout, tile(16, 64), {}, {(1, 0): (0, 0, 72), (9, 8): (0, 1, 64)}),
        (layouts.make_half_bank_swizzled_layout, tile(16, 32), {}, {(2, 0): (0, 0, 72), (1, 8): (0, 0, 40)}),
        (layouts.make_quarter_bank_swizzled_layout, tile(16, 16), {}, {(4, 0): (0, 0, 72), (3, 8): (0, 0, 56)}),
        (layouts.make_swizzled_layout, tile(64, 24), {}, {(1, 1): (25,)}),
        (layouts.make_swizzled_layout, tile(64, 16, dtype="int8"), {"k_major": False}, {(1, 0): (16,)}),
        (layouts.make_wgmma_swizzled_layout, tile(12, 64), {}, {(1, 0): (64,)}),
        (layouts.make_tcgen05mma_swizzled_layout, tile(64, 64), {}, {(1, 0): (0, 0, 72)}),
        (layouts.make_ascend_nz_layout, tile(64, 64), {}, {(17, 18): (1, 1, 1, 2)}),
        (layouts.make_ascend_major_mn_layout, tile(64, 64), {}, {(17, 34): (1, 2, 2, 1)}),
        (layouts.make_ascend_l0c_layout, tile(64, 64, dtype="float32"), {}, {(17, 34): (2, 1, 1, 2)}),
        (layouts.make_ascend_sf_layout, tile(64, 8, dtype="uint8"), {}, {(17, 5): (1, 2, 1, 1)}),
        (intrinsics.make_mma_swizzle_layout, tile(16, 64), {}, {(1, 0): (0, 1, 8), (0, 9): (0, 0, 9)}),
        (intrinsics.make_mma_swizzle_layout, tile(16, 24), {}, {(1, 7): (1, 7)}),
        (intrinsics.make_mfma_swizzle_layout, tile(16, 64), {"vecSize": 4}, {(1, 0): (1, 4), (2, 4): (2, 12)}),
    ],
)
def test_shared_tiles(
    maker: Callable[..., Any],
    buffer: Buffer,
    options: dict[str, object],
    points: dict[tuple[int, ...], tuple[int, ...]],
) -> None:
    found = made(maker, buffer, **options)
    assert isinstance(found, Layout)
    assert {index: found.at(index) for index in points} == points
    assert found.is_injective()


@pytest.mark.parametrize(
    ("buffer", "options", "points"),
    [
        (tile(64, 4, dtype="int16"), {"arch": "8.0"}, {(0, 1): (0, 2), (1, 0): (2, 0), (8, 0): (0, 1)}),
        (tile(64, 8, dtype="uint8"), {"arch": "9.0", "block_k": 64}, {(1, 0): (8,), (0, 1): (1,), (8, 0): (2,)}),
        (
            tile(128, 16, dtype="uint8"),
            {"arch": "sm_90", "mma_dtype": "int8", "block_k": 64},
            {(1, 0): (8,), (64, 0): (512,), (0, 8): (1024,)},
        ),
    ],
)
def test_metadata_of_sparse_operands(
    buffer: Buffer, options: dict[str, object], points: dict[tuple[int, ...], tuple[int, ...]]
) -> None:
    found = made(layouts.make_cutlass_metadata_layout, buffer, **options)
    assert isinstance(found, Layout)
    assert {index: found.at(index) for index in points} == points
    assert found.is_bijective()


def test_the_accumulator_of_a_block_scaled_product() -> None:
    c, a = tile(128, 256, dtype="float32", scope="shared.tmem"), tile(128, 128, dtype="float8_e4m3fn")
    found = annotated_layout(make_blockscaled_gemm_layout(c, a), c)
    assert isinstance(found, Layout)
    assert found.at((3, 200)) == (3, 200)


@pytest.mark.parametrize(
    ("maker", "buffer", "options"),
    [
        (layouts.make_full_bank_swizzled_layout, tile(16, 32), {}),
        (layouts.make_tcgen05mma_swizzled_layout, tile(64, 64, dtype="float64"), {}),
        (layouts.make_ascend_major_k_layout, tile(64, 40), {"k_align": 32}),
        (layouts.make_cutlass_metadata_layout, tile(64, 4, dtype="int16"), {"arch": None}),
        (layouts.make_cutlass_metadata_layout, tile(64, 4, dtype="uint8"), {"arch": "9.0", "block_k": 16}),
    ],
)
def test_what_does_not_fit_is_not_known(maker: Callable[..., Any], buffer: Buffer, options: dict[str, object]) -> None:
    assert made(maker, buffer, **options) is None
