"""How a program is called: its parameters, and the sizes that are found at the call."""

from __future__ import annotations

import keyword
import re
from contextlib import suppress
from typing import TYPE_CHECKING

from tilelang.backends.artifact import Extent, ParamSpec, Signature
from tilelang.ir.arith import try_const
from tilelang.ir.buffer import Buffer
from tilelang.ir.expr import Binary, Cast, Const, Expr, Select, Unary, Var
from tilelang.ir.printer import text_of
from tilelang.ir.stmt import Effect, Launch, Scope
from tilelang.ir.visit import subterms

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from tilelang.ir.program import Program
    from tilelang.ir.stmt import Block


class NotAFormula(ValueError):
    """A size that is no arithmetic over the sizes of the program."""


def identifier(name: str) -> str:
    """``name`` as a name of C and Python."""
    cleaned = re.sub(r"\W", "_", name) or "_"
    return f"_{cleaned}" if cleaned[0].isdigit() or keyword.iskeyword(cleaned) else cleaned


def dims_of(program: Program) -> dict[Var, str]:
    """The sizes that a program leaves open, with names that are distinct: those of tensors, then those that only the
    body mentions."""
    found: dict[Var, str] = {}
    taken = {identifier(param.name) for param in program.params}
    for extent in _extents(program.params):
        for term in subterms(extent):
            if isinstance(term, Var) and term.kind == "dim" and term not in found:
                name = identifier(term.name)
                while name in taken:
                    name += "_"
                taken.add(name)
                found[term] = name
    return found


def _extents(params: Iterable[object]) -> Iterator[object]:
    for param in params:
        if isinstance(param, Buffer):
            yield from param.shape
            yield from param.strides or ()


def signature_of(program: Program) -> Signature:
    """The signature of a program. Raises :class:`NotAFormula` for a shape that no formula describes."""
    dims = dims_of(program)
    names = names_of(program, dims)
    params = tuple(_spec(param, names) for param in program.params)
    outputs = tuple(
        number for number, param in enumerate(program.params) if any(param is output for output in program.outputs)
    )
    kinds = tuple((name, str(var.dtype)) for var, name in dims.items())
    return Signature(program.name, params, kinds, outputs, tuple(_assumptions(program.body, names)))


def _assumptions(body: Block, names: Mapping[Var, str]) -> Iterator[tuple[Extent, str]]:
    """What the program assumes on every way through it, of sizes and integer arguments alone."""
    for stmt in body:
        if isinstance(stmt, (Launch, Scope)):
            yield from _assumptions(stmt.body, names)
        elif isinstance(stmt, Effect) and stmt.call.op == "assume":
            for condition in stmt.call.args:
                if isinstance(condition, Expr) and all(map(_is_exact, subterms(condition))):
                    with suppress(NotAFormula):
                        yield _text(condition, names), text_of(condition)


def _is_exact(term: object) -> bool:
    """Whether a term has the same value on the host: floats are rounded there, and formulas round down."""
    if isinstance(term, Expr) and not (term.dtype.is_integer or term.dtype.is_bool):
        return False
    return not (isinstance(term, Binary) and term.op in ("truncdiv", "truncmod"))


def names_of(program: Program, dims: Mapping[Var, str]) -> dict[Var, str]:
    """Names of sizes and of scalar parameters, which formulas may mention."""
    scalars = {param: identifier(param.name) for param in program.params if isinstance(param, Var)}
    return {**dims, **scalars}


def _spec(param: Buffer | Var, names: Mapping[Var, str]) -> ParamSpec:
    if isinstance(param, Var):
        kind = "pointer" if param.dtype.kind == "handle" else "scalar"
        return ParamSpec(param.name, kind, str(param.dtype))
    shape = tuple(formula(extent, names) for extent in param.shape)
    strides = None if param.strides is None else tuple(formula(stride, names) for stride in param.strides)
    return ParamSpec(param.name, "tensor", str(param.dtype), shape, strides)


_PYTHON = frozenset(
    ("+", "-", "*", "//", "%", "<<", ">>", "&", "|", "^", "==", "!=", "<", "<=", ">", ">=", "and", "or")
)


def formula(value: object, names: Mapping[Var, str]) -> Extent:
    """A size as a number, or as Python source over names. Raises :class:`NotAFormula`."""
    number = try_const(value)
    return number if number is not None else _text(value, names)


def _text(value: object, names: Mapping[Var, str]) -> str:
    if isinstance(value, (int, bool)):
        return str(int(value))
    if isinstance(value, Const) and isinstance(value.value, int):
        return str(int(value.value))
    if isinstance(value, Var) and value in names:
        return names[value]
    if isinstance(value, Cast) and value.dtype.is_integer:
        return _text(value.value, names)
    if isinstance(value, Unary) and value.op in ("-", "~", "not"):
        return f"({value.op} {_text(value.a, names)})"
    if isinstance(value, Select):
        then, cond, other = (_text(part, names) for part in (value.then, value.cond, value.other))
        return f"({then} if {cond} else {other})"
    if isinstance(value, Binary):
        a, b = _text(value.a, names), _text(value.b, names)
        if value.op in _PYTHON:
            return f"({a} {value.op} {b})"
        if value.op in ("min", "max"):
            return f"{value.op}({a}, {b})"
        if value.op in ("truncdiv", "truncmod"):
            # Sizes are not negative, where rounding down and towards zero agree.
            return f"({a} {'//' if value.op == 'truncdiv' else '%'} {b})"
    what = value.dtype if isinstance(value, Expr) else type(value).__name__
    raise NotAFormula(f"a size is no arithmetic over the sizes of the tensors ({what})")
