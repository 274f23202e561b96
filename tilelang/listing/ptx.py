"""PTX with its ``.loc`` directives."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tilelang.listing.classes import CLASSES, ptx_class, ptx_name
from tilelang.listing.model import Function, Instruction, Kind, Line, Listing, Place
from tilelang.listing.operands import split_operands
from tilelang.listing.sass import place_maker

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

_FILE = re.compile(r'^\s*\.file\s+(\d+)\s+"([^"]*)"', re.MULTILINE)
_LOC = re.compile(r"\s*\.loc\s+(\d+)\s+(\d+)\s+(\d+)(?:.*\binlined_at\s+(\d+)\s+(\d+)\s+(\d+))?")
_FUNCTION = re.compile(r"\s*(?:\.\w+\s+)*\.(?:entry|func)\s+(?:\([^)]*\)\s*)?([$\w]+)")
_LABEL = re.compile(r"\s*[$\w]+:\s*(?://.*)?$")
_PREDICATE = re.compile(r"(@!?[%$\w]+)\s+(.*)", re.DOTALL)
_MAX_INLINED = 64

_Location = tuple[int, int, int]


def ptx_listing(
    text: str, *, program: str, target: str, sources: Collection[str], functions: Iterable[Function] = ()
) -> Listing:
    """A listing of PTX. The ``.loc`` and ``.file`` lines are not in it: they became places."""
    reader = _Reader({int(number): path for number, path in _FILE.findall(text)}, sources)
    for line in text.splitlines():
        reader.read(line)
    known = {it.name: it for it in functions}
    ranges: list[Function] = []
    for name, first, last in reader.ranges:
        it = known.get(name, Function(name, 0, 0))
        ranges.append(Function(name, first, last, it.threads, it.resources, it.occupancy))
    return Listing("ptx", program, target, tuple(reader.lines), tuple(sources), tuple(ranges))


def places_of_lines(text: str, sources: Collection[str]) -> tuple[tuple[Place, ...], ...]:
    """The places that each line of PTX comes from, by the number of the line from 0, ``.loc`` lines included."""
    reader = _Reader({int(number): path for number, path in _FILE.findall(text)}, sources)
    places: list[tuple[Place, ...]] = []
    for line in text.splitlines():
        reader.read(line)
        places.append(reader.places)
    return tuple(places)


class _Reader:
    def __init__(self, files: Mapping[int, str], sources: Collection[str]) -> None:
        self.lines: list[Line] = []
        self.ranges: list[tuple[str, int, int]] = []
        self._files = files
        self._place_of = place_maker(sources)
        self.places: tuple[Place, ...] = ()
        self._callers: dict[_Location, _Location] = {}
        self._function: str | None = None
        self._first = 0
        self._depth = 0
        self._open_instruction = False

    def read(self, text: str) -> None:
        stripped = text.strip()
        if (match := _LOC.match(text)) is not None:
            self._read_loc(match)
            return
        if not stripped or stripped.startswith(".file"):
            return
        if self._function is None and (match := _FUNCTION.match(text)) is not None:
            self._function, self._first, self._depth, self.places = match[1], len(self.lines), 0, ()
        inside = self._function is not None and self._depth > 0
        kind, instruction = self._kind(stripped) if inside else (_outside(stripped), None)
        places = self.places if kind == "instruction" else ()
        # Declarations end before a body: `.extern .func f (...);`.
        self.lines.append(Line(text.expandtabs(4).rstrip(), kind, places, self._number(), instruction))
        code = stripped.partition("//")[0]
        before = self._depth
        self._depth += code.count("{") - code.count("}")
        if self._function is not None and self._depth == 0 and (before > 0 or code.rstrip().endswith(";")):
            self.ranges.append((self._function, self._first, len(self.lines) - 1))
            self._function = None

    def _number(self) -> int | None:
        return None if self._function is None else len(self.ranges)

    def _kind(self, stripped: str) -> tuple[Kind, Instruction | None]:
        if self._open_instruction:
            self._open_instruction = not stripped.partition("//")[0].rstrip().endswith(";")
            return "instruction", None
        if stripped.startswith("//"):
            return "comment", None
        if _LABEL.match(stripped):
            return "label", None
        found = [it for it in map(instruction_of, _statements(stripped)) if it is not None]
        if not found:
            return "directive", None
        self._open_instruction = not stripped.partition("//")[0].rstrip(" }").endswith(";")
        return "instruction", min(found, key=lambda it: CLASSES.index(it.kind))

    def _read_loc(self, match: re.Match[str]) -> None:
        here = (int(match[1]), int(match[2]), int(match[3]))
        if match[4]:
            self._callers[here] = (int(match[4]), int(match[5]), int(match[6]))
            chain = [here]
            while chain[-1] in self._callers and len(chain) < _MAX_INLINED:
                caller = self._callers[chain[-1]]
                if caller in chain:
                    break
                chain.append(caller)
        else:
            self._callers.pop(here, None)
            chain = [here]
        self.places = tuple(self._place_of(self._files.get(file, ""), line) for file, line, _ in chain)


def _outside(stripped: str) -> Kind:
    return "comment" if stripped.startswith("//") else "directive"


def _statements(text: str) -> list[str]:
    """Inline assembly may have several instructions on one line, in braces."""
    return [part.strip(" \t{}") if part.strip()[:1] == "{" else part.strip() for part in text.split(";")]


def instruction_of(text: str) -> Instruction | None:
    """One instruction of PTX taken apart; None for directives and empty text."""
    predicate = ""
    if (match := _PREDICATE.match(text)) is not None:
        predicate, text = match[1], match[2]
    word, _, rest = text.strip().replace("\t", " ").partition(" ")
    opcode, *modifiers = word.split(".")
    if not opcode or not opcode[0].isalpha():
        return None
    kind = ptx_class(opcode, modifiers)
    return Instruction(
        opcode, tuple(modifiers), split_operands(rest), predicate, kind, ptx_name(opcode, modifiers, kind)
    )
