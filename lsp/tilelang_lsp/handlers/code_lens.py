"""`textDocument/codeLens`, and the commands behind the lenses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types

from tilelang.diagnostics import Edit
from tilelang.ir.span import Span
from tilelang_lsp.handlers import status
from tilelang_lsp.handlers.convert import to_workspace_edit
from tilelang_lsp.handlers.listings import SHOW, SHOW_DIFF
from tilelang_lsp.handlers.place import core_lines, fresh, position_of
from tilelang_lsp.ide.code_lens import Lens, code_lenses, instance_comment
from tilelang_lsp.ide.hover import kernel_hover
from tilelang_lsp.ide.hover_text import markdown
from tilelang_lsp.ide.tiles import arguments_text

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from tilelang_lsp.analysis import Kernel
    from tilelang_lsp.server import Server
    from tilelang_lsp.session import Snapshot

PICK, SELECT = "tilelang.pickInstance", "tilelang.selectInstance"
COMMENT, REPORT = "tilelang.addInstanceComment", "tilelang.kernelReport"
_COMMANDS = {"pick": PICK, "instance-comment": COMMENT, "report": REPORT, "assembly": SHOW, "compare": SHOW_DIFF}


def register(server: Server) -> None:
    server.feature(types.TEXT_DOCUMENT_CODE_LENS)(text_document_code_lens)
    for name, handler in (
        (PICK, pick_instance),
        (SELECT, select_instance),
        (COMMENT, add_instance_comment),
        (REPORT, kernel_report),
    ):
        server.command(name)(_taking_any(handler))


def _taking_any(handler: Callable[..., Awaitable[object]]) -> Callable[..., Awaitable[object]]:
    """pygls evaluates the annotations of commands, which name what is imported for type checkers only."""

    async def command(ls: Any, *arguments: Any) -> Any:
        return await handler(ls, *arguments)

    return command


async def text_document_code_lens(ls: Server, params: types.CodeLensParams) -> list[types.CodeLens] | None:
    uri = params.text_document.uri
    snapshot = await fresh(ls, uri)
    if snapshot is None:
        return None
    first, last = core_lines(snapshot.file, uri)
    return [_convert(ls, snapshot, uri, lens) for lens in code_lenses(snapshot) if first <= lens.line <= last]


def _convert(ls: Server, snapshot: Snapshot, uri: str, lens: Lens) -> types.CodeLens:
    start = position_of(ls, snapshot.file.path, lens.line, 0, snapshot.file)
    command = types.Command(lens.title, _COMMANDS.get(lens.action, ""), arguments=[uri, lens.def_line])
    return types.CodeLens(types.Range(start, start), command)


async def pick_instance(ls: Server, uri: str, line: int) -> int | None:
    """Ask the user which instance of a kernel to show, and show it."""
    snapshot, kernel = await _kernel(ls, uri, line)
    if snapshot is None or kernel is None:
        return None
    titles = [f"{index + 1}: {arguments_text(each)}" for index, each in enumerate(kernel.instances)]
    items = [types.MessageActionItem(title) for title in titles]
    question = types.ShowMessageRequestParams(types.MessageType.Info, f"Show which instance of {kernel.name}?", items)
    answer = await ls.window_show_message_request_async(question)
    if answer is None or answer.title not in titles:
        return None
    return await select_instance(ls, uri, line, titles.index(answer.title))


async def select_instance(ls: Server, uri: str, line: int, index: int) -> int | None:
    """Show one instance of a kernel, counted from 0, in hints, lenses and hovers."""
    snapshot, kernel = await _kernel(ls, uri, line)
    if snapshot is None or kernel is None or not 0 <= index < len(kernel.instances):
        return None
    ls.session.picks[snapshot.file.path, kernel.name] = index
    status.refresh(ls)
    return index


async def add_instance_comment(ls: Server, uri: str, line: int) -> bool:
    """Put a comment above a factory that gives its parameters values."""
    snapshot, _ = await _kernel(ls, uri, line)
    found = instance_comment(snapshot, line) if snapshot is not None else None
    if snapshot is None or found is None:
        return False
    place, text = found
    edit = Edit(Span(snapshot.file.path, place, 0, place, 0), text)
    done = await ls.workspace_apply_edit_async(
        types.ApplyWorkspaceEditParams(to_workspace_edit(ls, [edit]), "Add an instance comment")
    )
    return done.applied


async def kernel_report(ls: Server, uri: str, line: int) -> str | None:
    """The figures of a kernel as Markdown, for clients that show a document."""
    snapshot, kernel = await _kernel(ls, uri, line)
    if snapshot is None or kernel is None or snapshot.analysis is None:
        return None
    here = Span(snapshot.file.path, line, 0, line, 0)
    return markdown(kernel_hover(snapshot, snapshot.analysis, kernel, here))


async def _kernel(ls: Server, uri: str, line: int) -> tuple[Snapshot | None, Kernel | None]:
    snapshot = await fresh(ls, uri)
    kernels = snapshot.analysis.kernels if snapshot is not None and snapshot.analysis is not None else ()
    return snapshot, next((kernel for kernel in kernels if kernel.line == line), None)
