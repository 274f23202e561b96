"""Findings in arms that the kernel may not have."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilelang.diagnostics import Severity
from tilelang_analyzers.api import check_source
from tilelang_analyzers.settings import Settings

KERNEL = """
import tilelang
import tilelang.language as T
from elsewhere import flag

@tilelang.jit(out_idx=[-1])
def scores(M, transposed):
    @T.prim_func
    def kernel(A: T.Tensor((M, 64), "float16"), C: T.Tensor((M, 64), "float32")):
        with T.Kernel(T.ceildiv(M, 64), threads=128) as bx:
            a = T.alloc_shared((64, 64), "float16")
            b = T.alloc_shared((32, 64), "float16")
            c = T.alloc_fragment((64, 64), "float32")
            T.clear(c)
            T.copy(A[bx * 64, 0], a)
            if transposed:
                T.gemm(a, b, c)
                big = T.alloc_shared((256, 256), "float16")
                T.copy(A[bx * 64, 0], big[0:64, 0:64])
                T.coppy(a, b)
            T.copy(c, C[bx * 64, 0])
    return kernel

scores(1024, FLAG)
"""


def errors(flag: str, tmp_path: Path) -> set[str]:
    path = tmp_path / "scores.py"
    text = KERNEL.replace("FLAG", flag)
    path.write_text(text)
    report = check_source(str(path), text.encode(), Settings(root=str(tmp_path), target=("sm_75",), cache=False))
    return {finding.rule for finding in report.findings if finding.severity == Severity.ERROR}


@pytest.mark.parametrize("rule", ["gemm-shape-mismatch", "shared-memory-overflow", "unknown-name"])
def test_an_arm_that_may_not_exist_yields_no_error(rule: str, tmp_path: Path) -> None:
    assert rule in errors("True", tmp_path)
    assert rule not in errors("flag", tmp_path)
    assert rule not in errors("False", tmp_path)
