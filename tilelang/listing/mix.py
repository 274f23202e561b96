"""Instructions counted by what they are, as one line of text: ``16 HMMA.16816 · 8 LDSM · 2 BAR``."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tilelang.listing.classes import CLASSES, InstructionClass

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tilelang.listing.model import Instruction

_UNNAMED: tuple[InstructionClass, ...] = ("convert", "int", "constant", "move", "control", "other")
"""Classes that are counted as a whole (addresses, moves, branches); the instructions of the others have their names."""


@dataclass(frozen=True, slots=True)
class Mix:
    """Counts by class and by name, in the order of :data:`~tilelang.listing.classes.CLASSES`, then by count."""

    classes: Mapping[InstructionClass, int]
    names: Mapping[tuple[InstructionClass, str], int]

    @property
    def total(self) -> int:
        return sum(self.classes.values())

    @property
    def text(self) -> str:
        """The counts in one line; empty without instructions."""
        parts: list[str] = []
        for kind, count in self.classes.items():
            if kind in _UNNAMED:
                parts.append(f"{count} {kind}")
            else:
                parts += [f"{number} {name}" for (of, name), number in self.names.items() if of == kind]
        return " · ".join(parts)

    def class_texts(self, most: int = 4) -> list[str]:
        """The first classes that are there: ``64 tensor``, ``16 shared``."""
        return [f"{count} {kind}" for kind, count in self.classes.items() if kind not in _UNNAMED][:most]


def mix_of(instructions: Iterable[Instruction]) -> Mix:
    """Count instructions."""
    names: Counter[tuple[InstructionClass, str]] = Counter((it.kind, it.name or it.opcode) for it in instructions)
    classes: Counter[InstructionClass] = Counter()
    for (kind, _), count in names.items():
        classes[kind] += count
    rank = {kind: position for position, kind in enumerate(CLASSES)}
    ordered = sorted(names.items(), key=lambda item: (rank[item[0][0]], -item[1], item[0][1]))
    return Mix(dict(sorted(classes.items(), key=lambda item: rank[item[0]])), dict(ordered))
