"""The kernel asks for an instruction that the target does not have.

## What it does
Reports explicit uses of hardware features on targets without them: `T.async_copy` and
`prefer_instruction="cp_async"`, TMA copies, `wgmma`, `tcgen05` and tensor memory, hardware barriers
(`T.alloc_barrier`), thread block clusters, `setmaxnreg`, programmatic dependent launch. Only the first use of a
feature in a kernel is reported; the others are notes. Operations that the compiler lowers differently by target, such
as `T.copy` and `T.gemm`, are fine everywhere.

## Why is this bad?
The kernel does not compile for that target.

## Example
```python
T.async_copy(A[bx * 512], tile)  # for a T4
T.ptx_wait_group(0)
```

## Use instead
```python
T.copy(A[bx * 512], tile)
```

## Targets
`cp.async` needs sm_80, TMA, clusters and hardware barriers sm_90, `wgmma` sm_90 only, tensor memory sm_100, sm_103 or
sm_110, block-scaled `mma` sm_120 or sm_121.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.diagnostics import Note
from tilelang.ir.stmt import Alloc, Copy, Effect, Gemm, Launch
from tilelang.ir.visit import walk
from tilelang_analyzers.rule import define

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tilelang.ir.span import Span
    from tilelang.ir.stmt import Stmt
    from tilelang_analyzers.rule import TargetContext

RULE = define(__name__, __doc__, group="dtype")

_NAMES = {
    "cp_async": "asynchronous copies (cp.async)",
    "mbarrier_expect_tx": "hardware barriers",
    "tma_tensor": "a tensor memory accelerator (TMA)",
    "tma_gather4": "gathering TMA copies",
    "cluster_barrier": "thread block clusters",
    "cluster_launch_control": "cluster launch control",
    "wgmma": "warp-group matrix instructions (wgmma)",
    "tcgen05_tmem": "tensor memory (tcgen05)",
    "mma_block_scale": "block-scaled mma",
    "mma_sparse": "sparse matrix instructions",
    "setmaxnreg": "setmaxnreg",
    "pdl_griddepcontrol": "programmatic dependent launch",
    "ldmatrix": "ldmatrix",
    "stmatrix": "stmatrix",
}
"""What a finding calls the features of ``Target.features`` that it may miss."""

_COPIES = {"async_copy": "cp_async", "tma_copy": "tma_tensor", "copy_cluster": "cluster_barrier"}
_PREFERRED = {"tma": "tma_tensor", "cp_async": "cp_async"}
_GEMMS = {
    "wgmma_gemm": "wgmma",
    "wgmma_gemm_sp": "wgmma",
    "tcgen05_gemm": "tcgen05_tmem",
    "tcgen05_gemm_sp": "tcgen05_tmem",
    "tcgen05_gemm_blockscaled": "tcgen05_tmem",
    "mma_gemm_blockscaled": "mma_block_scale",
    "gemm_sp": "mma_sparse",
}
_SCOPES = {
    "shared.barrier": "mbarrier_expect_tx",
    "shared.cluster_barrier": "cluster_barrier",
    "shared.tmem": "tcgen05_tmem",
    "local.descriptor.wgmma": "wgmma",
    "local.descriptor.tcgen05_smem": "tcgen05_tmem",
    "local.descriptor.tcgen05_instr": "tcgen05_tmem",
}
_CALLS = {
    "ptx_cp_async": "cp_async",
    "tma_load": "tma_tensor",
    "tma_load_2sm": "tma_gather4",
    "tma_gather4": "tma_gather4",
    "tma_scatter4": "tma_gather4",
    "create_tma_descriptor": "tma_tensor",
    "cluster_sync": "cluster_barrier",
    "cluster_arrive": "cluster_barrier",
    "cluster_arrive_relaxed": "cluster_barrier",
    "cluster_wait": "cluster_barrier",
    "clc_try_cancel": "cluster_launch_control",
    "clc_try_cancel_multicast": "cluster_launch_control",
    "ptx_wgmma_ss": "wgmma",
    "ptx_wgmma_rs": "wgmma",
    "ptx_wgmma_sp_ss": "wgmma",
    "ptx_wgmma_sp_rs": "wgmma",
    "ptx_tcgen05_mma_ss": "tcgen05_tmem",
    "ptx_tcgen05_mma_ts": "tcgen05_tmem",
    "ptx_tcgen05_mma_blockscaled_ss": "tcgen05_tmem",
    "tcgen05_cp_warpx4": "tcgen05_tmem",
    "ptx_mma_block_scale": "mma_block_scale",
    "ptx_mma_sp": "mma_sparse",
    "ptx_ldmatrix": "ldmatrix",
    "ptx_stmatrix": "stmatrix",
    "set_max_nreg": "setmaxnreg",
    "inc_max_nreg": "setmaxnreg",
    "dec_max_nreg": "setmaxnreg",
    "pdl_sync": "pdl_griddepcontrol",
    "pdl_trigger": "pdl_griddepcontrol",
}


@RULE.check_target
def check(ctx: TargetContext) -> None:
    if ctx.target.family != "cuda":
        return
    for launch in ctx.launches:
        missing: dict[str, list[tuple[str, Span]]] = {}
        for stmt in (launch, *walk(launch.body)):
            for feature, what in _needs(stmt):
                if not ctx.target.has(feature):
                    missing.setdefault(feature, []).append((what, stmt.span))
        for feature, uses in missing.items():
            (what, span), rest = uses[0], uses[1:]
            notes = [Note(f"{other} needs them too", place) for other, place in rest[:3]]
            ctx.report(span, f"{what} needs {_NAMES[feature]},", on="which {targets} does not have", notes=notes)


def _needs(stmt: Stmt) -> Iterator[tuple[str, str]]:
    """The features that a statement cannot do without, each with the name of what needs it."""
    if isinstance(stmt, Copy):
        feature = _COPIES.get(stmt.op)
        if feature:
            yield feature, f"T.{stmt.op}"
        wanted = stmt.attr("prefer_instruction")
        if isinstance(wanted, str) and wanted in _PREFERRED:
            yield _PREFERRED[wanted], f'prefer_instruction="{wanted}"'
    elif isinstance(stmt, Gemm):
        feature = _GEMMS.get(stmt.op)
        if feature:
            yield feature, f"T.{stmt.op}"
    elif isinstance(stmt, Alloc):
        feature = _SCOPES.get(stmt.buffer.scope)
        if feature:
            yield feature, f"`{stmt.buffer.name}`"
    elif isinstance(stmt, Effect):
        feature = _CALLS.get(stmt.call.op)
        if feature:
            yield feature, f"T.{stmt.call.op}"
    elif isinstance(stmt, Launch) and isinstance(stmt.attr("cluster_dims"), tuple):
        yield "cluster_barrier", "cluster_dims"
