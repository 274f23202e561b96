"""Warps over gemm tiles."""

from __future__ import annotations

import pytest
from passes.samples import F16, fragment, gemm, shared

from tilelang.ir.dtype import FLOAT32, INT32, dtype
from tilelang.passes.configs import PassConfigs
from tilelang.passes.warp_partition import GemmTile, WarpPartition, partition, split
from tilelang.targets import Target, resolve


def target(name: str) -> Target:
    found = resolve(name)
    assert found is not None
    return found


def parts(m: int, n: int, threads: int, policy: str, arch: str = "sm_80") -> WarpPartition:
    product = gemm(shared("A", m, 32), shared("B", 32, n), fragment("C", m, n), policy=policy)
    found = partition(product, threads, target(arch))
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("m", "n", "threads", "policy", "warps"),
    [
        (128, 128, 128, "Square", (2, 2)),
        (128, 128, 256, "Square", (2, 4)),
        (64, 64, 128, "FullRow", (4, 1)),
        (32, 128, 128, "FullRow", (2, 2)),
        (64, 64, 128, "FullCol", (1, 4)),
        (64, 16, 128, "FullCol", (2, 2)),
        (256, 128, 256, "Square", (2, 4)),
        (16, 256, 128, "Square", (1, 4)),
    ],
)
def test_splits_of_mma(m: int, n: int, threads: int, policy: str, warps: tuple[int, int]) -> None:
    found = parts(m, n, threads, policy)
    assert found.instruction == "mma"
    assert (found.m_warps, found.n_warps) == warps
    assert found.problem is None


@pytest.mark.parametrize(
    ("m", "n", "threads", "policy", "warps"),
    [
        (128, 128, 128, "Square", (4, 1)),
        (128, 128, 256, "Square", (4, 2)),
        (64, 256, 256, "FullCol", (4, 2)),
        (128, 256, 256, "FullRow", (8, 1)),
    ],
)
def test_splits_of_wgmma(m: int, n: int, threads: int, policy: str, warps: tuple[int, int]) -> None:
    found = parts(m, n, threads, policy, "sm_90")
    assert found.instruction == "wgmma"
    assert (found.m_warps, found.n_warps) == warps


@pytest.mark.parametrize(
    ("m", "n", "warps", "kind"),
    [(24, 64, 4, "rows"), (64, 20, 4, "columns"), (16, 8, 4, "policy"), (48, 24, 8, "policy")],
)
def test_impossible_splits_say_why(m: int, n: int, warps: int, kind: str) -> None:
    for policy in ("Square", "FullRow", "FullCol"):
        found = split("mma", GemmTile(m, n, 32), warps, policy, 8)
        assert found.problem is not None
        assert found.problem.kind == kind
        assert (found.m_warps, found.n_warps) == (0, 0)


def test_wgmma_needs_whole_warp_groups() -> None:
    found = split("wgmma", GemmTile(64, 64, 64), 6, "Square", 8)
    assert found.problem is not None
    assert found.problem.kind == "warp-group"
    assert parts(64, 64, 64, "Square", "sm_90").instruction == "mma", "two warps are no warp group"


def test_every_split_covers_the_tile() -> None:
    for warps in (1, 2, 4, 8, 16):
        for m in range(16, 257, 16):
            for n in range(8, 257, 8):
                found = split("mma", GemmTile(m, n, 32), warps, "Square", 8)
                if found.problem is None:
                    assert found.m_warps * found.n_warps == warps
                    assert m % (16 * found.m_warps) == 0
                    assert n % (8 * found.n_warps) == 0


def test_instructions_by_target_and_type() -> None:
    half = gemm(shared("A", 64, 32), shared("B", 32, 64), fragment("C", 64, 64))
    single = gemm(shared("A", 64, 32, of=FLOAT32), shared("B", 32, 64, of=FLOAT32), fragment("C", 64, 64))
    bytes_ = gemm(
        shared("A", 64, 32, of=dtype("int8")), shared("B", 64, 32, of=dtype("int8")), fragment("C", 64, 64, of=INT32),
        trans_b=True,
    )  # fmt: skip
    found = {
        (arch, name): getattr(partition(product, 128, target(arch)), "instruction", None)
        for arch in ("sm_70", "sm_75", "sm_80", "sm_90")
        for name, product in (("half", half), ("single", single), ("bytes", bytes_))
    }
    assert found == {
        ("sm_70", "half"): "mma",
        ("sm_70", "single"): "scalar",
        ("sm_70", "bytes"): "scalar",
        ("sm_75", "half"): "mma",
        ("sm_75", "single"): "scalar",
        ("sm_75", "bytes"): "mma",
        ("sm_80", "half"): "mma",
        ("sm_80", "single"): "mma",
        ("sm_80", "bytes"): "mma",
        ("sm_90", "half"): "wgmma",
        ("sm_90", "single"): "mma",
        ("sm_90", "bytes"): "wgmma",
    }
    off = PassConfigs.of([("TL_DISABLE_WGMMA", True)])
    assert getattr(partition(half, 128, target("sm_90"), off), "instruction", None) == "mma"


@pytest.mark.parametrize(
    ("arch", "m", "n", "threads", "policy", "warps"),
    [
        ("gfx942", 128, 128, 256, "Square", (2, 2)),
        ("gfx942", 64, 64, 256, "FullRow", (4, 1)),
        ("gfx942", 32, 256, 256, "FullRow", (2, 2)),
        ("gfx942", 64, 32, 512, "FullCol", (4, 2)),
        ("gfx1100", 128, 128, 128, "Square", (2, 2)),
        ("gfx1201", 16, 64, 128, "FullRow", (1, 4)),
        ("metal", 64, 64, 128, "Square", (2, 2)),
        ("metal", 8, 64, 128, "FullRow", (1, 4)),
    ],
)
def test_splits_of_other_gpus(arch: str, m: int, n: int, threads: int, policy: str, warps: tuple[int, int]) -> None:
    found = parts(m, n, threads, policy, arch)
    assert (found.m_warps, found.n_warps) == warps
    assert found.problem is None


@pytest.mark.parametrize(
    ("arch", "m", "n", "threads", "policy", "kind"),
    [
        ("gfx942", 40, 64, 128, "Square", "rows"),
        ("gfx942", 64, 24, 128, "Square", "columns"),
        ("gfx942", 64, 128, 192, "FullRow", "policy"),
        ("gfx942", 128, 128, 192, "Square", "uneven"),
        ("gfx1100", 16, 16, 64, "Square", "policy"),
        ("gfx1100", 48, 64, 64, "Square", "uneven"),
        ("metal", 12, 64, 64, "Square", "rows"),
        ("metal", 128, 128, 192, "Square", "policy"),
    ],
)
def test_no_split_on_other_gpus(arch: str, m: int, n: int, threads: int, policy: str, kind: str) -> None:
    found = parts(m, n, threads, policy, arch)
    assert found.problem is not None
    assert found.problem.kind == kind


def test_instructions_and_depths_of_other_gpus() -> None:
    half = gemm(shared("A", 64, 32), shared("B", 32, 64), fragment("C", 64, 64))
    bytes_ = gemm(
        shared("A", 64, 32, of=dtype("int8")), shared("B", 32, 64, of=dtype("int8")), fragment("C", 64, 64, of=INT32)
    )
    found = {
        (arch, name): (split.instruction, split.depth) if split is not None else None
        for arch in ("gfx942", "gfx1100", "gfx906", "metal")
        for name, product in (("half", half), ("bytes", bytes_))
        for split in (partition(product, 128, target(arch)),)
    }
    assert found == {
        ("gfx942", "half"): ("mfma", 16),
        ("gfx942", "bytes"): ("mfma", 32),
        ("gfx1100", "half"): ("wmma", 16),
        ("gfx1100", "bytes"): None,
        ("gfx906", "half"): None,
        ("gfx906", "bytes"): None,
        ("metal", "half"): ("simdgroup", 8),
        ("metal", "bytes"): ("simdgroup", 8),
    }


def test_apple_multiplies_cooperatively_into_shared_memory() -> None:
    product = gemm(shared("A", 64, 32), shared("B", 32, 64), shared("C", 64, 64))
    assert getattr(partition(product, 128, target("apple10")), "instruction", None) == "cooperative"
    assert getattr(partition(product, 128, target("apple9")), "instruction", None) == "simdgroup"
    short = gemm(shared("A", 64, 8), shared("B", 8, 64), shared("C", 64, 64))
    assert getattr(partition(short, 128, target("apple10")), "instruction", None) == "simdgroup"


def test_nothing_is_said_about_other_devices_and_unknown_tiles() -> None:
    product = gemm(shared("A", 64, 32), shared("B", 32, 64), fragment("C", 64, 64))
    assert partition(product, 128, target("webgpu")) is None
    assert partition(product, 32, target("gfx942")) is None
    assert partition(product, 16, target("sm_80")) is None
    vector = gemm(shared("A", 64, 32, of=F16), shared("B", 32, 64), fragment("C", 64))
    assert partition(vector, 128, target("sm_80")) is None
