"""How far each kernel definition of a file was followed."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from tilelang.frontend.eager import LAUNCHERS
from tilelang.frontend.instance import Instance, KernelStatus, Trace
from tilelang.ir.expr import is_known
from tilelang.ir.span import Span
from tilelang.ir.stmt import Alloc, For, Launch, Stmt
from tilelang.ir.unknown import Unknown
from tilelang.ir.visit import walk

if TYPE_CHECKING:
    from collections.abc import Sequence


def defines_kernel(node: ast.FunctionDef) -> bool:
    """Whether a function is a prim_func, or a jit function whose body is the kernel."""
    decorators = [ast.unparse(decorator) for decorator in node.decorator_list]
    if any("prim_func" in decorator for decorator in decorators):
        return True
    if not any(_is_jit(decorator) for decorator in decorators):
        return False
    stack: list[ast.AST] = list(node.body)
    while stack:
        inner = stack.pop()
        if isinstance(inner, ast.FunctionDef):
            if any("prim_func" in ast.unparse(decorator) for decorator in inner.decorator_list):
                return False
            continue
        if isinstance(inner, ast.Attribute) and inner.attr in LAUNCHERS:
            return True
        stack.extend(ast.iter_child_nodes(inner))
    return False


def _is_jit(decorator: str) -> bool:
    name = decorator.split("(", 1)[0]
    return name.rsplit(".", 1)[-1] in ("jit", "lazy_jit", "autotune")


def kernel_statuses(
    path: str,
    kernels: Sequence[ast.FunctionDef],
    instances: Sequence[Instance],
    traces: Sequence[Trace],
    dropped: dict[tuple[str, int], int],
) -> tuple[KernelStatus, ...]:
    """One status per kernel definition of ``path``."""
    by_line: dict[int, list[Instance]] = {}
    for instance in instances:
        if instance.path == path:
            by_line.setdefault(instance.line, []).append(instance)
    found: list[KernelStatus] = []
    for node in kernels:
        mine = by_line.get(node.lineno, [])
        span = Span(path, node.lineno, node.col_offset, node.lineno, node.col_offset + len("def ") + len(node.name))
        certain = sum(instance.certain for instance in mine)
        more = dropped.get((path, node.lineno), 0)
        if not mine:
            found.append(KernelStatus(node.name, span, "unchecked", 0, 0, _why(path, node, traces)))
            continue
        followed = sum(i.program.complete and i.origin != "symbolic" and has_known_tiles(i) for i in mine)
        if followed == len(mine):
            reason = f"{more} more instances than the cap" if more else ""
            found.append(KernelStatus(node.name, span, "checked", len(mine), certain, reason))
        elif followed:
            reason = f"{len(mine) - followed} of {len(mine)} instances have values that are not known"
            found.append(KernelStatus(node.name, span, "partly", len(mine), certain, reason))
        else:
            symbolic = all(i.origin == "symbolic" for i in mine)
            reason = "no caller gives its arguments" if symbolic else "part of the body or of the values is not known"
            if symbolic:
                reason = _stopped(path, traces) or reason
            found.append(KernelStatus(node.name, span, "partly", len(mine), certain, reason))
    return tuple(found)


def has_known_tiles(instance: Instance) -> bool:
    """Whether no tile, stage count or thread count of a kernel rests on a value that could not be followed."""
    return all(
        is_known(value) and not isinstance(value, Unknown)
        for stmt in walk(instance.program.body)
        for value in _sizes(stmt)
    )


def _sizes(stmt: Stmt) -> tuple[object, ...]:
    if isinstance(stmt, Alloc):
        return stmt.buffer.shape
    if isinstance(stmt, Launch):
        return stmt.threads
    return (stmt.attr("num_stages", 0),) if isinstance(stmt, For) else ()


def _why(path: str, node: ast.FunctionDef, traces: Sequence[Trace]) -> str:
    """The best reason why a kernel has no instance: the last trace inside it, else that nothing reaches it."""
    end = node.end_lineno or node.lineno
    inside = [trace for trace in traces if node.lineno <= trace.span.line <= end]
    if inside:
        return f"line {inside[-1].span.line}: {inside[-1].message}"
    return _stopped(path, traces) or "nothing that could be followed calls it"


def _stopped(path: str, traces: Sequence[Trace]) -> str:
    """Where the program stops before it could call a kernel; empty if it runs to its end."""
    stops = [trace for trace in traces if trace.span.path == path and trace.message.startswith("stops with ")]
    return f"line {stops[-1].span.line} {stops[-1].message}" if stops else ""
