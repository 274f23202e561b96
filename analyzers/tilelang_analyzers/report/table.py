"""Every instance and target: shared memory of a block in bytes, with ``✓`` or ``✗``.

A column is one target, headed by its budget. As many targets as fit beside the arguments share a band; the others
follow in bands of their own, where the instances are named by their numbers.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from tilelang_analyzers.report.coverage import failures, summary
from tilelang_analyzers.report.places import line_location
from tilelang_analyzers.report.style import clean, display_width, wrap
from tilelang_analyzers.report.trace import bindings_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tilelang_analyzers.report import Run
    from tilelang_analyzers.report.style import Style
    from tilelang_analyzers.results import InstanceResult, TargetResult

CELL = 10
"""Columns of a cell: a sign, a space, six digits, and a gap of two before it."""
MIN_LEFT = 28
"""Columns kept for the arguments."""

Column = tuple[str, str, "int | None"]
"""Arch, label and budget of a target."""


def render(run: Run, style: Style) -> Iterator[str]:
    instances = run.instances()
    columns = _columns(run, instances)
    per_band = max(1, (style.width - MIN_LEFT) // CELL)
    for start in range(0, len(columns), per_band):
        yield from _band(run, instances, columns[start : start + per_band], style, first=start == 0)
        yield ""
    if columns:
        signs = f"{style.tick} fits and has no error, {style.cross} does not, ? not known, - not for this target"
        yield from wrap(f"bytes of shared memory of a block: {signs}", style.width)
    yield from failures(run, style)
    yield from summary(run, style)


def _columns(run: Run, instances: list[InstanceResult]) -> list[Column]:
    """The chosen targets in the order given, else those that the files name."""
    found = {it.arch: (it.arch, it.label, it.shared_limit) for instance in instances for it in instance.targets}
    chosen = [found[arch] for arch, _ in run.targets if arch in found]
    return chosen or [found[arch] for arch in sorted(found)]


def _band(
    run: Run, instances: list[InstanceResult], columns: list[Column], style: Style, *, first: bool
) -> Iterator[str]:
    left = style.width - CELL * len(columns)
    yield (" " * left + "".join(f"{label:>{CELL}}" for _, label, _ in columns)).rstrip()
    budgets = "".join(f"{f'{budget} B' if budget is not None else 'no limit':>{CELL}}" for _, _, budget in columns)
    yield f"{'budget':<{left}}{budgets}"
    by_kernel: dict[tuple[str, int, str], list[InstanceResult]] = defaultdict(list)
    for instance in instances:
        by_kernel[instance.path, instance.line, instance.kernel].append(instance)
    for (path, line, kernel), members in by_kernel.items():
        factory = members[0].factory
        of = f" ({factory})" if factory not in ("", kernel) else ""
        yield style.paint(f"{line_location(path, line, run.sources)} {kernel}{of}", "bold")
        for number, instance in enumerate(members, 1):
            yield from _row(number, instance, columns, left, style, first=first)


def _row(
    number: int, instance: InstanceResult, columns: list[Column], left: int, style: Style, *, first: bool
) -> Iterator[str]:
    by_arch = {it.arch: it for it in instance.targets}
    cells = "".join(_cell(by_arch.get(arch), style) for arch, _, _ in columns)
    start = f" #{number} "
    lines = wrap(clean(_about(instance)) if first else "", left - 2, start, " " * len(start))
    head = next(lines)
    yield f"{head}{' ' * max(left - display_width(head), 0)}{cells}".rstrip()
    yield from lines
    archs_by_errors: dict[str, list[str]] = defaultdict(list)
    for arch, _, _ in columns:
        errors = _other_errors(by_arch.get(arch))
        if errors:
            archs_by_errors[errors].append(arch)
    for errors, archs in archs_by_errors.items():
        indent = " " * len(start)
        yield from wrap(f"{', '.join(archs)}: {errors}", style.width, f"{indent}{style.cross} ", f"{indent}  ")


def _other_errors(result: TargetResult | None) -> str:
    """The rules that found an error which the figure in the cell does not show."""
    if result is None:
        return ""
    over = (result.shared_bytes or 0) > (result.shared_limit or float("inf"))
    return ", ".join(rule for rule in result.errors if not (over and rule == "shared-memory-overflow"))


def _about(instance: InstanceResult) -> str:
    parts = (
        f"launch {instance.launch + 1}" if instance.launch else "",
        bindings_text(instance),
        "" if instance.certain else "(possible)",
        "(expected to fail)" if instance.expected_failure else "",
    )
    return " ".join(part for part in parts if part)


def _cell(result: TargetResult | None, style: Style) -> str:
    if result is None:
        return f"{'-':>{CELL}}"
    size = "?" if result.shared_bytes is None else str(result.shared_bytes)
    sign = {"ok": f"{style.tick} ", "error": f"{style.cross} ", "unknown": ""}[result.verdict]
    role = {"ok": "ok", "error": "error", "unknown": "faint"}[result.verdict]
    return " " * max(CELL - len(sign) - len(size), 0) + style.paint(sign + size, role)
