"""No split of the warps covers the tile of a `T.gemm`.

## What it does
Divides the output tile over the warps of the block as the compiler does: a warp owns a multiple of 16 rows and 8
columns (16 on sm_70), under the policy of the call. On Hopper, four warps work on 64 rows together. On AMD GPUs a
wavefront owns a multiple of 16 rows and 16 columns, on Apple GPUs a SIMD group one of 8 and 8.

## Why is this bad?
The kernel does not compile. For AMD and Apple GPUs the compiler also takes splits that leave out a part of the tile:
where it does not fail later, the result is wrong, which is a warning here.

## Example
```python
with T.Kernel(..., threads=256) as (bx, by):  # 8 warps
    acc = T.alloc_fragment((16, 16), "float32")
    T.gemm(a, b, acc)
```

## Use instead
```python
with T.Kernel(..., threads=32) as (bx, by):  # 1 warp
```

## Targets
NVIDIA, AMD and Apple GPUs. The instruction, and with it the split, depends on the generation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.diagnostics import Note, Severity
from tilelang.passes.configs import PassConfigs
from tilelang.passes.warp_partition import NoSplit, WarpPartition, partition
from tilelang_analyzers.rule import define
from tilelang_analyzers.rules._gemm import GemmUse, gemm_uses
from tilelang_analyzers.rules._text import declared, listed, plural

if TYPE_CHECKING:
    from tilelang.targets import Target
    from tilelang_analyzers.rule import TargetContext

RULE = define(__name__, __doc__, group="layout")

_OPERATIONS = ("gemm", "wgmma_gemm")
_POLICIES = ("Square", "FullRow", "FullCol")
_THREADS = (32, 64, 128, 256, 512, 1024)


@RULE.check_target
def check(ctx: TargetContext) -> None:
    configs = PassConfigs.of(ctx.instance.jit.pass_configs)
    for use in ctx.shared(gemm_uses):
        gemm, threads = use.gemm, use.threads
        if threads is None or gemm.op not in _OPERATIONS or gemm.policy not in _POLICIES:
            continue
        if not _is_block(threads, ctx.target):
            continue  # invalid-block-threads says so
        split = partition(gemm, threads, ctx.target, configs)
        if split is None or split.problem is None or split.problem.kind == "warp-group":
            continue
        ctx.report(
            gemm.span,
            f"T.{gemm.op}: {_trouble(split, split.problem, gemm.policy)}",
            notes=[
                declared(ctx, gemm.c.buffer),
                Note(f"the block has {plural(threads, 'thread')}", use.launch.span),
                *_working_threads(ctx, use, configs),
            ],
            data={"m": split.tile.m, "n": split.tile.n, "warps": split.warps},
            severity=Severity.WARNING if split.problem.kind == "uneven" else None,
        )


def _is_block(threads: int, target: Target) -> bool:
    """Whether the target has blocks of that size, in whole warps."""
    limit, warp = target.launch.threads_per_block, target.launch.warp_size
    return (limit is None or threads <= limit) and (warp is None or threads % warp == 0)


def _trouble(split: WarpPartition, problem: NoSplit, policy: str) -> str:
    tile = split.tile
    if problem.kind == "rows":
        return f"M is {tile.m}, not a multiple of the {problem.rows_per_warp} rows of a warp"
    if problem.kind == "columns":
        return f"N is {tile.n}, not a multiple of the {problem.columns_per_warp} columns of a warp"
    if problem.kind == "uneven":
        return (
            f"{plural(split.warps, 'warp')} do not share the {tile.m} x {tile.n} tile evenly "
            f"(policy {policy}), so part of it is not computed"
        )
    return (
        f"{plural(split.warps, 'warp')} cannot share the {tile.m} x {tile.n} tile in pieces of "
        f"{problem.rows_per_warp} x {problem.columns_per_warp} (policy {policy})"
    )


def _working_threads(ctx: TargetContext, use: GemmUse, configs: PassConfigs) -> list[Note]:
    """The numbers of threads that have a split, as advice."""
    splits = {threads: partition(use.gemm, threads, ctx.target, configs) for threads in _THREADS}
    working = [str(threads) for threads, split in splits.items() if split is not None and split.problem is None]
    return [Note(f"threads={listed(working[-3:])} would work".replace(" and ", " or "))] if working else []
