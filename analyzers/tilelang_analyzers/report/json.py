"""The report for machines; `docs/json-schema/report.schema.json` describes it.

Lines and columns count from 1, columns in characters; the end of a range is exclusive. Everything has a fixed order, so
the same input gives the same bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilelang import __version__
from tilelang_analyzers.report.coverage import kernels_of
from tilelang_analyzers.report.escape import json_text
from tilelang_analyzers.report.places import display_path, place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tilelang.diagnostics import Diagnostic, Fix
    from tilelang.ir.span import Span
    from tilelang_analyzers.report import Run
    from tilelang_analyzers.report.style import Style
    from tilelang_analyzers.results import InstanceResult, LayoutsResult, StatementResult, TargetResult
    from tilelang_analyzers.sources import Sources

SCHEMA_VERSION = 1
"""Raised when a key changes its meaning or goes away; new keys do not raise it."""


def render(run: Run, style: Style) -> Iterator[str]:
    yield json_text(document(run))


def document(run: Run) -> dict[str, Any]:
    """The report as JSON data."""
    report: dict[str, Any] = {
        "version": SCHEMA_VERSION,
        "tool": {"name": "tilelang-check", "version": __version__},
        "targets": [{"target": arch, "label": label} for arch, label in run.targets],
        "findings": [finding_data(finding, run.sources) for finding in run.findings()],
        "instances": [_instance(instance, run.sources) for instance in run.instances()],
        "coverage": coverage_data(run),
        "failures": [
            *(failure_data(path, message, internal=False) for path, message in run.unreadable),
            *(
                failure_data(it.path, it.failure.message, internal=it.failure.internal)
                for it in run.files
                if it.failure
            ),
        ],
    }
    if run.trace:
        report["traces"] = [
            {"message": it.message, **_range(it.span, run.sources)} for file in run.files for it in file.traces
        ]
    return report


def failure_data(path: str, message: str, *, internal: bool) -> dict[str, Any]:
    """A file that could not be checked."""
    return {"path": display_path(path), "message": message, "internal": internal}


def finding_data(finding: Diagnostic, sources: Sources) -> dict[str, Any]:
    """One finding."""
    return {
        "rule": finding.rule,
        "severity": finding.severity.label,
        **_range(finding.span, sources),
        "message": finding.message,
        "targets": list(finding.targets),
        "notes": [
            {"message": note.message, **(_range(note.span, sources) if note.span else {})} for note in finding.notes
        ],
        "fix": _fix(finding.fix, sources) if finding.fix else None,
        "data": dict(finding.data),
    }


def _range(span: Span, sources: Sources) -> dict[str, Any]:
    """A place. In a notebook ``cell`` counts its cells from 1 and lines count in the cell; else it is left out."""
    here = place(span, sources)
    return {
        "path": display_path(here.path),
        **({"cell": here.cell} if here.cell else {}),
        "line": here.line,
        "column": here.column,
        "end_line": here.end_line,
        "end_column": here.end_column,
    }


def _fix(fix: Fix, sources: Sources) -> dict[str, Any]:
    edits = [{**_range(edit.span, sources), "text": edit.text} for edit in fix.edits]
    return {"title": fix.title, "safe": fix.safe, "edits": edits}


def _line(path: str, line: int, sources: Sources) -> dict[str, Any]:
    """A line, with the cell if the file is a notebook."""
    cell, line = sources.locate(path, line)
    return {**({"cell": cell} if cell else {}), "line": line}


def _instance(instance: InstanceResult, sources: Sources) -> dict[str, Any]:
    return {
        "path": display_path(instance.path),
        "kernel": instance.kernel,
        **_line(instance.path, instance.line, sources),
        "factory": instance.factory,
        **{f"factory_{key}": it for key, it in _line(instance.path, instance.factory_line, sources).items()},
        "style": instance.style,
        "origin": instance.origin,
        "launch": instance.launch,
        "bindings": dict(instance.bindings),
        "closure": dict(instance.closure),
        "call_chain": [
            {"function": link.function, "path": display_path(link.path), **_line(link.path, link.line, sources)}
            for link in instance.chain
        ],
        "certainty": "certain" if instance.certain else "possible",
        "expected_failure": instance.expected_failure,
        "grid": list(instance.grid),
        "threads": list(instance.threads),
        "targets": [_target(result, sources) for result in instance.targets],
    }


def _target(result: TargetResult, sources: Sources) -> dict[str, Any]:
    return {
        "target": result.arch,
        "label": result.label,
        "threads": result.threads,
        "shared_memory": {
            "bytes": result.shared_bytes,
            "dynamic_bytes": result.dynamic_bytes,
            "static_bytes": result.static_bytes,
            "limit": result.shared_limit,
            "buffers": [
                {
                    "name": it.name,
                    "kind": it.kind,
                    "bytes": it.bytes,
                    "copies": it.copies,
                    "path": display_path(it.path) if it.path else None,
                    **(_line(it.path, it.line, sources) if it.path and it.line else {"line": None}),
                }
                for it in result.buffers
            ],
        },
        "registers": result.registers,
        "occupancy": {"blocks_per_sm": result.blocks_per_sm, "limiter": result.limiter or None},
        "verdict": result.verdict,
        "errors": list(result.errors),
        **({} if result.layouts is None else {"layouts": layouts_data(result.layouts, sources)}),
        **({} if result.compiled is None else {"compiled": result.compiled._asdict()}),
    }


def layouts_data(layouts: LayoutsResult, sources: Sources) -> dict[str, Any]:
    """The layouts of one launch on one target."""
    return {
        "buffers": [
            {
                "name": it.name,
                "scope": it.scope,
                "dtype": it.dtype,
                "path": display_path(it.path) if it.path else None,
                **(_line(it.path, it.line, sources) if it.path and it.line else {"line": None}),
                "shape": list(it.shape),
                "axes": list(it.axes),
                "thread": it.thread,
                "index": list(it.places),
                "extents": list(it.extents),
                "copies": it.copies,
                **({} if it.thread is None else {"first_thread": it.first_thread, "threads": it.threads}),
                "swizzle_bytes": it.swizzle or None,
                "partial": it.reduced,
                "asked_by": _statement(it.asked, sources),
                "derived_from": it.source,
            }
            for it in layouts.buffers
        ],
        "loops": [
            {
                "statement": _statement(it.statement, sources),
                "shape": list(it.shape),
                "axes": list(it.axes),
                "thread": it.thread,
                "index": list(it.places),
                "extents": list(it.extents),
                "copies": it.copies,
                "first_thread": it.first_thread,
                "threads": it.threads,
            }
            for it in layouts.loops
        ],
        "unknown": list(layouts.unknown),
        "conflict": None
        if layouts.conflict is None
        else {
            "reason": layouts.conflict.reason,
            "buffer": layouts.conflict.buffer,
            "other": layouts.conflict.other,
            "statement": _statement(layouts.conflict.statement, sources),
            "certain": layouts.conflict.certain,
        },
    }


def _statement(statement: StatementResult | None, sources: Sources) -> dict[str, Any] | None:
    if statement is None or not statement.path:
        return None
    where = _line(statement.path, statement.line, sources)
    return {"text": statement.text, "path": display_path(statement.path), **where}


def coverage_data(run: Run) -> dict[str, Any]:
    """What was checked and what was not."""
    kernels = kernels_of(run)
    states = [kernel.state for kernel in kernels]
    return {
        "files": len(run.files),
        "files_with_tilelang": sum(file.uses_tilelang for file in run.files),
        "kernels": len(kernels),
        "checked": states.count("checked"),
        "partly": states.count("partly"),
        "unchecked": states.count("unchecked"),
        "assumed_targets": sorted({file.assumed_target for file in run.files if file.assumed_target}),
        "by_kernel": [
            {
                "path": display_path(it.path),
                **_line(it.path, it.line, run.sources),
                "kernel": it.name,
                "state": it.state,
                "instances": it.instances,
                "certain": it.certain,
                "reason": it.reason or None,
            }
            for it in kernels
        ],
    }
