"""Listings as JSON data, for editors, CI and other programs. ``docs/json-schema/listing.schema.json`` describes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.listing.model import ranges_of

if TYPE_CHECKING:
    from tilelang.listing.diff import ListingDiff
    from tilelang.listing.model import Function, Instruction, Line, Listing

Json = dict[str, object]

VERSION = 1


def document_of(listing: Listing) -> Json:
    """One listing. Lines of the listing count from 0, lines of source files from 1."""
    files = _files(listing)
    number = {path: index for index, path in enumerate(files)}
    return {
        "version": VERSION,
        "stage": listing.stage,
        "program": listing.program,
        "target": listing.target,
        "files": files,
        "python": [number[path] for path in listing.sources],
        "summary": listing.summary,
        "mapped": {
            "lines": listing.mapped.lines,
            "of": listing.mapped.total,
            "share": round(listing.mapped.share, 4),
        },
        "functions": [_function(it) for it in listing.functions],
        "lines": [_line(it, number) for it in listing.lines],
        "mix": [
            {
                "file": number[place.path],
                "line": place.line,
                "text": listing.mix_of(place.path, place.line).text,
                "classes": dict(listing.mix_of(place.path, place.line).classes),
                "lines": [list(it) for it in ranges_of(listing.lines_of(place.path, place.line))],
            }
            for place in listing.mapped_places
        ],
        "notes": list(listing.notes),
    }


def diff_document(diff: ListingDiff) -> Json:
    """The difference of two listings."""
    return {
        "version": VERSION,
        "stage": diff.after.stage,
        "before": {"program": diff.before.program, "target": diff.before.target, "summary": diff.before.summary},
        "after": {"program": diff.after.program, "target": diff.after.target, "summary": diff.after.summary},
        "summary": diff.summary,
        "lines": [
            {
                "file": it.place.path,
                "line": it.place.line,
                "before": it.before.text,
                "after": it.after.text,
                "changes": dict(it.changes),
            }
            for it in diff.lines
        ],
    }


def _files(listing: Listing) -> list[str]:
    """The user's files first, then those of helpers."""
    others = (place.path for line in listing.lines for place in line.places)
    return list(dict.fromkeys((*listing.sources, *others)))


def _function(it: Function) -> Json:
    resources = it.resources
    occupancy = it.occupancy
    return {
        "name": it.name,
        "first": it.first,
        "last": it.last,
        "threads": it.threads,
        "registers": resources.registers,
        "spill_stores": resources.spill_stores,
        "spill_loads": resources.spill_loads,
        "stack": resources.stack,
        "static_shared": resources.static_shared,
        "dynamic_shared": resources.dynamic_shared,
        "occupancy": None
        if occupancy is None
        else {
            "blocks": occupancy.blocks,
            "warps": occupancy.warps,
            "fraction": round(occupancy.fraction, 4),
            "limiters": list(occupancy.limiters),
        },
    }


def _line(line: Line, number: dict[str, int]) -> Json:
    written: Json = {"text": line.text, "kind": line.kind}
    if line.places:
        written["at"] = [[number[place.path], place.line] for place in line.places]
    if line.function is not None:
        written["function"] = line.function
    if line.instruction is not None:
        written |= _instruction(line.instruction)
    return written


def _instruction(it: Instruction) -> Json:
    written: Json = {"opcode": it.opcode, "class": it.kind}
    if it.address is not None:
        written["address"] = it.address
    if it.modifiers:
        written["modifiers"] = list(it.modifiers)
    if it.operands:
        written["operands"] = list(it.operands)
    if it.predicate:
        written["predicate"] = it.predicate
    if it.control is not None:
        written["control"] = {
            "stall": it.control.stall,
            "yield": it.control.yields,
            "write": it.control.write,
            "read": it.control.read,
            "wait": list(it.control.wait),
        }
    return written
