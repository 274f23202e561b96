"""Fragments: instruction layouts against the lane maps of the vendors' manuals, and the algebra on them."""

from __future__ import annotations

import pytest

from tilelang.ir.layout import REP, Fragment, fully_replicated, of_thread
from tilelang.ir.layout.digits import of
from tilelang.ir.layout.matrix import BlockTile, accumulator, dealt_out, operand

ONE_WARP = BlockTile(16, 8, 16, 1, 1)


def test_accumulator_of_m16n8k16() -> None:
    """PTX ISA: element i of a lane is in row ``lane / 4 + 8 * (i / 2)`` and column ``lane % 4 * 2 + i % 2``."""
    found = accumulator("mma", ONE_WARP, 16)
    assert found is not None
    for lane in range(32):
        for i in range(4):
            index = (lane // 4 + 8 * (i // 2), lane % 4 * 2 + i % 2)
            assert found.threads_at(index) == (lane,)
            assert found.register_at(index) == (i,)


def test_first_operand_of_m16n8k16() -> None:
    """PTX ISA: a_i is row ``lane / 4`` (+ 8 for i in 2, 3, 6, 7), column ``lane % 4 * 2 + i % 2`` (+ 8 from i = 4)."""
    found = operand("mma", ONE_WARP, "a", 16, False)
    assert found is not None
    for lane in range(32):
        for i in range(8):
            index = (lane // 4 + 8 * (i // 2 % 2), lane % 4 * 2 + i % 2 + 8 * (i // 4))
            assert (found.threads_at(index), found.register_at(index)) == ((lane,), (i,))


def test_second_operand_of_m16n8k16() -> None:
    """PTX ISA: b_i is row ``lane % 4 * 2 + i % 2`` (+ 8 from i = 2), column ``lane / 4``; stored N by K here."""
    found = operand("mma", ONE_WARP, "b", 16, True)
    assert found is not None
    stored_k_by_n = operand("mma", ONE_WARP, "b", 16, False)
    assert stored_k_by_n is not None
    for lane in range(32):
        for i in range(4):
            k, n = lane % 4 * 2 + i % 2 + 8 * (i // 2), lane // 4
            assert (found.threads_at((n, k)), found.register_at((n, k))) == ((lane,), (i,))
            assert stored_k_by_n.threads_at((k, n)) == (lane,)


def test_operand_of_m16n8k32() -> None:
    """PTX ISA, 8-bit types: four elements of a row to a register."""
    found = operand("mma", BlockTile(16, 8, 32, 1, 1), "a", 8, False)
    assert found is not None
    for lane in range(32):
        for i in range(16):
            index = (lane // 4 + 8 * (i // 4 % 2), lane % 4 * 4 + i % 4 + 16 * (i // 8))
            assert (found.threads_at(index), found.register_at(index)) == ((lane,), (i,))


def test_accumulator_of_volta() -> None:
    """PTX ISA, mma.m8n8k4 with a 32-bit accumulator: two quads of lanes make a quadpair for each 8 by 8 product."""
    found = accumulator("volta", BlockTile(16, 16, 4, 1, 1), 16)
    assert found is not None
    assert found.is_bijective()
    assert found.thread_extent == 32
    assert found.register_count == 8


@pytest.mark.parametrize(
    ("family", "tile", "bits"),
    [
        ("mma", BlockTile(128, 256, 64, 2, 4), 16),
        ("mma", BlockTile(64, 24, 32, 4, 1), 8),
        ("mma", BlockTile(32, 32, 8, 2, 2), 64),
        ("turing", BlockTile(64, 64, 32, 2, 2), 16),
        ("turing", BlockTile(64, 64, 32, 2, 2), 8),
        ("volta", BlockTile(64, 64, 32, 2, 2), 16),
        ("wgmma", BlockTile(128, 256, 64, 8, 1), 16),
        ("wgmma", BlockTile(128, 96, 64, 4, 2), 16),
    ],
)
def test_accumulators_use_every_register_once(family, tile: BlockTile, bits: int) -> None:
    found = accumulator(family, tile, bits)
    assert found is not None
    assert found.is_bijective()
    assert found.thread_extent == tile.m_warps * tile.n_warps * 32


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("matrix", ["a", "b"])
@pytest.mark.parametrize("bits", [8, 16, 32])
def test_operands_are_copied_to_the_warps_that_share_them(matrix, bits: int, transposed: bool) -> None:
    tile = BlockTile(64, 64, 64, 2, 2)
    found = operand("mma", tile, matrix, bits, transposed)
    assert found is not None
    assert found.replicate == 2
    assert found.is_bijective()


def test_hopper_keeps_no_second_operand_in_registers() -> None:
    assert operand("wgmma", BlockTile(64, 64, 64, 4, 1), "b", 16, True) is None


def test_a_tile_that_no_atom_covers_has_no_layout() -> None:
    assert accumulator("mma", BlockTile(16, 8, 16, 2, 1), 16) is None
    assert operand("mma", BlockTile(16, 8, 24, 1, 1), "a", 16, False) is None


# --- algebra --------------------------------------------------------------------------------------------------


def test_registers_count_what_threads_leave_open() -> None:
    found = of_thread((8, 12), of(1, 12) // 4)
    assert found.registers == (32,)
    assert found.is_bijective()
    assert found.register_at((3, 6)) == (3 * 4 + 2,)


def test_repeats_go_to_threads_or_registers() -> None:
    base = Fragment((2, 2), of(0, 2) * 2 + of(1, 2), (of(0, 1),))
    threads = base.repeat((2, 3), on_threads=True)
    assert threads.thread_extent == 24
    assert threads.threads_at((3, 5)) == (3 + 5 * 4,)
    registers = base.repeat((2, 3), last_first=False)
    assert registers.register_at((3, 5)) == (1 + 2 * 2,)
    assert registers.threads_at((3, 5)) == (3,)


def test_copies_are_condensed_to_what_matters() -> None:
    wasteful = Fragment((4,), of(0, 4) + of(REP, 16) // 8 * 4, (of(0, 1),), 16)
    lean = wasteful.condensed()
    assert lean.replicate == 2
    assert lean.thread_sets() == wasteful.thread_sets()
    assert lean.same_as(wasteful)


def test_replication_and_its_opposite() -> None:
    base = Fragment((8,), of(0, 8) // 4, (of(0, 8) % 4,))
    twice = base.replicated(2)
    assert twice.threads_at((5,)) == (1, 3)
    fewer = twice.dereplicated()
    assert fewer.replicate == 1
    assert fewer.register_count == 2
    assert fewer.is_bijective()


def test_full_replication() -> None:
    found = fully_replicated((4, 4), 64)
    assert found.is_fully_replicated
    assert found.is_injective()
    assert found.thread_sets()[5] == frozenset(range(64))


def test_two_elements_in_one_register_are_noticed() -> None:
    assert not Fragment((8,), of(0, 8) // 2, (of(0, 1),)).is_injective()
    wrapped = Fragment((2,), (of(0, 2) * 640 + of(REP, 640)) % 256, (of(0, 2),), 640)
    assert not wrapped.is_injective()


def test_threads_of_the_block_tell_layouts_apart() -> None:
    found = dealt_out((128,), 128)
    assert found.bound(0, 128).same_as(found)
    assert not found.bound(0, 128).same_as(found.bound(128, 128))


def test_a_view_of_another_width_stays_in_its_thread() -> None:
    base = Fragment((4, 8), of(0, 4), (of(1, 8),))
    half = base.reshape((4, 16), 32, 16)
    assert half is not None
    assert half.threads_at((2, 9)) == base.threads_at((2, 4))
    assert half.register_at((2, 9)) == (9,)
    assert Fragment((4, 8), of(0, 4) * 2 + of(1, 8) % 2, (of(1, 8) // 2,)).reshape((4, 4), 16, 32) is None
