"""Which layouts given by hand TMA can move: the answers of upstream 0.1.15 for tiles of ``float16`` with 64 rows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tilelang_analyzers.api import check_source
from tilelang_analyzers.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator

HEAD = "import tilelang\nimport tilelang.language as T\n\n\n"
KERNEL = """@T.prim_func
def k{number}(X: T.Tensor((256, 256), T.float16), Y: T.Tensor((256, 256), T.float16)):
    with T.Kernel(1, threads=128):
        tile = T.alloc_shared((64, {columns}), T.float16)
        ready = T.alloc_barrier(1)
        T.annotate_layout({{tile: T.Layout((64, {columns}), lambda i, j: ({place}) ^ ({place}) // 64 % {lines} * 8)}})
        if T.shuffle_elect(0):
            T.tma_copy(X[0:64, 0:{columns}], tile, barrier=ready)
            T.mbarrier_arrive(ready)
        T.mbarrier_wait_parity(ready, 0)
        for i, j in T.Parallel(64, {columns}):
            Y[i, j] = tile[i, j]


"""
REFUSED = {
    # columns, columns of a block, log2 of the lines that a swizzle goes over (none, 32, 64 and 128 bytes)
    *((32, 32, 1), (64, 64, 1), (64, 64, 2), (128, 128, 1), (128, 128, 2), (128, 128, 3)),
    *((columns, 4, bits) for columns in (32, 64, 128) for bits in range(4)),
    *((64, 32, 1), (128, 32, 1), (128, 64, 1), (128, 64, 2)),
}


def layouts() -> Iterator[tuple[int, int, int]]:
    yield from ((columns, columns, bits) for columns in (8, 16, 32, 64, 128) for bits in (1, 2, 3))
    for columns in (32, 64, 128):
        yield from ((columns, width, bits) for width in (4, 8, 16, 32, 64) if width < columns for bits in range(4))


def test_layouts_that_tma_refuses(tmp_path: Path) -> None:
    asked = list(layouts())
    text, starts = HEAD, list[int]()
    for number, (columns, width, bits) in enumerate(asked):
        starts.append(text.count("\n") + 1)
        place = f"j // {width} * {64 * width} + i * {width} + j % {width}"
        text += KERNEL.format(number=number, columns=columns, place=place, lines=1 << bits)
    settings = Settings(root=str(tmp_path), target=("sm_90",), cache=False, select=("layout-conflict",))
    report = check_source(tmp_path / "kernels.py", text, settings)
    assert report.failure is None, report.failure.detail
    found = {
        asked[max(index for index, start in enumerate(starts) if start <= finding.span.line)]
        for finding in report.findings
    }
    assert found == REFUSED
