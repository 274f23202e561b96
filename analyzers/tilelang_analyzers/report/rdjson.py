"""The diagnostic format of reviewdog (rdjson). Fixes become suggestions, which reviewdog can offer in a review.

Columns count UTF-8 bytes from 1, as the format asks. Notes with a place are related locations, the others lines of the
message.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilelang_analyzers.report.edits import file_edits, merged, place_of, text_of_file
from tilelang_analyzers.report.escape import json_text
from tilelang_analyzers.report.places import display_path, file_place
from tilelang_analyzers.report.remarks import advice, in_cell, message_in_file, trouble
from tilelang_analyzers.report.style import clean

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tilelang.diagnostics import Diagnostic, Fix
    from tilelang.ir.span import Span
    from tilelang_analyzers.report import Run
    from tilelang_analyzers.report.places import Place
    from tilelang_analyzers.report.style import Style
    from tilelang_analyzers.sources import Sources


def render(run: Run, style: Style) -> Iterator[str]:
    diagnostics = [
        *(_diagnostic(finding, run.sources) for finding in run.findings()),
        *(_trouble(*found) for found in trouble(run)),
    ]
    yield json_text({"source": {"name": "tilelang-check"}, "diagnostics": diagnostics})


def _diagnostic(finding: Diagnostic, sources: Sources) -> dict[str, Any]:
    here = file_place(finding.span, sources)
    suggestions = _suggestions(finding.fix, here.path, sources)
    related = [_related(note.message, note.span, sources) for note in finding.notes if note.span]
    return {
        "message": "\n".join((message_in_file(finding, sources), *advice(finding))),
        "location": {"path": display_path(here.path), "range": _range(here, sources)},
        "severity": finding.severity.label.upper(),
        "code": {"value": finding.rule},
        **({"suggestions": suggestions} if suggestions else {}),
        **({"related_locations": related} if related else {}),
    }


def _related(text: str, span: Span, sources: Sources) -> dict[str, Any]:
    here = file_place(span, sources)
    return {
        "message": f"{in_cell(span, sources)}{clean(text)}",
        "location": {"path": display_path(here.path), "range": _range(here, sources)},
    }


def _suggestions(fix: Fix | None, path: str, sources: Sources) -> list[dict[str, Any]]:
    """The fix as one suggestion, since suggestions are taken one by one; none for a fix of another file."""
    edit = merged(file_edits(fix, sources), sources)
    if edit is None or edit.path != path:
        return []
    return [{"range": _range(place_of(edit, sources), sources), "text": edit.text}]


def _range(here: Place, sources: Sources) -> dict[str, Any]:
    file = text_of_file(here.path, sources)
    return {
        "start": {"line": here.line, "column": file.byte_column(here.line, here.column - 1) + 1},
        "end": {"line": here.end_line, "column": file.byte_column(here.end_line, here.end_column - 1) + 1},
    }


def _trouble(path: str, rule: str, text: str) -> dict[str, Any]:
    return {
        "message": text,
        "location": {"path": display_path(path)},
        "severity": "ERROR",
        "code": {"value": rule},
    }
