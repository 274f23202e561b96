"""Listings as text for people: code under the source line that it comes from, then what each line costs."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from tilelang_analyzers.report.style import clean, wrap

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tilelang.listing import Function, Listing, Place
    from tilelang_analyzers.report.style import Style

    Source = Callable[[Place], str]
    """The text of a source line."""

INDENT = 2
MIX_START = " " * 6


def lines_of(listing: Listing, style: Style, source: Source, only: int | None = None) -> Iterator[str]:
    """One listing. ``only``: the code of this source line alone."""
    yield from head_lines(listing, style)
    if not listing.lines:
        return
    yield ""
    yield from _code_lines(listing, style, source, only)
    mixed = [place for place in listing.mapped_places if listing.mix_of(place.path, place.line).total]
    mixed = [place for place in mixed if only in (None, place.line)]
    if mixed:
        yield ""
        yield style.paint("  instructions by line", "bold")
        for place in mixed:
            yield from _cut(f"  {_where(listing, place)}: {source(place).strip()}", style)
            yield from wrap(listing.mix_of(place.path, place.line).text, style.width, MIX_START, MIX_START)


def head_lines(listing: Listing, style: Style) -> Iterator[str]:
    """What the code is, what its functions take, and how much of it leads to the source."""
    if listing.lines:
        mapped, total = listing.mapped, listing.mix.total
        parts = [f"{total} instructions", *listing.mix.class_texts()] if total else [f"{mapped.total} statements"]
        yield from wrap(f"{listing.stage}: {' · '.join(parts)}", style.width, "  ", "    ")
        yield f"  {mapped.share:.1%} of {'instructions' if total else 'statements'} lead to a Python line"
    else:
        yield f"  {listing.stage}: nothing to show"
    for function in listing.functions:
        yield from wrap(_resources(function), style.width, "  ", "    ")
    for note in listing.notes:
        yield from wrap(note, style.width, "  ", "  ")


def _resources(function: Function) -> str:
    """``main_kernel: 128 threads, 232 registers, no spills, 32768 B shared, 2 blocks/SM (limit: registers)``."""
    it = function.resources
    parts: list[str] = []
    if function.threads is not None:
        parts.append(f"{function.threads} threads")
    if it.registers is not None:
        parts.append(f"{it.registers} registers")
    if it.spill_stores is not None:
        spilled = it.spill_stores + (it.spill_loads or 0)
        parts.append(f"{it.spill_stores} B spilled, {it.spill_loads} B read back" if spilled else "no spills")
    if it.stack:
        parts.append(f"{it.stack} B stack")
    static = f" and {it.static_shared} B static" if it.static_shared else ""
    parts.append(f"{it.dynamic_shared} B{static} shared" if it.dynamic_shared or static else "no shared memory")
    if function.occupancy is not None:
        found = function.occupancy
        unit = "block" if found.blocks == 1 else "blocks"
        limit = f", limited by {' and '.join(found.limiters)}" if found.limiters else ""
        parts.append(f"{found.blocks} {unit}/SM = {found.fraction:.0%} of the warps{limit}")
    return clean(f"{function.name}: {', '.join(parts)}")


def _code_lines(listing: Listing, style: Style, source: Source, only: int | None) -> Iterator[str]:
    """The lines with a heading wherever the source line changes."""
    shown: Place | None = None
    for index, line in enumerate(listing.lines):
        places = listing.python_lines(index)
        if only is not None and all(place.line != only for place in places):
            continue
        if listing.stage.startswith("tile-ir"):
            number = f"{places[0].line:>5} | " if places else "      | "
            yield style.paint(number, "gutter") + clean(line.text)
            continue
        if line.kind in ("instruction", "statement") and places and places[0] != shown:
            shown = places[0]
            for place in reversed(places):
                yield from _heading(listing, place, style, source)
        yield " " * INDENT + clean(line.text)


def _heading(listing: Listing, place: Place, style: Style, source: Source) -> Iterator[str]:
    for text in _cut(f"{_where(listing, place)}: {source(place).strip()}", style):
        yield style.paint(text, "gutter")


def _where(listing: Listing, place: Place) -> str:
    """The line, with the file where there are several."""
    return f"line {place.line}" if len(listing.sources) == 1 else f"{PurePath(place.path).name}:{place.line}"


def _cut(text: str, style: Style) -> Iterator[str]:
    text = clean(text)
    yield text if len(text) <= style.width else text[: style.width - 1] + style.dots


def diff_lines(diff: object, style: Style, source: Source) -> Sequence[str]:
    """What differs between two listings, by source line."""
    from tilelang.listing import ListingDiff

    assert isinstance(diff, ListingDiff)
    texts = list(wrap(diff.summary or "no difference", style.width, "  ", "    "))
    for it in diff.lines:
        texts += _cut(f"  {_where(diff.after, it.place)}: {source(it.place).strip()}", style)
        texts += wrap(it.before.text or "nothing", style.width, "    - ", MIX_START)
        texts += wrap(it.after.text or "nothing", style.width, "    + ", MIX_START)
    return texts
