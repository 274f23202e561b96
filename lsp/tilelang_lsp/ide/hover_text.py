"""Hover data as Markdown, or as plain text for clients that show none."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tilelang_lsp.ide.hover import ItemHover, KernelHover, LoopHover, RuleHover, TileHover, ValueHover
from tilelang_lsp.ide.language import signature_text
from tilelang_lsp.ide.tile_layout import layout_text
from tilelang_lsp.ide.tiles import size_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tilelang_lsp.ide.hover import Hover, LaunchFigures

_MARKS = re.compile(r"\*\*|```\w*\n?|`")
MAX_USES = 8


def markdown(found: Hover) -> str:
    """The text that a hover shows."""
    return "\n\n".join(part for part in _parts(found) if part)


def plain_text(found: Hover) -> str:
    """The same without marks."""
    return without_marks(markdown(found))


def without_marks(text: str) -> str:
    return _MARKS.sub("", text).strip()


def _parts(found: Hover) -> Iterator[str]:
    if isinstance(found, ItemHover):
        yield f"```python\n{signature_text(found.item)}\n```"
        yield found.item.doc.replace("``", "`")
        yield from (["*Removed from current versions.*"] if found.item.status == "removed" else [])
        yield from ([] if found.item.modelled else ["*Known by name: its effect is not checked.*"])
    elif isinstance(found, TileHover):
        yield from _tile(found)
    elif isinstance(found, LoopHover):
        stages = f", {found.stages} stages" if found.stages else ""
        what = "iterations" if "index" not in found.kind else "values"
        yield f"**{found.name}**: {found.kind}, {found.trips} {what}{stages}"
        yield f"for `{found.arguments}`" if found.arguments else ""
    elif isinstance(found, ValueHover):
        lines = [f"`{found.name} = {value}` for `{arguments}`" for value, arguments in found.values]
        lines += [f"and {found.more} more"] if found.more else []
        yield "\n\n".join(lines)
    elif isinstance(found, KernelHover):
        yield from _kernel(found)
    else:
        yield from _rule(found)


def _rule(found: RuleHover) -> Iterator[str]:
    yield f"**{found.name}**: {found.summary}"
    yield found.doc


def _tile(found: TileHover) -> Iterator[str]:
    tile = found.tile
    yield f"```python\n{tile.name}: {tile.type_text}\n```"
    size = f", {size_text(tile.nbytes)}" if tile.nbytes is not None else ""
    yield f"**{tile.scope}**{size}"
    for each in tile.on:
        if each.registers is not None:
            yield f"{each.target}: {each.registers} registers of each thread"
        elif each.copies > 1:
            yield f"{each.target}: {size_text(each.bytes)} in {each.copies} copies, one for each stage"
        elif each.bytes is not None:
            yield f"{each.target}: {size_text(each.bytes)}"
    for title, modes in (("written", ("write", "update", "unknown")), ("read", ("read", "update"))):
        lines = list(dict.fromkeys(use.span.line for use in tile.uses if use.mode in modes))
        if lines:
            more = f" and {len(lines) - MAX_USES} more" if len(lines) > MAX_USES else ""
            yield f"{title} in line {', '.join(map(str, lines[:MAX_USES]))}{more}"
    for ways, line in found.conflicts:
        yield f"{ways}-way bank conflict in line {line}"
    for each in found.layouts:
        yield from layout_text(each, several=len(found.layouts) > 1)
    yield f"for `{found.arguments}`" if found.arguments else ""


def _kernel(found: KernelHover) -> Iterator[str]:
    count = f" ({found.instance + 1} of {found.instances} instances)" if found.instances > 1 else ""
    yield f"**{found.name}**{count}" + (f" for `{found.arguments}`" if found.arguments else "")
    yield found.reason
    for launch in found.launches:
        yield f"grid {' × '.join(launch.grid)}, {' × '.join(launch.threads)} threads"
        yield _work(launch)
        if launch.targets:
            yield "\n".join(_table(launch))


def _work(launch: LaunchFigures) -> str:
    work = launch.workload
    if work is None or not (work.flops or work.traffic):
        return ""
    parts = [f"{_scaled(work.flops)}FLOP"] if work.flops else []
    parts += [f"{_scaled(work.traffic)}B moved by tiles"]
    parts += [f"{_scaled(work.bytes)}B of tensors"] if work.bytes is not None else []
    if work.flops and work.intensity is not None:
        parts.append(f"{work.intensity:.1f} FLOP/B")
    return ", ".join(parts)


def _table(launch: LaunchFigures) -> Iterator[str]:
    yield "| target | shared memory | registers | blocks per SM | at best |"
    yield "| --- | --- | --- | --- | --- |"
    for each in launch.targets:
        limit = f" of {size_text(each.limit)}" if each.limit is not None else ""
        fits = "" if each.shared is None or each.limit is None else " ✓" if each.shared <= each.limit else " ✗"
        blocks = "?" if each.blocks is None else f"{each.blocks} ({each.limiter})" if each.limiter else str(each.blocks)
        best = f"{each.roofline.microseconds:.1f} µs, {each.roofline.bound}-bound" if each.roofline else ""
        registers = "?" if each.registers is None else f"~{each.registers}"
        yield f"| {each.label} | {size_text(each.shared)}{limit}{fits} | {registers} | {blocks} | {best} |"


def _scaled(number: float) -> str:
    for unit in ("", "k", "M", "G", "T"):
        if number < 1000:
            return f"{number:.3g} {unit}"
        number /= 1000
    return f"{number:.3g} P"
