"""Opens up operations that allocate tiles of their own: reductions of shared tiles, scans of fragments, printing.

They are macros of the language. What they allocate counts for shared memory and registers, and their copies are
statements of the pipeline schedule. Loops that never run are left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.ir.arith import try_const
from tilelang.ir.buffer import Buffer, Region
from tilelang.ir.stmt import Alloc, Block, Copy, Effect, For, If, Launch, Reduce, Scan, Scope, Stmt, While

if TYPE_CHECKING:
    from tilelang.ir.span import Span


def expand(launch: Launch) -> Launch:
    """The launch with such operations opened up; the same object if there are none."""
    body = _block(launch.body)
    return launch if body is launch.body else _launch(launch, body)


def _launch(launch: Launch, body: Block) -> Launch:
    return Launch(
        launch.grid,
        launch.threads,
        launch.block_vars,
        launch.thread_vars,
        body,
        span=launch.span,
        attrs=launch.attrs,
    )


def _block(block: Block) -> Block:
    """Blocks without such operations are kept as they are."""
    opened: list[Stmt] = []
    for stmt in block:
        opened += _stmt(stmt)
    same = len(opened) == len(block) and all(a is b for a, b in zip(opened, block, strict=True))
    return block if same else tuple(opened)


def _stmt(stmt: Stmt) -> tuple[Stmt, ...]:
    if isinstance(stmt, Reduce):
        return _reduce(stmt)
    if isinstance(stmt, Scan):
        return _scan(stmt)
    if isinstance(stmt, Effect) and stmt.call.op == "print":
        return _print(stmt)
    if isinstance(stmt, If):
        then, orelse = _block(stmt.then), _block(stmt.orelse)
        if then is stmt.then and orelse is stmt.orelse:
            return (stmt,)
        return (If(stmt.cond, then, orelse, span=stmt.span, attrs=stmt.attrs),)
    if isinstance(stmt, For) and any(try_const(extent) == 0 for extent in stmt.extents):
        return ()
    if isinstance(stmt, (For, While, Scope)):
        body = _block(stmt.body)
        return (stmt,) if body is stmt.body else (_with_body(stmt, body),)
    return (stmt,)


def _with_body(stmt: For | While | Scope, body: Block) -> Stmt:
    if isinstance(stmt, For):
        return For(stmt.kind, stmt.vars, stmt.starts, stmt.extents, body, stmt.step, span=stmt.span, attrs=stmt.attrs)
    if isinstance(stmt, While):
        return While(stmt.cond, body, span=stmt.span, attrs=stmt.attrs)
    return Scope(stmt.op, stmt.args, body, span=stmt.span, attrs=stmt.attrs)


def _reduce(stmt: Reduce) -> tuple[Stmt, ...]:
    """A reduction works on fragments; shared ends are copied in and out."""
    src, dst = stmt.src, stmt.dst
    before: list[Stmt] = []
    after: list[Stmt] = []
    if src.buffer.is_shared:
        inside = _tile(src, f"{src.buffer.name}_frag", "local.fragment", stmt.span)
        before += (Alloc(inside.buffer, span=stmt.span), Copy(src, inside, span=stmt.span))
        src = inside
    if dst.buffer.is_shared:
        inside = _tile(dst, f"{dst.buffer.name}_frag", "local.fragment", stmt.span)
        loaded = [] if stmt.clear is True else [Copy(dst, inside, span=stmt.span)]
        before = [Alloc(inside.buffer, span=stmt.span), *loaded, *before]
        after.append(Copy(inside, dst, span=stmt.span))
        dst = inside
    if not before:
        return (stmt,)
    return (*before, Reduce(stmt.op, src, dst, stmt.dim, stmt.clear, span=stmt.span, attrs=stmt.attrs), *after)


def _scan(stmt: Scan) -> tuple[Stmt, ...]:
    """A scan of a fragment goes through shared memory."""
    if not stmt.src.buffer.is_fragment:
        return (stmt,)
    tile = _tile(stmt.src, "scan_smem", "shared.dyn", stmt.span)
    return (
        Alloc(tile.buffer, span=stmt.span),
        Copy(stmt.src, tile, span=stmt.span),
        Scan(stmt.op, tile, tile, stmt.dim, stmt.reverse, span=stmt.span, attrs=stmt.attrs),
        Copy(tile, stmt.dst, span=stmt.span),
    )


def _print(stmt: Effect) -> tuple[Stmt, ...]:
    """A fragment is printed from a copy in static shared memory."""
    fragment = next((arg for arg in stmt.call.args if isinstance(arg, Buffer) and arg.is_fragment), None)
    if fragment is None:
        return (stmt,)
    whole = _whole(fragment, stmt.span)
    tile = _tile(whole, "smem", "shared", stmt.span)
    return (Alloc(tile.buffer, span=stmt.span), Copy(whole, tile, span=stmt.span), stmt)


def _tile(region: Region, name: str, scope: str, span: Span) -> Region:
    """A new tile as large as a box, as the whole of itself."""
    shape = region.extents if region.extents is not None else region.buffer.shape
    return _whole(Buffer(name, shape, region.buffer.dtype, scope, span=span), span)


def _whole(buffer: Buffer, span: Span) -> Region:
    return Region(buffer, None, (0,) * buffer.rank, buffer.shape, span=span)
