"""`textDocument/codeAction` and its resolve."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from tilelang_lsp.handlers.code_lens import PICK, SELECT
from tilelang_lsp.handlers.convert import to_diagnostic, to_workspace_edit
from tilelang_lsp.handlers.place import core_lines, fresh
from tilelang_lsp.ide.actions import Action, Task, code_actions, work_out

if TYPE_CHECKING:
    from tilelang_lsp.server import Server
    from tilelang_lsp.session import Snapshot

KINDS: list[types.CodeActionKind | str] = [
    types.CodeActionKind.QuickFix,
    types.CodeActionKind.RefactorRewrite,
    types.CodeActionKind.RefactorExtract,
    "source.fixAll.tilelang",
]


def register(server: Server) -> None:
    options = types.CodeActionOptions(code_action_kinds=KINDS, resolve_provider=True)
    server.feature(types.TEXT_DOCUMENT_CODE_ACTION, options)(text_document_code_action)
    server.feature(types.CODE_ACTION_RESOLVE)(resolve)


async def text_document_code_action(ls: Server, params: types.CodeActionParams) -> list[types.CodeAction] | None:
    uri = params.text_document.uri
    snapshot = await fresh(ls, uri)
    if snapshot is None:
        return None
    first, _ = core_lines(snapshot.file, uri)
    lines = first + params.range.start.line, first + params.range.end.line
    wanted = [_text(each) for each in params.context.only or ()]
    found: list[types.CodeAction] = []
    for action in code_actions(snapshot, *lines, selected=params.range.start != params.range.end):
        if not wanted or any(action.kind == each or action.kind.startswith(f"{each}.") for each in wanted):
            found.append(await _convert(ls, snapshot, uri, action))
    return found


def _text(kind: types.CodeActionKind | str) -> str:
    return kind.value if isinstance(kind, types.CodeActionKind) else kind


async def _convert(ls: Server, snapshot: Snapshot, uri: str, action: Action) -> types.CodeAction:
    result = types.CodeAction(action.title, action.kind)
    result.is_preferred = True if action.preferred else None
    if action.finding is not None:
        result.diagnostics = [to_diagnostic(ls, action.finding, snapshot.file)]
    if action.edits:
        result.edit = to_workspace_edit(ls, action.edits)
    if action.show is not None:
        result.command = types.Command(action.title, SELECT, arguments=[uri, *action.show])
    if action.pick is not None:
        result.command = types.Command(action.title, PICK, arguments=[uri, action.pick])
    if action.task is not None:
        result.data = {"uri": uri, **asdict(action.task)}
        if not ls.client.resolves_edits:
            await resolve(ls, result)
    return result


async def resolve(ls: Server, action: types.CodeAction) -> types.CodeAction:
    """The edits that take time to find."""
    data: Any = action.data
    if not isinstance(data, dict) or action.edit is not None:
        return action
    snapshot = await fresh(ls, str(data["uri"]))  # pyright: ignore[reportUnknownArgumentType]  # our own data
    if snapshot is None:
        return action
    task = Task(int(data["line"]), int(data["index"]), str(data["target"]))  # pyright: ignore[reportUnknownArgumentType]
    edits = await ls.scheduler.run(lambda: work_out(snapshot, task))
    if edits:
        action.edit = to_workspace_edit(ls, edits)
    else:
        action.disabled = types.CodeActionDisabled(
            "no smaller value of the arguments fits, or none can be written here"
        )
    return action
