"""Assembly of the CPU target as LLVM prints it for x86-64 (AT&T syntax) and AArch64, with its ``.loc`` directives."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tilelang.listing.model import Function, Instruction, Line, Listing, Place
from tilelang.listing.operands import split_operands
from tilelang.listing.sass import place_maker

if TYPE_CHECKING:
    from collections.abc import Collection

    from tilelang.listing.classes import InstructionClass

_FILE = re.compile(r'^\s*\.file\s+(\d+)\s+(?:"([^"]*)"\s+)?"([^"]*)"', re.MULTILINE)
_LOC = re.compile(r"\s*\.loc\s+(\d+)\s+(\d+)")
_FUNCTION = re.compile(r"\s*\.type\s+([$.\w]+),\s*[@%]function")
_LABEL = re.compile(r"([$.\w]+):")
_VECTOR_FLOAT = re.compile(
    r"v?(?:f?n?m?(?:add|sub|mul|div|min|max|sqrt|rcp|rsqrt|cmp|ucomi|comi|round|and|or|xor|blend)\w*)([ps][sdh])$"
)
_PRECISION: dict[str, InstructionClass] = {"s": "float", "d": "double", "h": "half"}
_JUMP = re.compile(r"(j[a-z]+|call\w*|ret\w*|loop\w*|b(\.\w+)?|bl|blr|br|cbn?z|tbn?z|ud2)$")
_MOVE = re.compile(
    r"(v?p?mov|v?p?broadcast|v?insert|v?extract|v?p?insr|v?pextr|v?perm|v?p?unpck|v?p?shuf|cmov|set|push|pop|lea|fmov|dup|"
    r"zip|uzp|trn|ins|umov|smov|mvn?$)"
)
_CONVERT = re.compile(r"(v?cvt|fcvt|[su]cvtf)")
_TENSOR = re.compile(r"(tdp|tcmm|[su]?mmla|bfmmla|fmmla)")
_ARM_FLOAT = re.compile(r"f(add|sub|mul|div|mla|mls|madd|msub|nmadd|nmsub|max|min|sqrt|neg|abs|cmp)")
_NOP = re.compile(r"(nop\w*|\.p2align|data16)$")


def assembly_listing(text: str, *, program: str, target: str, sources: Collection[str]) -> Listing:
    """A listing of a host assembly. LLVM names one file for all code, so where there is one source, lines of the
    unknown file are its."""
    files = {int(number): _joined(folder, name) for number, folder, name in _FILE.findall(text)}
    only = next(iter(sources)) if len(sources) == 1 else None
    place_of = place_maker(sources)
    functions = set(_FUNCTION.findall(text))
    lines: list[Line] = []
    ranges: list[tuple[str, int, int]] = []
    places: tuple[Place, ...] = ()
    inside = False
    for row in text.splitlines():
        stripped = row.strip()
        if (loc := _LOC.match(row)) is not None:
            path = files.get(int(loc[1]), "")
            path = only if only is not None and path not in sources else path
            places = (place_of(path, int(loc[2])),) if path and int(loc[2]) else ()
            continue
        if not stripped or stripped.startswith((".file", ".cfi")):
            continue
        if (label := _LABEL.match(stripped)) is not None and label[1] in functions:
            ranges.append((label[1], len(lines), len(lines)))
            places, inside = (), True
        function = len(ranges) - 1 if inside else None
        lines.append(_line(row, stripped, places, function))
        if function is not None:
            name, first, _ = ranges[-1]
            ranges[-1] = (name, first, len(lines) - 1)
        if stripped.startswith(".size"):
            inside = False
    found = tuple(Function(name, first, last) for name, first, last in ranges)
    return Listing("cpu", program, target, tuple(lines), tuple(sources), found)


def _joined(folder: str, name: str) -> str:
    return name if not folder or name.startswith("/") else f"{folder}/{name}"


def _line(row: str, stripped: str, places: tuple[Place, ...], function: int | None) -> Line:
    text = row.expandtabs(4).rstrip()
    if stripped.startswith(("#", "//", ";")):
        return Line(text, "comment", (), function)
    if _LABEL.match(stripped):
        return Line(text, "label", (), function)
    if stripped.startswith("."):
        return Line(text, "directive", (), function)
    instruction = instruction_of(stripped.partition(" #")[0].partition("\t#")[0].partition(" //")[0])
    kind = "padding" if _NOP.match(instruction.opcode) else "instruction"
    return Line(text, kind, places if kind == "instruction" else (), function, instruction)


def instruction_of(text: str) -> Instruction:
    """One instruction taken apart. Prefixes (``lock``, ``rep``) count as modifiers."""
    word, _, rest = text.strip().replace("\t", " ").partition(" ")
    modifiers: tuple[str, ...] = ()
    while word in ("lock", "rep", "repne", "notrack"):
        modifiers = (*modifiers, word)
        word, _, rest = rest.strip().partition(" ")
    operands = split_operands(rest)
    kind = _class(word, modifiers, operands)
    return Instruction(word, modifiers, operands, "", kind, word)


def _class(word: str, modifiers: tuple[str, ...], operands: tuple[str, ...]) -> InstructionClass:
    if "lock" in modifiers or word.startswith(("xchg", "cmpxchg", "ldadd", "ldxr", "stxr", "cas")):
        return "atomic"
    if _TENSOR.match(word):
        return "tensor"
    if _JUMP.match(word):
        return "control"
    if word in ("mfence", "lfence", "sfence", "dmb", "dsb", "isb"):
        return "barrier"
    if (match := _VECTOR_FLOAT.match(word)) is not None:
        return _PRECISION[match[1][1]]
    if _ARM_FLOAT.match(word):
        return "double" if operands and operands[0].startswith("d") else "float"
    if _CONVERT.match(word):
        return "convert"
    touches_memory = any("(" in it or "[" in it for it in operands) and not word.startswith("lea")
    if _MOVE.match(word):
        return "memory" if touches_memory else "move"
    if word.startswith(("ld", "st", "vgather", "vscatter", "vmaskmov", "prefetch")):
        return "memory"
    return "int"
