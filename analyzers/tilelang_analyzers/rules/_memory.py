"""The shared memory of a launch against the budget of a target, and the values that would make it fit."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tilelang.passes import plan
from tilelang_analyzers.rules._source import default_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tilelang.frontend.instance import Instance
    from tilelang.ir.span import Span
    from tilelang.ir.stmt import Launch
    from tilelang.passes import LaunchPlan
    from tilelang.passes.smem_plan import SharedMemoryPlan
    from tilelang_analyzers.rule import InstanceContext, TargetContext

MAX_TILE = 1024
"""Tile sizes are rarely larger; problem sizes are rarely smaller."""
SMALLEST_TILE = 16
MOST_STAGES = 64
"""A fix proposes no more; a stage takes a few hundred bytes at least."""
MAX_SIBLINGS = 4
MAX_TRIALS = 24
"""Changed instances that are evaluated for one finding, each about as costly as the instance itself."""


class Excess(NamedTuple):
    """``need`` bytes of a block where a target has ``have``. ``certain`` is False where the plan is an estimate."""

    need: int
    have: int
    certain: bool


class Remedy(NamedTuple):
    """A parameter of the factory and the largest value tried that fits, with the bytes of the block then. Stage counts
    are tried one by one, other numbers by halving."""

    parameter: str
    value: int
    bytes: int

    @property
    def is_stages(self) -> bool:
        return counts_stages(self.parameter)


def excess(memory: SharedMemoryPlan, have: int | None) -> Excess | None:
    """How far a plan is above a budget. Barriers that the compiler adds beside the buffers count only if it is they
    that do not fit."""
    if have is None:
        return None
    if memory.total is None:
        return Excess(memory.at_least, have, certain=True) if memory.at_least > have else None
    if memory.total <= have:
        return None
    added = sum(
        each.bytes or 0 for each in memory.allocations if not each.dynamic and each.kind in ("barrier", "address")
    )
    buffers = memory.total - added
    return Excess(buffers if buffers > have else memory.total, have, memory.exact or memory.at_least > have)


def counts_stages(parameter: str) -> bool:
    return "stage" in parameter.lower()


def remedy(ctx: TargetContext, launch: Launch, have: int, *, explicit: bool) -> Remedy | None:
    """The first parameter that fits the budget if it alone gets a smaller value: stage counts, then tile sizes, then
    other numbers. ``explicit``: only parameters that the call names, else only those that have their default."""
    instance = ctx.instance
    if instance.reevaluate is None or launch not in ctx.launches:
        return None
    number = ctx.launches.index(launch)
    trials = 0
    for parameter, smaller in _candidates(instance, explicit):
        for value in smaller:
            trials += 1
            if trials > MAX_TRIALS:
                return None
            bytes_ = _bytes_with(ctx, parameter, value, number)
            if bytes_ is not None and bytes_ <= have:
                return Remedy(parameter, value, bytes_)
    return None


def differing_argument(ctx: TargetContext, launch: Launch, have: int) -> str | None:
    """The one explicit argument in which this instance differs from another call of the kernel that fits the budget."""
    instance = ctx.instance
    if launch not in ctx.launches:
        return None
    number = ctx.launches.index(launch)
    siblings = [other for other in ctx.analysis.instances if _same_kernel(instance, other) and other.tune is None]
    for other in siblings[:MAX_SIBLINGS]:
        names = [name for name in instance.bindings if _differs(instance, other, name)]
        launches = tuple(other.program.launches())
        if len(names) != 1 or names[0] not in instance.arg_spans or number >= len(launches):
            continue
        total = plan(other.program, launches[number], ctx.target, other.jit.pass_configs).memory.total
        if total is not None and total <= have:
            return names[0]
    return None


def _same_kernel(one: Instance, other: Instance) -> bool:
    return other is not one and (other.path, other.kernel, other.line) == (one.path, one.kernel, one.line)


def _differs(one: Instance, other: Instance, name: str) -> bool:
    """Whether two instances have another value of a parameter. Values that are no plain data differ by their place."""
    mine, theirs = one.bindings.get(name), other.bindings.get(name)
    if mine is None and theirs is None:
        return one.arg_spans.get(name) != other.arg_spans.get(name)
    return mine != theirs


def _candidates(instance: Instance, explicit: bool) -> Iterator[tuple[str, list[int]]]:
    """Parameters with the smaller values to try, the largest first."""
    groups: tuple[list[tuple[str, list[int]]], ...] = ([], [], [])
    for name, value in instance.bindings.items():
        if not isinstance(value, int) or isinstance(value, bool) or (name in instance.arg_spans) is not explicit:
            continue
        if counts_stages(name):
            groups[0].append((name, list(range(min(value - 1, MOST_STAGES), 0, -1))))
        elif value > SMALLEST_TILE:
            halves = [value >> shift for shift in range(1, value.bit_length()) if value >> shift >= SMALLEST_TILE]
            groups[1 if value <= MAX_TILE and value & (value - 1) == 0 else 2].append((name, halves[:4]))
    for group in groups:
        yield from group


def _bytes_with(ctx: TargetContext, parameter: str, value: int, number: int) -> int | None:
    """The bytes of launch ``number`` if ``parameter`` were ``value``; None if that makes no such kernel."""
    instances = ctx.shared(_changed_instances)
    key = (parameter, value)
    if key not in instances:
        again = ctx.instance.reevaluate
        instances[key] = None if again is None else again({parameter: value})
    changed = instances[key]
    if changed is None:
        return None
    launches = tuple(changed.program.launches())
    if number >= len(launches):
        return None
    found: LaunchPlan = plan(changed.program, launches[number], ctx.target, changed.jit.pass_configs)
    return found.memory.total


def _changed_instances(ctx: InstanceContext) -> dict[tuple[str, int], Instance | None]:
    """Instances with one other argument, filled as they are asked for."""
    return {}


def literal_span(ctx: TargetContext, parameter: str) -> Span | None:
    """Where the number of a parameter is written: at the call, or as the default of the factory. None if it is
    computed."""
    instance = ctx.instance
    place = instance.arg_spans.get(parameter) or default_of(ctx, parameter)
    return place if place is not None and ctx.snippet(place).strip().isdigit() else None
