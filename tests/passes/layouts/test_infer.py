"""Inferred layouts of ``data/kernels.py``. Upstream 0.1.15 gives the same maps, and stops at the same kernels."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from frontend.harness import check_instances

from tilelang.ir.layout import Fragment
from tilelang.passes import plan
from tilelang.targets import resolve

if TYPE_CHECKING:
    from tilelang.passes.layouts import LayoutMap

SOURCE = (Path(__file__).parent / "data" / "kernels.py").read_text(encoding="utf-8")

SWIZZLED_32 = (
    "(i, j) -> (0, i // 8, i % 8 * 32 + (i // 4 % 2 + j // 16) % 2 * 16 + (i // 2 % 2 + j // 8 % 2) % 2 * 8 + j % 8)"
)
SWIZZLED_64 = (
    "(i, j) -> (0, i // 8, i % 8 * 64 + (i // 4 % 2 + j // 32) % 2 * 32 + (i // 2 % 2 + j // 16 % 2) % 2 * 16"
    " + (i % 2 + j // 8 % 2) % 2 * 8 + j % 8)"
)
ROWS_OF_A_WARP = "(i, j) -> thread i // 16 * 32 + i % 8 * 4 + j // 2 % 4, register j // 8 * 4 + i // 8 % 2 * 2 + j % 2"
TWO_BY_TWO = (
    "(i, j) -> thread j // 32 * 64 + i // 32 * 32 + i % 8 * 4 + j // 2 % 4, "
    "register i // 16 % 2 * 16 + j // 8 % 4 * 4 + i // 8 % 2 * 2 + j % 2"
)
VECTORS_OF_8 = "(i, j) -> thread i % 16 * 8 + j // 8, register i // 16 * 8 + j % 8"
VECTORS_OF_4 = "(i, j) -> thread i % 8 * 16 + j // 4, register i // 8 * 4 + j % 4"


@lru_cache
def inferred(kernel: str, arch: str) -> LayoutMap:
    instance = check_instances(f"{SOURCE}\n\n{kernel}()\n", archs=(arch,)).instances[0]
    target = resolve(arch)
    assert target is not None
    return plan(instance.program, next(iter(instance.program.launches())), target).layouts


@pytest.mark.parametrize(
    ("kernel", "archs", "buffer", "formula"),
    [
        ("gemm", ("sm_80", "sm_90"), "a", SWIZZLED_32),
        ("gemm", ("sm_80", "sm_90"), "b", SWIZZLED_64),
        ("gemm", ("sm_80",), "c", TWO_BY_TWO),
        ("gemm", ("sm_90",), "c", ROWS_OF_A_WARP),
        ("softmax_rows", ("sm_80", "sm_90"), "s", ROWS_OF_A_WARP),
        (
            "softmax_rows",
            ("sm_80", "sm_90"),
            "top",
            "(i) -> thread i // 16 * 32 + i % 8 * 4 + rep, register i // 8 % 2, 4 copies",
        ),
        ("operand_in_registers", ("sm_80", "sm_90"), "p", ROWS_OF_A_WARP),
        ("operand_in_registers", ("sm_80", "sm_90"), "o", ROWS_OF_A_WARP),
        ("elementwise", ("sm_80", "sm_90"), "x", VECTORS_OF_8),
        ("odd_width", ("sm_80", "sm_90"), "x", VECTORS_OF_4),
        ("few_elements", ("sm_80", "sm_90"), "x", "(i) -> thread rep * 32 + i, register 0, 4 copies"),
        ("serial_index", ("sm_80", "sm_90"), "x", "(i, j) -> thread j, register i"),
        ("serial_index", ("sm_80", "sm_90"), "y", "(i) -> thread i, register 0"),
        ("reducer", ("sm_80", "sm_90"), "x", VECTORS_OF_4),
        ("given", ("sm_80", "sm_90"), "s", "(i, j) -> (i * 36 + j)"),
        ("given", ("sm_80", "sm_90"), "x", "(i, j) -> thread i, register j"),
        ("two_policies", ("sm_90",), "c", ROWS_OF_A_WARP),
        ("sparse", ("sm_80", "sm_90"), "a", SWIZZLED_32),
        ("sparse", ("sm_80",), "c", TWO_BY_TWO),
        ("sparse", ("sm_90",), "c", ROWS_OF_A_WARP),
        ("into_tensor_memory", ("sm_100",), "a", SWIZZLED_64),
        ("into_tensor_memory", ("sm_100",), "c", "(i, j) -> (j // 64 * 64 + i, j % 64)"),
    ],
)
def test_layouts(kernel: str, archs: tuple[str, ...], buffer: str, formula: str) -> None:
    for arch in archs:
        found = inferred(kernel, arch)
        assert found.conflict is None
        assert {str(claim.layout) for one, claim in found.claims.items() if one.name == buffer} == {formula}


@pytest.mark.parametrize(
    ("kernel", "formula"),
    [
        ("reducer", "(i) -> thread i % 8 * 16 + rep, register i // 8, 16 copies"),
        ("reducer_without_fragments", "(i) -> thread rep, register i, 256 copies"),
    ],
)
def test_partial_results_of_reducers(kernel: str, formula: str) -> None:
    for arch in ("sm_80", "sm_90", "gfx942"):
        assert [str(layout) for layout in inferred(kernel, arch).reducers.values()] == [formula]


@pytest.mark.parametrize("kernel", ["gemm", "softmax_rows", "operand_in_registers", "elementwise", "few_elements"])
def test_no_register_is_shared(kernel: str) -> None:
    fragments = [claim.layout for claim in inferred(kernel, "sm_80").claims.values()]
    fragments = [layout for layout in fragments if isinstance(layout, Fragment)]
    assert fragments
    for layout in fragments:
        assert layout.is_injective()
        assert layout.thread_extent == 128


def test_two_policies_of_one_accumulator() -> None:
    conflict = inferred("two_policies", "sm_80").conflict
    assert conflict is not None
    assert conflict.reason == "different"
    assert conflict.certain
    assert conflict.buffer.name == "c"
    claims = [claim for claim in (conflict.earlier, conflict.later) if claim is not None and claim.stmt is not None]
    lines = [SOURCE.splitlines()[claim.stmt.span.line - 1].strip() for claim in claims if claim.stmt is not None]
    assert [line.split("policy=")[1] for line in lines] == ["T.GemmWarpPolicy.FullRow)", "T.GemmWarpPolicy.FullCol)"]


def test_a_fragment_that_only_fills() -> None:
    conflict = inferred("nothing_says", "sm_80").conflict
    assert conflict is not None
    assert conflict.reason == "nothing"


CDNA = "(i, j) -> thread i // 32 * 64 + j // 4 % 4 * 16 + i % 16, register i // 16 % 2 * 16 + j // 16 * 4 + j % 4"
RDNA3 = (
    "(i, j) -> thread j // 32 * 64 + i // 32 * 32 + i % 2 * 16 + j % 16, "
    "register i // 16 % 2 * 16 + j // 16 % 2 * 8 + i // 2 % 8"
)
RDNA4 = (
    "(i, j) -> thread j // 32 * 64 + i // 32 * 32 + i // 8 % 2 * 16 + j % 16, "
    "register i // 16 % 2 * 16 + j // 16 % 2 * 8 + i % 8"
)


@pytest.mark.parametrize(("arch", "formula"), [("gfx942", CDNA), ("gfx1100", RDNA3), ("gfx1201", RDNA4)])
def test_matrix_cores_of_amd(arch: str, formula: str) -> None:
    found = inferred("gemm", arch)
    assert found.conflict is None
    layouts = {buffer.name: str(claim.layout) for buffer, claim in found.claims.items()}
    assert layouts == {"a": SWIZZLED_32, "b": SWIZZLED_64, "c": formula}


def test_rows_of_shared_tiles_stay_in_order_on_apple_gpus() -> None:
    layouts = {buffer.name: str(claim.layout) for buffer, claim in inferred("gemm", "metal").claims.items()}
    assert layouts["a"] == "(i, j) -> (i * 32 + j)"


def test_unknown_targets_stay_silent() -> None:
    found = inferred("gemm", "webgpu")
    assert found.conflict is None
    assert not any(isinstance(claim.layout, Fragment) for claim in found.claims.values())
