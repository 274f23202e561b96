"""Inside a call: tiles that fit the parameter, names of parameters, dtypes and other fixed values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang_lsp.ide.completion.item import Completion
from tilelang_lsp.ide.language import aliases
from tilelang_lsp.ide.tiles import buffer_of, scope_of, shape_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tilelang.ir.buffer import Buffer
    from tilelang_lsp.ide.completion.item import Request

_GEMM_SCOPES = {"A": ("shared", "fragment"), "B": ("shared", "fragment"), "C": ("fragment", "tensor memory")}


def complete(asked: Request) -> Iterator[Completion]:
    frame, callee = asked.cursor.call, asked.callee
    if asked.cursor.frames:
        yield from tiles(asked)
    if frame is None or callee is None or not asked.is_direct:
        return
    argument = asked.argument
    if argument is not None and argument.choices:
        yield from (Completion(f'"{value}"', "value", 60, argument.name) for value in argument.choices)
    if argument is not None and argument.type == "bool":
        yield from (Completion(word, "value", 50 if frame.keyword else 5) for word in ("True", "False"))
    if frame.keyword:
        return
    written = len(frame.words)
    for number, each in enumerate(callee.arguments):
        if each.is_variadic or each.name in frame.used or (number < written and not each.keyword_only):
            continue
        is_next = number == written and not each.default
        score = (22.0 if is_next else 12.0 if each.keyword_only else 8.0) - number * 0.1
        yield Completion(f"{each.name}=", "keyword", score + _common(each.name), each.type, filter=each.name)


def _common(name: str) -> float:
    """Parameters that kernels name most."""
    return 6.0 if name in ("threads", "num_stages", "transpose_B", "transpose_A", "policy", "clear", "dim") else 0.0


def tiles(asked: Request) -> Iterator[Completion]:
    """Tiles in scope; those of the right memory for the argument come first."""
    found = asked.snapshot.map_at(asked.cursor.line)
    if found is None:
        return
    for name, symbol in asked.scope.visible().items():
        buffer = buffer_of(symbol, found) or found.by_name.get(name)
        if buffer is not None and symbol.kind in ("variable", "parameter"):
            detail = f"{buffer.dtype}[{', '.join(shape_of(buffer))}] {scope_of(buffer)}"
            yield Completion(name, "tile", 20 + _fit(asked, buffer), detail)


def _fit(asked: Request, buffer: Buffer) -> float:
    argument, frame, callee = asked.argument, asked.cursor.call, asked.callee
    if not asked.is_direct:
        # Shapes and indices are numbers.
        return -15.0
    if argument is None or frame is None or callee is None:
        return 0.0
    if "BufferLike" not in argument.type and "Tile" not in argument.type:
        return -15.0
    score = 20.0 - (15.0 if buffer.name in frame.words else 0.0)
    scope = scope_of(buffer)
    if callee.name == "T.gemm" and argument.name in _GEMM_SCOPES:
        return score + (10.0 if scope in _GEMM_SCOPES[argument.name] else -20.0)
    if callee.name == "T.copy" and argument.name == "dst" and frame.words:
        # A copy goes from one memory to another; the tile of the same shape is the likely partner.
        other = asked.snapshot.map_at(asked.cursor.line)
        source = other.by_name.get(frame.words[0].partition("[")[0]) if other is not None else None
        if source is not None:
            score += 10.0 if source.scope != buffer.scope else -10.0
            score += 5.0 if shape_of(source) == shape_of(buffer) else 0.0
            score += 4.0 if source.name[:1].lower() == buffer.name[:1].lower() else 0.0
    if callee.name in ("T.clear", "T.fill") or callee.name.startswith("T.reduce"):
        score += 8.0 if scope == "fragment" else -8.0 if scope == "global" else 0.0
    return score


def alias(asked: Request) -> str:
    """The name of the language in the file."""
    found = aliases(asked.snapshot.file.names_near(asked.cursor.line))
    return found[0] if found else "T"
