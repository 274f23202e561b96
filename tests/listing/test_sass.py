"""SASS: instructions taken apart, padding, places with what was inlined, scheduling."""

from __future__ import annotations

import pytest
from listing.captured import HELPERS, KERNEL, sass

from tilelang.listing import Control, Place
from tilelang.listing.sass import instruction_of, sass_listing


def test_every_instruction_leads_to_its_line() -> None:
    listing = sass()
    assert listing.mapped.share == 1.0
    assert listing.mapped.total == 68
    assert [place.line for place in listing.mapped_places] == [5, 9, 10, 11, 12, 13, 14, 15]


def test_inlined_code_belongs_to_the_helper_and_to_the_line_that_uses_it() -> None:
    listing = sass()
    inlined = [line for line in listing.lines if len(line.places) > 1]
    assert {line.places for line in inlined} == {
        (Place(HELPERS, 3), Place(KERNEL, 10)),
        (Place(HELPERS, 3), Place(KERNEL, 13)),
    }
    index = listing.lines.index(inlined[0])
    assert listing.python_lines(index) == (Place(KERNEL, 10),)
    assert index in listing.lines_of(KERNEL, 10)


def test_a_comment_ends_what_was_inlined() -> None:
    (store,) = (line for line in sass().lines if line.text.strip() == "STS [R3], R10")
    assert store.places == (Place(KERNEL, 13),)


def test_what_follows_the_last_instruction_is_padding() -> None:
    kinds = [line.kind for line in sass().lines if line.instruction is not None]
    assert kinds.count("instruction") == 68
    assert set(kinds[68:]) == {"padding"}
    assert [line.instruction.opcode for line in sass().lines if line.kind == "padding" and line.instruction][:2] == [
        "BRA",
        "NOP",
    ]


def test_scheduling_is_read_from_the_encoding() -> None:
    found = [(line.text.strip(), line.instruction) for line in sass().lines if line.instruction]
    load = next(it for text, it in found if text == "LDG.E.CONSTANT R7, [R6.64]")
    use = next(it for text, it in found if text == "FFMA R8, R7, R2, 1")
    assert load.control == Control(stall=1, yields=False, write=2, read=None, wait=())
    assert use.control is not None
    assert use.control.wait == (2,), "the product waits for the load"


def test_branches_name_labels_of_the_listing() -> None:
    labels = {line.text[:-1] for line in sass().lines if line.kind == "label"}
    targets = {
        line.instruction.operands[-1] for line in sass().lines if line.instruction and line.instruction.opcode == "BRA"
    }
    assert targets
    assert targets <= labels


def test_functions_know_their_lines() -> None:
    (function,) = sass().functions
    assert function.threads == 128
    lines = sass().lines[function.first : function.last + 1]
    assert {line.function for line in lines} == {0}
    assert sum(line.kind == "instruction" for line in lines) == 68


def test_without_line_comments_nothing_is_mapped() -> None:
    text = '\t.section\t.text.f,"ax",@progbits\nf:\n        /*0000*/                   EXIT ;\n'
    listing = sass_listing(text, program="f", target="sm_80", sources=("/a.py",))
    assert (listing.mapped.lines, listing.mapped.total) == (0, 1)


@pytest.mark.parametrize(
    ("text", "kind", "name", "operands"),
    [
        ("HMMA.16816.F32 R4, R8, R2, R4", "tensor", "HMMA.16816", ("R4", "R8", "R2", "R4")),
        ("LDG.E.128 R4, desc[UR4][R2.64+0x10]", "global", "LDG.128", ("R4", "desc[UR4][R2.64+0x10]")),
        ("IMAD.MOV.U32 R1, RZ, RZ, c[0x0][0x28]", "move", "IMAD", ("R1", "RZ", "RZ", "c[0x0][0x28]")),
        ("CS2R R4, SRZ", "move", "CS2R", ("R4", "SRZ")),
        ("CS2R R2, SR_CLOCKLO", "special", "CS2R", ("R2", "SR_CLOCKLO")),
        ("LDGSTS.E.BYPASS.128 [R3], [R4.64]", "async", "LDGSTS.128", ("[R3]", "[R4.64]")),
        ("MUFU.EX2 R3, R4", "special", "MUFU.EX2", ("R3", "R4")),
        ("STL [R1+0x4], R2", "local", "STL", ("[R1+0x4]", "R2")),
        ("FROBNICATE R1", "other", "FROBNICATE", ("R1",)),
    ],
)
def test_instructions(text: str, kind: str, name: str, operands: tuple[str, ...]) -> None:
    found = instruction_of(text)
    assert (found.kind, found.name, found.operands) == (kind, name, operands)


def test_predicates_are_no_opcodes() -> None:
    assert (instruction_of("@!P0 BRA `(.L_x_0)").predicate, instruction_of("@!P0 BRA `(.L_x_0)").opcode) == (
        "@!P0",
        "BRA",
    )
    assert instruction_of("@UP1 UMOV UR4, URZ").predicate == "@UP1"
