"""Iterations of `T.Parallel` touch the same element, and the order matters.

## What it does
Looks for two iterations of one `T.Parallel` loop that store different values in one element of shared or global memory,
that update one element without an atomic operation, or of which one reads what the other stores. The message names two
such iterations and the element. Only what certainly happens counts: the indices and all conditions around them must be
computable, and storing the same value several times is fine. If the store and the read are two statements, the finding
is a warning: it comes out right as long as each thread has a single iteration.

## Why is this bad?
The iterations of `T.Parallel` run at the same time on different threads. Updates get lost, and which value stays or is
read changes from run to run.

## Example
```python
for i, j in T.Parallel(64, 128):
    total[i] += tile[i, j]
```

## Use instead
```python
T.reduce_sum(tile, total, dim=1)
```

or, one update at a time:

```python
for i, j in T.Parallel(64, 128):
    T.atomic_add(total[i], tile[i, j])
```

## Fix safety
The fix writes an addition as `T.atomic_add`. It is unsafe: atomic additions of floats come in any order, and a
reduction is faster.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from tilelang.diagnostics import Edit, Fix, Note, Severity
from tilelang.passes.access.parallel import parallel_races
from tilelang_analyzers.rule import define
from tilelang_analyzers.rules._sites import element, language_name, launch_sites, places
from tilelang_analyzers.rules._source import span_of

if TYPE_CHECKING:
    from tilelang.ir.span import Span
    from tilelang.passes.access.parallel import ParallelRace
    from tilelang_analyzers.rule import InstanceContext

RULE = define(__name__, __doc__, group="race", fixable=True)


@RULE.check_instance
def check(ctx: InstanceContext) -> None:
    seen: set[Span] = set()
    for sites in ctx.shared(launch_sites):
        for race in parallel_races(sites):
            span = race.first.access.span
            if span not in seen:
                seen.add(span)
                _report(ctx, race)


def _report(ctx: InstanceContext, race: ParallelRace) -> None:
    buffer = race.first.access.buffer
    loops = {axis.var for axis in race.first.axes if axis.kind == "parallel"}
    one, other = places(race.found.first, race.found.second, loops)
    what = element(buffer, race.found.element)
    notes = [Note("the T.Parallel loop starts here", race.nest.span)]
    if race.second.access.span != race.first.access.span:
        verb = "reads" if race.kind == "read" else "stores"
        notes.insert(0, Note(f"the iteration {other} {verb} `{what}` here", race.second.access.span))
    if race.kind == "update":
        message = f"iterations of T.Parallel update `{what}` at the same time: {one}, and {other}"
        notes.append(Note("use a reduction, a reducer (T.alloc_reducer) or an atomic operation"))
    elif race.kind == "write":
        message = f"iterations of T.Parallel store different values in `{what}`: {one}, and {other}"
    else:
        message = f"one iteration of T.Parallel stores `{what}`, which another one reads: {one}, and {other}"
        notes.append(Note(f"read `{buffer.name}` in a loop of its own, or store to another buffer"))
    ctx.report(
        race.first.stmt.span,
        message,
        notes=notes,
        fix=_atomic(ctx, race.first.stmt.span) if race.kind == "update" else None,
        severity=None if race.within else Severity.WARNING,
    )


def _atomic(ctx: InstanceContext, span: Span) -> Fix | None:
    """The update as ``T.atomic_add``, if it is an addition."""
    module, stmt = language_name(ctx, span.path), _statement_at(ctx, span)
    update = _addition(stmt) if stmt is not None and module else None
    if stmt is None or update is None:
        return None
    target, addend = (ctx.snippet(span_of(span.path, part)) for part in update)
    edit = Edit(span_of(span.path, stmt), f"{module}.atomic_add({target}, {addend})")
    return Fix("Add with `T.atomic_add`", (edit,)) if target and addend else None


def _statement_at(ctx: InstanceContext, span: Span) -> ast.stmt | None:
    """The assignment that begins where a store does."""
    tree = ctx.syntax_tree(span.path)
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, (ast.Assign, ast.AugAssign)) and (node.lineno, node.col_offset) == (span.line, span.col):
            return node
    return None


def _addition(stmt: ast.stmt) -> tuple[ast.expr, ast.expr] | None:
    """The target and what is added to it, of ``a += b`` and ``a = a + b``."""
    if isinstance(stmt, ast.AugAssign) and isinstance(stmt.op, ast.Add):
        return stmt.target, stmt.value
    if isinstance(stmt, ast.Assign) and len(stmt.targets) == 1 and isinstance(stmt.value, ast.BinOp):
        target, value = stmt.targets[0], stmt.value
        if isinstance(value.op, ast.Add) and ast.unparse(value.left) == ast.unparse(target):
            return target, value.right
    return None
