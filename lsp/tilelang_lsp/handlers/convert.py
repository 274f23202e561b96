"""Findings and edits as LSP data."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.uris import from_fs_path

from tilelang.diagnostics import Severity
from tilelang_lsp.handlers.place import location_of, range_of, uri_of
from tilelang_lsp.pages import rule_page

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tilelang.diagnostics import Diagnostic, Edit
    from tilelang_lsp.files import SourceFile
    from tilelang_lsp.server import Server

SOURCE = "tilelang"

_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.INFO: types.DiagnosticSeverity.Information,
}
_UNNECESSARY = frozenset(("unused-buffer", "unused-suppression", "autotune-unknown-key"))


def to_diagnostic(ls: Server, finding: Diagnostic, file: SourceFile) -> types.Diagnostic:
    """One finding. Notes with a place become related information if the client has it, else lines of the message; notes
    without one are lines of the message. ``data`` holds the figures, the targets and the fix."""
    lines = [finding.message]
    places: list[types.DiagnosticRelatedInformation] = []
    for note in finding.notes:
        if note.span is None or not ls.client.shows_related_information:
            lines.append(note.message)
        else:
            places.append(types.DiagnosticRelatedInformation(location_of(ls, note.span), note.message))
    if finding.targets:
        lines.append(f"on {', '.join(finding.targets)}")
    page = from_fs_path(rule_page(finding.rule))
    data: dict[str, object] = {"targets": list(finding.targets), **dict(finding.data)}
    if finding.fix is not None:
        edits = [
            {"uri": uri_of(ls, edit.span.path, edit.span.line, file), "range": _plain(ls, edit), "newText": edit.text}
            for edit in finding.fix.edits
        ]
        data["fix"] = {"title": finding.fix.title, "safe": finding.fix.safe, "edits": edits}
    return types.Diagnostic(
        range=range_of(ls, finding.span, file),
        message="\n".join(lines),
        severity=_SEVERITIES[finding.severity],
        code=finding.rule,
        code_description=types.CodeDescription(page) if page else None,
        source=SOURCE,
        tags=_tags(finding) if ls.client.shows_tags else None,
        related_information=places or None,
        data=data,
    )


def _tags(finding: Diagnostic) -> list[types.DiagnosticTag] | None:
    if finding.rule in _UNNECESSARY:
        return [types.DiagnosticTag.Unnecessary]
    removed = finding.rule == "unknown-name" and finding.data.get("removed")
    return [types.DiagnosticTag.Deprecated] if removed else None


def _plain(ls: Server, edit: Edit) -> dict[str, object]:
    found = range_of(ls, edit.span)
    return {
        "start": {"line": found.start.line, "character": found.start.character},
        "end": {"line": found.end.line, "character": found.end.character},
    }


def to_workspace_edit(ls: Server, edits: Iterable[Edit]) -> types.WorkspaceEdit:
    """Edits by document, cells of notebooks included."""
    changes: dict[str, list[types.TextEdit]] = defaultdict(list)
    for edit in edits:
        uri = uri_of(ls, edit.span.path, edit.span.line)
        changes[uri].append(types.TextEdit(range_of(ls, edit.span), edit.text))
    return types.WorkspaceEdit(changes=dict(changes))
