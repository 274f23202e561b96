"""How far down the list the wanted completion is, over places where kernel authors type.

Each case edits one line of a kernel that was checked before, as an editor's file was. ``|`` is the cursor; the word
after it is what the author types next.
"""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from lsp.ide import GEMM, new_session

from tilelang_lsp.files import SourceFile
from tilelang_lsp.ide.completion import complete, request


@dataclass(frozen=True)
class Case:
    """The line of the kernel to replace, by its start, the text typed so far, and what comes next."""

    replaces: str
    typed: str
    wanted: str


KERNEL_LINE = "            T.clear(acc)"
LOOP_LINE = "                T.gemm(A_tile, B_tile, acc)"
CASES = [
    Case(KERNEL_LINE, "            T.", "copy"),
    Case(KERNEL_LINE, "            T.cl", "clear"),
    Case(KERNEL_LINE, "            T.cop", "copy"),
    Case(KERNEL_LINE, "            T.clear(", "acc"),
    Case(KERNEL_LINE, "            T.fill(", "acc"),
    Case(KERNEL_LINE, "            T.fill(acc, ", "value="),
    Case(KERNEL_LINE, "            D_tile = T.", "alloc_shared"),
    Case(KERNEL_LINE, "            D_tile = T.all", "alloc_shared"),
    Case(KERNEL_LINE, "            part = T.alloc_f", "alloc_fragment"),
    Case(KERNEL_LINE, "            D_tile = T.alloc_shared((", "block_m"),
    Case(KERNEL_LINE, "            D_tile = T.alloc_shared((block_m, block_", "block_k"),
    Case(KERNEL_LINE, '            D_tile = T.alloc_shared((block_m, block_k), "', "float16"),
    Case(KERNEL_LINE, '            D_tile = T.alloc_shared((block_m, block_k), "bf', "bfloat16"),
    Case(KERNEL_LINE, "            D_tile = T.alloc_shared((block_m, block_k), T.", "float16"),
    Case(KERNEL_LINE, "            D_tile = T.alloc_shared((block_m, block_k), dtype=T.fl", "float16"),
    Case(KERNEL_LINE, "            for i in T.", "Parallel"),
    Case(KERNEL_LINE, "            for i in T.Pi", "Pipelined"),
    Case(KERNEL_LINE, "            for i in T.Pipelined(4, num", "num_stages="),
    Case(KERNEL_LINE, "            for i in T.Pipelined(4, num_stages=", "num_stages"),
    Case(KERNEL_LINE, "            T.reduce_max(acc, ", "A_tile"),
    Case(KERNEL_LINE, "            T.reduce_max(acc, A_tile, di", "dim="),
    Case(LOOP_LINE, "                T.", "copy"),
    Case(LOOP_LINE, "                T.g", "gemm"),
    Case(LOOP_LINE, "                T.gemm(", "A_tile"),
    Case(LOOP_LINE, "                T.gemm(A_tile, ", "B_tile"),
    Case(LOOP_LINE, "                T.gemm(A_tile, B_tile, ", "acc"),
    Case(LOOP_LINE, "                T.gemm(A_tile, B_tile, acc, tr", "transpose_A="),
    Case(LOOP_LINE, "                T.gemm(A_tile, B_tile, acc, policy=T.", "GemmWarpPolicy"),
    Case(LOOP_LINE, "                T.gemm(A_tile, B_tile, acc, policy=T.GemmWarpPolicy.Full", "FullCol"),
    Case(LOOP_LINE, "                T.gemm(A_tile, B_tile, acc, transpose_B=", "True"),
    Case(LOOP_LINE, "                T.copy(A[by * block_m, k * block_k], ", "A_tile"),
    Case(LOOP_LINE, "                T.copy(B[k * block_k, bx * block_n], ", "B_tile"),
    Case(LOOP_LINE, "                T.copy(A[by * block_m, ", "k"),
    Case(LOOP_LINE, "                T.copy(A_tile, acc, evic", "eviction_policy="),
    Case(LOOP_LINE, '                T.copy(A_tile, acc, eviction_policy="', "evict_first"),
    Case("        with T.Kernel", "        with T.", "Kernel"),
    Case("        with T.Kernel", "        with T.Kernel(T.", "ceildiv"),
    Case("        with T.Kernel", "        with T.Kernel(T.ceildiv(N, ", "block_n"),
    Case("        with T.Kernel", "        with T.Kernel(8, thr", "threads="),
    Case("    @T.prim_func", "    @T.", "prim_func"),
    Case("    def kernel", "    def kernel(A: T.", "Tensor"),
    Case("    def kernel", '    def kernel(A: T.Tensor((M, K), "', "float16"),
    Case("    def kernel", "    def kernel(A: T.Tensor[(M, K), T.", "float16"),
    Case("@tilelang.jit", '@tilelang.jit(target="h1', "h100"),
    Case("matmul(1024", "matmul(1024, 1024, 1024, num", "num_stages="),
    Case("matmul(1024", "mat", "matmul"),
    Case("matmul(1024", "kern", "tilelang kernel"),
]


def rank(case: Case) -> int | None:
    """The place of the wanted completion from 1, None if it is missing."""
    session = new_session()
    before = SourceFile.open("/project/k.py", GEMM)
    session.put(before)
    session.analyses["/project/k.py"] = session.examine(before)
    lines: list[str] = list(GEMM.splitlines())
    index = next(number for number, line in enumerate(lines) if line.startswith(case.replaces))
    lines[index] = case.typed
    session.put(SourceFile.open("/project/k.py", "\n".join(lines) + "\n", 2))
    snapshot = session.snapshot("/project/k.py")
    assert snapshot is not None
    labels = [each.label for each in complete(request(snapshot, index + 1, len(case.typed)))]
    return labels.index(case.wanted) + 1 if case.wanted in labels else None


def test_wanted_completions_are_near_the_top() -> None:
    """The mean of 1/rank is 0.87 today."""
    ranks = {f"{number}: {case.typed.strip()}|{case.wanted}": rank(case) for number, case in enumerate(CASES)}
    missing = [name for name, place in ranks.items() if place is None]
    assert missing == []
    found = [place for place in ranks.values() if place is not None]
    assert len(found) == len(CASES) == len(ranks)
    mean = sum(1 / place for place in found) / len(found)
    assert mean >= 0.85, {name: place for name, place in ranks.items() if place != 1}
    assert sum(place <= 3 for place in found) / len(found) >= 0.9, ranks


@pytest.mark.parametrize(
    ("typed", "absent"),
    [
        ("    x = T.alloc_sh", "alloc_shared"),  # in the factory, outside of any launch
        ("    x = T.ge", "gemm"),
    ],
)
def test_tile_operations_come_last_outside_of_a_launch(typed: str, absent: str) -> None:
    place = rank(Case("    tiles =", typed, absent))
    better = rank(Case("    tiles =", "    x = T.", "ceildiv"))
    assert better is not None
    assert better <= 10
    assert place is not None
