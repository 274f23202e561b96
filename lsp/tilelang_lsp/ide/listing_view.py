"""One stage of one kernel for views: which one a request means, its names, and its lines in the newest text."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, quote, unquote, urlencode, urlsplit

from tilelang.backends.listings import stages_of
from tilelang.listing import Line, Listing, Place, tile_ir_listing
from tilelang_lsp.ide.generated import is_current, kernel_key, kernel_named, lines_now, wanted
from tilelang_lsp.ide.tiles import arguments_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tilelang.targets import Target
    from tilelang_lsp.analysis import Kernel
    from tilelang_lsp.compiles import Compiled, Wanted
    from tilelang_lsp.session import Snapshot

SCHEME = "tilelang-listing"
MACHINE_FREE = ("tile-ir",)
"""Stages that need no compiler."""
UNASSEMBLED = ("tir", "cuda")
"""Stages that need no assembler."""


@dataclass(frozen=True, slots=True)
class Spot:
    """One instance of a kernel, one target, one stage."""

    snapshot: Snapshot
    kernel: Kernel
    index: int
    target: Target
    targets: tuple[Target, ...]
    stage: str

    @property
    def wanted(self) -> Wanted:
        return wanted(self.snapshot, self.kernel, self.index, self.target)

    @property
    def arguments(self) -> str:
        return arguments_text(self.kernel.instances[self.index], 200)

    @property
    def stages(self) -> tuple[str, ...]:
        return stages_of(self.target)


@dataclass(frozen=True, slots=True)
class Name:
    """What the URI of a listing says. ``instance``: None for the one that the editor shows."""

    file: str
    kernel: str
    instance: int | None
    target: str
    stage: str


@dataclass(frozen=True, slots=True)
class Shown:
    """A stage to show. ``listing`` has the lines of the newest text, or ``problem`` says why there is none."""

    spot: Spot
    listing: Listing | None
    stale: bool = False
    seconds: float = 0.0
    problem: str = ""


# --- names ------------------------------------------------------------------------------------------------------------


def uri_of_listing(name: Name) -> str:
    """``tilelang-listing:/sm_80/matmul.sass?file=...&kernel=matmul&instance=0``."""
    title = re.sub(r"[^\w.-]", "_", name.kernel)
    query = {"file": name.file, "kernel": name.kernel}
    if name.instance is not None:
        query["instance"] = str(name.instance)
    return f"{SCHEME}:/{quote(name.target)}/{title}.{name.stage}?{urlencode(query, quote_via=quote)}"


def read_uri(uri: str) -> Name | None:
    """None for what is no listing. Editors may have quoted the query once more."""
    parts = urlsplit(uri)
    target, _, title = unquote(parts.path).strip("/").partition("/")
    query = parse_qs(unquote(parts.query) if "=" not in parts.query else parts.query)
    file, kernel = query.get("file", [""])[0], query.get("kernel", [""])[0]
    if parts.scheme != SCHEME or not (file and kernel and "." in title):
        return None
    number = query.get("instance", [""])[0]
    return Name(file, kernel, int(number) if number.isdecimal() else None, target, title.rpartition(".")[2])


# --- spots ------------------------------------------------------------------------------------------------------------


def spot(
    snapshot: Snapshot,
    kernel: Kernel | None,
    *,
    instance: int | None = None,
    target: str | None = None,
    stage: str | None = None,
) -> Spot | str | None:
    """What a request means, or in a sentence why there is no such thing; None without a kernel. A target may be one
    that is not chosen."""
    if kernel is None:
        return None
    index, _ = kernel.chosen(
        instance if instance is not None else snapshot.picks.get((snapshot.file.path, kernel.name))
    )
    chosen = kernel.analysis.targets(kernel.instances[index])
    found = next((each for each in chosen if target in (each.arch, each.label, each.name)), None)
    if target is not None and found is None:
        from tilelang.targets import resolve

        found = resolve(target.lower())
    elif target is None and chosen:
        found = next((each for each in chosen if len(stages_of(each)) > 2), chosen[0])
    if found is None:
        return f"there is no target {target}" if target is not None else f"{kernel.name} is for none of the targets"
    stages = stages_of(found)
    if stage is not None and stage not in stages:
        return f"there is no {stage} for {found.arch}; there is {', '.join(stages)}"
    return Spot(snapshot, kernel, index, found, chosen, stage or stages[-1])


def spot_named(snapshot: Snapshot, name: Name) -> Spot | str | None:
    """The stage that a URI names."""
    kernel = kernel_named(snapshot.analysis, name.kernel) if snapshot.analysis is not None else None
    return spot(snapshot, kernel, instance=name.instance, target=name.target, stage=name.stage)


def name_of(place: Spot, file_uri: str) -> Name:
    return Name(file_uri, kernel_key(place.kernel), place.index, place.target.arch, place.stage)


# --- contents ---------------------------------------------------------------------------------------------------------


def without_compiler(place: Spot) -> Shown | None:
    """What can be shown without compiling; None if the stage needs it."""
    if place.stage not in MACHINE_FREE:
        return None
    program = place.kernel.instances[place.index].program
    return Shown(place, tile_ir_listing(program, target=place.target.arch))


def shown(place: Spot, compiled: Compiled | None) -> Shown:
    """A stage of a result, with its lines in the newest text."""
    if compiled is None:
        return Shown(place, None, problem=f"{place.kernel.name} has not been compiled for {place.target.arch}")
    stale = not is_current(place.snapshot, compiled)
    listing = compiled.listing(place.stage)
    if listing is None or not listing.lines:
        reasons = [str(each.data.get("message", each.kind)) for each in compiled.problems]
        reasons += listing.notes if listing is not None else ()
        return Shown(place, None, stale, compiled.seconds, reasons[0] if reasons else f"there is no {place.stage}")
    path = compiled.wanted.file.path
    return Shown(place, following(listing, path, lines_now(place.snapshot, compiled)), stale, compiled.seconds)


def following(listing: Listing, path: str, lines: Mapping[int, int]) -> Listing:
    """A listing with the lines of one file replaced by those of its newest text. A line that is gone leads nowhere."""
    if all(lines.get(place.line) == place.line for place in listing.mapped_places if place.path == path):
        return listing
    return replace(listing, lines=tuple(_following(line, path, lines) for line in listing.lines))


def _following(line: Line, path: str, lines: Mapping[int, int]) -> Line:
    if not any(place.path == path for place in line.places):
        return line
    kept = [
        Place(path, lines[place.line]) if place.path == path else place
        for place in line.places
        if place.path != path or place.line in lines
    ]
    return replace(line, places=tuple(kept))
