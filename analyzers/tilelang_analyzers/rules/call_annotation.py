"""A parameter is annotated by a call, which type checkers refuse.

## What it does
Reports `A: T.Tensor((M, N), dtype)` in parameter lists and in annotations of names.

## Why is this bad?
The language accepts it, and most kernels are written so. But the typing rules of Python allow no calls in annotations,
so type checkers and editors report every such line. The subscript form means the same and is accepted.

## Example
```python
def main(A: T.Tensor((M, K), "float16")): ...
```

## Use instead
```python
def main(A: T.Tensor[(M, K), "float16"]): ...
```

## Fix safety
The fix writes brackets for parentheses, where a literal shows which part is the shape: in `T.Tensor[N, dtype]` both
would be taken for extents. It is safe: both forms make the same tensor.
"""

from __future__ import annotations

import ast
from collections import Counter
from typing import TYPE_CHECKING

from tilelang.diagnostics import Edit, Fix, Severity
from tilelang.ir.span import Span
from tilelang_analyzers.rule import define

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tilelang_analyzers.rule import FileContext

RULE = define(__name__, __doc__, group="language", severity=Severity.OFF, fixable=True)

_PROXIES = ("Tensor", "StridedTensor", "Buffer", "SharedBuffer", "LocalBuffer", "FragmentBuffer")


@RULE.check_file
def check(ctx: FileContext) -> None:
    tree = ctx.tree
    if tree is None:
        return
    modules, literals = _language_modules(tree), _literal_names(tree)
    for annotation in _annotations(tree):
        if _is_tensor_call(annotation, modules):
            span = _span(ctx.path, annotation)
            name = ast.unparse(annotation.func)
            message = f"`{name}(...)` as an annotation is refused by type checkers; write `{name}[...]`"
            ctx.report(span, message, fix=_brackets(ctx, annotation, literals))


def _language_modules(tree: ast.Module) -> set[str]:
    """Names that the language's module has in this file."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update(
                alias.asname or alias.name for alias in node.names if alias.name.startswith("tilelang.language")
            )
        elif isinstance(node, ast.ImportFrom) and node.module == "tilelang":
            names.update(alias.asname or alias.name for alias in node.names if alias.name == "language")
    return names


def _annotations(tree: ast.Module) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        if isinstance(node, (ast.arg, ast.AnnAssign)) and isinstance(node.annotation, ast.Call):
            yield node.annotation


def _is_tensor_call(call: ast.Call, modules: set[str]) -> bool:
    function = call.func
    return isinstance(function, ast.Attribute) and function.attr in _PROXIES and ast.unparse(function.value) in modules


def _literal_names(tree: ast.Module) -> set[str]:
    """Names to which the file binds nothing but tuples, lists and strings that are written out."""
    bound: Counter[str] = Counter()
    literal: Counter[str] = Counter()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            bound[node.id] += 1
        elif isinstance(node, ast.arg):
            bound[node.arg] += 1
        elif isinstance(node, ast.alias):
            bound[node.asname or node.name] += 1
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and len(node.targets) == 1:
            literal[node.targets[0].id] += isinstance(node.value, (ast.Tuple, ast.List)) or _is_string(node.value)
    return {name for name, count in literal.items() if count == bound[name]}


def _brackets(ctx: FileContext, call: ast.Call, literals: set[str]) -> Fix | None:
    """Two edits that turn the parentheses of ``f(shape, dtype)`` into brackets."""
    plain = len(call.args) >= 2 and not call.keywords and not any(isinstance(arg, ast.Starred) for arg in call.args)
    if not plain or not _is_clear(call, literals) or call.end_lineno is None or call.end_col_offset is None:
        return None
    line, column = call.func.end_lineno or 0, call.func.end_col_offset or 0
    opening = Span(ctx.path, line, column, line, column + 1)
    closing = Span(ctx.path, call.end_lineno, call.end_col_offset - 1, call.end_lineno, call.end_col_offset)
    if ctx.snippet(opening) != "(":
        return None
    return Fix("Write the subscript form", (Edit(opening, "["), Edit(closing, "]")), safe=True)


def _is_clear(call: ast.Call, literals: set[str]) -> bool:
    """Whether the subscript form tells the shape from the dtype as the call does. `T.Tensor` looks for a tuple, a list
    or a string anywhere in the brackets, `T.Buffer` for a string in second place."""
    if isinstance(call.func, ast.Attribute) and call.func.attr == "Buffer":
        return _is_string(call.args[1])
    return any(
        isinstance(arg, (ast.Tuple, ast.List)) or _is_string(arg) or (isinstance(arg, ast.Name) and arg.id in literals)
        for arg in call.args
    )


def _is_string(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _span(path: str, node: ast.expr) -> Span:
    return Span(path, node.lineno, node.col_offset, node.end_lineno or node.lineno, node.end_col_offset or 0)
