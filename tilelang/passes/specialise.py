"""Warp specialisation on sm_90 and later: TMA producers in a warp group of their own.

Upstream rewrites the first pipelined loop of a kernel if one of its statements is a copy that TMA can do. The buffers
of every pipelined loop then get their copies before any other schedule is made, and the rewritten loop is a producer
loop followed by a consumer loop, joined by barriers. If no such statement stands directly in that loop, the kernel
loses its pipelines altogether.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from tilelang.ir.arith import try_const
from tilelang.ir.stmt import Alloc, Block, Copy, Effect, For, If, Launch, Let, Scope, Stmt
from tilelang.ir.visit import children, walk
from tilelang.passes.branches import NOTHING_MOVES, Prelude, sort_prelude
from tilelang.passes.copy_path import has_tma, loads_by_tma
from tilelang.passes.pipeline import is_pipelined, stages_of
from tilelang.passes.stage_uses import Uses, is_element_copy, is_warp_region, uses_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tilelang.ir.buffer import Buffer
    from tilelang.passes.configs import PassConfigs
    from tilelang.targets import Target

BARRIER_BYTES = 8
PRODUCER_THREADS = 128

Part = Literal["tma", "cp_async", "element", "consumer"]


class Specialisation(NamedTuple):
    """What becomes of a kernel.

    ``loop``: the loop that is split into producer and consumer, ``None`` if the kernel only loses its pipelines.
    ``versions``: copies of each buffer. ``barriers``: mbarriers of the split. ``producer_threads`` are added to the
    block. ``loads``: copies that TMA brings, those before the loop included. ``producers`` and ``consumers``: the
    statements of the two loops. ``prelude``: what moves into the branches from before the loop.
    """

    loop: For | None
    versions: Mapping[Buffer, int]
    barriers: int
    producer_threads: int
    loads: tuple[Copy, ...] = ()
    producers: tuple[Stmt, ...] = ()
    consumers: tuple[Stmt, ...] = ()
    prelude: Prelude = NOTHING_MOVES


def specialise(launch: Launch, target: Target, configs: PassConfigs) -> Specialisation | None:
    """``None`` if the kernel is not touched."""
    if not has_tma(target) or configs.flag("disable_warp_specialized"):
        return None
    if any(is_warp_region(stmt) for stmt in walk(launch.body)):
        return None
    staged = [stmt for stmt in walk(launch.body) if isinstance(stmt, For) and _is_staged(stmt)]
    candidates = (stmt for loop in staged for stmt in walk(loop.body) if isinstance(stmt, Copy))
    if not any(loads_by_tma(copy, target) for copy in candidates):
        return None
    loop = staged[0]
    units = [stmt for stmt in _flat_body(loop) if not isinstance(stmt, Alloc)]
    parts: list[Part] = [_part(stmt, target) for stmt in units]
    if "tma" not in parts:
        return Specialisation(None, {}, 0, 0)
    versions: dict[Buffer, int] = {}
    for each in staged:
        versions.update(_versions(each))
    loads_before = _loads_before(launch.body, loop, units, parts, target)
    barriers = _barrier_groups(units, parts) * 2 * (stages_of(loop) or 1) + len(loads_before)
    wide = "element" in parts or any(_is_plain_copy(stmt, target) for stmt in units)
    producers = tuple(unit for unit, part in zip(units, parts, strict=True) if part != "consumer")
    consumers = tuple(unit for unit, part in zip(units, parts, strict=True) if part == "consumer")
    return Specialisation(
        loop,
        versions,
        barriers,
        _threads(launch) if wide else PRODUCER_THREADS,
        (*loads_before, *(unit for unit in producers if isinstance(unit, Copy))),
        producers,
        consumers,
        sort_prelude(launch, loop, producers, consumers),
    )


def _is_staged(loop: For) -> bool:
    return is_pipelined(loop) and (stages_of(loop) or 0) >= 1


def _threads(launch: Launch) -> int:
    total = 1
    for extent in launch.threads:
        total *= try_const(extent) or 1
    return total


def _flat_body(loop: For) -> Block:
    """The statements of the loop; those of a single branch around the rest of the body, if it is guarded as a whole."""
    body = tuple(stmt for stmt in loop.body if not isinstance(stmt, Alloc))
    rest = _after_lets(body)
    if len(rest) == 1 and isinstance(rest[0], If) and not rest[0].orelse:
        return _after_lets(tuple(stmt for stmt in rest[0].then if not isinstance(stmt, Alloc)))
    return rest


def _after_lets(body: Block) -> Block:
    start = next((i for i, stmt in enumerate(body) if not isinstance(stmt, Let)), len(body))
    return body[start:]


def _part(stmt: Stmt, target: Target) -> Part:
    if isinstance(stmt, Copy):
        if loads_by_tma(stmt, target):
            return "tma"
        if stmt.op == "async_copy" or stmt.attr("prefer_instruction") == "cp_async":
            return "cp_async"
        return "consumer"
    if isinstance(stmt, Effect) and stmt.call.op in ("ptx_cp_async", "ptx_commit_group", "ptx_wait_group"):
        return "cp_async"
    return "element" if is_element_copy(stmt) else "consumer"


def _is_plain_copy(stmt: Stmt, target: Target) -> bool:
    """A copy from global to shared memory that threads do with loads and stores."""
    if not isinstance(stmt, Copy) or not (stmt.src.buffer.is_global and stmt.dst.buffer.is_shared):
        return False
    return stmt.src.buffer.dtype == stmt.dst.buffer.dtype and _part(stmt, target) == "consumer"


def _versions(loop: For) -> dict[Buffer, int]:
    """Copies of the buffers of one loop: those that a copy fills before a later statement of the body uses them."""
    count = stages_of(loop) or 1
    if count < 2:
        return {}
    parts = list(_leaves(loop.body))
    uses = [uses_of(stmt) for stmt in parts]
    versions: dict[Buffer, int] = {}
    for index, (stmt, each) in enumerate(zip(parts, uses, strict=True)):
        for buffer in dict.fromkeys(use.buffer for use in each.writes if use.buffer.is_shared):
            if buffer in versions or any(any(earlier.writes_of(buffer)) for earlier in uses[:index]):
                continue
            later = any(any(after.reads_of(buffer)) for after in uses[index + 1 :])
            produced = is_element_copy(stmt) and any(any(other.reads_of(buffer)) for other in uses if other is not each)
            if (later and _brings_global(each)) or produced:
                versions[buffer] = count
    return versions


def _brings_global(uses: Uses) -> bool:
    return any(use.buffer.is_shared for use in uses.writes) and any(use.buffer.is_global for use in uses.reads)


def _leaves(body: Block) -> Iterator[Stmt]:
    """Statements of a loop body, branches and scopes opened, inner loops whole."""
    for stmt in body:
        if isinstance(stmt, (If, Scope)):
            for inner in children(stmt):
                yield from _leaves(inner)
        elif not isinstance(stmt, Alloc):
            yield stmt


def _barrier_groups(units: list[Stmt], parts: list[Part]) -> int:
    """One group of barriers for each TMA copy, or one for all if the consumer waits for all at one place and lets go of
    all at one place."""
    consumers = [uses_of(unit) for unit, part in zip(units, parts, strict=True) if part == "consumer"]
    copies = [unit for unit, part in zip(units, parts, strict=True) if part == "tma"]
    if len(copies) < 2 or "cp_async" in parts or "element" in parts:
        return len(copies)
    places = {_window(copy, consumers) for copy in copies}
    return 1 if len(places) == 1 else len(copies)


def _window(copy: Stmt, consumers: list[Uses]) -> tuple[int, int]:
    """Where the consumer waits for a copy, and where it lets go of its buffer."""
    assert isinstance(copy, Copy), "only copies are TMA producers"
    buffer = copy.dst.buffer
    reads = [i for i, uses in enumerate(consumers) if any(uses.reads_of(buffer))]
    touched = [i for i, uses in enumerate(consumers) if any(uses.reads_of(buffer)) or any(uses.writes_of(buffer))]
    if not touched:
        return 0, len(consumers)
    return (reads[0] if reads else 0), touched[-1] + 1


def _loads_before(body: Block, loop: For, units: list[Stmt], parts: list[Part], target: Target) -> tuple[Copy, ...]:
    """TMA copies before the loop whose buffer the consumer reads in the loop."""
    consumers = [uses_of(unit) for unit, part in zip(units, parts, strict=True) if part == "consumer"]
    before = _statements_before(body, loop) or []
    return tuple(
        stmt
        for stmt in before
        if isinstance(stmt, Copy)
        and loads_by_tma(stmt, target)
        and any(any(uses.reads_of(stmt.dst.buffer)) for uses in consumers)
    )


def _statements_before(body: Block, loop: For) -> list[Stmt] | None:
    """What runs before the loop, on the way down to it. Loops around it hide theirs: upstream does not look inside."""
    for index, stmt in enumerate(body):
        if stmt is loop:
            return list(body[:index])
        if isinstance(stmt, (If, Scope)):
            for inner in children(stmt):
                found = _statements_before(inner, loop)
                if found is not None:
                    return [*body[:index], *found]
    return None
