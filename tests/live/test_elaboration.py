# pyright: reportInvalidTypeForm=false, reportRedeclaration=false, reportArgumentType=false, reportAttributeAccessIssue=false
# pyright: reportUndefinedVariable=false, reportCallIssue=false
"""Kernels of a running program become programs: real objects go in unharmed, the language comes out."""

from __future__ import annotations

import enum
import linecache
from dataclasses import dataclass
from functools import partial

import pytest

import tilelang.language as T
from tilelang.live.source import SourceUnavailableError

SIZE = 16


def body(kernel: object) -> list[str]:
    """The statements in the launch of a kernel, as text."""
    lines = kernel.script().splitlines()  # type: ignore[attr-defined]
    start = next(i for i, line in enumerate(lines) if line.lstrip().startswith("launch"))
    return [line[8:] for line in lines[start + 1 :] if line.strip()]


def test_names_come_from_the_closure_the_module_and_the_builtins():
    scale = 3

    @T.prim_func
    def main(A: T.Tensor((SIZE,), "float32")):
        with T.Kernel(1, threads=32):
            A[0] = A[1] * scale + max(SIZE, 4)

    assert body(main) == ["A[0] = A[1] * 3 + 16"]


def test_annotations_may_use_names_that_the_body_does_not():
    rows, kind = T.dynamic("m"), T.float16

    @T.prim_func
    def main(A: T.Tensor((rows, SIZE * 2), kind)):
        with T.Kernel(1, threads=32):
            T.clear(A[0, 0:SIZE])

    assert main.script().splitlines()[0] == "program main(A: float16[m, 32]):"


@dataclass(frozen=True)
class Tile:
    rows: int
    columns: int

    @property
    def shape(self) -> tuple[int, int]:
        return (self.rows, self.columns)


class Mode(enum.Enum):
    FILL = "fill"
    COPY = "copy"


def test_objects_of_the_program_decide_what_is_built():
    tile, mode, steps = Tile(8, 4), Mode.FILL, {"a": [1, 2], "b": [3]}

    @T.prim_func
    def main(A: T.Tensor((SIZE,), "int32")):
        with T.Kernel(1, threads=32):
            s = T.alloc_shared(tile.shape, "int32")
            if mode is Mode.FILL:
                T.fill(s, sum(v for values in steps.values() for v in values))
            else:
                T.copy(A, s)
            for name, values in sorted(steps.items()):
                for value in [v * 10 for v in values]:
                    A[value % SIZE] = len(name)

    assert body(main) == [
        "alloc s: int32[8, 4] shared.dyn",
        "fill s = 6",
        "A[10] = 1",
        "A[4] = 1",
        "A[14] = 1",
    ]


class Emitter:
    def __init__(self, count: int) -> None:
        self.count = count

    @T.macro
    def store(self, buffer, value):
        for i in T.serial(self.count):
            buffer[i] = value

    def twice(self, value):
        return value * 2 if self.count > 1 else value


def outer_product(a, b, *, offset=0):
    assert isinstance(offset, int)
    return a * b + offset


def test_macros_methods_and_helpers_are_placed_where_they_are_called():
    emitter = Emitter(4)

    @T.macro
    def add(buffer, amount):
        buffer[0] += amount

    @T.prim_func
    def main(A: T.Tensor((SIZE,), "float32"), s: T.float32):
        with T.Kernel(1, threads=32):
            emitter.store(A, emitter.twice(s))
            add(A, outer_product(A[1], s, offset=1))
            add(A, partial(outer_product, offset=2)(s, s))

    assert body(main) == [
        "for i in serial(4):",
        "    A[i] = s * 2",
        "A[0] = A[0] + (A[1] * s + 1)",
        "A[0] = A[0] + (s * s + 2)",
    ]


def test_a_branch_of_the_kernel_is_built_and_one_of_python_is_decided():
    fast = True

    @T.prim_func
    def main(A: T.Tensor((SIZE,), "int32"), n: T.int32):
        with T.Kernel(1, threads=32) as bx:
            if n > 3 and fast:
                A[0] = 1
            elif not fast:
                A[0] = 2
            for i in range(4):
                if i < n:
                    A[i] = i if n == 2 else bx

    assert body(main) == [
        "if n > 3:",
        "    A[0] = 1",
        "for i in serial(4):",
        "    if i < n:",
        "        A[i] = i if n == 2 else bx",
    ]


def test_loops_of_python_may_be_left_and_those_of_the_kernel_jump():
    @T.prim_func
    def main(A: T.Tensor((SIZE,), "int32")):
        with T.Kernel(1, threads=32):
            for value in (1, 2, 3):
                if value == 2:
                    continue
                if value == 3:
                    break
                A[value] = value
            for i in T.serial(4):
                if A[i] == 0:
                    break

    assert body(main) == ["A[1] = 1", "for i in serial(4):", "    if A[i] == 0:", "        break"]


def test_exceptions_and_contexts_of_python_work_in_a_kernel():
    entered: list[str] = []

    class Context:
        def __enter__(self) -> int:
            entered.append("in")
            return 7

        def __exit__(self, *_: object) -> None:
            entered.append("out")

    @T.prim_func
    def main(A: T.Tensor((SIZE,), "int32")):
        with T.Kernel(1, threads=32):
            try:
                A[0] = {"a": 1}["b"]
            except KeyError:
                A[0] = 2
            finally:
                A[1] = 3
            with Context() as seven:
                A[2] = seven

    assert body(main) == ["A[0] = 2", "A[1] = 3", "A[2] = 7"]
    assert entered == ["in", "out"]


def test_errors_of_python_are_pythons_own():
    with pytest.raises(ZeroDivisionError):

        @T.prim_func
        def divide(A: T.Tensor((SIZE,), "int32")):
            with T.Kernel(1, threads=32):
                A[0] = 1 // 0

    with pytest.raises(NameError, match="nowhere"):

        @T.prim_func
        def unknown(A: T.Tensor((SIZE,), "int32")):
            with T.Kernel(1, threads=32):
                A[0] = nowhere  # noqa: F821


def test_code_that_linecache_knows_has_a_source():
    text = "\n".join(
        [
            "import tilelang.language as T",
            "@T.prim_func",
            "def main(A: T.Tensor((4,), 'int32')):",
            "    with T.Kernel(1, threads=32):",
            "        A[0] = 5",
        ]
    )
    linecache.cache["<cell 1>"] = (len(text), None, text.splitlines(keepends=True), "<cell 1>")
    namespace: dict[str, object] = {}
    exec(compile(text, "<cell 1>", "exec"), namespace)
    assert body(namespace["main"]) == ["A[0] = 5"]


def test_code_without_a_source_says_so():
    text = "import tilelang.language as T\n@T.prim_func\ndef main(A: T.Tensor((4,), 'int32')):\n    pass\n"
    with pytest.raises(SourceUnavailableError, match=r"main is not available \(<nowhere>, line 2\)"):
        exec(compile(text, "<nowhere>", "exec"), {})


def test_lambdas_reach_the_language():
    @T.prim_func
    def main(A: T.Tensor((SIZE,), "int32")):
        with T.Kernel(1, threads=32) as bx:
            add = lambda x, y=1: x + y  # noqa: E731
            A[0] = add(bx)
            A[1] = add(bx, 5)
            for i, f in enumerate([lambda v: v * 2, lambda v: v * 3]):
                A[i] = f(bx)

    assert body(main) == ["A[0] = bx + 1", "A[1] = bx + 5", "A[0] = bx * 2", "A[1] = bx * 3"]


def test_sizes_are_computed_outside_kernels():
    m = T.dynamic("m")
    half = (m + 1) // 2

    @T.prim_func
    def main(A: T.Tensor((m,), "int32"), B: T.Tensor((half,), "int32")):
        with T.Kernel(half, threads=32) as bx:
            B[bx] = A[bx]

    assert main.script().splitlines()[0] == "program main(A: int32[m], B: int32[(m + 1) // 2]):"
