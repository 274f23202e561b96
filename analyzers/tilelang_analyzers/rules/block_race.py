"""Blocks store different values in the same element of a tensor.

## What it does
Looks for two blocks of a launch whose stores meet in one element of global memory: a block index that the place does
not depend on, tiles that overlap, an update without an atomic operation. The message names two such blocks and the
element. The values must differ: each block reads other elements for them, or computes them from its index. A condition
such as `if bx == 0` that leaves one block, atomic operations, and the same constant from every block are fine. Kernels
with clusters or with a barrier of the whole grid are not looked at.

## Why is this bad?
Blocks run in any order. Which value stays, or which update is lost, changes from run to run.

## Example
```python
with T.Kernel(T.ceildiv(N, 64), 4, threads=128) as (bx, split):
    ...
    T.copy(acc, C[bx * 64])
```

## Use instead
```python
with T.Kernel(T.ceildiv(N, 64), 4, threads=128) as (bx, split):
    ...
    T.atomic_add(C[bx * 64], acc)
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.diagnostics import Note
from tilelang.passes.access.blocks import block_races
from tilelang_analyzers.rule import define
from tilelang_analyzers.rules._sites import element, launch_sites, point

if TYPE_CHECKING:
    from tilelang.ir.span import Span
    from tilelang.passes.access.blocks import BlockRace
    from tilelang_analyzers.rule import InstanceContext

RULE = define(__name__, __doc__, group="race")


@RULE.check_instance
def check(ctx: InstanceContext) -> None:
    seen: set[Span] = set()
    for sites in ctx.shared(launch_sites):
        for race in block_races(sites):
            if race.first.access.span not in seen:
                seen.add(race.first.access.span)
                _report(ctx, race)


def _report(ctx: InstanceContext, race: BlockRace) -> None:
    blocks = {axis.var for axis in race.first.axes if axis.kind == "block"}
    one, other = point(race.one, blocks), point(race.other, blocks)
    what = element(race.first.access.buffer, race.element)
    does = "update" if race.kind == "update" else "store different values in"
    notes = [Note("the grid is here", race.first.axes[0].span)]
    if race.second.stmt is not race.first.stmt:
        notes.insert(0, Note(f"the block {other} stores `{what}` here", race.second.access.span))
    notes.append(Note("use an atomic operation, an index of its own for each block, or a condition for one block"))
    ctx.report(race.first.stmt.span, f"blocks {does} `{what}`: {one}, and {other}", notes=notes)
