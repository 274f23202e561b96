"""What the arithmetic takes as an exact integer, and a walk that visits shared parts once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.ir.expr import Binary, Cast, Expr, Select, Unary, Var

if TYPE_CHECKING:
    from collections.abc import Iterator


def is_exact_integer(expr: Expr) -> bool:
    """Whether a value is a mathematical integer for all that is proved here: a scalar of an integer type of at
    least 32 bits, known to the evaluator. Smaller types wrap around on purpose in real kernels."""
    dtype = expr.dtype
    if isinstance(expr, Var) and expr.kind == "unknown":
        return False
    return dtype.is_integer and dtype.bits >= 32 and dtype.lanes == 1


def parts(term: object) -> tuple[object, ...]:
    """The operands directly below an expression. Indices and call arguments are not part of its arithmetic."""
    if isinstance(term, Binary):
        return (term.a, term.b)
    if isinstance(term, Unary):
        return (term.a,)
    if isinstance(term, Cast):
        return (term.value,)
    if isinstance(term, Select):
        return (term.cond, term.then, term.other)
    return ()


def postorder(value: object) -> Iterator[object]:
    """Every distinct term of an operand, operands first. Does not recurse, and a shared term comes once, so deep
    and doubling expressions are cheap."""
    done: set[int] = set()
    stack: list[tuple[object, bool]] = [(value, False)]
    while stack:
        term, expanded = stack.pop()
        if id(term) in done:
            continue
        if expanded:
            done.add(id(term))
            yield term
        else:
            stack.append((term, True))
            stack.extend((part, False) for part in reversed(parts(term)))
