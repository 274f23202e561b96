"""Fragments of AMD's and Apple's matrix instructions, against the formulas that their makers publish.

AMD's matrix instruction calculator gives, for an element of a 16 x 16 x K instruction, the lane and the register. The
compiler exchanges the operands of MFMA, so the accumulator is the transpose of what the calculator says.
"""

from __future__ import annotations

from itertools import product
from typing import Literal

import pytest

from tilelang.ir.layout.matrix import BlockTile, Family, accumulator, operand

ONE = BlockTile(16, 16, 16, 1, 1, 16)


def lanes(family: Family) -> int:
    return 64 if family == "mfma" else 32


def published_operand(family: Family, row: int, k: int, depth: int) -> tuple[set[int], int]:
    """Lanes and register of ``A[row][k]``, which is also that of ``B[k][row]``."""
    if family == "mfma":
        return {row + 16 * (k // (depth // 4))}, k % (depth // 4)
    if family == "rdna4":
        return {row + 16 * (k // 8)}, k % 8
    return {row, row + 16}, k


def published_result(family: Family, i: int, j: int) -> tuple[int, int]:
    """Lane and register of ``D[i][j]``, as the calculator has it."""
    if family == "mfma":
        return j + 16 * (i // 4), i % 4
    if family == "rdna4":
        return j + 16 * (i // 8), i % 8
    return j + 16 * (i % 2), i // 2


@pytest.mark.parametrize("family", ["mfma", "rdna3", "rdna4"])
def test_accumulator_of_one_instruction(family: Family) -> None:
    found = accumulator(family, ONE, 16)
    assert found is not None
    for i, j in product(range(16), range(16)):
        expected = published_result(family, j, i) if family == "mfma" else published_result(family, i, j)
        assert (found.threads_at((i, j)), found.register_at((i, j))) == ((expected[0],), (expected[1],))


@pytest.mark.parametrize(("family", "depths"), [("mfma", (4, 16, 32, 64)), ("rdna3", (16,)), ("rdna4", (16,))])
@pytest.mark.parametrize("matrix", ["a", "b"])
@pytest.mark.parametrize("transposed", [False, True])
def test_operands_of_one_instruction(
    family: Family, depths: tuple[int, ...], matrix: Literal["a", "b"], transposed: bool
) -> None:
    for depth in depths:
        found = operand(family, BlockTile(16, 16, depth, 1, 1, depth), matrix, 16, transposed)
        assert found is not None
        for row, k in product(range(16), range(depth)):
            index = (k, row) if transposed == (matrix == "a") else (row, k)
            expected = published_operand(family, row, k, depth)
            assert (set(found.threads_at(index)), found.register_at(index)) == (expected[0], (expected[1],))


@pytest.mark.parametrize("family", ["mfma", "rdna3", "rdna4", "simdgroup"])
@pytest.mark.parametrize("warps", [(1, 1), (2, 2), (1, 4), (4, 1)])
def test_block_accumulator_uses_every_register_once(family: Family, warps: tuple[int, int]) -> None:
    found = accumulator(family, BlockTile(64, 128, 32, *warps, 16), 16)
    assert found is not None
    assert found.is_injective()
    assert found.thread_extent == lanes(family) * warps[0] * warps[1]
    assert found.thread_extent * found.register_count == 64 * 128


@pytest.mark.parametrize("family", ["mfma", "rdna3", "rdna4"])
def test_block_operands_have_a_copy_for_each_warp_across(family: Family) -> None:
    tile = BlockTile(64, 64, 32, 2, 4, 16)
    halves = 2 if family == "rdna3" else 1
    a, b = operand(family, tile, "a", 16, False), operand(family, tile, "b", 16, False)
    assert a is not None
    assert b is not None
    assert (a.replicate, b.replicate) == (4 * halves, 2 * halves)
    assert {a.thread_extent, b.thread_extent} == {8 * lanes(family)}


def test_a_simdgroup_matrix_has_two_neighbours_in_each_lane() -> None:
    found = accumulator("simdgroup", BlockTile(8, 8, 8, 1, 1), 16)
    assert found is not None
    for i, j in product(range(8), range(0, 8, 2)):
        lane = found.threads_at((i, j))
        assert lane == found.threads_at((i, j + 1))
        assert (found.register_at((i, j)), found.register_at((i, j + 1))) == ((0,), (1,))
        # Eight lanes own a quadrant, two lanes a row of it.
        assert lane[0] // 8 == i // 4 * 2 + j // 4
        assert lane[0] % 8 // 2 == i % 4
    assert operand("simdgroup", BlockTile(8, 8, 8, 1, 1), "a", 16, False) is None
