"""What the lines of a kernel became: hints at their ends, and their instructions for hovers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tilelang_lsp.ide.generated import is_current, lines_now, shown_code

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tilelang.listing import Listing
    from tilelang.listing.classes import InstructionClass
    from tilelang.listing.mix import Mix
    from tilelang_lsp.analysis import Kernel
    from tilelang_lsp.compiles import Compiled
    from tilelang_lsp.session import Snapshot

MOST = 4
"""Kinds of instructions that a hint names."""
MAX_INSTRUCTIONS = 24
"""Lines of code that a hover shows."""
STALE = "of the last compile, before the program was changed"
_COUNTED: tuple[InstructionClass, ...] = ("convert", "int", "constant", "move", "control", "other")
_MINOR: tuple[InstructionClass, ...] = ("special", "constant", "move", "control", "other")
"""Classes that a hint leaves out where there are others."""


@dataclass(frozen=True, slots=True)
class LineCode:
    """What one line of a file became. ``stage`` is that of the listing; ``lines``: in the listing, from 0. ``text``:
    the main instructions; ``mix``: all of them. ``instructions``: the first ones as text, ``more`` are left out."""

    line: int
    kernel: str
    target: str
    stage: str
    stale: bool
    text: str
    mix: str
    lines: tuple[int, ...]
    instructions: tuple[str, ...]
    more: int


def code_of_kernel(snapshot: Snapshot, kernel: Kernel) -> Iterator[LineCode]:
    """The lines of this file that a kernel has code of, in the shown instance on the first target with code."""
    compiled = shown_code(snapshot, kernel)
    if compiled is None or compiled.code is None:
        return
    stale = not is_current(snapshot, compiled)
    lines = lines_now(snapshot, compiled)
    for place in compiled.code.mapped_places:
        if place.path == compiled.wanted.file.path and place.line in lines:
            found = _line(compiled, compiled.code, kernel, place.line, lines[place.line], stale)
            if found is not None:
                yield found


def code_at(snapshot: Snapshot, line: int) -> LineCode | None:
    """What a line became."""
    for kernel in snapshot.analysis.kernels if snapshot.analysis is not None else ():
        for found in code_of_kernel(snapshot, kernel):
            if found.line == line:
                return found
    return None


def code_text(found: LineCode) -> str:
    """The instructions of a line as Markdown."""
    more = f"\n… {found.more} more" if found.more else ""
    code = "\n".join(found.instructions)
    return f"{brief_text(found)}\n\n```asm\n{code}{more}\n```"


def brief_text(found: LineCode) -> str:
    """One line of Markdown."""
    stale = f" ({STALE})" if found.stale else ""
    return f"**{found.target} {found.stage.upper()}**{stale}: {found.mix}"


def _line(compiled: Compiled, listing: Listing, kernel: Kernel, old: int, new: int, stale: bool) -> LineCode | None:
    path = compiled.wanted.file.path
    mix = listing.mix_of(path, old)
    text = main_text(mix)
    if not text:
        return None
    indices = listing.lines_of(path, old)
    shown = tuple(listing.lines[index].text.strip() for index in indices[:MAX_INSTRUCTIONS])
    more = len(indices) - len(shown)
    return LineCode(
        new, kernel.name, compiled.wanted.key.arch, listing.stage, stale, text, mix.text, indices, shown, more
    )


def main_text(mix: Mix) -> str:
    """``16 HMMA.16816 · 8 LDSM · 2 BAR``: what does the work; addresses and moves only where there is nothing else."""
    names = [f"{count} {name}" for (kind, name), count in mix.names.items() if kind not in (*_COUNTED, *_MINOR)]
    if names:
        return " · ".join([*names[:MOST], *(["…"] if len(names) > MOST else [])])
    classes = [f"{count} {kind}" for kind, count in mix.classes.items() if kind not in _MINOR]
    return " · ".join(classes[:MOST])
