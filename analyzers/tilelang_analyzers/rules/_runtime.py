"""Which sizes exist only when the kernel runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.ir.expr import Var, const_int
from tilelang.ir.span import NOWHERE
from tilelang.ir.visit import variables

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tilelang_analyzers.rule import InstanceContext

IN_KERNEL = ("block", "thread", "loop", "let")
"""Kinds of variables that have a value inside a running kernel only."""


def runtime_var(ctx: InstanceContext, extents: Iterable[object]) -> Var | None:
    """A variable of ``extents`` that certainly has no value while the kernel is compiled, if there is one.

    Sizes made by ``T.dynamic`` are such, and scalar parameters of the kernel. Sizes made by ``T.const`` and parameters
    of a factory get their values when the kernel is built, whether or not they are known here.
    """
    for extent in extents:
        if const_int(extent) is not None:
            continue
        mentioned = [var for var in variables(extent) if isinstance(var, Var)]
        if any(var.kind == "unknown" for var in mentioned):
            continue
        for var in mentioned:
            if var.kind in IN_KERNEL or var in ctx.program.params or _is_dynamic(ctx, var):
                return var
    return None


def _is_dynamic(ctx: InstanceContext, var: Var) -> bool:
    """Eager kernels make compile-time sizes with ``T.const``, at a known place. Elsewhere all sizes are dynamic."""
    if var.kind != "dim" or ctx.instance.style != "eager" or var.span is NOWHERE:
        return var.kind == "dim"
    made_by = ctx.snippet(var.span).partition("(")[0].rpartition(".")[2].strip()
    return made_by in ("dynamic", "symbolic")
