"""The brute force itself, on kernels whose answer is known."""

from __future__ import annotations

from pathlib import Path

import pytest
from access.generate import HEAD, PARAMS
from access.oracle import outcome

from tilelang.frontend.project import EvaluatorSettings, Project


def race(folder: Path, *lines: str, grid: str = "1", names: str = "bx", automatic: bool = True) -> bool:
    """Whether a kernel with this body depends on the order."""
    body = "\n".join(f"        {line}" for line in lines)
    text = (
        f"{HEAD}@T.prim_func\ndef main({PARAMS}):\n    with T.Kernel({grid}, threads=64) as ({names}):\n"
        f'        s = T.alloc_shared((64,), "int32")\n        tx = T.get_thread_binding()\n{body}\n'
    )
    path = folder / "kernel.py"
    path.write_text(text)
    (instance,) = Project(folder, EvaluatorSettings()).analyse(path).instances
    return outcome(instance.program, automatic=automatic).race


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (("for i in T.Parallel(64):", "    Y[i] = X[i] + 1"), False),
        (("for i in T.Parallel(64):", "    Y[0] = 1"), False),
        (("for i in T.Parallel(64):", "    Y[0] = X[i]"), True),
        (("for i in T.Parallel(64):", "    Y[i // 2] = X[i // 2]"), False),
        (("for i in T.Parallel(64):", "    Y[0] += X[i]"), True),
        (("for i in T.Parallel(64):", "    T.atomic_add(Y[0], X[i])"), False),
        (("for i in T.Parallel(63):", "    Y[i] = Y[i + 1]"), True),
        (("for i in T.Parallel(32):", "    Y[i] += Y[i + 32]"), False),
        (("s[tx] = X[tx]", "Y[tx] = s[63 - tx]"), False),
        (("s[tx] = X[tx]", "s[63 - tx] = X[tx]", "Y[tx] = s[tx]"), True),
        (("s[tx] = X[tx]", "Y[tx] = s[tx ^ 1]"), False),
        (("Y[tx] = X[tx]", "X[tx] = Y[63 - tx]"), True),
        (("Y[tx] = X[tx]", "T.sync_threads()", "X[tx] = Y[63 - tx]"), False),
        (("for k in T.serial(4):", "    Y[k] += 1"), True),
        (("if tx == 0:", "    Y[0] += 1"), False),
    ],
)
def test_order_of_threads(tmp_path: Path, lines: tuple[str, ...], expected: bool) -> None:
    assert race(tmp_path, *lines) is expected


def test_barriers_of_the_compiler_can_be_off(tmp_path: Path) -> None:
    lines = ("s[tx] = X[tx]", "Y[tx] = s[63 - tx]")
    assert race(tmp_path, *lines, automatic=False)
    assert not race(tmp_path, lines[0], "T.sync_threads()", lines[1], automatic=False)


def test_order_of_blocks(tmp_path: Path) -> None:
    assert race(tmp_path, "for i in T.Parallel(8):", "    Y[i] = X[bx * 8 + i]", grid="4")
    assert not race(tmp_path, "for i in T.Parallel(8):", "    Y[bx * 8 + i] = X[i]", grid="4")
    assert not race(tmp_path, "for i in T.Parallel(8):", "    T.atomic_add(Y[i], bx)", grid="4")
    assert race(tmp_path, "for i in T.Parallel(8):", "    Y[i] += 1", grid="4")
    assert not race(tmp_path, "for i in T.Parallel(8):", "    if bx == 1:", "        Y[i] += 1", grid="4")
