"""Listings of the stages that are programs: tile IR, TIR and CUDA C++."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tilelang.ir.printer import program_lines
from tilelang.listing.model import Function, Kind, Line, Listing, Place
from tilelang.listing.sass import place_maker

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from tilelang.ir.program import Program
    from tilelang.ir.span import Span

_LINE_DIRECTIVE = re.compile(r'\s*#\s*line\s+(\d+)(?:\s+"((?:[^"\\]|\\.)*)")?')
_KERNEL = re.compile(r"__global__")
_MARKER = re.compile(r'__tl_line"?\s*,\s*(?:T\.int32\()?(\d+)\)?\s*,\s*(?:T\.int32\()?(\d+)')
_ONLY_STRUCTURE = re.compile(r"[\s{}();]*$")


def tile_ir_listing(program: Program, *, target: str = "") -> Listing:
    """The tile IR of a program, each statement with the place that it was written at and the macros around it."""
    return printed_listing(program_lines(program), stage="tile-ir", program=program.name, target=target)


def printed_listing(printed: Iterable[tuple[str, Span | None]], *, stage: str, program: str, target: str) -> Listing:
    """A listing of tile IR as the printer gives it: lines, each with the place of its statement."""
    lines: list[Line] = []
    sources: dict[str, None] = {}
    for text, span in printed:
        places = () if span is None else tuple(Place(it.path, it.line) for it in span.chain() if it.path)
        sources.update(dict.fromkeys(place.path for place in places))
        lines.append(Line(text, "statement" if span is not None else "directive", places))
    return Listing(stage, program, target, tuple(lines), tuple(sources))


def tir_listing(text: str, *, stage: str, program: str, target: str, files: Sequence[str]) -> Listing:
    """A listing of TIR in TVM's syntax. The calls that mark source lines are not in it; ``files`` are the files that
    they number."""
    lines: list[Line] = []
    places: tuple[Place, ...] = ()
    for row in text.splitlines():
        stripped = row.strip()
        marker = _MARKER.search(row)
        if marker is not None:
            number, line = int(marker[1]), int(marker[2])
            places = (Place(files[number], line),) if number < len(files) else ()
        elif not stripped:
            lines.append(Line("", "blank"))
        elif stripped.startswith("#"):
            lines.append(Line(row, "comment"))
        else:
            lines.append(Line(row, "statement", places))
    return Listing(stage, program, target, tuple(lines), tuple(files))


def cuda_listing(
    text: str, *, program: str, target: str, sources: Collection[str], functions: Iterable[Function] = ()
) -> Listing:
    """A listing of CUDA C++. The ``#line`` directives are not in it: they became places."""
    place_of = place_maker(sources)
    known = {it.name: it for it in functions}
    lines: list[Line] = []
    found: list[Function] = []
    path, number = "", 0
    for row in text.splitlines():
        directive = _LINE_DIRECTIVE.match(row)
        if directive is not None:
            number = int(directive[1])
            path = _unescaped(directive[2]) if directive[2] is not None else path
            continue
        kind = _kind(row.strip())
        places = (place_of(path, number),) if path and kind == "statement" else ()
        number += 1
        started = _started(row, known)
        if started is not None:
            if found:
                found[-1] = _ending(found[-1], len(lines) - 1)
            it = known[started]
            found.append(Function(it.name, len(lines), len(lines), it.threads, it.resources, it.occupancy))
        lines.append(Line(row, kind, places, len(found) - 1 if found else None))
    if found:
        found[-1] = _ending(found[-1], len(lines) - 1)
    return Listing("cuda", program, target, tuple(lines), tuple(sources), tuple(found))


def _started(row: str, known: Collection[str]) -> str | None:
    """The kernel whose definition begins on a line."""
    if _KERNEL.search(row) is None or row.rstrip().endswith(";"):
        return None
    return next((name for name in re.findall(r"(\w+)\s*\(", row) if name in known), None)


def _ending(function: Function, last: int) -> Function:
    return Function(function.name, function.first, last, function.threads, function.resources, function.occupancy)


def _kind(stripped: str) -> Kind:
    if not stripped:
        return "blank"
    if stripped.startswith(("//", "/*")):
        return "comment"
    if stripped.startswith("#") or _ONLY_STRUCTURE.match(stripped):
        return "directive"
    return "statement"


def _unescaped(path: str) -> str:
    return path.replace('\\"', '"').replace("\\\\", "\\")
