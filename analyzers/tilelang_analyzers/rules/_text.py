"""How rules spell numbers, shapes and places."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.diagnostics import Note
from tilelang.ir.problem import function_name
from tilelang.ir.span import NOWHERE

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tilelang.ir.buffer import Buffer, Dim
    from tilelang.ir.problem import Problem
    from tilelang.ir.span import Span
    from tilelang_analyzers.rule import InstanceContext


_MOST_DIGITS = 18
"""Numbers with more digits are given as a power of two; Python itself refuses to print very large ones."""


def number(value: int) -> str:
    """``131 072``: digits in groups of three."""
    if abs(value) >= 10**_MOST_DIGITS:
        sign = "-" if value < 0 else ""
        return f"{sign}about 2**{abs(value).bit_length() - 1}"
    return f"{value:,}".replace(",", " ")


def plural(count: int, noun: str) -> str:
    """``1 index``, ``3 threads``. Adds an ``s``, or turns ``x`` into ``ices``."""
    if count == 1:
        return f"{count} {noun}"
    return f"{count} {noun[:-2]}ices" if noun.endswith("ex") else f"{number(count)} {noun}s"


def shape(ctx: InstanceContext, dims: Sequence[Dim]) -> str:
    """``(64, 32)``, and ``(64,)`` for one dimension."""
    return f"({', '.join(ctx.text(dim) for dim in dims)}{',' if len(dims) == 1 else ''})"


def declared(ctx: InstanceContext, buffer: Buffer) -> Note:
    """A note at the place that makes a buffer, with its shape."""
    return Note(f"`{buffer.name}` is {shape(ctx, buffer.shape)}", buffer.span)


def declarations(ctx: InstanceContext, buffers: Iterable[Buffer]) -> tuple[Note, ...]:
    """:func:`declared` for each buffer once; buffers without a place are left out."""
    return tuple(declared(ctx, buffer) for buffer in dict.fromkeys(buffers) if buffer.span is not NOWHERE)


def listed(names: Iterable[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    items = list(names)
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"


def problem_notes(problem: Problem) -> tuple[Note, ...]:
    """The other places of a problem."""
    return tuple(Note(text, span) for text, span in problem.notes)


def entry(problem: Problem, key: str) -> str | None:
    """One text of a problem's data; None if it is missing or empty."""
    value = problem.data.get(key)
    return None if value in (None, "") else str(value)


def function(problem: Problem) -> str:
    """The language function that a problem is about: ``T.copy``."""
    return function_name(problem.data)


def declarations_with_dtype(*buffers: Buffer) -> tuple[Note, ...]:
    """A note at the place that makes each buffer, with its element type."""
    return tuple(
        Note(f"`{buffer.name}` is {buffer.dtype}", buffer.span)
        for buffer in dict.fromkeys(buffers)
        if buffer.span is not NOWHERE
    )


def has_problem(ctx: InstanceContext, span: Span) -> bool:
    """Whether the arguments of the call at ``span`` were found wrong: what follows from them is not reported again."""
    return any(
        problem.kind in ("unknown-argument", "invalid-argument")
        and problem.span.path == span.path
        and (span.line, span.col) <= (problem.span.line, problem.span.col) <= (span.end_line, span.end_col)
        for problem in ctx.instance.problems
    )
