"""Copies by TMA whose shared tile has a layout, given by hand, that TMA cannot move."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.diagnostics import Note
from tilelang.ir.layout import Layout
from tilelang.ir.stmt import Copy, Effect
from tilelang.ir.visit import walk
from tilelang.passes.copy_path import has_tma, stores_by_tma
from tilelang.passes.layouts.bulk import misfit
from tilelang_analyzers.rules._text import declarations

if TYPE_CHECKING:
    from collections.abc import Callable

    from tilelang.passes import LaunchPlan
    from tilelang.passes.layouts.bulk import Misfit
    from tilelang_analyzers.rule import TargetContext

_WHY: dict[str, Callable[[Misfit], str]] = {
    "encoding": lambda _: "its layout is no swizzle that TMA knows",
    "gaps": lambda _: "its layout leaves gaps",
    "order": lambda _: "neighbours in it are no neighbours in the tensor",
    "narrow": lambda found: f"{found.run} bytes lie side by side, less than the 16 of one unit",
    "wide": lambda found: f"{found.run} bytes lie side by side, more than the {found.swizzle} of its swizzle",
}


def check_bulk_copies(ctx: TargetContext) -> None:
    """Reports the copies of an instance on one target."""
    if not has_tma(ctx.target):
        return
    for launch in ctx.launches:
        plan = ctx.plan(launch)
        if any(isinstance(claim.stmt, Effect) for claim in plan.layouts.claims.values()):
            for stmt in walk(plan.opened.body):
                if isinstance(stmt, Copy):
                    _check(ctx, plan, stmt)


def _check(ctx: TargetContext, plan: LaunchPlan, copy: Copy) -> None:
    shared, world = (copy.src, copy.dst) if copy.src.buffer.is_shared else (copy.dst, copy.src)
    claim = plan.layouts.claims.get(shared.buffer)
    # The layouts that the compiler chooses by itself suit it.
    if claim is None or not isinstance(claim.stmt, Effect) or not isinstance(claim.layout, Layout):
        return
    explicit = copy.op == "tma_copy"
    loads = plan.specialisation.loads if plan.specialisation is not None else ()
    if not world.buffer.is_global or not (
        explicit or any(load is copy for load in loads) or stores_by_tma(copy, ctx.target)
    ):
        return
    found = misfit(claim.layout, shared, world)
    if found is None or not (explicit or found.fatal):
        return
    ctx.report(
        copy.span,
        f"T.{copy.op} cannot move `{shared.buffer.name}` by TMA: {_WHY[found.kind](found)}",
        notes=[
            Note("the layout is given here", claim.stmt.span),
            *declarations(ctx, (shared.buffer,)),
            Note("tilelang.layout.make_swizzled_layout gives one that TMA knows"),
        ],
        data={"reason": found.kind},
    )
