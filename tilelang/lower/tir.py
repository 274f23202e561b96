"""Short names for the TIRX nodes that the lowerings build."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

# TVM ships no types; imported by name, its members are of any type.
tvm: Any = import_module("tvm")
tirx: Any = import_module("tvm.tirx")
_ir: Any = import_module("tvm.ir")

Expr = Any
"""A TIRX expression."""
Stmt = Any
"""A TIRX statement."""


def const(value: int | float | bool, dtype: str = "int32") -> Expr:
    return tirx.const(value, dtype)


def type_of(value: Expr) -> str:
    """The name of the type of an expression."""
    return str(value.ty)


def var(name: str, dtype: str = "int32") -> Expr:
    return tirx.Var(name, dtype)


def pointer(name: str, dtype: str, scope: str = "global") -> Expr:
    return tirx.Var(name, _ir.PointerType(_ir.PrimType(dtype), scope))


def as_pointer(value: Expr, dtype: str, scope: str = "global") -> Expr:
    """An address, an integer or a handle, as a pointer to elements of a type."""
    kind = _ir.PointerType(_ir.PrimType(dtype), scope)
    return _ir.Call(_ir.Op.get("tirx.reinterpret"), [value], ret_ty=kind)


def extern(dtype: str, name: str, *args: Expr) -> Expr:
    """A call of a function that the prologue defines, which may have an effect."""
    return tirx.call_extern(dtype, name, *args)


def run(call: Expr) -> Stmt:
    """A call for its effect."""
    return tirx.Evaluate(call)


def block(stmts: Iterable[Stmt]) -> Stmt:
    """Statements one after the other. An empty block is a statement that does nothing."""
    found = list(stmts)
    if len(found) == 1:
        return found[0]
    return tirx.SeqStmt(found) if found else tirx.Evaluate(const(0))


def branch(cond: Expr, then: Sequence[Stmt], orelse: Sequence[Stmt] = ()) -> Stmt:
    return tirx.IfThenElse(cond, block(then), block(orelse) if orelse else None)


def all_of(conditions: Iterable[Expr]) -> Expr | None:
    """The conjunction; ``None`` if there is nothing to ask."""
    found: Expr | None = None
    for one in conditions:
        found = one if found is None else tirx.And(found, one)
    return found


def loop(
    name: str,
    extent: int | Expr,
    body: Callable[[Expr], Sequence[Stmt]],
    *,
    unroll: bool = False,
    start: int | Expr = 0,
) -> list[Stmt]:
    """A loop from ``start``; one of a single iteration is just its body."""
    if isinstance(extent, int):
        if extent <= 0:
            return []
        if extent == 1:
            return list(body(const(start) if isinstance(start, int) else start))
    index = var(name)
    kind = tirx.ForKind.UNROLLED if unroll else tirx.ForKind.SERIAL
    low = const(start) if isinstance(start, int) else start
    high = const(extent) if isinstance(extent, int) else extent
    return [tirx.For(index, low, high, kind, block(body(index)))]


def at(buffer: Any, index: Expr) -> Expr:
    return tirx.BufferLoad(buffer, [index])


def put(buffer: Any, index: Expr, value: Expr) -> Stmt:
    return tirx.BufferStore(buffer, value, [index])


def address(buffer: Any, index: Expr) -> Expr:
    """A pointer to an element."""
    return tirx.address_of(tirx.BufferLoad(buffer, [index]))


def is_const(value: Expr, number: int) -> bool:
    return isinstance(value, tirx.IntImm) and int(value.value) == number


__all__ = [
    "Expr",
    "Stmt",
    "address",
    "all_of",
    "at",
    "block",
    "branch",
    "const",
    "extern",
    "is_const",
    "loop",
    "pointer",
    "put",
    "run",
    "tirx",
    "tvm",
    "type_of",
    "var",
]
