"""Rewrites of kernels: what they do, and that they are offered only where they keep the meaning."""

from __future__ import annotations

import pytest
from lsp.ide import GEMM, checked
from lsp.test_writing import after

from tilelang.diagnostics import Severity
from tilelang_lsp.ide.actions import Action, code_actions
from tilelang_lsp.ide.tile_layout import swizzle_text
from tilelang_lsp.session import Snapshot, findings_of

SCALE = """\
import tilelang
import tilelang.language as T


@tilelang.jit
def scale(M=64, N=64):
    @T.prim_func
    def kernel(A: T.Tensor((M, N), "float32"), B: T.Tensor((M, N), "float32")):
        with T.Kernel(1, threads=128) as bx:
            tile = T.alloc_shared((M, N), "float32")
            T.copy(A, tile)
            for i in range(M):
                for j in T.serial(N):
                    # Twice.
                    tile[i, j] = tile[i, j] * 2.0
            T.copy(tile, B)

    return kernel


scale()
"""


def line_of(source: str, text: str) -> int:
    return next(number for number, line in enumerate(source.splitlines(), 1) if text in line)


def actions_at(source: str, first: str, last: str = "") -> tuple[Snapshot, list[Action]]:
    snapshot = checked(source)
    start, end = line_of(source, first), line_of(source, last or first)
    return snapshot, code_actions(snapshot, start, end, selected=bool(last))


def errors_of(source: str) -> list[str]:
    analysis = checked(source).analysis
    assert analysis is not None
    return [each.message for each in findings_of(analysis) if each.severity == Severity.ERROR]


def test_a_nest_of_serial_loops_becomes_one_parallel_loop() -> None:
    snapshot, actions = actions_at(SCALE, "for i in range")
    (action,) = [each for each in actions if "Spread the loop" in each.title]
    text = after(snapshot, action.edits)
    nest = "            for i in range(M):\n                for j in T.serial(N):\n"
    body = "                    # Twice.\n                    tile[i, j] = tile[i, j] * 2.0\n"
    dedented = "".join(f"{line[4:]}\n" for line in body.splitlines())
    assert nest + body in SCALE
    assert text == SCALE.replace(nest + body, f"            for i, j in T.Parallel(M, N):\n{dedented}")
    # Every thread ran the whole loop.
    assert errors_of(SCALE)
    assert errors_of(text) == []


@pytest.mark.parametrize(
    "body",
    [
        "tile[i, j] = tile[j, i] * 2.0",
        "tile[0, j] = 1.0",
        "tile[i, j] = T.max(tile[i, j], tile[i, 0])",
        "T.copy(tile, B)",
        "tile[i, j] = total(tile)",
    ],
)
def test_loops_whose_iterations_meet_stay_serial(body: str) -> None:
    _, actions = actions_at(SCALE.replace("tile[i, j] = tile[i, j] * 2.0", body), "for i in range")
    assert [each for each in actions if "Spread the loop" in each.title] == []


def test_a_shared_tile_is_swizzled_once() -> None:
    snapshot, actions = actions_at(SCALE, "tile = T.alloc_shared")
    (action,) = [each for each in actions if each.title == "Swizzle tile"]
    text = after(snapshot, action.edits)
    assert "            T.annotate_layout({tile: tilelang.layout.make_swizzled_layout(tile)})\n" in text
    assert errors_of(text) == errors_of(SCALE)
    swizzled = checked(text)
    assert swizzled.analysis is not None
    (kernel,) = swizzled.analysis.kernels
    instance = swizzled.instance(kernel)
    tile = swizzled.map_of(instance).by_name["tile"]
    assert swizzle_text(swizzled.analysis, instance, tile) == "128 B swizzle"
    assert [each for each in actions_at(text, "tile = T.alloc_shared")[1] if each.title.startswith("Swizzle")] == []
    # The compiler does it by itself for tiles that matrix instructions read.
    assert [each for each in actions_at(GEMM, "A_tile = ")[1] if each.title.startswith("Swizzle")] == []


def test_a_selection_becomes_a_macro() -> None:
    snapshot, actions = actions_at(GEMM, "T.copy(A[by", "T.gemm(")
    (action,) = [each for each in actions if each.kind == "refactor.extract"]
    text = after(snapshot, action.edits)
    start = text.index("    @T.macro\n")
    assert text[start : text.index("    @T.prim_func\n")] == (
        "    @T.macro\n"
        "    def extracted(A, B, bx, by, A_tile, B_tile, acc, k):\n"
        "        T.copy(A[by * block_m, k * block_k], A_tile)\n"
        "        T.copy(B[k * block_k, bx * block_n], B_tile)\n"
        "        T.gemm(A_tile, B_tile, acc)\n"
        "\n"
    )
    assert "                extracted(A, B, bx, by, A_tile, B_tile, acc, k)\n" in text
    before = checked(GEMM)
    now = checked(text)
    assert before.analysis is not None
    assert now.analysis is not None
    tables = [
        [row.targets[0].shared_bytes for row in each.report.instances] for each in (before.analysis, now.analysis)
    ]
    assert tables[0] == tables[1]
    assert errors_of(text) == errors_of(GEMM)


def test_what_a_block_binds_for_others_is_not_extracted() -> None:
    for first, last in (("A_tile = ", "B_tile = "), ("with T.Kernel", "T.clear"), ("def kernel", "return kernel")):
        _, actions = actions_at(GEMM, first, last)
        assert [each for each in actions if each.kind == "refactor.extract"] == []


TUNED = GEMM.replace(
    "@tilelang.jit(out_idx=[-1])",
    '@tilelang.autotune(configs=[{"block_k": 32}, {"block_k": 64}])\n@tilelang.jit(out_idx=[-1])',
).replace("block_k=32, ", "block_k=None, ")


def test_another_entry_of_the_tuner_can_be_chosen() -> None:
    _, actions = actions_at(TUNED, "T.gemm(")
    (action,) = [each for each in actions if each.title == "Choose another entry of the tuner"]
    assert action.pick == line_of(TUNED, "def kernel")
