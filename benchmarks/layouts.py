"""Agreement of inferred layouts with upstream's.

    python benchmarks/layouts.py DUMP PATH_TO_UPSTREAM_REPOSITORY [--truth FILE] [--file TEXT] [--show N]

DUMP has one JSON line for each row of the compile results that upstream could take through its layout inference:
``row`` (the line of the results), ``buffers`` and ``loops``, or ``error``; ``arch`` if that is another than the row's.
A buffer has ``name``, ``scope``, ``dtype``, ``shape`` and a ``layout``: its ``shape``, the SHA-1 of its ``index``
table, and for fragments ``replicate`` and the SHA-1 of the sorted ``threads`` of each element. Tables are over the
whole box, row-major, as little-endian 32-bit integers.

A staged buffer has a leading dimension for its copies there; the layout behind it is compared.
"""

from __future__ import annotations

import argparse
import array
import hashlib
import json
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agreement import TRUTH, match_row, share
from predictions import Predictor
from truth import ARCHS, read_rows

from tilelang.ir.layout.digits import table
from tilelang.ir.layout.fragment import Fragment
from tilelang.ir.layout.layout import Layout
from tilelang.passes import plan
from tilelang.targets import resolve

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from predictions import Prediction

    from tilelang.ir.buffer import Buffer
    from tilelang.passes import LaunchPlan

GROUPS = {
    "local.fragment": "fragments",
    "shared": "shared",
    "shared.dyn": "shared",
    "shared.tmem": "tensor memory",
}
KINDS = ("equal", "different", "unknown here", "not inferred", "conflict here", "not comparable")


def digest(values: Iterable[int]) -> str:
    """The hash of a table as the dump has it."""
    return hashlib.sha1(array.array("i", values).tobytes()).hexdigest()[:16]


def describe(layout: Layout | Fragment, shape: Sequence[int]) -> dict[str, object]:
    """Our layout in the form of the dump, for a buffer with more leading dimensions if ``shape`` has them."""
    leading = tuple(shape[: len(shape) - len(layout.shape)])
    if isinstance(layout, Layout):
        layout = layout.expand(leading)
        columns = [table(one, layout.shape) for one in layout.outputs]
        return {"index": digest(value for row in zip(*columns, strict=True) for value in row)}
    columns = [table(one, layout.shape) for one in layout.index]
    threads = layout.thread_table()
    copies = layout.replicate
    ordered = threads if copies == 1 else [
        thread for start in range(0, len(threads), copies) for thread in sorted(threads[start : start + copies])
    ]  # fmt: skip
    return {
        "index": digest(value for row in zip(*columns, strict=True) for value in row),
        "replicate": copies,
        "threads": digest(ordered),
    }


def compare(theirs: dict[str, Any], ours: Layout | Fragment) -> str:
    """What differs between two layouts, empty if nothing does."""
    wanted = theirs["layout"]
    if (wanted["kind"] == "fragment") != isinstance(ours, Fragment):
        return "kind"
    mine = describe(ours, wanted["shape"])
    return ", ".join(key for key, value in mine.items() if wanted.get(key) != value)


def of_plan(launch: LaunchPlan, theirs: dict[str, Any]) -> tuple[str, str] | None:
    """The outcome for one buffer of upstream's in one of our launches; ``None`` if the launch does not have it."""
    wanted = theirs["layout"]["shape"]
    found: Buffer | None = None
    for buffer in launch.layouts.claims:
        if buffer.name == theirs["name"] and tuple(buffer.shape) == tuple(wanted[len(wanted) - buffer.rank :]):
            outcome = compare(theirs, launch.layouts.claims[buffer].layout)
            return ("equal", "") if not outcome else ("different", outcome)
        if buffer.name == theirs["name"]:
            found = buffer
    if any(buffer.name == theirs["name"] for buffer in launch.layouts.unknown):
        return "unknown here", ""
    if launch.layouts.conflict is not None:
        return "conflict here", launch.layouts.conflict.reason
    return None if found is None else ("not comparable", f"shape {found.shape}")


def outcomes(record: dict[str, Any], plans: Sequence[LaunchPlan]) -> list[tuple[dict[str, Any], str, str]]:
    """The outcome of every buffer of one record."""
    results: list[tuple[dict[str, Any], str, str]] = []
    for theirs in record["buffers"]:
        if theirs["scope"] not in GROUPS:
            continue
        if "layout" not in theirs:
            results.append((theirs, "not comparable", theirs.get("error", "")))
            continue
        found = [outcome for each in plans if (outcome := of_plan(each, theirs)) is not None]
        found.sort(key=lambda outcome: KINDS.index(outcome[0]))
        kind, detail = found[0] if found else ("not inferred", "")
        results.append((theirs, kind, detail))
    return results


def plans_of(match: Prediction, arch: str) -> list[LaunchPlan]:
    target = resolve(arch)
    if target is None:
        return []
    program, configs = match.instance.program, match.instance.jit.pass_configs
    return [plan(program, launch, target, configs) for launch in program.launches()]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("dump", type=Path, help="upstream's layouts (JSON lines)")
    parser.add_argument("repository", type=Path, help="a checkout of upstream's repository")
    parser.add_argument("--truth", type=Path, default=TRUTH, help="the compile results (JSON lines)")
    parser.add_argument("--file", default="", help="only rows whose file contains this text")
    parser.add_argument("--show", type=int, default=3, help="examples for each class (3)")
    options = parser.parse_args(arguments)

    rows = read_rows(options.truth)
    with options.dump.open(encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    records = [one for one in records if options.file in (rows[one["row"]].def_file or "")]
    wanted = [rows[one["row"]] for one in records]
    predictor = Predictor(options.repository, ARCHS)
    predictions = predictor.instances(sorted({row.file for row in wanted} | {row.def_file or "" for row in wanted}))
    by_kernel: dict[tuple[str, int], list[Prediction]] = defaultdict(list)
    for one in predictions:
        by_kernel[one.path, one.line].append(one)

    counts: dict[str, Counter[str]] = {group: Counter() for group in dict.fromkeys(GROUPS.values())}
    examples: dict[str, list[str]] = defaultdict(list)
    conflicts: list[str] = []
    spent, planned, unmatched = 0.0, 0, 0
    for record, row in zip(records, wanted, strict=True):
        key = row.def_file or "", predictor.definition_line(row.def_file or "", row.def_line)
        match, _ = match_row(row, by_kernel[key])
        if match is None:
            unmatched += 1
            continue
        began = time.perf_counter()
        plans = plans_of(match, record.get("arch") or row.arch or "")
        spent, planned = spent + time.perf_counter() - began, planned + 1
        stopped = [each.layouts.conflict for each in plans if each.layouts.conflict is not None]
        if "error" in record:
            kind = "here too" if stopped else "not here"
            if record.get("reached"):
                line = record["error"].strip().splitlines()
                text = next(
                    (one for one in line if "onflict" in one or "different layout" in one), line[0] if line else ""
                )
                examples[f"stopped there, {kind}"].append(f"{row.label()}: {text[:150]}")
            continue
        if stopped:
            conflicts.append(f"{row.label()}: {stopped[0].reason} {stopped[0].buffer.name}")
        named = {theirs["name"] for theirs in record["buffers"]}
        for buffer in (buffer for each in plans for buffer in each.layouts.claims):
            if buffer.name not in named:
                examples[f"only here, {buffer.scope}"].append(f"{row.label()} {buffer.name}{buffer.shape}")
        for theirs, kind, detail in outcomes(record, plans):
            group = GROUPS[theirs["scope"]]
            counts[group][kind] += 1
            if kind != "equal":
                examples[f"{group}, {kind}: {detail}"].append(f"{row.label()} {theirs['name']}{theirs['shape']}")

    each = 1e3 * spent / max(planned, 1)
    print(f"{len(records)} rows, {unmatched} without an instance, {planned} plans at {each:.1f} ms")
    for group, found in counts.items():
        total = sum(found.values())
        print(f"{group}: {total}")
        for kind in KINDS:
            if found[kind]:
                print(f"  {kind:16s}{share(found[kind], total)}")
        said = found["equal"] + found["different"]
        print(f"  equal of those that both have {share(found['equal'], said)}")
    print(
        f"conflicts on rows that upstream lowers: {len(conflicts)}", *(f"    {one}" for one in conflicts[:40]), sep="\n"
    )
    for name, members in sorted(examples.items(), key=lambda item: -len(item[1])):
        print(f"{len(members):5d}  {name}", *(f"           {text}" for text in members[: options.show]), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
