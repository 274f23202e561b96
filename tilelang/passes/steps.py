"""The tile IR of a launch after each pass, with what the pass decided as comments beside the statements.

The passes decide and do not rewrite: apart from operations that are opened up, the statements stay those of the source,
so every line of every step has its place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.ir.printer import block_lines
from tilelang.ir.stmt import Alloc, For, Gemm
from tilelang.ir.visit import walk
from tilelang.passes.layouts.notes import notes_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tilelang.ir.span import Span
    from tilelang.ir.stmt import Stmt
    from tilelang.passes import LaunchPlan

    Note = Callable[[Stmt], str]

STEPS = ("expand", "partition", "specialise", "stage", "spread", "share", "count")
"""The passes, in their order."""


def steps_of(plan: LaunchPlan) -> Iterator[tuple[str, list[tuple[str, Span | None]]]]:
    """Each pass with the printed lines of the launch after it. A pass that does nothing on the target, as warp
    specialisation before sm_90, is left out."""
    notes: dict[str, Note | None] = {
        "expand": lambda stmt: "",
        "partition": _partition_notes(plan),
        "specialise": _split_notes(plan),
        "stage": _stage_notes(plan),
        "spread": notes_of(plan.layouts),
        "share": _memory_notes(plan),
        "count": _register_notes(plan),
    }
    for step in STEPS:
        note = notes[step]
        if note is not None:
            yield step, block_lines((plan.opened,), note)


def _partition_notes(plan: LaunchPlan) -> Note:
    """``2 x 2 warps, mma, 16 of K a step``."""
    by_gemm = {id(gemm): split for gemm, split in plan.partitions}

    def note(stmt: Stmt) -> str:
        split = by_gemm.get(id(stmt)) if isinstance(stmt, Gemm) else None
        if split is None:
            return ""
        if split.problem is not None:
            return f"no split of {split.warps} warps covers the tile"
        depth = f", {split.depth} of K a step" if split.instruction == "mma" else ""
        return f"{split.m_warps} x {split.n_warps} warps, {split.instruction}{depth}"

    return note


def _split_notes(plan: LaunchPlan) -> Note | None:
    """Which statements the producer warps run."""
    special = plan.specialisation
    if special is None:
        return None
    producers = {id(stmt) for stmt in special.producers}
    consumers = {id(stmt) for stmt in special.consumers}

    def note(stmt: Stmt) -> str:
        if stmt is special.loop:
            return f"{special.producer_threads} producer threads, {special.barriers} barriers"
        parts = [part for part, group in (("producer", producers), ("consumer", consumers)) if id(stmt) in group]
        return " and ".join(parts)

    return note


def _stage_notes(plan: LaunchPlan) -> Note:
    """The copies of staged buffers, and by how many iterations each statement of a pipelined loop lags."""
    units = {id(unit.stmt): unit for pipeline in plan.pipelines for unit in pipeline.units}
    loops = {id(pipeline.loop): pipeline for pipeline in plan.pipelines}

    def note(stmt: Stmt) -> str:
        if isinstance(stmt, Alloc):
            copies = plan.versions.get(stmt.buffer.root, 1)
            return f"{copies} copies" if copies > 1 else ""
        if isinstance(stmt, For) and id(stmt) in loops:
            return f"{loops[id(stmt)].num_stages} stages"
        unit = units.get(id(stmt))
        return "" if unit is None else f"{unit.role}, stage {unit.stage}, place {unit.order}"

    return note


def _memory_notes(plan: LaunchPlan) -> Note:
    """Bytes and place of each array in shared memory, at its allocation or at the operation that needs it."""
    found: dict[int, list[str]] = {}
    by_buffer = {id(stmt.buffer): stmt for stmt in walk(plan.opened.body) if isinstance(stmt, Alloc)}
    for it in plan.memory.allocations:
        owner = by_buffer.get(id(it.buffer)) if it.buffer is not None else it.first
        found.setdefault(id(owner or plan.opened), []).append(it.explain())
    return lambda stmt: "; ".join(found.get(id(stmt), ()))


def _register_notes(plan: LaunchPlan) -> Note:
    """Registers that each array costs a thread, and the sum at the launch."""
    by_buffer = {id(use.buffer): use for use in plan.registers.uses}

    def note(stmt: Stmt) -> str:
        if stmt is plan.opened:
            return f"about {plan.registers.total} registers a thread"
        use = by_buffer.get(id(stmt.buffer)) if isinstance(stmt, Alloc) else None
        return "" if use is None else f"{use.registers} registers"

    return note
