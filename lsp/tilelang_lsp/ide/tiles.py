"""What a name in a kernel stands for: a tile, a loop or launch variable, a size; and the figures of a tile."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tilelang.ir.arith import try_const
from tilelang.ir.printer import text_of
from tilelang_analyzers.results import plain, value_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tilelang.frontend.instance import Instance
    from tilelang.ir.buffer import Buffer
    from tilelang.ir.span import Span
    from tilelang.ir.stmt import For, Launch
    from tilelang_lsp.analysis import Analysis, Map
    from tilelang_lsp.ide.names import Occurrence, Symbol
    from tilelang_lsp.session import Snapshot

_SCOPES = {
    "shared.dyn": "shared",
    "shared": "shared",
    "local.fragment": "fragment",
    "local": "local",
    "local.var": "variable",
    "global": "global",
    "shared.barrier": "barrier",
    "shared.cluster_barrier": "barrier",
    "shared.tmem": "tensor memory",
}


@dataclass(frozen=True, slots=True)
class TargetBytes:
    """What a tile takes on one target: ``copies`` of it, ``bytes`` for all of them; or registers of a thread."""

    target: str
    bytes: int | None
    copies: int
    registers: int | None


@dataclass(frozen=True, slots=True)
class Use:
    """One place that reads or writes a tile."""

    mode: str
    span: Span


@dataclass(frozen=True, slots=True)
class Tile:
    """A tile as one instance has it. ``nbytes`` is one copy, None if an extent is symbolic."""

    name: str
    shape: tuple[str, ...]
    dtype: str
    scope: str
    nbytes: int | None
    span: Span
    uses: tuple[Use, ...]
    on: tuple[TargetBytes, ...]

    @property
    def type_text(self) -> str:
        return f"{self.dtype}[{', '.join(self.shape)}]"

    @property
    def copies(self) -> int:
        return max((each.copies for each in self.on), default=1)


def scope_of(buffer: Buffer) -> str:
    """The memory of a tile in a word."""
    return _SCOPES.get(buffer.scope, buffer.scope)


def shape_of(buffer: Buffer) -> tuple[str, ...]:
    return tuple(text_of(extent) if try_const(extent) is None else str(try_const(extent)) for extent in buffer.shape)


def tile_of(analysis: Analysis, found: Map, buffer: Buffer) -> Tile:
    """The figures of a tile on every target of its instance."""
    uses = {(each.span.line, each.span.col, each.mode): Use(each.mode, each.span) for each in found.uses[buffer.root]}
    return Tile(
        buffer.name,
        shape_of(buffer),
        str(buffer.dtype),
        scope_of(buffer),
        buffer.nbytes() if buffer.dtype.is_known else None,
        buffer.span,
        tuple(uses[key] for key in sorted(uses)),
        tuple(target_bytes(analysis, found.instance, buffer)),
    )


def target_bytes(analysis: Analysis, instance: Instance, buffer: Buffer) -> Iterable[TargetBytes]:
    """What a tile takes of a block's shared memory, or of a thread's registers, by target."""
    if buffer.is_global:
        return
    for target in analysis.targets(instance):
        for launch in instance.program.launches():
            plan = analysis.plan(instance, launch, target)
            slot = next((each for each in plan.memory.allocations if each.buffer is buffer.root), None)
            used = next((each for each in plan.registers.uses if each.buffer is buffer.root), None)
            if slot is not None:
                yield TargetBytes(target.label, slot.bytes, slot.copies, None)
            elif used is not None:
                yield TargetBytes(target.label, None, 1, used.registers)


# --- from names to meanings -------------------------------------------------------------------------------------------


def buffer_of(symbol: Symbol, found: Map) -> Buffer | None:
    """The tile that a name was bound to in an instance, by where it is allocated or declared."""
    for each in reversed(symbol.definitions):
        buffer = found.allocations.get((each.span.line, each.span.col))
        if buffer is None and each.value is not None and each.kind == "variable":
            buffer = found.allocations.get((each.value.lineno, each.value.col_offset))
        if buffer is not None:
            return buffer
    return None


def buffer_at(occurrence: Occurrence, found: Map) -> Buffer | None:
    """The tile at one place of a name. In a macro, that is the tile which the first call hands in."""
    buffer = buffer_of(occurrence.symbol, found)
    return buffer or found.tiles.get((occurrence.span.line, occurrence.span.col))


def loop_of(symbol: Symbol, found: Map) -> For | Launch | None:
    """The loop or launch that binds a name."""
    for each in symbol.definitions:
        if each.value is not None:
            place = (each.value.lineno, each.value.col_offset)
            stmt = found.loops.get(place) or found.launches.get(place)
            if stmt is not None:
                return stmt
    return None


def value_of(symbol: Symbol, instance: Instance) -> str | None:
    """The value of a size or other plain name of the factory in an instance; None if it has none or is not known."""
    for table in (instance.bindings, instance.closure):
        if symbol.name in table:
            value = plain(table[symbol.name])
            return None if value is None else value_text(value)
    return None


def arguments_text(instance: Instance, limit: int = 80) -> str:
    """``M=1024, N=1024, num_stages=2``."""
    table = instance.bindings or instance.closure
    text = ", ".join(f"{name}={value_text(plain(value))}" for name, value in table.items())
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def trips(stmt: For) -> tuple[int | None, ...]:
    """Iterations of each variable of a loop; None where they are not known."""
    return tuple(try_const(extent) for extent in stmt.extents)


def size_text(count: int | None) -> str:
    """``8 KiB`` for whole KiB, else bytes."""
    if count is None:
        return "? B"
    return f"{count // 1024} KiB" if count and count % 1024 == 0 else f"{count:,} B".replace(",", " ")


def occurrence_at(snapshot: Snapshot, line: int, col: int) -> Occurrence | None:
    return snapshot.file.names.at(line, col)
