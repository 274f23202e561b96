"""Counts of instructions, differences of listings, and the JSON form of both."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from jsonschema import Draft202012Validator
from listing.captured import KERNEL, cuda, ptx, sass

from tilelang.backends.artifact import Resources
from tilelang.listing import Listing, diff_document, diff_of, document_of
from tilelang.listing.mix import mix_of
from tilelang.listing.model import ranges_of
from tilelang.listing.sass import instruction_of
from tilelang.targets import occupancy, resolve

SCHEMA = Path(__file__).parents[2] / "docs/json-schema/listing.schema.json"


def test_a_mix_names_work_and_counts_the_rest() -> None:
    texts = ["BAR.SYNC 0x0", "IADD3 R1, R2, R3", "HMMA.16816.F32 R4, R8, R2, R4", "HMMA.16816.F32 R4, R8, R2, R4"]
    texts += ["LDSM.16.M88.4 R4, [R8]", "MOV R1, R2", "LOP3.LUT R1, R2, R3, R4, 0xc0, !PT"]
    mix = mix_of(map(instruction_of, texts))
    assert mix.text == "2 HMMA.16816 · 1 LDSM · 1 BAR · 2 int · 1 move"
    assert mix.total == len(texts)


def test_the_mixes_of_all_lines_add_up() -> None:
    listing = sass()
    counts = [listing.mix_of(place.path, place.line).total for place in listing.mapped_places]
    assert sum(counts) == listing.mix.total == 68


def test_a_line_without_code_has_an_empty_mix() -> None:
    assert sass().mix_of(KERNEL, 999).text == ""


def test_ranges() -> None:
    assert ranges_of([1, 2, 3, 7]) == [(1, 3), (7, 7)]
    assert ranges_of([]) == []


def with_resources(listing: Listing, registers: int) -> Listing:
    target = resolve("sm_80")
    assert target is not None
    resources = Resources(registers=registers, spill_stores=0, spill_loads=0, static_shared=1024)
    occupied = occupancy(target, 128, registers, 1024)
    functions = (replace(listing.functions[0], resources=resources, occupancy=occupied),)
    return listing.with_functions(functions)


def test_the_summary_has_resources() -> None:
    assert with_resources(sass(), 40).summary.endswith("40 registers · 1024 B shared · 12 blocks/SM")


def test_equal_listings_do_not_differ() -> None:
    diff = diff_of(sass(), sass())
    assert (diff.summary, diff.lines) == ("no difference", ())


def test_differences_are_by_source_line() -> None:
    before, after = with_resources(sass(), 40), with_resources(sass(), 58)
    removed = next(index for index in after.lines_of(KERNEL, 11))
    after = replace(after, lines=after.lines[:removed] + after.lines[removed + 1 :])
    diff = diff_of(before, after)
    assert diff.summary == "+18 registers · -16 warps/SM · -1 barrier · -1 instructions"
    assert [(it.place.line, it.before.text, it.after.text) for it in diff.lines] == [(11, "1 BAR", "")]
    assert diff.lines[0].changes == {"barrier": -1}


def test_documents_follow_the_schema() -> None:
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    diff = diff_document(diff_of(with_resources(sass(), 40), with_resources(sass(), 58)))
    for document in (*map(document_of, (sass(), ptx(), cuda(), with_resources(sass(), 40))), diff):
        validator.validate(json.loads(json.dumps(document)))
    assert list(validator.iter_errors({"version": 1})), "the schema accepts anything"


def test_documents_lead_both_ways() -> None:
    document = json.loads(json.dumps(document_of(sass())))
    number = document["files"].index(KERNEL)
    assert document["python"] == [number]
    (entry,) = (it for it in document["mix"] if it["line"] == 11)
    (first, last) = entry["lines"][0]
    assert document["lines"][first]["at"] == [[number, 11]]
    assert (first, entry["text"]) == (last, "1 BAR")
