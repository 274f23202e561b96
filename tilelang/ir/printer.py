"""Readable text of tile IR: one statement a line, close to the Python that made it.

The text is stable, so goldens and views may rely on it. A region prints as ``A[start:+length, ...]``; a region whose
box is not resolved prints the indices as written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.ir.buffer import Buffer, Region
from tilelang.ir.expr import Binary, Call, Cast, Const, Load, Select, Slice, Unary, Var
from tilelang.ir.stmt import (
    Alloc,
    Atomic,
    Copy,
    Effect,
    Fill,
    For,
    Gemm,
    If,
    Jump,
    Launch,
    Let,
    Reduce,
    Scan,
    Scope,
    Stmt,
    Store,
    While,
)
from tilelang.ir.visit import operands, subterms, walk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from tilelang.ir.program import Program
    from tilelang.ir.span import Span
    from tilelang.ir.stmt import Attrs, Block

    Note = Callable[[Stmt], str]

_PRECEDENCE = {
    "or": 1,
    "and": 2,
    "not": 3,
    **dict.fromkeys(("<", "<=", ">", ">=", "==", "!="), 4),
    "|": 5,
    "^": 6,
    "&": 7,
    **dict.fromkeys(("<<", ">>"), 8),
    **dict.fromkeys(("+", "-"), 9),
    **dict.fromkeys(("*", "/", "//", "%"), 10),
    "neg": 11,
    "~": 11,
    "**": 12,
}
_ATOM = 20
MAX_DEPTH = 40
"""Deeper parts print as ``…``: nobody reads them, and they would recurse."""
MAX_LENGTH = 400
"""Longer expressions are cut with ``…``. No more terms than this are visited: each prints at least one character."""


def text_of(value: object) -> str:
    """An operand, region, buffer, slice, call argument or shape as source-like text, cut at ``MAX_LENGTH``."""
    return _Writer({}).short(value)


def text_of_stmt(stmt: Stmt) -> str:
    """The first line of one statement; a body is left out."""
    return _Writer({}).line(stmt)


def print_block(block: Block, *, lines: bool = False, note: Note | None = None) -> str:
    """Every statement of a block, nested by indentation. ``note`` gives comments to statements, empty for none."""
    return "\n".join(_texts(_Writer(_names(block, ()), note).block(block, ""), lines)) + "\n"


def block_lines(block: Block, note: Note | None = None) -> list[tuple[str, Span | None]]:
    """Every statement of a block, each with its place. ``note`` as in :func:`print_block`."""
    return _Writer(_names(block, ()), note).block(block, "")


def print_program(program: Program, *, lines: bool = False) -> str:
    """A whole program. ``lines`` adds the source line of each statement as a comment. Different buffers and variables
    of one name get a number: ``A_shared``, ``A_shared_1``."""
    (head, _), *rest = program_lines(program)
    return "\n".join([head, *_texts(rest, lines)]) + "\n"


def program_lines(program: Program) -> list[tuple[str, Span | None]]:
    """A whole program line by line, each with the statement's place; None for lines that no statement stands for."""
    writer = _Writer(_names(program.body, program.params))
    params = ", ".join(writer.declaration(param) for param in program.params)
    printed: list[tuple[str, Span | None]] = [(f"program {program.name}({params}):", program.span)]
    if not program.complete:
        printed.append(("    # part of the body could not be followed", None))
    printed += writer.block(program.body, "    ") or [("    pass", None)]
    if program.outputs:
        printed.append((f"    return {', '.join(map(writer.name, program.outputs))}", None))
    return printed


def _texts(lines: list[tuple[str, Span | None]], numbered: bool) -> list[str]:
    """``numbered`` adds the source line of each statement."""
    return [f"{text}  # line {span.line}" if numbered and span and span.line else text for text, span in lines]


def _names(block: Block, params: tuple[Buffer | Var, ...]) -> Mapping[int, str]:
    """A unique name for each buffer and variable, by identity, in order of appearance."""
    names: dict[int, str] = {}
    taken: set[str] = set()

    def give(thing: Buffer | Var) -> None:
        if id(thing) in names:
            return
        name, number = thing.name, 0
        while name in taken:
            number += 1
            name = f"{thing.name}_{number}"
        taken.add(name)
        names[id(thing)] = name

    for param in params:
        give(param)
    for stmt in walk(block):
        for thing in _defined(stmt):
            give(thing)
        for value in operands(stmt):
            for term in subterms(value):
                if isinstance(term, (Buffer, Var)):
                    give(term)
                elif isinstance(term, (Load, Region)):
                    give(term.buffer)
    return names


def _defined(stmt: Stmt) -> Iterator[Buffer | Var]:
    if isinstance(stmt, (Alloc, Store)):
        yield stmt.buffer
    elif isinstance(stmt, Let):
        yield stmt.var
    elif isinstance(stmt, For):
        yield from stmt.vars
    elif isinstance(stmt, Launch):
        yield from (*stmt.block_vars, *stmt.thread_vars)


class _Writer:
    """Prints with one table of names; a thing that is not in it prints under its own name."""

    def __init__(self, names: Mapping[int, str], note: Note | None = None) -> None:
        self.names = names
        self._note = note
        self._visits = 0

    def name(self, thing: Buffer | Var) -> str:
        return self.names.get(id(thing), thing.name)

    # --- expressions ---

    def short(self, value: object) -> str:
        self._visits = 0
        text = self.expr(value)
        return text if len(text) <= MAX_LENGTH else text[: MAX_LENGTH - 1] + "…"

    def expr(self, value: object, above: int = 0, depth: int = 0) -> str:
        """``above`` is the precedence of the operator around this part."""
        text, precedence = self._parts(value, depth)
        return f"({text})" if precedence < above else text

    def _parts(self, value: object, depth: int) -> tuple[str, int]:
        self._visits += 1
        if depth > MAX_DEPTH or self._visits > MAX_LENGTH:
            return "…", _ATOM
        below = depth + 1
        if isinstance(value, (Var, Buffer)):
            return self.name(value), _ATOM
        if isinstance(value, Const):
            return f"{value.dtype}({value.value})", _ATOM
        if isinstance(value, Binary):
            return self._binary(value, below)
        if isinstance(value, Unary):
            rank = _PRECEDENCE["neg" if value.op == "-" else value.op]
            sign = "not " if value.op == "not" else value.op
            return sign + self.expr(value.a, rank, below), rank
        if isinstance(value, Cast):
            return f"{value.dtype}({self.expr(value.value, 0, below)})", _ATOM
        if isinstance(value, Select):
            then, cond = self.expr(value.then, 1, below), self.expr(value.cond, 1, below)
            return f"{then} if {cond} else {self.expr(value.other, 0, below)}", 0
        if isinstance(value, Load):
            return f"{self.name(value.buffer)}[{self._list(value.indices, below)}]", _ATOM
        if isinstance(value, Call):
            return self._call(value, below), _ATOM
        if isinstance(value, Region):
            return self.region(value, below), _ATOM
        if isinstance(value, Slice):
            ends = ["" if part is None else self.expr(part, 1, below) for part in (value.start, value.stop, value.step)]
            return ":".join(ends if value.step is not None else ends[:2]), 0
        if isinstance(value, (tuple, list)):
            inner = self._list(value, below)  # pyright: ignore[reportUnknownArgumentType]
            return f"({inner},)" if len(value) == 1 else f"({inner})", _ATOM  # pyright: ignore[reportUnknownArgumentType]
        if isinstance(value, str) and type(value) is not str:
            return str(value), _ATOM
        printed = getattr(type(value), "printed", None)
        if printed is not None:
            name, args, options = printed(value)
            return self._named(name, args, options, below), _ATOM
        text = repr(value)
        negative = isinstance(value, (int, float)) and value < 0
        return text, _PRECEDENCE["neg"] if negative else _ATOM

    def _binary(self, value: Binary, below: int) -> tuple[str, int]:
        rank = _PRECEDENCE.get(value.op)
        if rank is None:
            return f"{value.op}({self.expr(value.a, 0, below)}, {self.expr(value.b, 0, below)})", _ATOM
        # Comparisons do not chain, and `-`, `//`, `%` group to the left.
        left = rank + 1 if rank == _PRECEDENCE["<"] or value.op == "**" else rank
        right = rank if value.op == "**" else rank + 1
        return f"{self.expr(value.a, left, below)} {value.op} {self.expr(value.b, right, below)}", rank

    def _list(self, values: tuple[object, ...] | list[object], depth: int) -> str:
        return ", ".join(self.expr(value, 0, depth) for value in values)

    def _call(self, call: Call, depth: int = 0) -> str:
        return self._named(call.op, call.args, call.attrs, depth)

    def _named(self, name: str, args: tuple[object, ...], options: Attrs, depth: int) -> str:
        named = [f"{key}={self.expr(value, 0, depth)}" for key, value in options]
        return f"{name}({', '.join([*(self.expr(arg, 0, depth) for arg in args), *named])})"

    def region(self, region: Region, depth: int = 0) -> str:
        name = self.name(region.buffer)
        if region.indices is None:
            return name
        if region.extents is None or not region.is_resolved:
            return f"{name}[{self._list(region.indices, depth)}]"
        boxes = (
            self.expr(start, 1, depth)
            if extent == 1
            else f"{self.expr(start, 1, depth)}:+{self.expr(extent, 1, depth)}"
            for start, extent in zip(region.mins, region.extents, strict=True)
        )
        return f"{name}[{', '.join(boxes)}]"

    # --- statements ---

    def block(self, block: Block, indent: str) -> list[tuple[str, Span | None]]:
        printed: list[tuple[str, Span | None]] = []
        for stmt in block:
            comment = self._note(stmt) if self._note else ""
            printed.append((indent + self.line(stmt) + (f"  # {comment}" if comment else ""), stmt.span))
            if isinstance(stmt, (For, While, Launch, Scope)):
                printed += self.block(stmt.body, indent + "    ") or [(indent + "    pass", None)]
            elif isinstance(stmt, If):
                printed += self.block(stmt.then, indent + "    ") or [(indent + "    pass", None)]
                if stmt.orelse:
                    printed += [(indent + "else:", None), *self.block(stmt.orelse, indent + "    ")]
        return printed

    def line(self, stmt: Stmt) -> str:
        text = self._line(stmt)
        colon = ":" if isinstance(stmt, (For, While, Launch, Scope, If)) else ""
        attrs = self._attrs(stmt.attrs)
        return f"{text}{f' @ {attrs}' if attrs else ''}{colon}"

    def _attrs(self, attrs: Attrs) -> str:
        return ", ".join(f"{key}={self.short(value)}" for key, value in attrs if value is not None)

    def _line(self, stmt: Stmt) -> str:
        if isinstance(stmt, Alloc):
            init = "" if stmt.init is None else f" = {self.short(stmt.init)}"
            return f"alloc {self.declaration(stmt.buffer)}{init}"
        if isinstance(stmt, Store):
            return f"{self.name(stmt.buffer)}[{self.short_list(stmt.indices)}] = {self.short(stmt.value)}"
        if isinstance(stmt, Let):
            return f"let {self.name(stmt.var)}: {stmt.var.dtype} = {self.short(stmt.value)}"
        if isinstance(stmt, (Copy, Fill, Gemm, Reduce, Scan, Atomic)):
            return self._tile(stmt)
        if isinstance(stmt, For):
            return self._for(stmt)
        if isinstance(stmt, While):
            return f"while {self.short(stmt.cond)}"
        if isinstance(stmt, If):
            return f"if {self.short(stmt.cond)}"
        if isinstance(stmt, Launch):
            grid, threads = self._axes(stmt.block_vars, stmt.grid), self._axes(stmt.thread_vars, stmt.threads)
            return f"launch grid=({grid}) threads=({threads})"
        if isinstance(stmt, Scope):
            return f"with {stmt.op}({self.short_list(stmt.args)})"
        if isinstance(stmt, Effect):
            return self.short(stmt.call) + ("" if stmt.modelled else "  # not modelled")
        if isinstance(stmt, Jump):
            return stmt.kind
        raise AssertionError(f"unprintable statement {type(stmt).__name__}")

    def _tile(self, stmt: Copy | Fill | Gemm | Reduce | Scan | Atomic) -> str:
        if isinstance(stmt, Copy):
            return f"{stmt.op} {self.short(stmt.src)} -> {self.short(stmt.dst)}"
        if isinstance(stmt, Fill):
            return f"fill {self.short(stmt.dst)} = {self.short(stmt.value)}"
        if isinstance(stmt, Gemm):
            flags = [name for name, on in (("trans_a", stmt.trans_a), ("trans_b", stmt.trans_b)) if on]
            flags += [] if stmt.clear_accum is False else [f"clear_accum={self.short(stmt.clear_accum)}"]
            flags += [] if stmt.policy == "Square" else [f"policy={stmt.policy}"]
            options = f" ({', '.join(flags)})" if flags else ""
            return f"{stmt.op} {self.short(stmt.c)} += {self.short(stmt.a)} @ {self.short(stmt.b)}{options}"
        if isinstance(stmt, Reduce):
            clear = "" if stmt.clear is True else f", clear={self.short(stmt.clear)}"
            return f"reduce {stmt.op}(dim={stmt.dim}{clear}) {self.short(stmt.src)} -> {self.short(stmt.dst)}"
        if isinstance(stmt, Scan):
            reverse = "" if stmt.reverse is False else f", reverse={self.short(stmt.reverse)}"
            return f"scan {stmt.op}(dim={stmt.dim}{reverse}) {self.short(stmt.src)} -> {self.short(stmt.dst)}"
        value = "" if stmt.value is None else f", {self.short(stmt.value)}"
        return f"atomic {stmt.op} {self.short(stmt.dst)}{value}"

    def short_list(self, values: tuple[object, ...]) -> str:
        return ", ".join(self.short(value) for value in values)

    def _for(self, loop: For) -> str:
        names = ", ".join(self.name(var) for var in loop.vars)
        if all(start == 0 for start in loop.starts):
            spans = self.short_list(loop.extents)
        else:
            pairs = zip(loop.starts, loop.extents, strict=True)
            spans = ", ".join(f"{self.short(start)}:+{self.short(extent)}" for start, extent in pairs)
        step = "" if loop.step == 1 else f", step={self.short(loop.step)}"
        return f"for {names} in {loop.kind}({spans}{step})"

    def _axes(self, names: tuple[Var, ...], extents: tuple[object, ...]) -> str:
        if len(names) != len(extents):
            return self.short_list(extents)
        return ", ".join(f"{self.name(var)}: {self.short(extent)}" for var, extent in zip(names, extents, strict=True))

    def declaration(self, thing: Buffer | Var) -> str:
        """``name: dtype[shape] scope``; global buffers leave out the scope."""
        if isinstance(thing, Var):
            return f"{self.name(thing)}: {thing.dtype}"
        strides = "" if thing.strides is None else f" strides=({self.short_list(thing.strides)})"
        alias = "" if thing.source is None else f" of {self.name(thing.source)}"
        scope = "" if thing.is_global else f" {thing.scope}"
        attrs = self._attrs(thing.attrs)
        shape = self.short_list(thing.shape)
        return f"{self.name(thing)}: {thing.dtype}[{shape}]{scope}{strides}{alias}{f' @ {attrs}' if attrs else ''}"
