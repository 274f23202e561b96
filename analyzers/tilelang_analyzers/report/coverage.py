"""The last lines of every text report: what was checked, what was not and why, and how many findings there are.

"No findings" about something that was not checked must be impossible to misread.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from tilelang.diagnostics import Severity
from tilelang_analyzers.report.places import shown_path
from tilelang_analyzers.report.style import Style, clean, wrap

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tilelang_analyzers.report import Run
    from tilelang_analyzers.results import KernelResult

REASONS_SHOWN = 3


def failures(run: Run, style: Style) -> Iterator[str]:
    """One line for each file that could not be checked."""
    for path, message in run.unreadable:
        yield from wrap(clean(message), style.width, style.paint("error", "error") + f": {shown_path(path)}: ")
    for file in run.files:
        if file.failure is None:
            continue
        kind = "internal error" if file.failure.internal else "error"
        start = style.paint(kind, "error") + f": {shown_path(file.path)}: "
        yield from wrap(clean(file.failure.message), style.width, start)
        if file.failure.internal:
            text = "a bug of the checker: please report it with the output of --debug"
            yield from wrap(text, style.width, "  ")
        if run.debug and file.failure.detail:
            yield from (f"  {line}" for line in file.failure.detail.splitlines())


def summary(run: Run, style: Style) -> Iterator[str]:
    """Findings, coverage, and the target if it was assumed."""
    yield from wrap(_findings(run, style), style.width)
    yield from wrap(coverage(run), style.width)
    assumed = sorted({file.assumed_target for file in run.files if file.assumed_target})
    if assumed:
        yield from wrap(
            f"checked for {', '.join(assumed)}, since nothing names a target (--target chooses)", style.width
        )


def _findings(run: Run, style: Style) -> str:
    counts = {severity: run.count(severity) for severity in (Severity.ERROR, Severity.WARNING, Severity.INFO)}
    parts = [
        style.paint(f"{count} {_plural(severity.label, count, invariant='info')}", severity.label)
        for severity, count in counts.items()
        if count
    ]
    return ", ".join(parts) if parts else "0 findings"


def coverage(run: Run) -> str:
    """``12 kernels in 5 files: 10 checked, 1 partly, 1 not checked (no caller gives its arguments)``."""
    users = [file for file in run.files if file.uses_tilelang]
    kernels = kernels_of(run)
    n_files = len(run.files)
    if not n_files:
        return "no Python files found"
    if not users:
        subject = "the file does not use" if n_files == 1 else f"none of {n_files} files uses"
        return f"nothing checked: {subject} TileLang"
    if not kernels:
        return f"no kernels in {_count('file', len(users))} with TileLang: nothing checked"
    states = Counter(kernel.state for kernel in kernels)
    parts = [f"{states['checked']} checked"]
    if states["partly"]:
        parts.append(f"{states['partly']} partly{_why(kernels, 'partly')}")
    if states["unchecked"]:
        parts.append(f"{states['unchecked']} not checked{_why(kernels, 'unchecked')}")
    return f"{_count('kernel', len(kernels))} in {_count('file', len(users))}: {', '.join(parts)}"


def kernels_of(run: Run) -> list[KernelResult]:
    """Every kernel definition once, in the order of files and lines. What its own file says of it counts first."""
    kernels: dict[tuple[str, int], KernelResult] = {}
    for file in run.files:
        for it in file.kernels:
            if it.path == file.path:
                kernels[it.path, it.line] = it
            else:
                kernels.setdefault((it.path, it.line), it)
    return [kernels[key] for key in sorted(kernels)]


def _why(kernels: list[KernelResult], state: str) -> str:
    reasons = Counter(it.reason for it in kernels if it.state == state and it.reason)
    shown = reasons.most_common(REASONS_SHOWN)
    if not shown:
        return ""
    if len(shown) == 1:
        return f" ({shown[0][0]})"
    texts = [f"{count}: {reason}" for reason, count in shown]
    return f" ({'; '.join(texts)}{'; …' if len(reasons) > len(shown) else ''})"


def _count(noun: str, count: int) -> str:
    return f"{count} {_plural(noun, count)}"


def _plural(noun: str, count: int, invariant: str = "") -> str:
    return noun if count == 1 or noun == invariant else f"{noun}s"
