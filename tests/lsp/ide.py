"""Snapshots for tests of features, without a server: a source with a cursor mark, checked as an editor's text is."""

from __future__ import annotations

from pathlib import Path

from tilelang_lsp.files import SourceFile
from tilelang_lsp.options import EditorOptions
from tilelang_lsp.session import Session, Snapshot

CURSOR = "<|>"
TARGETS = ("t4", "a100")


def checked(source: str, path: str = "/project/k.py", session: Session | None = None) -> Snapshot:
    """A snapshot of a file that has been checked."""
    session = session or new_session()
    file = SourceFile.open(path, source)
    session.put(file)
    session.analyses[path] = session.examine(file)
    snapshot = session.snapshot(path)
    assert snapshot is not None
    return snapshot


def new_session(*targets: str) -> Session:
    session = Session()
    session.configure(EditorOptions(checker={"target": targets or TARGETS}))
    return session


def at_cursor(source: str, path: str = "/project/k.py", session: Session | None = None) -> tuple[Snapshot, int, int]:
    """The snapshot of a source without its mark, and the line and column of the mark."""
    before, mark, after = source.partition(CURSOR)
    assert mark, "no cursor in the source"
    line = before.count("\n") + 1
    return checked(before + after, path, session), line, len(before.rsplit("\n", 1)[-1].encode())


def project(folder: Path, files: dict[str, str], *targets: str) -> Session:
    """A session with a folder of files."""
    (folder / "pyproject.toml").write_text("")
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    session = new_session(*targets)
    session.workspace.folders = [str(folder)]
    return session


GEMM = """\
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def matmul(M, N, K, block_m=128, block_n=128, block_k=32, num_stages=3):
    tiles = block_m * block_n

    @T.prim_func
    def kernel(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float16")):
        with T.Kernel(T.ceildiv(N, block_n), T.ceildiv(M, block_m), threads=128) as (bx, by):
            A_tile = T.alloc_shared((block_m, block_k), "float16")
            B_tile = T.alloc_shared((block_k, block_n), "float16")
            acc = T.alloc_fragment((block_m, block_n), "float32")
            T.clear(acc)
            for k in T.Pipelined(T.ceildiv(K, block_k), num_stages=num_stages):
                T.copy(A[by * block_m, k * block_k], A_tile)
                T.copy(B[k * block_k, bx * block_n], B_tile)
                T.gemm(A_tile, B_tile, acc)
            T.copy(acc, C[by * block_m, bx * block_n])

    return kernel


matmul(1024, 1024, 1024)
"""
"""Three stages of two 8 KiB tiles: 48 KiB, the whole budget of a T4."""
