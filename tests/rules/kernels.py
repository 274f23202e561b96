"""Kernels in which one thing is wrong, for tests of rules."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tilelang_analyzers.api import check_source
from tilelang_analyzers.fixes.rewrite import rewrite
from tilelang_analyzers.settings import Settings

if TYPE_CHECKING:
    from tilelang.diagnostics import Diagnostic

HEAD = "import tilelang\nimport tilelang.language as T\n\n\n"

MATMUL = """\
@tilelang.jit(out_idx=[-1])
def matmul(M, N, K, tile=128, tile_k=64, stages={default}):
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float16")):
        with T.Kernel({grid}, threads=128) as (bx, by):
            a = T.alloc_shared((tile, tile_k), "float16")
            b = T.alloc_shared((tile_k, tile), "float16")
            acc = T.alloc_fragment((tile, tile), "float32"){clear}
            for k in T.Pipelined({loop}, num_stages=stages):
                T.copy(A[by * tile, k * tile_k], a)
                T.copy(B[k * tile_k, bx * tile], b)
                T.gemm(a, b, acc)
            T.copy(acc, C[by * tile, bx * tile])

    return main


{call}
"""


def matmul(
    call: str = "matmul(1024, 1024, 1024)",
    *,
    default: int = 1,
    grid: str = "T.ceildiv(N, tile), T.ceildiv(M, tile)",
    loop: str = "T.ceildiv(K, tile_k)",
    clear: str = "\n            T.clear(acc)",
) -> str:
    """A matrix product with some parts replaced."""
    return HEAD + MATMUL.format(call=call, default=default, grid=grid, loop=loop, clear=clear)


def findings(folder: Path, source: str, *targets: str, select: tuple[str, ...] = ()) -> tuple[Diagnostic, ...]:
    """What the checker says about ``source``, infos left out."""
    settings = Settings(root=str(folder), target=targets or ("sm_80",), extend_select=select, cache=False)
    report = check_source(folder / "kernel.py", source, settings)
    assert report.failure is None, report.failure.detail
    return tuple(one for one in report.findings if one.severity.label != "info")


def repaired(folder: Path, source: str, rule: str, *targets: str, select: tuple[str, ...] = ()) -> str:
    """``source`` with the fix of its only finding of ``rule``; that finding must be gone then."""
    path = folder / "kernel.py"
    path.write_text(source)
    found = [one for one in findings(folder, source, *targets, select=select) if one.rule == rule]
    assert len(found) == 1, [(one.rule, one.message) for one in found]
    assert found[0].fix is not None
    done = rewrite(str(path), source.encode(), found)
    assert done.applied == tuple(found)
    after = done.data.decode()
    assert rule not in {one.rule for one in findings(folder, after, *targets, select=select)}
    return after
