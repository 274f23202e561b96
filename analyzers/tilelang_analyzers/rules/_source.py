"""What the source text says beside the values: the call at a span, and how a name got its value."""

from __future__ import annotations

import ast
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

from tilelang.ir.buffer import Buffer
from tilelang.ir.expr import const_int
from tilelang.ir.span import Span

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tilelang_analyzers.rule import InstanceContext

FunctionNode: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef"
_MAX_STEPS = 12


class Names:
    """The integers that names have at one place of one instance, and the expressions they were assigned."""

    def __init__(self, ctx: InstanceContext, functions: tuple[FunctionNode, ...]) -> None:
        self._values = {**ctx.instance.bindings, **ctx.instance.closure}
        self._definitions: dict[str, ast.expr] = {}
        for function in functions:
            self._definitions.update(_definitions(function))
            self._values.update(_annotated_sizes(ctx, function))

    def definition(self, node: ast.expr) -> ast.expr:
        """The expression that a name stands for, if it is assigned once; other expressions as they are."""
        for _ in range(_MAX_STEPS):
            if not (isinstance(node, ast.Name) and node.id in self._definitions):
                break
            node = self._definitions[node.id]
        return node

    def value(self, node: ast.expr, steps: int = _MAX_STEPS) -> int | None:
        """The value of an integer expression over names and the four operations; None if it is not known."""
        if steps == 0:
            return None
        if isinstance(node, ast.Constant):
            return node.value if isinstance(node.value, int) and not isinstance(node.value, bool) else None
        if isinstance(node, ast.Name):
            known = const_int(self._values.get(node.id))
            defined = self._definitions.get(node.id)
            return known if known is not None or defined is None else self.value(defined, steps - 1)
        if isinstance(node, ast.BinOp):
            a, b = self.value(node.left, steps - 1), self.value(node.right, steps - 1)
            return None if a is None or b is None else _combine(node.op, a, b)
        return None


def _combine(op: ast.operator, a: int, b: int) -> int | None:
    if isinstance(op, ast.Add):
        return a + b
    if isinstance(op, ast.Sub):
        return a - b
    if isinstance(op, ast.Mult):
        return a * b
    return a // b if isinstance(op, ast.FloorDiv) and b else None


def call_at(ctx: InstanceContext, span: Span) -> tuple[ast.Call, tuple[FunctionNode, ...]] | None:
    """The call at a span, with the functions around it, outermost first."""
    tree = ctx.syntax_tree(span.path)
    place = (span.line, span.col, span.end_line, span.end_col)
    around: tuple[FunctionNode, ...] = ()
    # Only what covers the line is entered: the tree of a large file is not walked for each call.
    stack: list[ast.AST] = [] if tree is None else [node for node in tree.body if _covers(node, span.line)]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Call) and place == (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset):
            return node, around
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            around = (*around, node)
        stack.extend(child for child in ast.iter_child_nodes(node) if _covers(child, span.line))
    return None


def _covers(node: ast.AST, line: int) -> bool:
    """Whether a node reaches over a line. Nodes without a place of their own are entered; decorators stand above."""
    first, last = getattr(node, "lineno", None), getattr(node, "end_lineno", None)
    if first is None or last is None:
        return True
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([first, *(decorator.lineno for decorator in decorators)]) <= line <= last


def span_of(path: str, node: ast.expr | ast.stmt) -> Span:
    return Span(path, node.lineno, node.col_offset, node.end_lineno or node.lineno, node.end_col_offset or 0)


def default_of(ctx: InstanceContext, parameter: str) -> Span | None:
    """Where the default of a factory's parameter is written."""
    path, line = ctx.instance.factory_path, ctx.instance.factory_line
    tree = ctx.syntax_tree(path)
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and _starts_at(node, line):
            default = _defaults(node).get(parameter)
            if default is not None:
                return span_of(path, default)
    return None


def _starts_at(node: FunctionNode, line: int) -> bool:
    first = min((decorator.lineno for decorator in node.decorator_list), default=node.lineno)
    return first <= line <= node.lineno


def _defaults(node: FunctionNode) -> Mapping[str, ast.expr]:
    spec = node.args
    positional = [*spec.posonlyargs, *spec.args]
    found = {arg.arg: value for arg, value in zip(reversed(positional), reversed(spec.defaults), strict=False)}
    for arg, value in zip(spec.kwonlyargs, spec.kw_defaults, strict=True):
        if value is not None:
            found[arg.arg] = value
    return found


@lru_cache(maxsize=64)
def _definitions(function: FunctionNode) -> Mapping[str, ast.expr]:
    """Names that a function binds exactly once, by a plain assignment, with what they are assigned."""
    nodes = tuple(_own_nodes(function))
    stores = [node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
    assigned: dict[str, ast.expr] = {}
    for node in nodes:
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            assigned.update(_pairs(node.targets[0], node.value))
    return {name: value for name, value in assigned.items() if stores.count(name) == 1}


def _pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """The names of an assignment with their values; none where a value is unpacked."""
    if isinstance(target, ast.Name):
        yield target.id, value
    elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        for one, other in zip(target.elts, value.elts, strict=True):
            if isinstance(one, ast.Name):
                yield one.id, other


def _own_nodes(function: FunctionNode) -> Iterator[ast.AST]:
    """The nodes of a function without those of functions inside it."""
    stack: list[ast.AST] = list(function.body)
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            stack.extend(ast.iter_child_nodes(node))


def _annotated_sizes(ctx: InstanceContext, function: FunctionNode) -> Iterator[tuple[str, int]]:
    """Names that stand alone as an extent in the annotation of a tensor, with the extent that the tensor has."""
    tensors = {param.name: param for param in ctx.program.params if isinstance(param, Buffer)}
    annotated = [(arg.arg, arg.annotation) for arg in function.args.args if arg.annotation is not None]
    annotated += [
        (node.target.id, node.annotation)
        for node in function.body
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    ]
    for name, annotation in annotated:
        tensor, extents = tensors.get(name), _extents(annotation)
        if tensor is None or len(extents) != tensor.rank:
            continue
        for node, extent in zip(extents, tensor.shape, strict=True):
            size = const_int(extent)
            if isinstance(node, ast.Name) and size is not None:
                yield node.id, size


def _extents(annotation: ast.expr) -> list[ast.expr]:
    """The extents in ``T.Tensor((M, N), dtype)`` or ``T.Tensor[(M, N), dtype]``."""
    if isinstance(annotation, ast.Call):
        first = annotation.args[0] if annotation.args else None
    elif isinstance(annotation, ast.Subscript) and isinstance(annotation.slice, ast.Tuple) and annotation.slice.elts:
        first = annotation.slice.elts[0]
    else:
        first = None
    return list(first.elts) if isinstance(first, (ast.Tuple, ast.List)) else []
