"""Occupancy against results of NVIDIA's own header."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilelang.targets import Target, occupancy, resolve

REFERENCE = Path(__file__).with_name("data") / "occupancy.txt"


def target(name: str) -> Target:
    found = resolve(name)
    assert found is not None
    return found


def reference_rows() -> list[list[str]]:
    lines = REFERENCE.read_text(encoding="utf-8").splitlines()
    return [line.split() for line in lines if line and not line.startswith("#")]


def test_the_reference_covers_old_and_new_devices() -> None:
    rows = reference_rows()
    assert len(rows) > 80
    assert {row[0] for row in rows} >= {"sm_70", "sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120"}


@pytest.mark.parametrize("row", reference_rows(), ids=lambda row: "-".join(row[:4]))
def test_agrees_with_cuda_occupancy_header(row: list[str]) -> None:
    arch, threads, registers, shared_bytes, blocks, *limiters = row
    result = occupancy(target(arch).with_optin(), int(threads), int(registers), int(shared_bytes))
    assert result is not None
    assert result.blocks == int(blocks)
    assert result.limiters == tuple(name.replace("-", " ") for name in limiters)


@pytest.mark.parametrize(
    ("threads", "shared_bytes", "blocks"),
    [
        (32, 0, 32),
        (32, 16384, 13),
        (128, 1024, 16),
        (128, 101376, 2),
        (256, 65536, 3),
        (512, 49152, 4),
        (1024, 232448, 1),
    ],
)
def test_agrees_with_the_driver_of_an_h200(threads: int, shared_bytes: int, blocks: int) -> None:
    """`cudaOccupancyMaxActiveBlocksPerMultiprocessor` of a kernel with 12 registers, read on the card."""
    result = occupancy(target("h200"), threads, 12, shared_bytes)
    assert result is not None
    assert result.blocks == blocks


def test_fraction_is_of_the_warp_slots() -> None:
    result = occupancy(target("a100"), threads=128, registers=128, shared_bytes=96 * 1024)
    assert result is not None
    assert (result.blocks, result.warps, result.fraction) == (1, 4, 4 / 64)
    assert result.limiters == ("shared memory",)


def test_each_block_pays_the_reserve() -> None:
    a100 = target("a100")
    half = a100.shared_memory.per_sm or 0
    with_reserve = occupancy(a100, 128, 32, half // 2 - 1024)
    without = occupancy(a100, 128, 32, half // 2)
    assert with_reserve is not None
    assert without is not None
    assert (with_reserve.blocks, without.blocks) == (2, 1)


def test_a_t4_block_above_its_budget_cannot_be_launched_without_optin() -> None:
    t4 = target("t4")
    plain = occupancy(t4, 128, 64, 49152 + 1)
    opted_in = occupancy(t4.with_optin(), 128, 64, 49152 + 1)
    assert plain is not None
    assert opted_in is not None
    assert (plain.blocks, plain.limiters) == (0, ("shared memory",))
    assert opted_in.blocks == 1


def test_unknown_registers_limit_nothing() -> None:
    result = occupancy(target("h100"), threads=256)
    assert result is not None
    assert (result.blocks, result.limiters) == (8, ("threads",))


@pytest.mark.parametrize("name", ["mi300x", "metal", "webgpu", "ascend", "cpu"])
def test_other_families_have_no_occupancy_model(name: str) -> None:
    assert occupancy(target(name), 128, 32, 1024) is None


def test_a_block_without_threads_has_no_occupancy() -> None:
    assert occupancy(target("t4"), 0) is None
