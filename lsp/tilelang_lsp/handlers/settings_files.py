"""Settings that cannot be used are shown in the file that has them, not in a popup."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types

if TYPE_CHECKING:
    from tilelang_lsp.analysis import Analysis
    from tilelang_lsp.server import Server

FILE_NAME = "pyproject.toml"
_WORD = re.compile(r"[`']([^`']+)[`']")


def show(ls: Server, analysis: Analysis) -> None:
    """Publish the problem of a settings file that kept a file from being checked, or take it back."""
    failure = analysis.report.failure
    path, _, message = failure.message.partition(": ") if failure is not None else ("", "", "")
    bad = path if path.endswith(FILE_NAME) and failure is not None and not failure.internal else ""
    for known in [each for each in ls.bad_settings if _is_above(each, analysis.file.path) and each != bad]:
        ls.bad_settings.discard(known)
        _publish(ls, known, [])
    if bad:
        ls.bad_settings.add(bad)
        where = _place(bad, message)
        _publish(ls, bad, [types.Diagnostic(where, message, types.DiagnosticSeverity.Error, source="tilelang")])


def _publish(ls: Server, path: str, diagnostics: list[types.Diagnostic]) -> None:
    ls.text_document_publish_diagnostics(types.PublishDiagnosticsParams(ls.uris.uri(path), diagnostics))


def _is_above(settings: str, path: str) -> bool:
    return Path(settings).parent in Path(path).parents


def _place(path: str, message: str) -> types.Range:
    """The line that has the first quoted word of a message, else the start of the file."""
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        lines = []
    for word in _WORD.findall(message):
        for number, line in enumerate(lines):
            column = line.find(word)
            if column >= 0 and line[:column].isascii():
                return types.Range(types.Position(number, column), types.Position(number, column + len(word)))
    return types.Range(types.Position(0, 0), types.Position(0, 0))
