"""Start, settings, folders and watched files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.uris import to_fs_path

from tilelang_lsp import options
from tilelang_lsp.handlers.client import Client
from tilelang_lsp.handlers.documents import check_all
from tilelang_lsp.handlers.status import asked
from tilelang_lsp.ide.listing_view import SCHEME

if TYPE_CHECKING:
    from tilelang_lsp.server import Server

SECTION = "tilelang"
WATCHED = ("**/*.py", "**/*.ipynb", "**/pyproject.toml")


def register(server: Server) -> None:
    server.feature(types.INITIALIZE)(initialize)
    server.feature(types.INITIALIZED)(initialized)
    server.feature(types.SHUTDOWN)(shutdown)
    server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)(did_change_configuration)
    server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)(did_change_watched_files)
    server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)(did_change_workspace_folders)


def initialize(ls: Server, params: types.InitializeParams) -> None:
    ls.client = Client.of(params.capabilities)
    ls.session.workspace.folders = _folders(ls, params.root_uri or params.root_path)
    if ls.session.workspace.folders:
        ls.uris.folder = ls.session.workspace.folders[0]
    configure(ls, params.initialization_options)
    ls.scheduler.warm_up()


async def initialized(ls: Server, params: types.InitializedParams) -> None:
    registrations: list[types.Registration] = []
    if ls.client.registers_configuration:
        registrations.append(
            types.Registration("configuration", types.WORKSPACE_DID_CHANGE_CONFIGURATION, {"section": SECTION})
        )
    if ls.client.registers_watchers:
        watchers = [types.FileSystemWatcher(glob_pattern=pattern) for pattern in WATCHED]
        options_ = types.DidChangeWatchedFilesRegistrationOptions(watchers)
        registrations.append(types.Registration("files", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options_))
    if ls.client.registers_content:
        content = types.TextDocumentContentRegistrationOptions([SCHEME])
        registrations.append(types.Registration("content", types.WORKSPACE_TEXT_DOCUMENT_CONTENT, content))
    if registrations:
        await asked(ls.client_register_capability_async(types.RegistrationParams(registrations)))
    await pull_configuration(ls)


def shutdown(ls: Server, params: object) -> None:
    ls.scheduler.shutdown()
    ls.compiles.close()


async def did_change_configuration(ls: Server, params: types.DidChangeConfigurationParams) -> None:
    if ls.client.gives_configuration:
        await pull_configuration(ls)
        return
    given = cast("object", params.settings)
    table = cast("dict[str, object]", given) if isinstance(given, dict) else {}
    section = table.get(SECTION, table)
    if configure(ls, section):
        check_all(ls)


async def pull_configuration(ls: Server) -> None:
    """Ask the editor for its settings. What was given at the start counts until it has some."""
    if not ls.client.gives_configuration:
        return
    item = types.ConfigurationItem(section=SECTION)
    try:
        found = await ls.workspace_configuration_async(types.ConfigurationParams([item]))
    except JsonRpcException:
        return
    if found and found[0] and configure(ls, found[0]):
        check_all(ls)


def configure(ls: Server, table: object) -> bool:
    """Use an editor's settings. False if nothing is different."""
    if not isinstance(table, dict):
        return False
    found, problems = options.read(cast("dict[str, object]", table))
    for problem in problems:
        ls.window_log_message(types.LogMessageParams(types.MessageType.Warning, problem))
    if found == ls.session.options:
        return False
    ls.session.configure(found)
    return True


def did_change_watched_files(ls: Server, params: types.DidChangeWatchedFilesParams) -> None:
    paths = [ls.uris.path(change.uri) for change in params.changes]
    open_files = ls.session.workspace.open
    if not any(path not in open_files for path in paths):
        return
    for path in paths:
        ls.session.forget(path)
    if any(Path(path).name == "pyproject.toml" for path in paths):
        ls.session.configure()
    check_all(ls)


def did_change_workspace_folders(ls: Server, params: types.DidChangeWorkspaceFoldersParams) -> None:
    ls.session.workspace.folders = _folders(ls, None)
    ls.session.configure()
    check_all(ls)


def _folders(ls: Server, root: str | None) -> list[str]:
    uris = [folder.uri for folder in ls.workspace.folders.values()] or ([root] if root else [])
    return [path for uri in uris if (path := to_fs_path(uri) if "://" in uri else uri)]
