"""Hand-made results that the tests of the reports share: one project of two files, and its edge cases."""

from __future__ import annotations

from pathlib import Path

from tilelang.diagnostics import Diagnostic, Edit, Fix, Note, Severity
from tilelang.ir.span import Span
from tilelang_analyzers.report import Run
from tilelang_analyzers.results import (
    BufferUse,
    CallResult,
    Failure,
    FileReport,
    InstanceResult,
    KernelResult,
    TargetResult,
    TraceResult,
)
from tilelang_analyzers.sources import Sources

KERNEL = """\
import tilelang
import tilelang.language as T


@tilelang.jit
def matmul(M, N, K, tile=128, stages=4):
    @T.prim_func
    def kernel(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float16")):
        with T.Kernel(N // tile, M // tile, threads=128) as (bx, by):
            a_tile = T.alloc_shared((tile, 64), "float16")
            acc = T.alloc_fragment((tile, tile), "float32")
\t    # tabs and größe
            T.gemm(a_tile, T.alloc_shared((64, tile), "float16"), acc, transpose_B=True, policy=T.GemmWarpPolicy.Square)

    return kernel


matmul(1024, 1024, 1024, stages=4)
"""

TARGETS = (("sm_75", "T4"), ("sm_80", "A100"), ("sm_89", "L4"), ("sm_90", "H100"))


def write(folder: Path) -> Path:
    """The file that the findings point into."""
    path = folder / "kernels" / "gemm.py"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(KERNEL, encoding="utf-8")
    return path


def span(path: Path, text: str, line: int) -> Span:
    """The span of ``text`` in one line of the file."""
    source = path.read_text(encoding="utf-8").splitlines()[line - 1]
    start = len(source[: source.index(text)].encode())
    return Span(str(path), line, start, line, start + len(text.encode()))


def findings(path: Path) -> tuple[Diagnostic, ...]:
    overflow = Diagnostic(
        "shared-memory-overflow",
        Severity.ERROR,
        "shared memory 131 072 B exceeds the 49 152 B of a block on T4 (sm_75) and the 101 376 B of a block on "
        "L4 (sm_89)",
        span(path, "stages=4", 18),
        notes=(
            Note("`a_tile`: 16 384 B in 4 copies, 65 536 B", span(path, "T.alloc_shared((tile, 64)", 10)),
            Note("the same holds for 2 more instances of this kernel"),
        ),
        fix=Fix("set stages=1, which needs 32 768 B", (Edit(span(path, "4", 18), "1"),)),
        targets=("sm_75", "sm_89"),
        data={"need": 131072, "have": 49152, "by_target": {"sm_75": {"have": 49152}, "sm_89": {"have": 101376}}},
    )
    gemm = Diagnostic(
        "gemm-shape-mismatch",
        Severity.WARNING,
        "T.gemm: K is 64 in A but 128 in B (A (128, 64), B (64, 128), C (128, 128)); a long message wraps at the "
        "width of the report",
        span(path, "transpose_B=True", 13),
    )
    info = Diagnostic(
        "unused-buffer",
        Severity.INFO,
        "`acc` is never read",
        Span(str(path), 11, 12, 13, 20),
        targets=("sm_75", "sm_80"),
        fix=Fix("remove it", (), safe=True),
    )
    return (gemm, info, overflow)


def target(arch: str, label: str, limit: int, need: int, errors: tuple[str, ...] = ()) -> TargetResult:
    over = need > limit or bool(errors)
    buffers = (
        BufferUse("a_tile", "buffer", 65536, 4, "kernels/gemm.py", 10),
        BufferUse("workspace", "workspace", need - 65536, 1, "", 0),
    )
    return TargetResult(
        arch, label, 128, need, need, 0, limit, buffers, 168, 1, "shared memory", "error" if over else "ok", errors
    )


def instance(path: Path, **changes: object) -> InstanceResult:
    values: dict[str, object] = {
        "path": str(path),
        "kernel": "kernel",
        "line": 8,
        "factory": "matmul",
        "factory_line": 6,
        "style": "lazy",
        "origin": "call",
        "launch": 0,
        "bindings": {"M": 1024, "N": 1024, "K": 1024, "tile": 128, "stages": 4, "dtype": "float16", "seed": None},
        "closure": {},
        "chain": (CallResult("matmul", str(path), 18),),
        "certain": True,
        "expected_failure": False,
        "grid": (8, 8, 1),
        "threads": (128, 1, 1),
        "targets": (
            target("sm_75", "T4", 49152, 131072, ("shared-memory-overflow",)),
            target("sm_80", "A100", 166912, 131072),
            target("sm_89", "L4", 101376, 131072, ("shared-memory-overflow",)),
            target("sm_90", "H100", 232448, 131072, ("gemm-dtype-mismatch",)),
        ),
    }
    return InstanceResult(**{**values, **changes})  # type: ignore[arg-type]


def run(folder: Path) -> Run:
    """A run with everything in it."""
    path = write(folder)
    other = folder / "kernels" / "other.py"
    unknown = TargetResult("sm_75", "T4", None, None, None, None, 49152, (), None, None, "", "unknown")
    gemm = FileReport(
        str(path),
        findings(path),
        (
            instance(path),
            instance(path, bindings={"M": 64, "A": {"shape": [64, None], "dtype": "float16"}}, certain=False),
            instance(path, bindings={}, launch=1, expected_failure=True, targets=(unknown,)),
        ),
        (
            KernelResult("kernel", str(path), 8, "checked", 3, 2),
            KernelResult("lonely", str(path), 30, "unchecked", 0, 0, "no caller gives its arguments"),
            KernelResult("half", str(path), 40, "partly", 1, 1, "parts of the body are not followed"),
        ),
        (TraceResult("`tile` is read from a file, so it is unknown", span(path, "tile=128", 6)),),
        uses_tilelang=True,
    )
    broken = FileReport(
        str(other),
        uses_tilelang=True,
        failure=Failure("rule unused-buffer failed: KeyError: 'x'", detail="Traceback\n  x"),
    )
    sources = Sources()
    return Run(
        (gemm, broken, FileReport(str(folder / "plain.py"))),
        sources,
        unreadable=((str(folder / "gone.py"), "no such file or folder"),),
        targets=TARGETS,
    )
