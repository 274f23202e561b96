"""Reports: one module per format, each with ``render(run, style) -> Iterator[str]`` that gives whole lines.

A renderer reads results only; it knows nothing of rules, IR or the evaluator.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tilelang.diagnostics import Diagnostic, Severity
    from tilelang_analyzers.report.style import Style
    from tilelang_analyzers.results import FileReport, InstanceResult
    from tilelang_analyzers.sources import Sources

FORMATS = ("full", "concise", "json", "table")


@dataclass(frozen=True, slots=True)
class Run:
    """One run of the checker. ``files`` are sorted by path; ``unreadable`` are (path, message); ``targets`` are the
    chosen targets as (arch, label), empty if nobody chose."""

    files: tuple[FileReport, ...]
    sources: Sources
    unreadable: tuple[tuple[str, str], ...] = ()
    targets: tuple[tuple[str, str], ...] = ()
    trace: bool = False
    debug: bool = False

    def findings(self) -> list[Diagnostic]:
        """All findings, in the order of files; what two files both report is there once."""
        seen: set[tuple[object, ...]] = set()
        found: list[Diagnostic] = []
        for file in self.files:
            for finding in file.findings:
                key = (finding.rule, finding.span.path, finding.span.line, finding.span.col, finding.message)
                if key not in seen:
                    seen.add(key)
                    found.append(finding)
        return sorted(found, key=lambda item: (item.span.path, item.span.line, item.span.col, item.rule, item.message))

    def instances(self) -> list[InstanceResult]:
        """All instances. One that both its kernel's file and its caller's file report is there once, as the kernel's
        file has it."""
        own = [it for file in self.files for it in file.instances if it.path == file.path]
        called = [it for file in self.files for it in file.instances if it.path != file.path]
        seen = {_identity(it) for it in own}
        return [*own, *(it for it in called if _identity(it) not in seen and not seen.add(_identity(it)))]

    def count(self, severity: Severity) -> int:
        return sum(finding.severity == severity for finding in self.findings())

    @property
    def failed(self) -> bool:
        """Whether something could not be checked at all."""
        return bool(self.unreadable) or any(file.failure for file in self.files)


def _identity(it: InstanceResult) -> tuple[object, ...]:
    archs = tuple(result.arch for result in it.targets)
    return (it.path, it.line, it.launch, it.origin, repr(it.bindings), repr(it.closure), archs)


def render(name: str, run: Run, style: Style) -> Iterator[str]:
    """The lines of a report in one of ``FORMATS``."""
    module = import_module(f"tilelang_analyzers.report.{name}")
    return module.render(run, style)
