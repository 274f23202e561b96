"""Findings as LSP diagnostics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.uris import from_fs_path

from tilelang.diagnostics import Severity
from tilelang_lsp.pages import rule_page

if TYPE_CHECKING:
    from tilelang.diagnostics import Diagnostic
    from tilelang.ir.span import Span
    from tilelang_analyzers.sources import Sources

SOURCE = "tilelang"

_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.INFO: types.DiagnosticSeverity.Information,
}


def to_diagnostic(finding: Diagnostic, sources: Sources, encoding: str, *, related: bool = True) -> types.Diagnostic:
    """One finding. Notes with a place become related information if the client has it, else lines of the message; notes
    without one are lines of the message."""
    lines = [finding.message]
    places: list[types.DiagnosticRelatedInformation] = []
    for note in finding.notes:
        uri = from_fs_path(note.span.path) if note.span else None
        if note.span is None or uri is None or not related:
            lines.append(note.message)
        else:
            location = types.Location(uri, to_range(note.span, sources, encoding))
            places.append(types.DiagnosticRelatedInformation(location, note.message))
    if finding.targets:
        lines.append(f"on {', '.join(finding.targets)}")
    page = from_fs_path(rule_page(finding.rule))
    return types.Diagnostic(
        range=to_range(finding.span, sources, encoding),
        message="\n".join(lines),
        severity=_SEVERITIES[finding.severity],
        code=finding.rule,
        code_description=types.CodeDescription(page) if page else None,
        source=SOURCE,
        tags=[types.DiagnosticTag.Unnecessary] if finding.rule in ("unused-buffer", "unused-suppression") else None,
        related_information=places or None,
        data={"targets": list(finding.targets), **dict(finding.data)},
    )


def to_range(span: Span, sources: Sources, encoding: str) -> types.Range:
    """A span in the units that client and server agreed on."""
    return types.Range(
        _position(span.path, span.line, span.col, sources, encoding),
        _position(span.path, span.end_line, span.end_col, sources, encoding),
    )


def _position(path: str, line: int, column: int, sources: Sources, encoding: str) -> types.Position:
    file = sources.file(path)
    if encoding == types.PositionEncodingKind.Utf32.value:
        column = file.char_column(line, column)
    elif encoding != types.PositionEncodingKind.Utf8.value:
        column = file.utf16_column(line, column)
    return types.Position(max(line - 1, 0), column)
