"""Agreement with upstream's compile results.

    python benchmarks/agreement.py PATH_TO_UPSTREAM_REPOSITORY [--truth FILE] [--file TEXT] [--show N] [--json FILE]

Every file that the results name is analysed once, from source. A row (one kernel instance on one target) is *matched*
if we have an instance with the same definition and the same values; what was predicted for it is then compared.

*Invented* instances are those of ours that no program makes. The results hold a sample, so an instance counts as
invented only where they would have it: its kernel has rows, the function that leads to it has rows (a test that was
skipped has none), it is certain, and, if a tuner's list made it, upstream recorded that entry of the list. All other
unmatched instances are *uncovered*: nobody can say.

The verdict on a target is `fits` or `over`: upstream never compares the bytes with the limit while lowering, so its
verdict is that of its total against the budget of a block. A *false error* is a finding of error level on a row that
upstream lowers, other than the overflow that the verdict is about.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from predictions import Prediction, Predictor
from truth import ARCHS, Row, from_instance, read_rows, same

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

TRUTH = Path(__file__).resolve().parents[2] / "shared" / "groundtruth" / "upstream.jsonl"
STATIC_ARCHS = ("sm_75", "sm_80", "sm_89")
"""Targets whose static bytes are compared; sm_90 adds barriers, which are a column of their own."""
OVERFLOW = "shared-memory-overflow"
CHECKS = ("allocations", "dynamic", "dynamic+static", "threads", "grid", "verdict")


@dataclass(slots=True)
class Outcome:
    """What came out for one row. ``checks`` maps the name of a comparison to True, False or None (not comparable);
    ``reasons`` says for each False in what way."""

    row: Row
    match: Prediction | None
    reason: str = ""
    checks: dict[str, bool | None] = field(default_factory=dict[str, "bool | None"])
    reasons: dict[str, str] = field(default_factory=dict[str, str])
    details: dict[str, str] = field(default_factory=dict[str, str])
    false_errors: tuple[str, ...] = ()


def match_row(row: Row, candidates: Sequence[Prediction]) -> tuple[Prediction | None, str]:
    """The instance of a row, or why there is none. Several may match; one for the row's target comes first."""
    if not candidates:
        return None, "no instance of the kernel"
    fewest: list[str] | None = None
    found: list[Prediction] = []
    for candidate in candidates:
        wrong = differing(row, candidate)
        if not wrong:
            found.append(candidate)
        elif fewest is None or len(wrong) < len(fewest):
            fewest = wrong
    if found:
        return min(found, key=lambda one: (one.arch not in (row.arch, None), one.arch is None, not one.certain)), ""
    return None, f"values: {', '.join(sorted(fewest or ()))}"


def differing(row: Row, candidate: Prediction) -> list[str]:
    """The entries of a row that the instance has otherwise, each with ``unknown`` or ``differs``."""
    ours = candidate.bindings if row.by_args else {**candidate.bindings, **candidate.closure}
    wrong: list[str] = []
    for name, value in row.values.items():
        mine = from_instance(ours.get(name))
        if not same(value, mine):
            wrong.append(f"{name} {'unknown' if mine is None else 'differs'}")
    return wrong


def compare(row: Row, ours: Prediction) -> Outcome:
    """All comparisons of one matched row."""
    outcome = Outcome(row, ours)
    if row.data.get("allocs") is not None:
        _check(outcome, "allocations", _allocs(row.data["allocs"]), ours.allocations())
    if not row.lowered or row.arch is None:
        return outcome
    dynamic, static, threads, grid = ours.figures(row.arch)
    data = row.data
    _check(outcome, "dynamic", data["dyn_shared_bytes"], dynamic)
    if row.arch in STATIC_ARCHS:
        total = None if dynamic is None or static is None else dynamic + static
        _check(outcome, "dynamic+static", data["dyn_shared_bytes"] + data["static_shared_bytes"], total)
    if data["threads"] is not None:
        _check(outcome, "threads", data["threads"], threads)
    if data["grid"] is not None:
        wanted = [extent if isinstance(extent, int) else None for extent in data["grid"]]
        _check(outcome, "grid", wanted, [extent if isinstance(extent, int) else None for extent in grid])
    limit = ours.limit(row.arch)
    if limit is not None:
        errors = ours.errors(row.arch)
        wanted = "over" if data["smem_total"] > limit else "fits"
        _check(outcome, "verdict", wanted, "over" if OVERFLOW in errors else "fits")
        outcome.false_errors = tuple(rule for rule in errors if rule != OVERFLOW or wanted == "fits")
    return outcome


def _check(outcome: Outcome, name: str, upstream: Any, ours: Any) -> None:
    equal = upstream == ours
    outcome.checks[name] = equal
    if not equal:
        outcome.reasons[name] = _way(upstream, ours)
        outcome.details[name] = _difference(upstream, ours)


def _way(upstream: Any, ours: Any) -> str:
    if ours is None:
        return "unknown here"
    if isinstance(upstream, int) and isinstance(ours, int):
        return "too low" if ours < upstream else "too high"
    return "differs"


def _difference(upstream: Any, ours: Any) -> str:
    if isinstance(upstream, Counter) and isinstance(ours, Counter):
        return f"missing {list(upstream - ours)}, extra {list(ours - upstream)}"  # pyright: ignore[reportUnknownArgumentType]
    return f"upstream {upstream}, here {ours}"


def _allocs(rows: Iterable[Sequence[Any]]) -> Counter[object]:
    return Counter((scope, dtype, tuple(shape)) for _, scope, dtype, shape in rows)


# --- invented instances ----------------------------------------------------------------------------------------------


def sort_unmatched(
    rows: Sequence[Row], predictions: Sequence[Prediction], used: set[int]
) -> tuple[list[Prediction], list[Prediction]]:
    """The unmatched instances: (invented, uncovered). See the top of this file."""
    kernels = {(row.def_file, row.def_line) for row in rows}
    tests: dict[str, set[str | None]] = defaultdict(set)
    entries: dict[tuple[str | None, int], set[int]] = defaultdict(set)
    for row in rows:
        test = row.data["test"]
        tests[row.file].add(test.partition("[")[0] if test else None)
        if row.tune is not None:
            entries[row.def_file, row.def_line].add(row.tune[0])
    invented: list[Prediction] = []
    uncovered: list[Prediction] = []
    for index, one in enumerate(predictions):
        if index in used:
            continue
        entry_known = one.tune_index is None or one.tune_index in entries[one.path, one.line]
        root_file, root = one.root
        root_known = (root if root.startswith("test_") else None) in tests[root_file]
        covered = (one.path, one.line) in kernels and one.certain and root_known and entry_known
        (invented if covered else uncovered).append(one)
    return invented, uncovered


# --- report ----------------------------------------------------------------------------------------------------------


def share(part: int, whole: int) -> str:
    return f"{part:5d} of {whole:5d}  {100 * part / whole:6.2f} %" if whole else f"{0:5d} of {0:5d}       - "


def summary(title: str, outcomes: Sequence[Outcome], show: int) -> list[str]:
    """The figures of one set of rows and the classes of what differs."""
    matched = [one for one in outcomes if one.match is not None]
    lines = [f"{title}: {len(outcomes)} rows", f"  {'matched':16s}{share(len(matched), len(outcomes))}"]
    for name in CHECKS:
        known = [one.checks[name] for one in matched if one.checks.get(name) is not None]
        lines.append(f"  {name:16s}{share(sum(map(bool, known)), len(known))}")
    lowered = [one for one in matched if one.row.lowered]
    lines.append(f"  {'false errors':16s}{share(sum(bool(one.false_errors) for one in lowered), len(lowered))}")
    lines += _classes("  rows without an instance", [one for one in outcomes if one.match is None], _why, _where, show)
    for name in CHECKS:
        wrong = [one for one in matched if one.checks.get(name) is False]
        lines += _classes(f"  {name} differ", wrong, lambda one, name=name: one.reasons[name],
                          lambda one, name=name: f"{_where(one)}: {one.details[name]}", show)  # fmt: skip
    return lines


def _why(outcome: Outcome) -> str:
    return outcome.reason


def _where(outcome: Outcome) -> str:
    return outcome.row.label()


def _classes(
    title: str,
    outcomes: Sequence[Outcome],
    key: Callable[[Outcome], str],
    text: Callable[[Outcome], str],
    show: int,
) -> list[str]:
    """One block: how many there are of each class, and the first examples."""
    groups: dict[str, list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        groups[key(outcome)].append(outcome)
    lines = [f"{title}: {len(outcomes)}"] if outcomes else []
    for name, members in sorted(groups.items(), key=lambda item: -len(item[1])):
        lines.append(f"    {len(members):4d}  {name}")
        lines += [f"            {text(member)}" for member in members[:show]]
    return lines


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("repository", type=Path, help="a checkout of upstream's repository")
    parser.add_argument("--truth", type=Path, default=TRUTH, help="the compile results (JSON lines)")
    parser.add_argument("--file", default="", help="only rows whose file contains this text")
    parser.add_argument("--show", type=int, default=2, help="examples for each class of differences (2)")
    parser.add_argument("--json", type=Path, help="write every row's outcome to this file")
    options = parser.parse_args(arguments)

    rows = [row for row in read_rows(options.truth, options.file) if row.def_file is not None]
    rows = [row for row in rows if (options.repository / (row.def_file or "")).is_file()]
    if not rows:
        print(f"no rows for files of {options.repository}", file=sys.stderr)
        return 2
    began = time.perf_counter()
    predictor = Predictor(options.repository, ARCHS)
    files = sorted({row.file for row in rows} | {row.def_file or "" for row in rows})
    predictions = predictor.predict(files)
    spent = time.perf_counter() - began

    outcomes, used = outcomes_of(rows, predictions, predictor)
    invented, uncovered = sort_unmatched(rows, predictions, used)
    print(f"{len(files)} files analysed in {spent:.1f} s, {len(predictions)} instances")
    tiles = [one for one in outcomes if one.row.has_tiles]
    plain = [one for one in outcomes if not one.row.has_tiles]
    print(*summary("kernels with tiles", tiles, options.show), sep="\n")
    print(*summary("kernels without tiles", plain, options.show), sep="\n")
    print(f"invented instances {share(len(invented), len(predictions) - len(uncovered))}, uncovered {len(uncovered)}")
    for one in invented[: 10 * options.show]:
        print(f"    {one.path}:{one.line} {one.kernel} from {one.root[0]}:{one.root[1]} {one.origin} {one.text()}")
    print("false errors on rows that upstream lowers")
    for text, count in Counter(_false_errors(outcomes)).items():
        print(f"    {count:4d}  {text}")
    for path, message in predictor.failures.items():
        print(f"failed: {path}: {message}")
    if options.json:
        options.json.write_text(json.dumps([_record(one) for one in outcomes], indent=1))
    return 0


def outcomes_of(
    rows: Sequence[Row], predictions: Sequence[Prediction], predictor: Predictor
) -> tuple[list[Outcome], set[int]]:
    """The outcome of every row, and the indices of the instances that match one."""
    by_kernel: dict[tuple[str, int], list[int]] = defaultdict(list)
    for index, one in enumerate(predictions):
        by_kernel[one.path, one.line].append(index)
    outcomes: list[Outcome] = []
    used: set[int] = set()
    for row in rows:
        indices = by_kernel[row.def_file or "", predictor.definition_line(row.def_file or "", row.def_line)]
        candidates = [predictions[index] for index in indices]
        used.update(index for index in indices if not differing(row, predictions[index]))
        match, reason = match_row(row, candidates)
        if match is None:
            if not candidates:
                reason = f"{reason}: {predictor.status(row.def_file or '', row.def_line)}"
            outcomes.append(Outcome(row, None, reason))
        else:
            outcomes.append(compare(row, match))
    return outcomes, used


def _false_errors(outcomes: Iterable[Outcome]) -> Iterable[str]:
    for one in outcomes:
        if one.row.lowered:
            yield from (f"{rule}  {one.row.label()}" for rule in one.false_errors)


def _record(one: Outcome) -> Mapping[str, object]:
    return {
        "row": one.row.label(),
        "values": {name: repr(value) for name, value in one.row.values.items()},
        "tiles": one.row.has_tiles,
        "matched": one.match is not None,
        "reason": one.reason,
        "checks": one.checks,
        "details": one.details,
        "false_errors": one.false_errors,
    }


if __name__ == "__main__":
    sys.exit(main())
