"""Walking trees of statements and expressions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilelang.ir.buffer import Region
from tilelang.ir.expr import Binary, Call, Cast, Expr, Load, Select, Slice, Unary
from tilelang.ir.stmt import (
    Alloc,
    Atomic,
    Block,
    Copy,
    Effect,
    Fill,
    For,
    Gemm,
    If,
    Launch,
    Let,
    Reduce,
    Scan,
    Scope,
    Stmt,
    Store,
    While,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator


def children(stmt: Stmt) -> Iterator[Block]:
    """The bodies of a statement, in source order."""
    if isinstance(stmt, (For, While, Launch, Scope)):
        yield stmt.body
    elif isinstance(stmt, If):
        yield stmt.then
        yield stmt.orelse


def walk(block: Block) -> Iterator[Stmt]:
    """Every statement below ``block`` in source order, parents first."""
    stack: list[Stmt] = list(reversed(block))
    while stack:
        stmt = stack.pop()
        yield stmt
        for body in reversed(tuple(children(stmt))):
            stack.extend(reversed(body))


def operands(stmt: Stmt) -> Iterator[object]:
    """The values that a statement itself uses: operands, regions, calls. Bodies are not entered."""
    if isinstance(stmt, Store):
        yield from stmt.indices
        yield stmt.value
    elif isinstance(stmt, Let):
        yield stmt.value
    elif isinstance(stmt, Alloc):
        if stmt.init is not None:
            yield stmt.init
    elif isinstance(stmt, (Copy, Scan, Reduce)):
        yield stmt.src
        yield stmt.dst
    elif isinstance(stmt, Fill):
        yield stmt.dst
        yield stmt.value
    elif isinstance(stmt, Gemm):
        yield from (stmt.a, stmt.b, stmt.c)
    elif isinstance(stmt, Atomic):
        yield stmt.dst
        if stmt.value is not None:
            yield stmt.value
    elif isinstance(stmt, For):
        yield from stmt.starts
        yield from stmt.extents
        yield stmt.step
    elif isinstance(stmt, (While, If)):
        yield stmt.cond
    elif isinstance(stmt, Launch):
        yield from stmt.grid
        yield from stmt.threads
    elif isinstance(stmt, Effect):
        yield stmt.call
    elif isinstance(stmt, Scope):
        yield from stmt.args


def is_undecided(stmt: Stmt) -> bool:
    """Whether a statement is a branch on a Python value that the evaluator could not follow: only one arm exists."""
    return isinstance(stmt, If) and isinstance(stmt.cond, Call) and stmt.cond.op == "unknown"


def undecided_branches(block: Block) -> Iterator[If]:
    """Every branch below ``block`` of which only one arm exists, but not known which."""
    return (stmt for stmt in walk(block) if isinstance(stmt, If) and is_undecided(stmt))


def subterms(value: object) -> Iterator[object]:
    """``value`` and every expression, region, slice and buffer mention below it, parents first. An operator, call or
    load object that several places share comes once: ``x = x + x`` sixty times is sixty terms, not 2**60."""
    if type(value) not in _PARTS:
        yield value
        return
    stack: list[object] = [value]
    shared: set[int] = set()
    while stack:
        term = stack.pop()
        kind = type(term)
        if kind in _SHARED:
            if id(term) in shared:
                continue
            shared.add(id(term))
        yield term
        parts = _PARTS.get(kind)
        if parts is not None:
            stack += parts(term)


_SHARED = frozenset((Binary, Select, Call, Load))

# By type and not by a chain of isinstance: this is the innermost loop of all passes. Last parts first, for a stack.
_PARTS: dict[type, Callable[[Any], Iterable[object]]] = {
    Binary: lambda term: (term.b, term.a),
    Unary: lambda term: (term.a,),
    Cast: lambda term: (term.value,),
    Select: lambda term: (term.other, term.then, term.cond),
    Load: lambda term: term.indices[::-1],
    Call: lambda term: term.args[::-1],
    Region: lambda term: (term.indices or ())[::-1],
    Slice: lambda term: [part for part in (term.step, term.stop, term.start) if part is not None],
    tuple: lambda term: term[::-1],
    list: lambda term: term[::-1],
}


def loads(value: object) -> Iterator[Load]:
    """Every element read inside an expression."""
    return (term for term in subterms(value) if isinstance(term, Load))


def variables(value: object) -> Iterator[Expr]:
    """Every :class:`~tilelang.ir.expr.Var` inside an expression, with repeats."""
    from tilelang.ir.expr import Var

    return (term for term in subterms(value) if isinstance(term, Var))
