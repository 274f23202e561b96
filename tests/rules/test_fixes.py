"""Every fix removes its finding and changes nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
from rules.kernels import HEAD, findings, matmul, repaired

from tilelang_analyzers.api import check_source
from tilelang_analyzers.fixes.rewrite import rewrite


def changed_lines(before: str, after: str) -> list[str]:
    """The lines of ``after`` that are not in ``before``."""
    known = set(before.splitlines())
    return [line.strip() for line in after.splitlines() if line not in known]


def test_the_sound_kernel_has_no_findings(tmp_path: Path) -> None:
    assert findings(tmp_path, matmul(), "sm_75", "sm_80", "sm_90") == ()


def test_stages_given_at_the_call(tmp_path: Path) -> None:
    source = matmul("matmul(1024, 1024, 1024, stages=4)")
    after = repaired(tmp_path, source, "shared-memory-overflow", "sm_75")
    assert changed_lines(source, after) == ["matmul(1024, 1024, 1024, stages=1)"]


def test_stages_that_are_a_default(tmp_path: Path) -> None:
    source = matmul(default=4)
    after = repaired(tmp_path, source, "shared-memory-overflow", "sm_86")
    assert changed_lines(source, after) == ["def matmul(M, N, K, tile=128, tile_k=64, stages=3):"]


def test_tile_where_stages_do_not_help(tmp_path: Path) -> None:
    source = matmul("matmul(1024, 1024, 1024, tile=256, tile_k=128)")
    after = repaired(tmp_path, source, "shared-memory-overflow", "sm_75")
    assert changed_lines(source, after) == ["matmul(1024, 1024, 1024, tile=64, tile_k=128)"]


def test_a_computed_value_has_no_fix(tmp_path: Path) -> None:
    (found,) = findings(tmp_path, matmul("matmul(1024, 1024, 1024, stages=2 + 2)"), "sm_75")
    assert found.rule == "shared-memory-overflow"
    assert found.fix is None


def test_accumulator(tmp_path: Path) -> None:
    source = matmul(clear="")
    after = repaired(tmp_path, source, "uninitialized-accumulator")
    assert changed_lines(source, after) == ["T.clear(acc)"]


def test_grid(tmp_path: Path) -> None:
    source = matmul("matmul(1000, 1000, 1024)", grid="N // tile, M // tile")
    after = repaired(tmp_path, source, "incomplete-grid")
    assert changed_lines(source, after) == [
        "with T.Kernel(T.ceildiv(N, tile), T.ceildiv(M, tile), threads=128) as (bx, by):"
    ]


def test_loop(tmp_path: Path) -> None:
    source = matmul("matmul(1024, 1024, 1000)", loop="K // tile_k")
    after = repaired(tmp_path, source, "incomplete-loop")
    assert changed_lines(source, after) == ["for k in T.Pipelined(T.ceildiv(K, tile_k), num_stages=stages):"]


PRODUCT = """\
@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float16"), C: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, threads=128) as bx:
        a = T.alloc_shared((64, 32), "float16")
        b = T.alloc_shared((64, 32), "float16")
        acc = T.alloc_fragment((64, 64), "float32")
        T.clear(acc)
        T.copy(A, a)
        T.copy(B, b)
        {gemm}
        T.copy(acc, C)
"""


@pytest.mark.parametrize(
    ("gemm", "line"),
    [
        ("T.gemm(a, b, acc)", "T.gemm(a, b, acc, transpose_B=True)"),
        ("T.gemm(a, b, acc, policy=T.GemmWarpPolicy.FullRow)", None),
        ("T.gemm(\n            a,\n            b,\n            acc,\n        )", "acc, transpose_B=True"),
    ],
)
def test_transposition(tmp_path: Path, gemm: str, line: str | None) -> None:
    source = HEAD + PRODUCT.format(gemm=gemm)
    after = repaired(tmp_path, source, "gemm-shape-mismatch")
    (changed,) = changed_lines(source, after)
    assert changed == (line or f"{gemm[:-1]}, transpose_B=True)")


def test_names(tmp_path: Path) -> None:
    sound = HEAD + PRODUCT.format(gemm="T.gemm(a, b, acc, transpose_B=True)")
    assert repaired(tmp_path, sound.replace("T.clear", "T.claer"), "unknown-name") == sound
    assert repaired(tmp_path, sound.replace("transpose_B", "transpose_b"), "unknown-argument") == sound


def test_annotations(tmp_path: Path) -> None:
    source = (
        HEAD
        + "@T.prim_func\ndef main(A: T.Tensor((64,), 'float32')):\n    with T.Kernel(1) as bx:\n        T.clear(A)\n"
    )
    after = repaired(tmp_path, source, "call-annotation", select=("call-annotation",))
    assert "def main(A: T.Tensor[(64,), 'float32']):" in after


KERNEL = """\
@T.prim_func
def main(X: T.Tensor((512,), "float32"), Y: T.Tensor((512,), "float32")):
    with T.Kernel(1, threads=256) as bx:
        tx = T.get_thread_binding()
        tile = T.alloc_shared((512,), "float32")
        total = T.alloc_shared((8,), "float32")
        T.clear(total)
{body}
        T.copy(tile, Y)
        T.copy(total, Y[0:8])
"""


def in_kernel(*lines: str) -> str:
    return HEAD + KERNEL.format(body="\n".join(f"        {line}" for line in ("T.clear(tile)", *lines)))


@pytest.mark.parametrize("update", ["total[i % 8] += X[i] * 2", "total[i % 8] = total[i % 8] + X[i] * 2"])
def test_an_update_becomes_atomic(tmp_path: Path, update: str) -> None:
    source = in_kernel("for i in T.Parallel(512):", f"    {update}")
    after = repaired(tmp_path, source, "parallel-race")
    assert changed_lines(source, after) == ["T.atomic_add(total[i % 8], X[i] * 2)"]


def test_other_updates_have_no_fix(tmp_path: Path) -> None:
    source = in_kernel("for i in T.Parallel(512):", "    total[i % 8] *= X[i]")
    (found,) = findings(tmp_path, source)
    assert found.fix is None


def test_a_barrier_between_two_stores(tmp_path: Path) -> None:
    source = in_kernel("tile[tx] = X[tx]", "tile[255 - tx] = X[tx] * 2")
    after = repaired(tmp_path, source, "missing-sync")
    assert changed_lines(source, after) == ["T.sync_threads()"]


def test_a_wait_before_the_first_use(tmp_path: Path) -> None:
    source = in_kernel("T.async_copy(X, tile)", "T.copy(tile, Y)")
    after = repaired(tmp_path, source, "missing-wait")
    assert changed_lines(source, after) == ["T.ptx_wait_group(0)"]


@pytest.mark.parametrize(
    ("annotation", "written"),
    [
        ("T.Tensor(shape, 'float32')", "T.Tensor[shape, 'float32']"),
        ("T.Tensor((N, 4), dtype)", "T.Tensor[(N, 4), dtype]"),
        ("T.Tensor(sizes, dtype)", "T.Tensor[sizes, dtype]"),
        # Here the subscript form would take the dtype for an extent.
        ("T.Tensor(N, dtype)", None),
        ("T.Buffer((N,), dtype)", None),
    ],
)
def test_annotations_in_which_only_a_call_is_clear(tmp_path: Path, annotation: str, written: str | None) -> None:
    head = f"{HEAD}def make(N, shape, dtype):\n    sizes = [N, 4]\n"
    source = f"{head}    @T.prim_func\n    def main(A: {annotation}):\n        pass\n"
    found = findings(tmp_path, source, select=("call-annotation",))
    assert [one.rule for one in found] == ["call-annotation"]
    assert (found[0].fix is None) == (written is None)
    if written is not None:
        assert written in repaired(tmp_path, source, "call-annotation", select=("call-annotation",))


def test_an_accumulator_with_a_comment(tmp_path: Path) -> None:
    source = matmul(clear="").replace('"float32")\n            for', '"float32")  # sums\n            for')
    assert "# sums" in source
    after = repaired(tmp_path, source, "uninitialized-accumulator")
    assert '"float32")  # sums\n            T.clear(acc)\n' in after


STEPPED = """\
@T.prim_func
def main(A: T.Tensor((64, 128), "float16"), B: T.Tensor((64, 64), "float16")):
    with T.Kernel(1, threads=128) as bx:
        pairs = T.alloc_shared((64, 128), "float16")
        even = T.alloc_shared((64, 64), "float16")
        T.copy(A, pairs)
        {copy}
        T.copy(even, B)
"""


@pytest.mark.parametrize(
    ("copy", "assignment"),
    [
        ("T.copy(pairs[:, 0::2], even)", "even[i, j] = pairs[i, 2 * j]"),
        ("T.copy(pairs[0:64, 1:128:2], even[:, :])", "even[i, j] = pairs[i, 1 + 2 * j]"),
    ],
)
def test_stepped_slices(tmp_path: Path, copy: str, assignment: str) -> None:
    source = HEAD + STEPPED.format(copy=copy)
    after = repaired(tmp_path, source, "unsupported-slice-step")
    assert changed_lines(source, after) == ["for i, j in T.Parallel(64, 64):", assignment]


def test_dim_of_a_reduction(tmp_path: Path) -> None:
    body = """\
@T.prim_func
def main(A: T.Tensor((64, 32), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=128) as bx:
        tile = T.alloc_fragment((64, 32), "float32")
        best = T.alloc_fragment((64,), "float32")
        T.copy(A, tile)
        T.reduce_max(tile, best, dim=0)
        T.copy(best, B)
"""
    after = repaired(tmp_path, HEAD + body, "reduce-shape-mismatch")
    assert changed_lines(HEAD + body, after) == ["T.reduce_max(tile, best, dim=1)"]


def test_an_unused_buffer(tmp_path: Path) -> None:
    sound = HEAD + PRODUCT.format(gemm="T.gemm(a, b, acc, transpose_B=True)")
    extra = '        spare = T.alloc_shared(\n            (64, 32), "float16"\n        )\n'
    source = sound.replace("        T.clear(acc)", f"{extra}        T.clear(acc)")
    report = check_source(tmp_path / "kernel.py", source)
    found = [one for one in report.findings if one.rule == "unused-buffer"]
    assert [one.fix is not None and one.fix.safe for one in found] == [True]
    assert rewrite(str(tmp_path / "kernel.py"), source.encode(), found).data.decode() == sound
    mentioned = source.replace("T.clear(acc)", "T.clear(acc)\n        print(spare.shape)")
    report = check_source(tmp_path / "kernel.py", mentioned)
    assert all(one.fix is None for one in report.findings if one.rule == "unused-buffer")


def test_a_key_of_the_tuner(tmp_path: Path) -> None:
    source = matmul("matmul(1024, 1024, 1024)").replace(
        "@tilelang.jit", '@tilelang.autotune(configs=[{"tile": 128, "tile_k": 32, "stage": 2}])\n@tilelang.jit'
    )
    after = repaired(tmp_path, source, "autotune-unknown-key")
    assert changed_lines(source, after) == ['@tilelang.autotune(configs=[{"tile": 128, "tile_k": 32, "stages": 2}])']


def test_misspelt_rules_in_comments() -> None:
    source = "import tilelang.language as T\n\nx = 1  # tl: ignore[lossy-cst] why\n"
    (found,) = check_source("k.py", source).findings
    after = rewrite(found.span.path, source.encode(), [found]).data.decode()
    assert after == source.replace("lossy-cst", "lossy-cast")
