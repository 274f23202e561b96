"""A kernel that is being built, for tests that call language functions as the evaluator does."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import tilelang.language as T
from tilelang.ir.builder import Builder, CallSite, building
from tilelang.ir.span import Span
from tilelang.ir.visit import walk
from tilelang.language.regions import subscript

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tilelang.ir.buffer import Buffer
    from tilelang.ir.stmt import Stmt

S = TypeVar("S")
HERE = Span("kernel.py", 7, 4, 7, 20)


@contextmanager
def kernel(*grid: Any, **options: Any) -> Iterator[Builder]:
    """A builder inside ``with T.Kernel(*grid, **options)``. Its statements are complete after the block."""
    builder = Builder()
    builder.site = CallSite(HERE)
    with building(builder):
        frame: Any = T.Kernel(*(grid or (1,)), **options)
        frame.enter(builder, ("bx", "by", "bz"))
        yield builder
        frame.exit(builder)


@contextmanager
def outside() -> Iterator[Builder]:
    """A builder without a launch: the body of a ``@T.prim_func`` before ``with T.Kernel``."""
    builder = Builder()
    builder.site = CallSite(HERE)
    with building(builder):
        yield builder


def statements(builder: Builder, kind: type[S]) -> list[S]:
    """The statements of one kind, in order."""
    found: list[Stmt] = list(walk(builder.body()))
    return [stmt for stmt in found if isinstance(stmt, kind)]


def only(builder: Builder, kind: type[S]) -> S:
    """The one statement of a kind."""
    found = statements(builder, kind)
    assert len(found) == 1, found
    return found[0]


def kinds(builder: Builder) -> list[str]:
    """The kinds of the problems, in order."""
    return [problem.kind for problem in builder.problems]


def complaint(builder: Builder) -> str:
    """The one problem as text: ``function argument: must be EXPECTED, not GOT``, or with its own sentence."""
    assert len(builder.problems) == 1, builder.problems
    data = builder.problems[0].data
    if "message" in data:
        return f"{data['function']} {data['argument']}: {data['message']}"
    return f"{data['function']} {data['argument']}: must be {data['expected']}, not {data['got']}"


def at(buffer: Buffer, *index: object) -> Any:
    """``buffer[index]``."""
    return subscript(buffer, index, HERE)


def tensor(*shape: Any, dtype: str = "float16", name: str = "A") -> Any:
    """A parameter in global memory."""
    from dataclasses import replace

    made: Any = T.Tensor(shape, dtype)
    return replace(made, name=name)
