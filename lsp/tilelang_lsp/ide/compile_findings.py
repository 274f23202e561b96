"""What the compilers complain about, and what they spill, as findings at the lines of the newest text.

A result counts as long as the program is the same: once the text changes it, what was said of the old one goes.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tilelang.diagnostics import Diagnostic, Note, Severity
from tilelang.ir.span import Span
from tilelang_lsp.ide.generated import is_current, kernel_named, lines_now
from tilelang_lsp.ide.verdicts import results_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tilelang.backends.artifact import DeviceKernel
    from tilelang.ir.problem import Problem
    from tilelang_lsp.compiles import Compiled
    from tilelang_lsp.session import Snapshot

ERROR, UNSUPPORTED, SPILL = "compile-error", "not-compiled", "register-spill"
MAX_PLACES = 5
"""Lines with spills that a finding names, the worst ones."""


def compile_findings(snapshot: Snapshot) -> tuple[Diagnostic, ...]:
    """The findings of all results of a file, those that several targets share once."""
    merged: dict[object, Diagnostic] = {}
    for key, compiled in snapshot.compiled.items():
        if key.path != snapshot.file.path or not is_current(snapshot, compiled):
            continue
        for finding in _of_result(snapshot, compiled):
            same = (finding.rule, finding.message, finding.span)
            known = merged.get(same)
            targets = tuple(dict.fromkeys((*(known.targets if known else ()), *finding.targets)))
            merged[same] = replace(known or finding, targets=targets)
    return tuple(sorted(merged.values(), key=lambda each: (each.span.line, each.rule, each.message)))


def _of_result(snapshot: Snapshot, compiled: Compiled) -> Iterator[Diagnostic]:
    lines = lines_now(snapshot, compiled)
    place = _header(snapshot, compiled)
    if not _is_known_wrong(snapshot, compiled):
        for problem in compiled.problems:
            yield _complaint(snapshot, compiled, problem, lines, place)
    if compiled.outcome.artifact is not None:
        for function in compiled.outcome.artifact.kernels:
            stores, loads = function.resources.spill_stores or 0, function.resources.spill_loads or 0
            if stores or loads:
                yield _spill(snapshot, compiled, function, lines, place)


def _is_known_wrong(snapshot: Snapshot, compiled: Compiled) -> bool:
    """Whether the checker has said already why the program cannot be compiled."""
    analysis = snapshot.analysis
    kernel = kernel_named(analysis, compiled.wanted.key.kernel) if analysis is not None else None
    if analysis is None or kernel is None:
        return False
    results = results_of(analysis, kernel, compiled.wanted.key.instance)
    return any(each.verdict == "error" for row in results for each in row if each.arch == compiled.wanted.key.arch)


def _complaint(
    snapshot: Snapshot, compiled: Compiled, problem: Problem, lines: Mapping[int, int], header: Span
) -> Diagnostic:
    message = str(problem.data.get("message", problem.kind))
    arch = compiled.wanted.key.arch
    rule, severity, notes = ERROR, Severity.ERROR, ()
    if problem.data.get("unsupported"):
        rule, severity, message = UNSUPPORTED, Severity.INFO, f"not compiled: {message}"
    elif any(problem.data.get(kind) for kind in ("internal", "crash", "timeout")):
        rule, severity = UNSUPPORTED, Severity.WARNING
        notes = (Note("this is a bug of the compiler, not of the kernel"),)
    code = problem.data.get("code")
    if code:
        notes = (Note(f"in `{code}`"),)
    return Diagnostic(rule, severity, message, _placed(snapshot, problem.span, lines, header), notes, targets=(arch,))


def _spill(
    snapshot: Snapshot, compiled: Compiled, function: DeviceKernel, lines: Mapping[int, int], header: Span
) -> Diagnostic:
    cost, arch = function.resources, compiled.wanted.key.arch
    size = (cost.spill_stores or 0) + (cost.spill_loads or 0)
    message = (
        f"{size} B of each thread are spilled to local memory ({cost.spill_stores or 0} B stored, "
        f"{cost.spill_loads or 0} B loaded): {cost.registers} registers are not enough on {arch}"
    )
    listing = compiled.code
    worst: list[tuple[int, int]] = []
    if listing is not None:
        for place in listing.mapped_places:
            count = listing.mix_of(place.path, place.line).classes.get("local", 0)
            if count and place.path == snapshot.file.path and place.line in lines:
                worst.append((count, lines[place.line]))
    notes = tuple(
        Note(f"{count} loads and stores of spilled registers", _whole_line(snapshot, line))
        for count, line in sorted(worst, reverse=True)[:MAX_PLACES]
    )
    data = {"stores": cost.spill_stores, "loads": cost.spill_loads, "registers": cost.registers}
    return Diagnostic(SPILL, Severity.WARNING, message, header, notes, targets=(arch,), data=data)


def _header(snapshot: Snapshot, compiled: Compiled) -> Span:
    """The line of the kernel's ``def``."""
    analysis = snapshot.analysis
    kernel = kernel_named(analysis, compiled.wanted.key.kernel) if analysis is not None else None
    return _whole_line(snapshot, kernel.line if kernel is not None else compiled.wanted.line)


def _placed(snapshot: Snapshot, span: Span, lines: Mapping[int, int], header: Span) -> Span:
    """A place of the compiled text in the newest one. What has no place in the file is shown at the ``def``, and so
    is what is about the kernel as a whole: nobody wants all of it underlined."""
    line = lines.get(span.line) if span.path == snapshot.file.path else None
    if line is None or (span.end_line and span.end_line - span.line > 2):
        return header
    if span.end_line != span.line or span.end_col <= span.col:
        return _whole_line(snapshot, line)
    return Span(snapshot.file.path, line, span.col, line, span.end_col)


def _whole_line(snapshot: Snapshot, line: int) -> Span:
    """A line without its indentation."""
    line = min(max(line, 1), snapshot.file.source.line_count)
    text = snapshot.file.source.line_text(line)
    start = len(text) - len(text.lstrip())
    return Span(snapshot.file.path, line, start, line, len(text.rstrip().encode()))
