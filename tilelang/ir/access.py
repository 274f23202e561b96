"""What each statement reads and writes.

The one answer to that question: the initialisation rules, the pipeline pass and the shared-memory plan all
ask here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from tilelang.ir.buffer import Buffer, Region
from tilelang.ir.expr import Call, Load, Var
from tilelang.ir.stmt import Atomic, Copy, Effect, Fill, Gemm, Let, Reduce, Scan, Stmt, Store
from tilelang.ir.visit import operands, subterms

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tilelang.ir.span import Span

Mode = Literal["read", "write", "update", "unknown"]


@dataclass(frozen=True, slots=True)
class Access:
    """One use of a buffer. ``place`` is the element or box, or the bare buffer where nothing narrower is known.
    ``update`` reads and writes; ``unknown`` may do either (an opaque call that was handed the buffer)."""

    mode: Mode
    buffer: Buffer
    place: Region | Load | Buffer
    span: Span

    @property
    def reads(self) -> bool:
        return self.mode != "write"

    @property
    def writes(self) -> bool:
        return self.mode != "read"


def accesses(stmt: Stmt) -> Iterator[Access]:
    """The uses of buffers by ``stmt`` itself, reads before writes. Bodies are not entered."""
    if isinstance(stmt, Store):
        for value in (*stmt.indices, stmt.value):
            yield from _reads(value, stmt.span)
        target = Load(stmt.buffer.dtype, stmt.buffer, stmt.indices, span=stmt.span)
        yield Access("write", stmt.buffer, target, stmt.span)
    elif isinstance(stmt, Let):
        yield from _reads(stmt.value, stmt.span)
    elif isinstance(stmt, (Copy, Scan)):
        yield from _indices(stmt.src, stmt.dst)
        yield _box("read", stmt.src)
        yield _box("write", stmt.dst)
    elif isinstance(stmt, Fill):
        yield from _indices(stmt.dst)
        yield from _reads(stmt.value, stmt.span)
        yield _box("write", stmt.dst)
    elif isinstance(stmt, Gemm):
        yield from _indices(stmt.a, stmt.b, stmt.c)
        yield _box("read", stmt.a)
        yield _box("read", stmt.b)
        for _, value in stmt.attrs:
            # The metadata of a sparse operand, the scales of a block-scaled one.
            if isinstance(value, Region):
                yield from _indices(value)
                yield _box("read", value)
            elif isinstance(value, Buffer):
                yield Access("read", value, value, stmt.span)
        yield _box("write" if stmt.clear_accum is True else "update", stmt.c)
    elif isinstance(stmt, Reduce):
        yield from _indices(stmt.src, stmt.dst)
        yield _box("read", stmt.src)
        yield _box("write" if stmt.clear is True else "update", stmt.dst)
    elif isinstance(stmt, Atomic):
        if stmt.value is not None:
            yield from _reads(stmt.value, stmt.span)
        for part in subterms(stmt.dst):
            if isinstance(part, Load) and part is not stmt.dst:
                yield Access("read", part.buffer, part, part.span)
        yield Access("update", stmt.dst.buffer, stmt.dst, stmt.span)
    elif isinstance(stmt, Effect):
        yield from _reads(stmt.call, stmt.span)
    else:
        for value in operands(stmt):
            yield from _reads(value, stmt.span)


def _box(mode: Mode, region: Region) -> Access:
    return Access(mode, region.buffer, region, region.span)


def _indices(*regions: Region) -> Iterator[Access]:
    for region in regions:
        for index in region.indices or ():
            yield from _reads(index, region.span)


def _reads(value: object, span: Span) -> Iterator[Access]:
    """Uses inside an expression. Buffers and boxes handed to a call have its declared effect, else unknown."""
    if isinstance(value, (int, float, Var)):
        return
    if isinstance(value, Region):
        yield from _indices(value)
        yield _box("read", value)
        return
    if isinstance(value, Buffer):
        yield Access("unknown", value, value, span)
        return
    for term in subterms(value):
        if isinstance(term, Load):
            yield Access("read", term.buffer, term, term.span)
        elif isinstance(term, Call):
            mode = call_effect(term)
            for arg in term.args:
                if isinstance(arg, Buffer):
                    yield Access(mode, arg, arg, span)
                elif isinstance(arg, Region):
                    yield Access(mode, arg.buffer, arg, arg.span)


_EFFECTS: dict[str, Mode] = {"address_of": "unknown", "print": "read", "device_assert": "read"}


def call_effect(call: Call) -> Mode:
    """What a call does to the buffers in its arguments: its ``effect`` attribute, else a known name, else unknown."""
    for key, value in call.attrs:
        if key == "effect" and value in ("read", "write", "update", "unknown"):
            return value  # type: ignore[return-value]  # narrowed by the membership test
    return _EFFECTS.get(call.op, "unknown")
