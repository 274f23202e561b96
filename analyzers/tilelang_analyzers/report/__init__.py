"""Reports: one module per format, each with ``render(run, style) -> Iterator[str]`` that gives whole lines.

A renderer reads results only; it knows nothing of rules, IR or the evaluator.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from tilelang.diagnostics import Severity
from tilelang_analyzers.exit_codes import CLEAN, FINDINGS, TROUBLE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tilelang.diagnostics import Diagnostic
    from tilelang_analyzers.report.style import Style
    from tilelang_analyzers.results import FileReport, InstanceResult
    from tilelang_analyzers.sources import Sources

FORMATS = (
    "full",
    "concise",
    "grouped",
    "table",
    "json",
    "json-lines",
    "sarif",
    "github",
    "gitlab",
    "junit",
    "rdjson",
    "pylint",
    "azure",
    "markdown",
)
"""The names that ``--format`` and ``--output`` take."""
WITH_INSTANCES = ("json", "table")
"""Formats that show instances, which a run need not keep otherwise."""


@dataclass(frozen=True, slots=True)
class Run:
    """One run of the checker. ``files`` are sorted by path; ``unreadable`` are (path, message); ``targets`` are the
    chosen targets as (arch, label), empty if nobody chose. ``exit_zero``: findings do not fail the run."""

    files: tuple[FileReport, ...]
    sources: Sources
    unreadable: tuple[tuple[str, str], ...] = ()
    targets: tuple[tuple[str, str], ...] = ()
    trace: bool = False
    debug: bool = False
    exit_zero: bool = False

    def findings(self) -> list[Diagnostic]:
        """All findings, in the order of files; what two files both report is there once."""
        seen: set[tuple[object, ...]] = set()
        every = (finding for file in self.files for finding in file.findings)
        return in_order(it for it in every if identity(it) not in seen and not seen.add(identity(it)))

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
    def exit_code(self) -> int:
        """0 without errors and warnings, 1 with some, 2 if something could not be checked."""
        if self.failed:
            return TROUBLE
        bad = self.count(Severity.ERROR) or self.count(Severity.WARNING)
        return FINDINGS if bad and not self.exit_zero else CLEAN

    @property
    def failed(self) -> bool:
        """Whether something could not be checked at all."""
        return bool(self.unreadable) or any(file.failure for file in self.files)


def _identity(it: InstanceResult) -> tuple[object, ...]:
    archs = tuple(result.arch for result in it.targets)
    return (it.path, it.line, it.launch, it.origin, repr(it.bindings), repr(it.closure), archs)


def identity(finding: Diagnostic) -> tuple[object, ...]:
    """Equal for findings that are the same one, though two files report them."""
    return (finding.rule, finding.span.path, finding.span.line, finding.span.col, finding.message)


def in_order(findings: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Findings by place, then by rule and message."""
    return sorted(findings, key=lambda it: (it.span.path, it.span.line, it.span.col, it.rule, it.message))


def render(name: str, run: Run, style: Style) -> Iterator[str]:
    """The lines of a report in one of ``FORMATS``."""
    module = import_module(f"tilelang_analyzers.report.{name.replace('-', '_')}")
    return module.render(run, style)
