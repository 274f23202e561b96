"""SASS as nvdisasm prints it, with its line comments and, if they were asked for, the encodings of the instructions.

The layout of the scheduling bits: Jia et al., "Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking"
(2018), section 2.1; it is the same on all later GPUs.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tilelang.listing.classes import sass_class, sass_name
from tilelang.listing.model import Control, Function, Instruction, Line, Listing, Place
from tilelang.listing.operands import split_operands
from tilelang.listing.paths import by_written_path

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

_PLACE = re.compile(
    r'\s*//## File "(?P<path>[^"]*)", line (?P<line>\d+)(?: inlined at "(?P<at>[^"]*)", line (?P<of>\d+))?'
)
_INSTRUCTION = re.compile(
    r"\s*/\*(?P<address>[0-9a-f]{4,})\*/\s+(?P<text>[^;]*?)\s*;(?:\s*/\* (?P<low>0x[0-9a-f]{16}) \*/)?"
)
_REST_OF_ENCODING = re.compile(r"\s*/\* (0x[0-9a-f]{16}) \*/\s*$")
_SECTION = re.compile(r"\s*\.section\s+\.text\.([^\s,]+)")
_LABEL = re.compile(r"([.$\w]+):\s*$")
_PREDICATE = re.compile(r"(@!?U?P\w+)\s+(.*)")
_TARGET = re.compile(r"`\(([^)]*)\)")
_INDENT = "    "
_NO_SCOREBOARD = 7


def sass_listing(
    text: str,
    *,
    program: str,
    target: str,
    sources: Collection[str],
    functions: Iterable[Function] = (),
    notes: Iterable[str] = (),
) -> Listing:
    """A listing of nvdisasm's text. ``sources`` are the files that users wrote, spelled as in the ``#line`` directives.
    ``functions`` say how the functions are launched and what they take; their lines are filled in."""
    reader = _Reader(sources)
    for line in text.splitlines():
        reader.read(line)
    reader.end_function()
    known = {it.name: it for it in functions}
    ranges = [_with_range(known.get(name, Function(name, 0, 0)), first, last) for name, first, last in reader.ranges]
    return Listing("sass", program, target, tuple(reader.lines), tuple(sources), tuple(ranges), tuple(notes))


def _with_range(function: Function, first: int, last: int) -> Function:
    return Function(function.name, first, last, function.threads, function.resources, function.occupancy)


class _Reader:
    """Takes the text line by line. The places hold until the next line comment, as in the line table they come from."""

    def __init__(self, sources: Collection[str]) -> None:
        self.lines: list[Line] = []
        self.ranges: list[tuple[str, int, int]] = []
        self._place_of = place_maker(sources)
        self._places: tuple[Place, ...] = ()
        self._expected: Place | None = None
        self._function: str | None = None
        self._first = 0
        self._low: int | None = None

    def read(self, text: str) -> None:
        if (match := _PLACE.match(text)) is not None:
            self._read_place(match)
        elif (match := _INSTRUCTION.match(text)) is not None:
            low = match["low"]
            self._low = int(low, 16) if low else None
            self._add(
                _INDENT + _TARGET.sub(r"\1", match["text"]), instruction_of(match["text"], int(match["address"], 16))
            )
        elif (match := _REST_OF_ENCODING.match(text)) is not None:
            self._read_control(int(match[1], 16))
        elif (match := _SECTION.match(text)) is not None:
            self.end_function()
            self._function, self._first, self._places = match[1], len(self.lines), ()
            self.lines.append(Line(text.strip(), "directive", (), len(self.ranges)))
        elif not text.strip():
            return
        else:
            stripped = text.strip()
            kind = "label" if _LABEL.match(text) else "comment" if stripped.startswith("//") else "directive"
            if kind != "comment":
                self.lines.append(Line(stripped, kind, (), len(self.ranges) if self._function else None))

    def end_function(self) -> None:
        """Note where the function ended, and which instructions behind its end only fill space."""
        if self._function is None:
            return
        last = len(self.lines) - 1
        self.ranges.append((self._function, self._first, last))
        self._function = None
        index = last
        while index >= self._first and (self.lines[index].kind == "label" or self._fills(index)):
            line = self.lines[index]
            if line.instruction is not None:
                self.lines[index] = Line(line.text, "padding", (), line.function, line.instruction)
            index -= 1

    def _fills(self, index: int) -> bool:
        """Whether an instruction does nothing: a NOP, or the endless loop that the assembler adds at the end."""
        instruction = self.lines[index].instruction
        if instruction is None or instruction.predicate:
            return False
        if instruction.opcode == "NOP":
            return True
        above = self.lines[index - 1]
        return instruction.opcode == "BRA" and above.kind == "label" and instruction.operands == (above.text[:-1],)

    def _read_place(self, match: re.Match[str]) -> None:
        place = self._place_of(match["path"], int(match["line"]))
        # A call that was inlined is one comment a level, each with the place that the next one repeats.
        self._places = (*self._places, place) if place == self._expected else (place,)
        self._expected = self._place_of(match["at"], int(match["of"])) if match["at"] else None

    def _add(self, text: str, instruction: Instruction) -> None:
        self._expected = None
        self.lines.append(Line(text, "instruction", self._places, len(self.ranges), instruction))

    def _read_control(self, high: int) -> None:
        line = self.lines[-1] if self.lines else None
        if line is None or line.instruction is None or self._low is None:
            return
        it = line.instruction
        done = Instruction(
            it.opcode, it.modifiers, it.operands, it.predicate, it.kind, it.name, it.address, control_of(high)
        )
        self.lines[-1] = Line(line.text, line.kind, line.places, line.function, done)
        self._low = None


def place_maker(sources: Collection[str]) -> Callable[[str, int], Place]:
    """Places with the paths of user files as they are and others by their bare name: tools put the folder that they
    were started from before names of files that do not exist."""
    names = by_written_path(sources)

    def place(path: str, line: int) -> Place:
        name = names.get(path)
        if name is None:
            name = names[path] = re.split(r"[/\\]", path)[-1]
        return Place(name, line)

    return place


def instruction_of(text: str, address: int | None = None) -> Instruction:
    """One instruction of SASS taken apart."""
    predicate = ""
    if (match := _PREDICATE.match(text)) is not None:
        predicate, text = match[1], match[2]
    word, _, rest = text.partition(" ")
    opcode, *modifiers = word.split(".")
    operands = split_operands(_TARGET.sub(r"\1", rest))
    kind = sass_class(opcode, modifiers, operands)
    return Instruction(opcode, tuple(modifiers), operands, predicate, kind, sass_name(opcode, modifiers, kind), address)


def control_of(high: int) -> Control:
    """The scheduling of an instruction from the upper 64 bits of its encoding."""
    bits = high >> 41
    write, read, wait = bits >> 5 & 7, bits >> 8 & 7, bits >> 11 & 63
    return Control(
        stall=bits & 15,
        yields=not bits >> 4 & 1,
        write=None if write == _NO_SCOREBOARD else write,
        read=None if read == _NO_SCOREBOARD else read,
        wait=tuple(board for board in range(6) if wait >> board & 1),
    )
