"""Agreement with upstream's compile results.

    python benchmarks/agreement.py PATH_TO_UPSTREAM_REPOSITORY [--truth FILE] [--file TEXT] [--show N] [--json FILE]

Every file that the results name is analysed once, from source. A row (one kernel instance on one target) is *matched*
if we have an instance with the same definition and the same values; what was predicted for it is then compared.

*Invented* instances are those of ours that no program makes. The results hold a sample, so an instance counts as
invented only where they would have it:

- its kernel has rows, and some start where it starts: in a test function, or in the module (what nobody called has no
  rows);
- it is certain, it holds on sm_90 (programs that ask for the target were run as on sm_90), and if a tuner's list made
  it, upstream recorded that entry of the list;
- it contradicts every row of the kernel in a value that is known here. One that only knows less than a row, or names
  its sizes by tensors where the row names them by `T.const`, is *vague*;
- the recorded run got that far. Tensors were faked, so many runs ended at the first comparison of values, and of a
  parametrised test only some parameters were run. Of the instances of one kernel and start that come after the last
  matched one, or from a parametrised test, as many count as there are rows left without an instance.

All others are *uncovered*: nobody can say. Instances with symbolic parameters stand for no call and are left out.

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
        return min(found, key=lambda one: _preference(row, one)), ""
    return None, f"values: {', '.join(sorted(fewest or ()))}"


def _preference(row: Row, one: Prediction) -> tuple[object, ...]:
    """Among instances with the same values: the one with the row's pass configs, for its target, certain."""
    configs = row.data.get("pass_configs") or {}
    other = sum(one.instance.jit.pass_config(name) != value for name, value in configs.items())
    return (
        other,
        len(one.instance.jit.pass_configs),
        one.arch not in (row.arch, None),
        one.arch is None,
        not one.certain,
    )


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
    cost, data = ours.figures(row.arch), row.data
    _check(outcome, "dynamic", data["dyn_shared_bytes"], cost.dynamic)
    total = None if cost.dynamic is None or cost.static is None else cost.dynamic + cost.static
    if row.arch in STATIC_ARCHS:
        _check(outcome, "dynamic+static", data["smem_total"], total)
    if data["threads"] is not None:
        _check(outcome, "threads", data["threads"], cost.threads)
    if data["grid"] is not None:
        _check(outcome, "grid", [extent if isinstance(extent, int) else None for extent in data["grid"]], cost.grid)
    if cost.limit is not None:
        errors = ours.errors(row.arch)
        wanted = "over" if data["smem_total"] > cost.limit else "fits"
        over = OVERFLOW in errors or (total is not None and total > cost.limit)
        _check(outcome, "verdict", wanted, "over" if over else "fits")
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
    if isinstance(upstream, Counter) and isinstance(ours, Counter):
        missing, extra = _scopes(upstream - ours), _scopes(ours - upstream)  # pyright: ignore[reportUnknownArgumentType]
        return ", ".join(part for part in (missing and f"missing {missing}", extra and f"extra {extra}") if part)
    if isinstance(ours, list) and None in ours:
        return "unknown here"
    return "differs"


def _scopes(buffers: Counter[Any]) -> str:
    return ", ".join(sorted({scope for scope, _, _ in buffers}))


def _difference(upstream: Any, ours: Any) -> str:
    if isinstance(upstream, Counter) and isinstance(ours, Counter):
        return f"missing {list(upstream - ours)}, extra {list(ours - upstream)}"  # pyright: ignore[reportUnknownArgumentType]
    return f"upstream {upstream}, here {ours}"


def _allocs(rows: Iterable[Sequence[Any]]) -> Counter[object]:
    return Counter((scope, dtype, tuple(shape)) for _, scope, dtype, shape in rows)


# --- invented instances ----------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Unmatched:
    """Our instances that match no row; see the top of this file."""

    invented: list[Prediction] = field(default_factory=list["Prediction"])
    vague: list[Prediction] = field(default_factory=list["Prediction"])
    uncovered: list[Prediction] = field(default_factory=list["Prediction"])


def sort_unmatched(
    outcomes: Sequence[Outcome], predictions: Sequence[Prediction], used: set[int], predictor: Predictor
) -> Unmatched:
    """The instances that match no row, by what that means."""
    rows: dict[tuple[str, int], list[Row]] = defaultdict(list)
    starts: dict[tuple[str, int], set[tuple[str, str]]] = defaultdict(set)
    entries: dict[tuple[str, int], set[int]] = defaultdict(set)
    left: dict[tuple[object, ...], set[str]] = defaultdict(set)
    sampled: set[tuple[str, str]] = set()
    for outcome in outcomes:
        row = outcome.row
        kernel = row.def_file or "", predictor.definition_line(row.def_file or "", row.def_line)
        test, bracket, _ = (row.data["test"] or "").partition("[")
        start = row.file, test
        if bracket:
            sampled.add(start)
        rows[kernel].append(row)
        starts[kernel].add(start)
        if row.tune is not None:
            entries[kernel].add(row.tune[0])
        if outcome.match is None:
            left[kernel, start].add(repr(sorted(row.values.items(), key=repr)))
    found = Unmatched()
    groups: dict[tuple[tuple[str, int], tuple[str, str]], list[tuple[Prediction, bool]]] = defaultdict(list)
    for index, one in enumerate(predictions):
        kernel = one.path, one.line
        recorded = one.tune_index is None or one.tune_index in entries[kernel]
        covered = one.root in starts[kernel] and one.certain and recorded and one.arch in (None, "sm_90")
        if index in used:
            groups[kernel, one.root].append((one, True))
        elif one.origin == "symbolic":
            continue
        elif not covered:
            found.uncovered.append(one)
        elif any(not contradictions(row, one) for row in rows[kernel]):
            found.vague.append(one)
        else:
            groups[kernel, one.root].append((one, False))
    for key, members in groups.items():
        matches = () if key[1] in sampled else [position for position, (_, matched) in enumerate(members) if matched]
        last = max(matches, default=-1)
        inside = [one for one, matched in members[: last + 1] if not matched]
        after = [one for one, matched in members[last + 1 :] if not matched]
        found.invented += inside + after[: len(left[key])]
        found.uncovered += after[len(left[key]) :]
    return found


def contradictions(row: Row, candidate: Prediction) -> list[str]:
    """The entries of a row that the instance knows and has otherwise."""
    return [text for text in differing(row, candidate) if text.endswith("differs")]


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
    used = [one for one in lowered if one.row.data["dyn_shared_bytes"]]
    equal = sum(bool(one.checks["dynamic"]) for one in used)
    lines.append(f"  {'dynamic, not 0':16s}{share(equal, len(used))}")
    refused = [one for one in matched if not one.row.lowered]
    noticed = sum(bool(one.match and one.row.arch and one.match.errors(one.row.arch)) for one in refused)
    lines.append(f"  {'refused, noticed':16s}{share(noticed, len(refused))}")
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
    unmatched = sort_unmatched(outcomes, predictions, used, predictor)
    print(f"{len(files)} files analysed in {spent:.1f} s, {len(predictions)} instances")
    built = [one for one in outcomes if one.row.built]
    tiles = [one for one in built if one.row.has_tiles]
    plain = [one for one in built if not one.row.has_tiles]
    failed = [one for one in outcomes if not one.row.built]
    print(*summary("kernels with tiles", tiles, options.show), sep="\n")
    print(*summary("kernels without tiles", plain, options.show), sep="\n")
    counted = len(used) + len(unmatched.invented) + len(unmatched.vague)
    matched = sum(one.match is not None for one in failed)
    print(f"kernels that upstream could not build: {len(failed)} rows, {matched} of them matched")
    print(f"invented instances {share(len(unmatched.invented), counted)}, vague {len(unmatched.vague)}, "
          f"uncovered {len(unmatched.uncovered)}")  # fmt: skip
    for one in unmatched.invented[: 10 * options.show]:
        print(f"    {one.path}:{one.line} {one.kernel} from {one.root[0]}:{one.root[1] or 'module'} {one.origin}")
        print(f"        {' '.join(one.text().split())[:110]}")
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
