"""One stage of one program on one target, line by line, with the way to the source and back.

Lines of a listing count from 0, lines of source files from 1.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from tilelang.backends.artifact import Resources
from tilelang.listing.mix import Mix, mix_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tilelang.listing.classes import InstructionClass
    from tilelang.targets.occupancy import Occupancy

Kind = Literal["instruction", "statement", "label", "directive", "comment", "padding", "blank"]
"""``instruction``: of machine code or PTX. ``statement``: a line of a program text (CUDA, TIR, tile IR).
``padding``: instructions behind the end of a function that never run."""


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a file. The path is absolute, or the bare name of a file that exists only inside the compiler."""

    path: str
    line: int


@dataclass(frozen=True, slots=True)
class Control:
    """What the assembler scheduled for one SASS instruction. ``stall``: cycles before the next one issues. ``write``
    and ``read``: the scoreboard that is signalled when the result is written, when the operands are read. ``wait``: the
    scoreboards to wait for."""

    stall: int
    yields: bool
    write: int | None
    read: int | None
    wait: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction taken apart: ``@!P0 HMMA.16816.F32 R4, R8, R2, R4`` has the predicate ``@!P0``, the opcode
    ``HMMA``, two modifiers and four operands. ``name`` is how counts call it: ``HMMA.16816``."""

    opcode: str
    modifiers: tuple[str, ...] = ()
    operands: tuple[str, ...] = ()
    predicate: str = ""
    kind: InstructionClass = "other"
    name: str = ""
    address: int | None = None
    control: Control | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """One line. ``places``: where it comes from, innermost first: the line of an inlined function, then the line that
    calls it. ``function``: position in ``Listing.functions``."""

    text: str
    kind: Kind
    places: tuple[Place, ...] = ()
    function: int | None = None
    instruction: Instruction | None = None


@dataclass(frozen=True, slots=True)
class Function:
    """One device function of a listing: its lines ``first`` to ``last``, how it is launched, and what it takes."""

    name: str
    first: int
    last: int
    threads: int | None = None
    resources: Resources = field(default_factory=Resources)
    occupancy: Occupancy | None = None


@dataclass(frozen=True, slots=True)
class Mapped:
    """How many instructions (statements in program texts) lead to a source line. Padding does not count."""

    lines: int
    total: int

    @property
    def share(self) -> float:
        """1.0 for a listing without instructions."""
        return self.lines / self.total if self.total else 1.0


@dataclass(frozen=True)
class Listing:
    """``sources``: the files that users wrote; places in other files are helpers of the compiler. ``notes``: what is
    missing in this listing and why, in sentences."""

    stage: str
    program: str
    target: str
    lines: tuple[Line, ...]
    sources: tuple[str, ...] = ()
    functions: tuple[Function, ...] = ()
    notes: tuple[str, ...] = field(default=())

    @property
    def text(self) -> str:
        """The whole listing, as the tool or the compiler printed it."""
        return "".join(f"{line.text}\n" for line in self.lines)

    def python_lines(self, index: int) -> tuple[Place, ...]:
        """The source lines that one line comes from, innermost first, each once."""
        return tuple(dict.fromkeys(place for place in self.lines[index].places if place.path in self.sources))

    def lines_of(self, path: str, line: int) -> tuple[int, ...]:
        """The lines that come from one source line."""
        return self._by_place.get(Place(path, line), ())

    @property
    def mapped_places(self) -> tuple[Place, ...]:
        """Every source line that has lines here, by file and line."""
        return tuple(sorted(self._by_place, key=lambda place: (place.path, place.line)))

    def instructions_of(self, path: str, line: int) -> tuple[Instruction, ...]:
        """The instructions of one source line. Code that was inlined counts for its innermost source line only, so the
        counts of all lines add up."""
        return self._instructions.get(Place(path, line), ())

    def mix_of(self, path: str, line: int) -> Mix:
        """The instructions of one source line, counted."""
        return mix_of(self.instructions_of(path, line))

    @cached_property
    def mix(self) -> Mix:
        """All instructions, counted."""
        return mix_of(it.instruction for it in self.lines if it.instruction is not None and it.kind == "instruction")

    @cached_property
    def mapped(self) -> Mapped:
        """The share of instructions or statements that leads to a source line."""
        counted = [
            index
            for index, it in enumerate(self.lines)
            # The operands of an instruction may have lines of their own.
            if it.kind == "statement" or (it.kind == "instruction" and it.instruction is not None)
        ]
        return Mapped(sum(bool(self.python_lines(index)) for index in counted), len(counted))

    @property
    def summary(self) -> str:
        """One line: sizes, the main classes of instructions, and what the functions take."""
        if not any(line.kind == "instruction" for line in self.lines):
            parts = [f"{self.mapped.total} statements"]
        else:
            parts = [f"{self.mix.total} instructions", *self.mix.class_texts()]
        return " · ".join([*parts, *resource_texts(self.functions)])

    def with_functions(self, functions: Iterable[Function]) -> Listing:
        """The same lines with more known about the functions."""
        return replace(self, functions=tuple(functions))

    @cached_property
    def _by_place(self) -> dict[Place, tuple[int, ...]]:
        found: dict[Place, list[int]] = {}
        for index in range(len(self.lines)):
            for place in self.python_lines(index):
                found.setdefault(place, []).append(index)
        return {place: tuple(indices) for place, indices in found.items()}

    @cached_property
    def _instructions(self) -> dict[Place, tuple[Instruction, ...]]:
        found: dict[Place, list[Instruction]] = {}
        for index, line in enumerate(self.lines):
            places = self.python_lines(index)
            if places and line.instruction is not None and line.kind == "instruction":
                found.setdefault(places[0], []).append(line.instruction)
        return {place: tuple(instructions) for place, instructions in found.items()}


def resource_texts(functions: Sequence[Function]) -> list[str]:
    """What the functions take, the largest figure of each kind: ``154 registers``, ``no spills``."""
    texts: list[str] = []
    registers = [it.resources.registers for it in functions if it.resources.registers is not None]
    if registers:
        texts.append(f"{max(registers)} registers")
    spills = [
        (it.resources.spill_stores or 0) + (it.resources.spill_loads or 0)
        for it in functions
        if it.resources.spill_stores is not None
    ]
    if any(spills):
        texts.append(f"{max(spills)} B spilled")
    shared = [(it.resources.static_shared or 0) + it.resources.dynamic_shared for it in functions]
    if any(shared):
        texts.append(f"{max(shared)} B shared")
    blocks = [it.occupancy.blocks for it in functions if it.occupancy is not None]
    if blocks:
        texts.append(f"{min(blocks)} {'block' if min(blocks) == 1 else 'blocks'}/SM")
    return texts


def ranges_of(indices: Iterable[int]) -> list[tuple[int, int]]:
    """Sorted numbers as closed ranges: ``1 2 3 7`` is ``1-3, 7-7``."""
    ranges: list[tuple[int, int]] = []
    for index in indices:
        if ranges and index == ranges[-1][1] + 1:
            ranges[-1] = (ranges[-1][0], index)
        else:
            ranges.append((index, index))
    return ranges
