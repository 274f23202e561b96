"""From subscripts to boxes, and how a copy shares the extents of its two sides."""

from __future__ import annotations

from language.program import at, tensor

import tilelang.language as T
from tilelang.ir.buffer import Buffer, Region
from tilelang.ir.dtype import INT32, DType
from tilelang.ir.expr import Load, Slice, Var
from tilelang.language.arith import binary
from tilelang.language.regions import difference, resolve_pair, single, to_region


def box(value: object) -> Region:
    region = to_region(value)
    assert region is not None
    return region


def test_indices_alone_are_an_element() -> None:
    A = tensor(4, 8)
    element = at(A, 1, 2)
    assert isinstance(element, Load)
    assert element.indices == (1, 2)
    assert element.dtype == "float16"


def test_a_vector_index_names_several_elements() -> None:
    i = Var(INT32, "i", "loop")
    assert at(tensor(64), T.Ramp(i, 1, 4)).dtype == "float16x4"


def test_a_slice_gives_a_box_with_extents() -> None:
    A = tensor(4, 8, 16)
    region = at(A, 1, slice(2, 6), slice(None))
    assert isinstance(region, Region)
    assert region.mins == (1, 2, 0)
    assert region.extents == (1, 4, 16)
    assert region.has_slices


def test_ellipsis_stands_for_whole_dimensions() -> None:
    region = at(tensor(4, 8, 16), ..., slice(0, 2))
    assert region.extents == (4, 8, 2)


def test_symbolic_bounds_cancel() -> None:
    i, n = Var(INT32, "i", "loop"), Var(INT32, "n", "dim")
    stop = binary("*", binary("+", i, 1), 64)
    assert difference(stop, binary("*", i, 64)) == 64  # type: ignore[arg-type]
    assert difference(binary("+", n, 3), 3) is n  # type: ignore[arg-type]
    assert difference(binary("+", binary("*", n, 2), i), binary("+", i, binary("*", 2, n))) == 0  # type: ignore[arg-type]


def test_a_wrong_number_of_indices_leaves_the_box_unresolved() -> None:
    region = at(tensor(4, 8), slice(0, 2))
    assert region.mins == ()
    assert region.extents is None
    assert not region.is_resolved
    assert region.indices == (Slice(0, 2),)


def test_a_start_takes_the_extents_of_the_other_side_from_the_right() -> None:
    A, tile = tensor(2, 256, 256), Buffer("tile", (64, 32), DType("float16"), "shared.dyn")
    src, dst = resolve_pair(box(at(A, 1, 128, 64)), box(tile))
    assert src.extents == (1, 64, 32)
    assert dst.extents == (64, 32)
    assert src.is_resolved


def test_a_start_with_too_few_dimensions_stays_open() -> None:
    A, tile = tensor(256), Buffer("tile", (64, 32), DType("float16"), "shared.dyn")
    src, _ = resolve_pair(box(at(A, 64)), box(tile))
    assert src.extents is None
    row = Buffer("row", (1, 32), DType("float16"), "shared.dyn")
    src, _ = resolve_pair(box(at(A, 64)), box(row))
    assert src.extents == (32,)


def test_two_boxes_keep_their_extents() -> None:
    A, tile = tensor(256, 256), Buffer("tile", (64, 32), DType("float16"), "shared.dyn")
    src, dst = resolve_pair(box(at(A, slice(0, 16), slice(0, 32))), box(tile))
    assert (src.extents, dst.extents) == ((16, 32), (64, 32))


def test_a_single_element_has_extent_1() -> None:
    assert single(box(at(tensor(4, 8), 1, 2))).extents == (1, 1)
