"""Findings, pushed to clients that wait for them and handed to clients that ask."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types
from lsprotocol.converters import get_converter
from pygls.exceptions import JsonRpcException

from tilelang import __version__
from tilelang.frontend.cancellation import Cancellation
from tilelang_lsp.handlers import settings_files, status
from tilelang_lsp.handlers.convert import to_diagnostic
from tilelang_lsp.handlers.place import uri_of
from tilelang_lsp.handlers.progress import Progress
from tilelang_lsp.ide.compile_findings import compile_findings
from tilelang_lsp.session import findings_of

if TYPE_CHECKING:
    from tilelang.diagnostics import Diagnostic
    from tilelang_lsp.analysis import Analysis
    from tilelang_lsp.server import Server


def register(server: Server) -> None:
    options = types.DiagnosticOptions(inter_file_dependencies=True, workspace_diagnostics=True, identifier="tilelang")
    server.feature(types.TEXT_DOCUMENT_DIAGNOSTIC, options)(document_diagnostic)
    server.feature(types.WORKSPACE_DIAGNOSTIC)(workspace_diagnostic)


# --- push ---------------------------------------------------------------------------------------------------------


def finished(ls: Server, analysis: Analysis) -> None:
    """Show the findings of a new analysis, and have other files checked that rest on this one."""
    failure = analysis.report.failure
    if failure is not None:
        text = f"{analysis.file.path}: {failure.message}\n{failure.detail}".rstrip()
        ls.window_log_message(types.LogMessageParams(types.MessageType.Error, text))
    settings_files.show(ls, analysis)
    if not ls.client.pulls_diagnostics:
        publish_all(ls, analysis)
    stale = False
    for path in ls.session.dependents(analysis.file.path):
        other, known = ls.session.workspace.open[path], ls.session.analyses[path]
        if ls.checked_with.get(path, {}).get(analysis.file.path) is not analysis.file:
            ls.checked_with.setdefault(path, {})[analysis.file.path] = analysis.file
            if known.file is other:
                ls.scheduler.touch(other, ls.session.options.debounce)
                stale = True
    if stale:
        ask_again(ls)


def publish_all(ls: Server, analysis: Analysis) -> None:
    """Show all findings of a file."""
    for uri, diagnostics in by_document(ls, analysis).items():
        publish(ls, uri, analysis.file.version, diagnostics)


def ask_again(ls: Server) -> None:
    """Have a client that pulls ask again: findings may have changed in files that nobody edits. It asks by itself for
    what it edits, and each answer waits for the check that is under way."""
    if ls.client.pulls_diagnostics and ls.client.refreshes_diagnostics:
        status.in_background(status.asked(ls.workspace_diagnostic_refresh_async(None)))


def by_document(ls: Server, analysis: Analysis) -> dict[str, list[types.Diagnostic]]:
    """The findings of a file; of a notebook, by cell, cells without findings included."""
    file = analysis.file
    found: dict[str, list[types.Diagnostic]] = {cell.uri: [] for cell in file.cells}
    if not file.cells:
        found[ls.uris.uri(file.path)] = []
    for finding in all_findings(ls, analysis):
        uri = uri_of(ls, file.path, finding.span.line, file)
        found.setdefault(uri, []).append(to_diagnostic(ls, finding, file))
    return found


def all_findings(ls: Server, analysis: Analysis) -> tuple[Diagnostic, ...]:
    """Those of the checker, then those of the compilers."""
    found = findings_of(analysis)
    snapshot = ls.session.snapshot(analysis.file.path)
    return found if snapshot is None or snapshot.analysis is not analysis else (*found, *compile_findings(snapshot))


def publish(ls: Server, uri: str, version: int | None, diagnostics: list[types.Diagnostic]) -> None:
    """Nothing is sent about a document without findings that never had any: other Python files see no traffic."""
    if not diagnostics and uri not in ls.published:
        return
    (ls.published.add if diagnostics else ls.published.discard)(uri)
    ls.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, diagnostics, version))


def clear(ls: Server, uri: str) -> None:
    """A document was closed."""
    if not ls.client.pulls_diagnostics:
        publish(ls, uri, None, [])


# --- pull ---------------------------------------------------------------------------------------------------------


async def document_diagnostic(ls: Server, params: types.DocumentDiagnosticParams) -> types.DocumentDiagnosticReport:
    uri = params.text_document.uri
    path = ls.uris.path(uri)
    analysis = await ls.scheduler.fresh(path)
    if analysis is None and path in ls.session.workspace.open:
        # A newer text came in: to answer with nothing would hide what is known until the client asks again.
        again = as_json(types.DiagnosticServerCancellationData(retrigger_request=True))
        raise JsonRpcException("the document changed", types.LSPErrorCodes.ServerCancelled.value, again)
    items = by_document(ls, analysis).get(uri, []) if analysis is not None else []
    identifier = result_id(ls, analysis, uri)
    if identifier == params.previous_result_id:
        return types.RelatedUnchangedDocumentDiagnosticReport(result_id=identifier)
    return types.RelatedFullDocumentDiagnosticReport(items=items, result_id=identifier)


async def workspace_diagnostic(ls: Server, params: types.WorkspaceDiagnosticParams) -> types.WorkspaceDiagnosticReport:
    """Files of the open folders, one after the other, each as soon as it is ready if the client takes parts."""
    known = {each.uri: each.value for each in params.previous_result_ids}
    reports: list[types.WorkspaceDocumentDiagnosticReport] = []
    token = params.partial_result_token
    cancellation = Cancellation()
    paths = [path for path in ls.session.workspace.paths() if path not in ls.session.workspace.open]
    progress = await Progress.begin(ls, params.work_done_token, "Checking kernels", len(paths))
    try:
        for number, path in enumerate(paths):
            if progress.is_cancelled:
                break
            file = ls.session.workspace.file(path)
            if file is not None and file.mentions_language:
                analysis = await ls.scheduler.examine(file, cancellation)
                report = None if analysis is None else _workspace_report(ls, analysis, known)
                if report is not None and token is not None:
                    partial = types.WorkspaceDiagnosticReportPartialResult([report])
                    ls.progress(types.ProgressParams(token, as_json(partial)))
                elif report is not None:
                    reports.append(report)
            progress.report(number + 1, Path(path).name)
    finally:
        cancellation.cancel()
        progress.end()
    return types.WorkspaceDiagnosticReport(reports)


def _workspace_report(
    ls: Server, analysis: Analysis, known: dict[str, str]
) -> types.WorkspaceDocumentDiagnosticReport | None:
    uri = ls.uris.uri(analysis.file.path)
    identifier = result_id(ls, analysis, uri)
    if known.get(uri) == identifier:
        return types.WorkspaceUnchangedDocumentDiagnosticReport(uri=uri, result_id=identifier)
    items = by_document(ls, analysis).get(uri, [])
    if not items and uri not in known:
        return None
    return types.WorkspaceFullDocumentDiagnosticReport(uri=uri, items=items, result_id=identifier)


def result_id(ls: Server, analysis: Analysis | None, uri: str) -> str:
    """The same for the same findings of the same version of the checker."""
    findings = all_findings(ls, analysis) if analysis is not None else ()
    return hashlib.blake2b(repr((__version__, uri, findings)).encode(), digest_size=8).hexdigest()


def as_json(value: object) -> object:
    """An LSP object as plain data, for messages whose type says *any*."""
    return get_converter().unstructure(value)
