"""`textDocument/completion` and its resolve."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from lsprotocol import types

from tilelang_lsp.handlers.place import place, position_of
from tilelang_lsp.ide.completion import MAX_ITEMS, Completion, complete, python, request
from tilelang_lsp.ide.completion.members import documentation, signature

if TYPE_CHECKING:
    from tilelang_lsp.ide.completion.item import Request
    from tilelang_lsp.server import Server

TRIGGERS = [".", "(", ",", " ", "=", '"', "'", "[", "@"]
_QUIET = frozenset((" ", ","))
"""Characters after which completions are only shown inside a call."""

_KINDS = {
    "function": types.CompletionItemKind.Function,
    "class": types.CompletionItemKind.Class,
    "type": types.CompletionItemKind.TypeParameter,
    "value": types.CompletionItemKind.Value,
    "keyword": types.CompletionItemKind.Keyword,
    "tile": types.CompletionItemKind.Field,
    "variable": types.CompletionItemKind.Variable,
    "module": types.CompletionItemKind.Module,
    "snippet": types.CompletionItemKind.Snippet,
    "property": types.CompletionItemKind.Property,
    "enum": types.CompletionItemKind.EnumMember,
}


def register(server: Server) -> None:
    options = types.CompletionOptions(trigger_characters=TRIGGERS, resolve_provider=True)
    server.feature(types.TEXT_DOCUMENT_COMPLETION, options)(text_document_completion)
    server.feature(types.COMPLETION_ITEM_RESOLVE)(resolve)


async def text_document_completion(ls: Server, params: types.CompletionParams) -> types.CompletionList | None:
    """Does not wait for a check: what the last one found out about tiles is good enough while one types."""
    where = place(ls, params.text_document.uri, params.position)
    if where is None:
        return None
    asked = request(where.snapshot, where.line, where.col)
    trigger = params.context.trigger_character if params.context is not None else None
    if trigger in _QUIET and asked.cursor.call is None:
        return None
    found = complete(asked)
    is_cut = len(found) >= MAX_ITEMS
    if python.wanted(asked):
        known = {each.label for each in found}
        more = await asyncio.to_thread(python.complete, asked)
        found += [each for each in more if each.label not in known]
    items = [_convert(ls, asked, each, number) for number, each in enumerate(found)]
    return types.CompletionList(is_incomplete=is_cut, items=items)


def _convert(ls: Server, asked: Request, each: Completion, number: int) -> types.CompletionItem:
    cursor, file = asked.cursor, asked.snapshot.file
    prefix = cursor.prefix if cursor.string is None else cursor.string
    end = position_of(ls, file.path, cursor.line, cursor.col, file)
    start = position_of(ls, file.path, cursor.line, cursor.col - len(prefix.encode()), file)
    snippet = each.is_snippet and ls.client.inserts_snippets
    text = each.insert or each.label
    return types.CompletionItem(
        label=each.label,
        kind=_KINDS[each.kind],
        detail=each.detail or None,
        sort_text=f"{number:04}",
        filter_text=each.filter or None,
        insert_text_format=types.InsertTextFormat.Snippet if snippet else None,
        text_edit=types.TextEdit(types.Range(start, end), text if snippet or not each.is_snippet else _plain(text)),
        data={"item": each.item} if each.item else None,
    )


def _plain(snippet: str) -> str:
    """A snippet for clients without them."""
    import re

    return re.sub(r"\$\{\d+:([^}]*)\}|\$\d+", lambda match: match[1] or "", snippet)


def resolve(ls: Server, item: types.CompletionItem) -> types.CompletionItem:
    """Signature and documentation of an item of the language."""
    data: object = item.data
    name = str(data.get("item", "")) if isinstance(data, dict) else ""  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
    if name:
        item.detail = signature(name)
        item.documentation = types.MarkupContent(types.MarkupKind.Markdown, documentation(name))
    return item
