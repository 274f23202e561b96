"""Python that runs while a kernel is built, and Python that becomes part of the kernel."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from frontend.harness import check_instances, kinds, only

from tilelang.ir.buffer import Buffer
from tilelang.ir.stmt import For, If, Let, Stmt, Store
from tilelang.ir.visit import walk

HEAD = "import tilelang\nimport tilelang.language as T\n\n"


def lazy(body: str, before: str = "") -> str:
    inner = "\n".join("            " + line for line in body.splitlines())
    return f"""{HEAD}{before}
def factory(flag=True, size=4):
    @T.prim_func
    def main(A: T.Tensor((64,), T.float32), n: T.int32):
        with T.Kernel(4, threads=32) as bx:
{inner}
    return main
factory()
"""


def statements(source: str) -> Iterator[Stmt]:
    return walk(only(check_instances(source)).program.body)


def of_kind(source: str, kind: type[Any]) -> list[Any]:
    return [stmt for stmt in statements(source) if isinstance(stmt, kind)]


def test_range_is_a_serial_loop_in_a_kernel() -> None:
    loops = of_kind(lazy("for i in range(8):\n    A[i] = 0"), For)
    assert [(loop.kind, loop.extents) for loop in loops] == [("serial", (8,))]


def test_a_loop_over_a_python_list_is_unrolled_by_python() -> None:
    assert len(of_kind(lazy("for i in [1, 5]:\n    A[i] = 0"), Store)) == 2


def test_a_python_condition_chooses() -> None:
    body = "if flag:\n    A[0] = 1\nelse:\n    A[1] = 1\n    A[2] = 1"
    assert (len(of_kind(lazy(body), Store)), of_kind(lazy(body), If)) == (1, [])


def test_a_kernel_value_makes_a_branch() -> None:
    found = of_kind(lazy("if bx < n:\n    A[0] = 1\nelse:\n    A[1] = 1"), If)
    assert len(found) == 1
    assert (len(found[0].then), len(found[0].orelse)) == (1, 1)


def test_an_unknown_python_condition_is_neither() -> None:
    source = lazy("if flag:\n    A[0] = 1", before="from elsewhere import flag as unknown\n").replace(
        "flag=True", "flag=unknown"
    )
    instance = only(check_instances(source))
    assert not instance.program.complete
    assert "not-modelled" not in [problem.kind for problem in instance.problems if problem.kind.endswith("error")]


def test_a_value_that_reads_memory_is_bound_once() -> None:
    assert [let.var.name for let in of_kind(lazy("x = A[bx]\nA[0] = x + x"), Let)] == ["x"]


def test_a_name_for_a_buffer_is_not_a_new_buffer() -> None:
    source = lazy("tile = T.alloc_shared((4,), T.float32)\nalias = tile\nalias[0] = 1\ntile[1] = 2")
    stores = of_kind(source, Store)
    assert stores[0].buffer is stores[1].buffer


def test_an_alloc_var_is_stored_to() -> None:
    stores = of_kind(lazy("x = T.alloc_var(T.int32)\nx = 3\nx += n"), Store)
    assert [store.buffer.name for store in stores] == ["x", "x"]


def test_rebinding_under_a_kernel_condition_is_a_problem_only_if_used() -> None:
    used = lazy("x = 1\nif bx < n:\n    x = 2\nA[0] = x")
    unused = lazy("if bx < n:\n    x = 2\n    A[0] = x\nelse:\n    x = 3\n    A[1] = x")
    assert "rebound-in-branch" in kinds(check_instances(used))
    assert "rebound-in-branch" not in kinds(check_instances(unused))


@pytest.mark.parametrize(
    "python",
    [
        "sizes = sorted({size, 2, 3})[0]\nA[sizes] = 0",
        "names = [f'x{i}' for i in range(size)]\nA[len(names)] = 0",
        "pairs = dict(zip('ab', (1, 2)))\nA[pairs['b']] = 0",
        "step = (lambda x: x * 2)(size)\nA[step] = 0",
        "assert size == 4, 'size'\nA[size] = 0",
        "first, *rest = range(size)\nA[rest[-1]] = 0",
    ],
)
def test_ordinary_python_is_legal_in_a_kernel(python: str) -> None:
    analysis = check_instances(lazy(python))
    assert kinds(analysis) == []
    assert only(analysis).program.complete


def test_a_macro_is_inlined_and_spans_keep_the_call() -> None:
    before = "@T.macro\ndef put(B, i):\n    B[i] = 7\n"
    stores = of_kind(lazy("put(A, 3)", before), Store)
    assert [store.indices for store in stores] == [(3,)]
    assert stores[0].span.via is not None


EAGER = """
@tilelang.jit
def scale(A, block: int = 16):
    M, N = T.const("M N")
    A: T.Tensor((M, N), T.float32)
    B = T.empty((M, N), T.float32)
    with T.Kernel(T.ceildiv(M, block), threads=64) as bx:
        T.copy(A[bx * block, 0], B[bx * block, 0])
    return B

import torch
scale(torch.empty(32, 8), block=8)
"""


def test_eager_kernels_take_their_sizes_from_tensors() -> None:
    instance = only(check_instances(HEAD + EAGER))
    assert instance.style == "eager"
    assert instance.bindings["block"] == 8
    first = instance.program.params[0]
    assert isinstance(first, Buffer)
    assert first.shape == (32, 8)


def test_other_launchers() -> None:
    source = HEAD + """
@T.prim_func
def main(A: T.Tensor((64,), T.float32)):
    bx = T.launch_thread("blockIdx.x", 4)
    tx = T.launch_thread("threadIdx.x", 16)
    A[bx * 16 + tx] = 0
tilelang.compile(main)
"""  # fmt: skip
    assert "kernel-outside-context" not in kinds(check_instances(source))
