"""Notebooks: their code cells are one file with one namespace, whose positions lead back to the cells."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from tilelang_lsp.files import SourceFile
from tilelang_lsp.handlers import diagnostics
from tilelang_lsp.handlers.documents import check_all, update

if TYPE_CHECKING:
    from tilelang_lsp.server import Server

SYNC = types.NotebookDocumentSyncOptions(
    notebook_selector=[
        types.NotebookDocumentFilterWithCells(cells=[types.NotebookCellLanguage(language="python")]),
    ],
    save=True,
)


def register(server: Server) -> None:
    server.feature(types.NOTEBOOK_DOCUMENT_DID_OPEN)(did_open)
    server.feature(types.NOTEBOOK_DOCUMENT_DID_CHANGE)(did_change)
    server.feature(types.NOTEBOOK_DOCUMENT_DID_SAVE)(did_save)
    server.feature(types.NOTEBOOK_DOCUMENT_DID_CLOSE)(did_close)


def did_open(ls: Server, params: types.DidOpenNotebookDocumentParams) -> None:
    _update(ls, params.notebook_document.uri, params.notebook_document.version)


def did_change(ls: Server, params: types.DidChangeNotebookDocumentParams) -> None:
    uri = params.notebook_document.uri
    structure = params.change.cells.structure if params.change.cells is not None else None
    for closed in (structure.did_close if structure is not None else None) or ():
        diagnostics.clear(ls, closed.uri)
    _update(ls, uri, params.notebook_document.version, ls.session.options.debounce)


def did_save(ls: Server, params: types.DidSaveNotebookDocumentParams) -> None:
    check_all(ls, first=notebook_path(ls, params.notebook_document.uri))


def did_close(ls: Server, params: types.DidCloseNotebookDocumentParams) -> None:
    path = notebook_path(ls, params.notebook_document.uri)
    ls.scheduler.drop(path)
    ls.session.close(path)
    for cell in params.cell_text_documents:
        diagnostics.clear(ls, cell.uri)


def _update(ls: Server, uri: str, version: int, pause: float = 0) -> None:
    notebook = ls.workspace.get_notebook_document(notebook_uri=uri)
    if notebook is None:
        return
    path = notebook_path(ls, uri)
    cells: list[tuple[str, str]] = []
    for cell in notebook.cells:
        if cell.kind == types.NotebookCellKind.Code:
            ls.uris.alias(cell.document, path)
            cells.append((cell.document, ls.workspace.get_text_document(cell.document).source))
    update(ls, SourceFile.of_cells(path, cells, version), pause)


def notebook_path(ls: Server, uri: str) -> str:
    """The path of a notebook; the checker knows notebooks by their suffix."""
    path = ls.uris.path(uri)
    if not path.endswith(".ipynb"):
        path = f"{path}.ipynb"
        ls.uris.alias(uri, path)
    return path
