"""What differs between two listings of one program: two targets, two configurations, two versions.

The listings are aligned by source line, not by text: registers and addresses always differ, the work of a line does
not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tilelang.listing.classes import CLASSES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tilelang.listing.classes import InstructionClass
    from tilelang.listing.mix import Mix
    from tilelang.listing.model import Function, Listing, Place

    Figure = Callable[[Function], int | None]

_SUMMARISED: tuple[InstructionClass, ...] = ("tensor", "async", "shared", "global", "local", "barrier")


@dataclass(frozen=True, slots=True)
class LineDiff:
    """One source line whose instructions differ. ``changes``: by class, the later count minus the earlier one."""

    place: Place
    before: Mix
    after: Mix
    changes: dict[InstructionClass, int]


@dataclass(frozen=True, slots=True)
class ListingDiff:
    """``lines`` are in the order of the source; lines with the same counts are left out."""

    before: Listing
    after: Listing
    lines: tuple[LineDiff, ...]

    @property
    def summary(self) -> str:
        """One line: ``+18 registers · -2 barrier · HMMA.1688 -> HMMA.16816``."""
        parts = [*_resource_changes(self.before.functions, self.after.functions)]
        changes = _changes(self.before.mix, self.after.mix)
        parts += [f"{changes[kind]:+d} {kind}" for kind in _SUMMARISED if kind in changes]
        gone, new = _tensor_names(self.before.mix), _tensor_names(self.after.mix)
        if gone != new and gone and new:
            parts.append(f"{', '.join(gone)} -> {', '.join(new)}")
        total = self.after.mix.total - self.before.mix.total
        parts += [f"{total:+d} instructions"] if total else []
        return " · ".join(parts) or "no difference"


def diff_of(before: Listing, after: Listing) -> ListingDiff:
    """Compare two listings of the same stage."""
    places = dict.fromkeys((*before.mapped_places, *after.mapped_places))
    lines: list[LineDiff] = []
    for place in sorted(places, key=lambda it: (it.path, it.line)):
        one, other = before.mix_of(place.path, place.line), after.mix_of(place.path, place.line)
        if one.names != other.names:
            lines.append(LineDiff(place, one, other, _changes(one, other)))
    return ListingDiff(before, after, tuple(lines))


def _changes(before: Mix, after: Mix) -> dict[InstructionClass, int]:
    changes: dict[InstructionClass, int] = {}
    for kind in CLASSES:
        difference = after.classes.get(kind, 0) - before.classes.get(kind, 0)
        if difference:
            changes[kind] = difference
    return changes


def _tensor_names(mix: Mix) -> list[str]:
    return sorted(name for kind, name in mix.names if kind == "tensor")


def _resource_changes(before: Sequence[Function], after: Sequence[Function]) -> list[str]:
    """Differences of the largest figures: a program of several functions is as costly as its worst one."""

    def spilled(it: Function) -> int | None:
        stores, loads = it.resources.spill_stores, it.resources.spill_loads
        return None if stores is None or loads is None else stores + loads

    figures: dict[str, Figure] = {
        "registers": lambda it: it.resources.registers,
        "B spilled": spilled,
        "B shared": lambda it: (it.resources.static_shared or 0) + it.resources.dynamic_shared,
        "warps/SM": lambda it: it.occupancy.warps if it.occupancy else None,
    }
    texts: list[str] = []
    for name, figure in figures.items():
        one = max((value for it in before if (value := figure(it)) is not None), default=None)
        other = max((value for it in after if (value := figure(it)) is not None), default=None)
        if one is not None and other is not None and one != other:
            texts.append(f"{other - one:+d} {name}")
    return texts
