"""Runs that every format is tested with: many things at once, a syntax error, a notebook, and several targets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from analyzers import samples
from tilelang.diagnostics import Diagnostic, Edit, Fix, Note, Severity
from tilelang.ir.span import Span
from tilelang_analyzers.report import Run
from tilelang_analyzers.results import BufferUse, CallResult, FileReport, KernelResult
from tilelang_analyzers.sources import Sources

if TYPE_CHECKING:
    from collections.abc import Callable

CELLS = (
    ("markdown", ["# A notebook\n", "with two lines"]),
    ("code", ["import tilelang.language as T\n", 'größe = "é\\t"\n', "acc = T.alloc_fragment((64, 64), 'float32')"]),
    ("code", '%time\nfor k in range(8):\n    T.gemm(a, b, acc)  # 𐐀 "quoted"\n'),
)


def syntax_error(folder: Path) -> Run:
    """A file that Python cannot parse, beside one that is fine."""
    path, fine = folder / "broken.py", folder / "fine.py"
    path.write_text("import tilelang\n\ndef kernel(:\n    pass\n", encoding="utf-8")
    finding = Diagnostic("syntax-error", Severity.ERROR, "invalid syntax", Span(str(path), 3, 11, 3, 12))
    kernel = KernelResult("kernel", str(fine), 3, "checked", 1, 1)
    return Run(
        (
            FileReport(str(path), (finding,), uses_tilelang=True),
            FileReport(str(fine), kernels=(kernel,), uses_tilelang=True, assumed_target="A100"),
        ),
        Sources(),
    )


def notebook(folder: Path) -> Run:
    """Findings in two cells, with a note in another cell and a fix; one cell's source is one string, with magics."""
    path = folder / "demo.ipynb"
    cells = [
        {"cell_type": kind, "metadata": {}, "source": source, **({"outputs": []} if kind == "code" else {})}
        for kind, source in CELLS
    ]
    content = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    gemm = Span(str(path), 6, 4, 6, 21)
    alloc = Span(str(path), 3, 6, 3, 43)
    uncleared = Diagnostic(
        "uninitialized-accumulator",
        Severity.ERROR,
        "T.gemm adds to `acc`, which nothing has cleared",
        gemm,
        notes=(Note("`acc` is allocated here", alloc), Note("write T.clear(acc) before the loop")),
        fix=Fix("Add `clear_accum`", (Edit(Span(str(path), 6, 20, 6, 20), ', clear_accum="é" == "é"'),)),
    )
    unused = Diagnostic("unused-buffer", Severity.WARNING, "`größe` is never read", Span(str(path), 2, 0, 2, 7))
    kernel = KernelResult("kernel", str(path), 5, "checked", 1, 1)
    buffers = (BufferUse("acc", "buffer", 65536, 1, str(path), 3),)
    target = samples.target("sm_75", "T4", 49152, 65536)._replace(buffers=buffers)
    chain = (CallResult("matmul", str(path), 4),)
    instance = samples.instance(path, line=5, factory_line=3, chain=chain, targets=(target,))
    report = FileReport(str(path), (unused, uncleared), (instance,), (kernel,), uses_tilelang=True)
    return Run((report,), Sources())


def targets(folder: Path) -> Run:
    """Findings that hold for some of several targets, in two files that report one of them both."""
    path, other = samples.write(folder), folder / "kernels" / "use.py"
    other.write_text("import tilelang\n", encoding="utf-8")
    overflow, merged = (
        Diagnostic(
            "shared-memory-overflow",
            Severity.ERROR,
            "shared memory 131 072 B exceeds the 49 152 B of a block on T4 (sm_75)",
            samples.span(path, "stages=4", 18),
            targets=("sm_75",),
            data={"need": 131072, "have": 49152},
        ),
        Diagnostic(
            "unsupported-dtype",
            Severity.WARNING,
            "no tensor core of the target takes float8",
            samples.span(path, '"float32"', 11),
            notes=(Note("the launch is here", samples.span(path, "T.Kernel", 9)),),
            targets=("sm_75", "sm_80"),
            fix=Fix(
                "Use float16 for both",
                (
                    Edit(samples.span(path, '"float16"', 10), "T.float16"),
                    Edit(samples.span(path, '"float32"', 11), "T.float16"),
                ),
                safe=True,
            ),
        ),
    )
    kernel = KernelResult("kernel", str(path), 8, "checked", 2, 2)
    return Run(
        (
            FileReport(str(path), (merged, overflow), kernels=(kernel,), uses_tilelang=True),
            FileReport(str(other), (overflow,), uses_tilelang=True),
        ),
        Sources(),
        targets=(("sm_75", "T4"), ("sm_80", "A100")),
    )


SCENARIOS: dict[str, Callable[[Path], Run]] = {
    "report": samples.run,
    "syntax-error": syntax_error,
    "notebook": notebook,
    "targets": targets,
}
