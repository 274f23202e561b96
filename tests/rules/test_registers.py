"""When the tiles of a kernel need their registers."""

from __future__ import annotations

from rules.kernels import HEAD

from tilelang.frontend.project import EvaluatorSettings, Project
from tilelang.passes import plan
from tilelang.targets import resolve
from tilelang_analyzers.rules._registers import peak

KERNEL = """\
@T.prim_func
def main(A: T.Tensor((128, 128), "float32"), C: T.Tensor((128, 128), "float32")):
    with T.Kernel(1, threads=128) as bx:
        first = T.alloc_fragment((128, 64), "float32")
        second = T.alloc_fragment((128, 64), "float32")
        carried = T.alloc_fragment((128,), "float32")
        T.clear(carried)
        for k in T.serial(2):
            {body}
        T.copy(carried, C[0, 0:128])
"""

APART = """T.copy(A[0, 0], first)
            T.copy(first, C[0, 0])
            T.copy(A[0, 64], second)
            T.copy(second, C[0, 64])"""

TOGETHER = """T.copy(A[0, 0], first)
            T.copy(A[0, 64], second)
            T.copy(first, C[0, 0])
            T.copy(second, C[0, 64])"""


def registers(tmp_path, body: str) -> int:
    path = tmp_path / "kernel.py"
    source = (HEAD + KERNEL.format(body=body)).encode()
    (instance,) = Project(tmp_path, EvaluatorSettings()).analyse(path, source).instances
    (launch,) = instance.program.launches()
    target = resolve("sm_80")
    assert target is not None
    return peak(launch, plan(instance.program, launch, target).registers).registers


def test_tiles_that_are_not_needed_together_do_not_add_up(tmp_path) -> None:
    assert registers(tmp_path, APART) == 64 + 1


def test_tiles_that_are_needed_together_do(tmp_path) -> None:
    assert registers(tmp_path, TOGETHER) == 64 + 64 + 1
