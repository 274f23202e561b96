"""Instances as plain records: what tables and JSON reports show of each launch on each target."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.ir.arith import try_const
from tilelang.ir.printer import text_of
from tilelang_analyzers.policy import is_error
from tilelang_analyzers.results import (
    BufferUse,
    CallResult,
    InstanceResult,
    LayoutsResult,
    TargetResult,
    Verdict,
    plain,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from tilelang.frontend.instance import Instance
    from tilelang.ir.buffer import Dim
    from tilelang.ir.stmt import Launch
    from tilelang.passes import LaunchPlan
    from tilelang.targets import Target
    from tilelang_analyzers.rule import Finding

OVERFLOW = "shared-memory-overflow"


def rows_of(
    instance: Instance,
    targets: Sequence[Target],
    plans: Callable[[Target, Launch], LaunchPlan],
    findings: Iterable[Finding],
    shared: dict[tuple[str, int], TargetResult],
    *,
    with_layouts: bool = False,
) -> list[InstanceResult]:
    """One record for each launch of an instance. ``shared`` has figures by arch and launch that other instances of the
    structure made, and takes new ones. ``with_layouts``: the figures have the layouts."""
    errors = [(finding.arch, finding.rule.name) for finding in findings if is_error(finding)]
    bindings = {name: plain(value) for name, value in instance.bindings.items()}
    closure = {name: plain(value) for name, value in instance.closure.items()}
    chain = tuple(CallResult(link.function, link.span.path, link.span.line) for link in instance.chain)

    def figures(target: Target, number: int, launch: Launch) -> TargetResult:
        if any(arch in ("", target.arch) for arch, _ in errors):
            return _target(target, plans(target, launch), errors, with_layouts)
        if (target.arch, number) not in shared:
            shared[target.arch, number] = _target(target, plans(target, launch), (), with_layouts)
        return shared[target.arch, number]

    return [
        InstanceResult(
            path=instance.path,
            kernel=instance.kernel,
            line=instance.line,
            factory=instance.factory,
            factory_line=instance.factory_line,
            style=instance.style,
            origin=instance.origin,
            launch=number,
            bindings=bindings,
            closure=closure,
            chain=chain,
            certain=instance.certain,
            expected_failure=instance.expected_failure,
            grid=_extents(launch.grid),
            threads=_extents(launch.threads),
            targets=tuple(figures(target, number, launch) for target in targets),
        )
        for number, launch in enumerate(instance.program.launches())
    ]


def _extents(extents: Iterable[Dim]) -> tuple[int | str, ...]:
    numbers = ((try_const(extent), extent) for extent in extents)
    return tuple(text_of(extent) if number is None else number for number, extent in numbers)


def _target(target: Target, plan: LaunchPlan, errors: Iterable[tuple[str, str]], with_layouts: bool) -> TargetResult:
    cost = plan.resources
    limit = target.shared_memory.budget
    over = limit is not None and max(cost.shared_total or 0, cost.shared_at_least) > limit
    # Another launch of the same instance may be the one that does not fit.
    names = {rule for arch, rule in errors if arch in ("", target.arch) and (over or rule != OVERFLOW)}
    verdict: Verdict = "error" if over or names else "unknown" if cost.shared_total is None else "ok"
    occupancy = cost.occupancy
    return TargetResult(
        arch=target.arch,
        label=target.label,
        threads=cost.threads,
        shared_bytes=cost.shared_total,
        dynamic_bytes=cost.shared_dynamic,
        static_bytes=cost.shared_static,
        shared_limit=limit,
        buffers=tuple(
            BufferUse(it.name, it.kind, it.bytes, it.copies, it.span.path, it.span.line) for it in cost.buffers
        ),
        registers=cost.registers,
        blocks_per_sm=occupancy.blocks if occupancy else None,
        limiter=", ".join(occupancy.limiters) if occupancy else "",
        verdict=verdict,
        errors=tuple(sorted(names)),
        layouts=_layouts(plan) if with_layouts else None,
    )


def _layouts(plan: LaunchPlan) -> LayoutsResult:
    from tilelang_analyzers.layouts.records import layouts_of

    return layouts_of(plan)
