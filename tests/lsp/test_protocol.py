"""Every method end to end over stdin and stdout, with positions in UTF-8 and in UTF-16.

The file begins with characters of one, two and four bytes, so a column that was converted wrongly is wrong here too.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator  # pytest-lsp evaluates annotations of fixtures
from pathlib import Path

import pytest
import pytest_lsp
from lsp.ide import GEMM
from lsp.session import CONFIG, TIMEOUT, capabilities, change_file, open_file, position, published, start
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pytest_lsp import LanguageClient

ODD = "größe, mark = 1, '🙂'; "
TEXT = GEMM.replace("            A_tile = ", f"            {ODD}A_tile = ").replace(
    "\nmatmul(1024, 1024, 1024)\n", f"\n{ODD}matmul(1024, 1024, 1024, num_stages=6)\n"
)
IDENTIFIER = types.TextDocumentIdentifier


@pytest_lsp.fixture(
    config=CONFIG, params=[types.PositionEncodingKind.Utf8, types.PositionEncodingKind.Utf16], ids=["utf-8", "utf-16"]
)
async def client(lsp_client: LanguageClient, request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[None]:
    result = await start(lsp_client, tmp_path, request.param)
    assert result.capabilities.position_encoding == request.param
    yield
    await lsp_client.shutdown_session()


@pytest.fixture
def encoding(request: pytest.FixtureRequest) -> str:
    return str(request.node.callspec.params["client"].value)


async def opened(client: LanguageClient, tmp_path: Path, text: str = TEXT, name: str = "k.py") -> str:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return open_file(client, path, text)


def cut(text: str, found: types.Range, encoding: str) -> str:
    """The text of a range on one line, by the units of an encoding."""
    assert found.start.line == found.end.line
    line = text.splitlines()[found.start.line]
    if encoding == "utf-8":
        return line.encode()[found.start.character : found.end.character].decode()
    units = line.encode("utf-16-le")
    return units[2 * found.start.character : 2 * found.end.character].decode("utf-16-le")


@pytest.mark.asyncio
async def test_diagnostics_and_quick_fixes(client: LanguageClient, encoding: str, tmp_path: Path) -> None:
    uri = await opened(client, tmp_path)
    found = await published(client, uri, 1)
    overflow = next(each for each in found if each.code == "shared-memory-overflow")
    assert cut(TEXT, overflow.range, encoding) == "6"
    assert overflow.related_information
    assert overflow.code_description is not None
    assert overflow.data is not None
    assert overflow.data["fix"]["title"].startswith("Set `num_stages=")
    (edit,) = overflow.data["fix"]["edits"]
    assert edit["range"]["start"]["character"] == overflow.range.start.character

    context = types.CodeActionContext([overflow])
    params = types.CodeActionParams(IDENTIFIER(uri), overflow.range, context)
    actions = await client.text_document_code_action_async(params) or []
    titles = [action.title for action in actions]
    fix = next(action for action in actions if isinstance(action, types.CodeAction) and "num_stages=3" in action.title)
    assert fix.edit is not None
    assert fix.edit.changes is not None
    (change,) = fix.edit.changes[uri]
    assert (cut(TEXT, change.range, encoding), change.new_text) == ("6", "3")
    assert "Suppress shared-memory-overflow here" in titles

    only = types.CodeActionParams(IDENTIFIER(uri), overflow.range, types.CodeActionContext([], ["refactor"]))
    (refactor,) = [each for each in await client.text_document_code_action_async(only) or [] if "T4" in each.title]
    assert isinstance(refactor, types.CodeAction)
    assert refactor.edit is None
    resolved = await client.code_action_resolve_async(refactor)
    assert resolved.edit is not None
    assert resolved.edit.changes is not None
    assert [each.new_text for each in resolved.edit.changes[uri]] == ["3"]


@pytest.mark.asyncio
async def test_hover(client: LanguageClient, encoding: str, tmp_path: Path) -> None:
    uri = await opened(client, tmp_path)
    where = position(TEXT, "A_tile = ", encoding)
    hover = await client.text_document_hover_async(types.HoverParams(IDENTIFIER(uri), where))
    assert hover is not None
    assert isinstance(hover.contents, types.MarkupContent)
    assert hover.contents.kind == types.MarkupKind.Markdown
    assert "A_tile: float16[128, 32]" in hover.contents.value
    assert "T4: 48 KiB in 6 copies" in hover.contents.value
    assert hover.range is not None
    assert cut(TEXT, hover.range, encoding) == "A_tile"
    nothing = types.HoverParams(IDENTIFIER(uri), position(TEXT, "    return kernel", encoding))
    assert await client.text_document_hover_async(nothing) is None


@pytest.mark.asyncio
async def test_inlay_hints(client: LanguageClient, encoding: str, tmp_path: Path) -> None:
    uri = await opened(client, tmp_path)
    whole = types.Range(types.Position(0, 0), types.Position(100, 0))
    hints = await client.text_document_inlay_hint_async(types.InlayHintParams(IDENTIFIER(uri), whole)) or []
    labels = {"".join(part.value for part in hint.label): hint for hint in hints if not isinstance(hint.label, str)}
    tile = labels[": float16[128, 32] shared · 8 KiB ×6 · 64 B swizzle"]
    assert tile.position == position(TEXT, "A_tile", encoding, after=True)
    assert not isinstance(tile.label, str)
    stages = next(part for part in tile.label if part.value == " ×6").location
    assert stages is not None
    assert cut(TEXT, stages.range, encoding) == "6"
    assert " 32 iterations" in labels
    assert " 8 × 8 blocks of 128 threads" in labels
    resolved = await client.inlay_hint_resolve_async(tile)
    assert "num_stages=6" in str(resolved.tooltip)
    few = types.Range(types.Position(0, 0), types.Position(8, 0))
    first = await client.text_document_inlay_hint_async(types.InlayHintParams(IDENTIFIER(uri), few)) or []
    assert first
    assert all(hint.position.line <= 8 for hint in first)


@pytest.mark.asyncio
async def test_inline_values(client: LanguageClient, encoding: str, tmp_path: Path) -> None:
    uri = await opened(client, tmp_path)
    whole = types.Range(types.Position(0, 0), types.Position(100, 0))
    here = position(TEXT, "T.copy(A", encoding)
    context = types.InlineValueContext(1, types.Range(here, here))
    params = types.InlineValueParams(IDENTIFIER(uri), whole, context)
    found = await client.text_document_inline_value_async(params) or []
    texts = {each.text: each.range for each in found if isinstance(each, types.InlineValueText)}
    assert cut(TEXT, texts["k < 32"], encoding) == "k"
    assert max(each.start.line for each in texts.values()) == here.line


@pytest.mark.asyncio
async def test_code_lens_and_instances(client: LanguageClient, encoding: str, tmp_path: Path) -> None:
    text = TEXT + "matmul(4096, 4096, 4096, num_stages=2)\n"
    uri = await opened(client, tmp_path, text)
    params = types.CodeLensParams(IDENTIFIER(uri))
    lenses = await client.text_document_code_lens_async(params) or []
    titles = [lens.command.title for lens in lenses if lens.command]
    assert titles[0].startswith("T4 ✗ 96 KiB of 48 KiB · H100 ✓ ")
    assert titles[1].startswith("instance 1 of 2: M=1024")
    command = lenses[1].command
    assert command is not None
    assert command.arguments is not None
    pick = types.ExecuteCommandParams("tilelang.selectInstance", [*command.arguments, 1])
    assert await client.workspace_execute_command_async(pick) == 1
    lenses = await client.text_document_code_lens_async(params) or []
    titles = [lens.command.title for lens in lenses if lens.command]
    assert titles[0].startswith("T4 ✓ 32 KiB")
    report = types.ExecuteCommandParams("tilelang.kernelReport", command.arguments)
    assert "M=4096" in str(await client.workspace_execute_command_async(report))


@pytest.mark.asyncio
async def test_semantic_tokens(client: LanguageClient, encoding: str, tmp_path: Path) -> None:
    uri = await opened(client, tmp_path)
    legend = client_legend(await full_tokens(client, uri))
    names = decoded(TEXT, legend, encoding)
    assert ("A_tile", 0) in names  # `tile` is the first type
    assert ("k", 1) in names
    assert ("bx", 2) in names
    changed = TEXT.replace("acc = ", "accumulator = ", 1)
    before = await full_tokens(client, uri)
    change_file(client, uri, 2, changed)
    params = types.SemanticTokensDeltaParams(IDENTIFIER(uri), before.result_id or "")
    delta = await client.text_document_semantic_tokens_full_delta_async(params)
    assert isinstance(delta, types.SemanticTokensDelta)
    (edit,) = delta.edits
    data = list(before.data)
    data[edit.start : edit.start + edit.delete_count] = edit.data or []
    assert data == list((await full_tokens(client, uri)).data)
    part = types.Range(types.Position(11, 0), types.Position(12, 0))
    some = await client.text_document_semantic_tokens_range_async(
        types.SemanticTokensRangeParams(IDENTIFIER(uri), part)
    )
    assert some is not None
    assert 0 < len(some.data) < len(data)


async def full_tokens(client: LanguageClient, uri: str) -> types.SemanticTokens:
    found = await client.text_document_semantic_tokens_full_async(types.SemanticTokensParams(IDENTIFIER(uri)))
    assert found is not None
    return found


def client_legend(tokens: types.SemanticTokens) -> list[int]:
    assert len(tokens.data) % 5 == 0
    assert tokens.data
    return list(tokens.data)


def decoded(text: str, data: list[int], encoding: str) -> set[tuple[str, int]]:
    """Each token's text and type."""
    line = col = 0
    found: set[tuple[str, int]] = set()
    for first in range(0, len(data), 5):
        lines, columns, length, kind, _ = data[first : first + 5]
        line, col = line + lines, columns if lines else col + columns
        where = types.Range(types.Position(line, col), types.Position(line, col + length))
        found.add((cut(text, where, encoding), kind))
    return found


@pytest.mark.asyncio
async def test_symbols_and_structure(client: LanguageClient, encoding: str, tmp_path: Path) -> None:
    uri = await opened(client, tmp_path)
    symbols = await client.text_document_document_symbol_async(types.DocumentSymbolParams(IDENTIFIER(uri))) or []
    factory = next(each for each in symbols if each.name == "matmul")
    assert isinstance(factory, types.DocumentSymbol)
    (kernel,) = factory.children or []
    details = {each.name: each.detail for each in kernel.children or []}
    assert details["A_tile"] == "shared float16[128, 32]"
    assert cut(TEXT, kernel.selection_range, encoding) == "kernel"
    found = await client.workspace_symbol_async(types.WorkspaceSymbolParams("mtml")) or []
    assert [each.name for each in found] == ["matmul"]
    folds = await client.text_document_folding_range_async(types.FoldingRangeParams(IDENTIFIER(uri))) or []
    starts = {fold.start_line for fold in folds}
    assert {TEXT[: TEXT.index(part)].count("\n") for part in ("def matmul", "with T.Kernel", "for k")} <= starts
    params = types.SelectionRangeParams(IDENTIFIER(uri), [position(TEXT, "block_m, block_k)", encoding)])
    (selection,) = await client.text_document_selection_range_async(params) or []
    texts: list[str] = []
    step: types.SelectionRange | None = selection
    while step is not None and step.range.start.line == step.range.end.line:
        texts.append(cut(TEXT, step.range, encoding))
        step = step.parent
    assert texts[0] == "block_m"
    assert 'T.alloc_shared((block_m, block_k), "float16")' in texts


@pytest.mark.asyncio
async def test_completion_and_signature_help(client: LanguageClient, encoding: str, tmp_path: Path) -> None:
    uri = await opened(client, tmp_path)
    await published(client, uri, 1)
    text = TEXT.replace("T.clear(acc)", f"{ODD}T.clear(acc); T.gem")
    change_file(client, uri, 2, text)
    end = position(text, "T.gem", encoding, after=True)
    found = await client.text_document_completion_async(types.CompletionParams(IDENTIFIER(uri), end))
    assert isinstance(found, types.CompletionList)
    first = found.items[0]
    assert first.label == "gemm"
    assert isinstance(first.text_edit, types.TextEdit)
    assert cut(text, first.text_edit.range, encoding) == "gem"
    resolved = await client.completion_item_resolve_async(first)
    assert "transpose_A" in str(resolved.detail)
    assert resolved.documentation
    inside = position(text, "A_tile, B_tile, ", encoding, after=True)
    help_ = await client.text_document_signature_help_async(types.SignatureHelpParams(IDENTIFIER(uri), inside))
    assert help_ is not None
    (signature,) = help_.signatures
    assert signature.label.startswith("T.gemm(")
    assert signature.active_parameter == 2
    assert signature.parameters is not None
    assert str(signature.parameters[0].documentation) == "A_tile: float16[128, 32] shared"


@pytest.mark.asyncio
async def test_navigation(client: LanguageClient, encoding: str, tmp_path: Path) -> None:
    uri = await opened(client, tmp_path)
    use = position(TEXT, "A_tile, B_tile", encoding)
    links = await client.text_document_definition_async(types.DefinitionParams(IDENTIFIER(uri), use))
    assert isinstance(links, list)
    assert isinstance(links[0], types.LocationLink)
    assert links[0].target_selection_range.start == position(TEXT, "A_tile", encoding)
    declared = await client.text_document_declaration_async(types.DeclarationParams(IDENTIFIER(uri), use))
    assert isinstance(declared, list)
    assert len(declared) == 1
    kinds = await client.text_document_type_definition_async(types.TypeDefinitionParams(IDENTIFIER(uri), use))
    assert isinstance(kinds, list)
    assert isinstance(kinds[0], types.LocationLink)
    assert kinds[0].target_range.start == position(TEXT, "T.alloc_shared", encoding)
    marks = await client.text_document_document_highlight_async(types.DocumentHighlightParams(IDENTIFIER(uri), use))
    assert [mark.kind for mark in marks or []] == [
        types.DocumentHighlightKind.Write,
        types.DocumentHighlightKind.Write,
        types.DocumentHighlightKind.Read,
    ]
    context = types.ReferenceContext(include_declaration=False)
    found = await client.text_document_references_async(types.ReferenceParams(context, IDENTIFIER(uri), use)) or []
    assert [cut(TEXT, each.range, encoding) for each in found] == ["A_tile"] * 2


@pytest.mark.asyncio
async def test_rename_over_files(client: LanguageClient, encoding: str, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    user = f"import tilelang\nfrom k import matmul\n{ODD}matmul(64, 64, 64, num_stages=2)\n"
    (tmp_path / "user.py").write_text(user, encoding="utf-8")
    uri = await opened(client, tmp_path)
    where = position(TEXT, "num_stages=3", encoding)
    prepared = await client.text_document_prepare_rename_async(types.PrepareRenameParams(IDENTIFIER(uri), where))
    assert isinstance(prepared, types.Range)
    assert cut(TEXT, prepared, encoding) == "num_stages"
    edit = await client.text_document_rename_async(types.RenameParams(IDENTIFIER(uri), where, "depth"))
    assert edit is not None
    assert edit.changes is not None
    other = (tmp_path / "user.py").as_uri()
    assert [cut(user, each.range, encoding) for each in edit.changes[other]] == ["num_stages"]
    assert [cut(TEXT, each.range, encoding) for each in edit.changes[uri]] == ["num_stages"] * 3
    with pytest.raises(JsonRpcException, match="exists already"):
        await client.text_document_rename_async(types.RenameParams(IDENTIFIER(uri), where, "block_m"))
    item = types.PrepareRenameParams(IDENTIFIER(uri), position(TEXT, "alloc_shared", encoding))
    with pytest.raises(JsonRpcException, match="not defined in the project"):
        await client.text_document_prepare_rename_async(item)


@pytest.mark.asyncio
async def test_call_hierarchy(client: LanguageClient, encoding: str, tmp_path: Path) -> None:
    uri = await opened(client, tmp_path)
    where = position(TEXT, "matmul", encoding)
    (item,) = (
        await client.text_document_prepare_call_hierarchy_async(
            types.CallHierarchyPrepareParams(IDENTIFIER(uri), where)
        )
        or []
    )
    assert item.name == "matmul"
    callers = await client.call_hierarchy_incoming_calls_async(types.CallHierarchyIncomingCallsParams(item)) or []
    assert [(each.from_.name, len(each.from_ranges)) for each in callers] == [("k.py", 1)]
    called = await client.call_hierarchy_outgoing_calls_async(types.CallHierarchyOutgoingCallsParams(item)) or []
    assert {"T.gemm", "T.copy", "T.Kernel"} <= {each.to.name for each in called}


@pytest.mark.asyncio
async def test_incremental_edits_count_in_the_agreed_units(
    client: LanguageClient, encoding: str, tmp_path: Path
) -> None:
    uri = await opened(client, tmp_path)
    assert await published(client, uri, 1)
    start_ = position(TEXT, "num_stages=6", encoding)
    end = position(TEXT, "num_stages=6", encoding, after=True)
    change = types.TextDocumentContentChangePartial(types.Range(start_, end), "num_stages=2")
    identifier = types.VersionedTextDocumentIdentifier(2, uri)
    client.text_document_did_change(types.DidChangeTextDocumentParams(identifier, [change]))
    found = await published(client, uri, 2)
    assert "shared-memory-overflow" not in [each.code for each in found]


@pytest.mark.asyncio
async def test_notebooks(client: LanguageClient, encoding: str, tmp_path: Path) -> None:
    head, _, tail = TEXT.rpartition(f"\n{ODD}")
    cells = {"n.ipynb#one": "%load_ext x\n" + head, "n.ipynb#two": f"!ls\n{ODD}{tail}"}
    uris = {name: f"vscode-notebook-cell:{tmp_path}/{name}" for name in cells}
    notebook = types.NotebookDocument(
        uri=(tmp_path / "n.ipynb").as_uri(),
        notebook_type="jupyter-notebook",
        version=1,
        cells=[types.NotebookCell(types.NotebookCellKind.Code, uri) for uri in uris.values()],
    )
    items = [types.TextDocumentItem(uris[name], types.LanguageKind.Python, 1, text) for name, text in cells.items()]
    client.notebook_document_did_open(types.DidOpenNotebookDocumentParams(notebook, items))
    second = uris["n.ipynb#two"]
    found = await published(client, second, 1)
    (overflow,) = [each for each in found if each.code == "shared-memory-overflow"]
    assert cut(cells["n.ipynb#two"], overflow.range, encoding) == "6"
    related = {each.location.uri for each in overflow.related_information or []}
    assert related == {uris["n.ipynb#one"]}
    where = position(cells["n.ipynb#two"], "matmul", encoding)
    links = await client.text_document_definition_async(types.DefinitionParams(IDENTIFIER(second), where))
    assert isinstance(links, list)
    assert isinstance(links[0], types.LocationLink)
    assert links[0].target_uri == uris["n.ipynb#one"]
    changed = cells["n.ipynb#two"].replace("=6", "=2")
    content = types.NotebookDocumentCellContentChanges(
        types.VersionedTextDocumentIdentifier(2, second), [types.TextDocumentContentChangeWholeDocument(changed)]
    )
    change = types.NotebookDocumentChangeEvent(cells=types.NotebookDocumentCellChanges(text_content=[content]))
    client.notebook_document_did_change(
        types.DidChangeNotebookDocumentParams(types.VersionedNotebookDocumentIdentifier(2, notebook.uri), change)
    )
    found = await published(client, second, 2)
    assert "shared-memory-overflow" not in [each.code for each in found]


@pytest.mark.asyncio
async def test_settings_change_targets(client: LanguageClient, encoding: str, tmp_path: Path) -> None:
    uri = await opened(client, tmp_path)
    assert "shared-memory-overflow" in [each.code for each in await published(client, uri, 1)]
    client.set_configuration({"tilelang": {"target": ["h100"]}})
    client.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))
    while "shared-memory-overflow" in [each.code for each in await published(client, uri, 1)]:
        pass


@pytest.mark.asyncio
async def test_a_cancelled_request_is_answered_and_the_server_lives(
    client: LanguageClient, encoding: str, tmp_path: Path
) -> None:
    uri = await opened(client, tmp_path)
    params = types.CodeLensParams(IDENTIFIER(uri))
    request = asyncio.ensure_future(client.protocol.send_request_async("textDocument/codeLens", params))
    await asyncio.sleep(0)
    identifier = next(iter(client.protocol._request_futures))
    client.cancel_request(types.CancelParams(identifier))
    with pytest.raises((JsonRpcException, asyncio.CancelledError)):
        await asyncio.wait_for(request, TIMEOUT)
    assert await client.text_document_code_lens_async(params)


@pytest.mark.asyncio
async def test_the_server_is_inert_without_tilelang(client: LanguageClient, encoding: str, tmp_path: Path) -> None:
    text = "import os\n\n\ndef f(x):\n    return os.path.join(x, \n"
    uri = await opened(client, tmp_path, text, "plain.py")
    where = types.Position(4, 20)
    document = IDENTIFIER(uri)
    assert await client.text_document_hover_async(types.HoverParams(document, where)) is None
    assert await client.text_document_completion_async(types.CompletionParams(document, where)) is None
    assert await client.text_document_signature_help_async(types.SignatureHelpParams(document, where)) is None
    assert await client.text_document_document_symbol_async(types.DocumentSymbolParams(document)) is None
    assert await client.text_document_definition_async(types.DefinitionParams(document, where)) is None
    assert await client.text_document_folding_range_async(types.FoldingRangeParams(document)) is None


@pytest_lsp.fixture(config=CONFIG)
async def pulling(lsp_client: LanguageClient, tmp_path: Path) -> AsyncIterator[None]:
    await start(lsp_client, tmp_path, pull=True)
    yield
    await lsp_client.shutdown_session()


@pytest.mark.asyncio
async def test_pulled_diagnostics(pulling: LanguageClient, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "other.py").write_text(TEXT, encoding="utf-8")
    uri = await opened(pulling, tmp_path)
    params = types.DocumentDiagnosticParams(IDENTIFIER(uri))
    report = await pulling.text_document_diagnostic_async(params)
    assert isinstance(report, types.RelatedFullDocumentDiagnosticReport)
    assert "shared-memory-overflow" in [each.code for each in report.items]
    again = types.DocumentDiagnosticParams(IDENTIFIER(uri), previous_result_id=report.result_id)
    assert isinstance(
        await pulling.text_document_diagnostic_async(again), types.RelatedUnchangedDocumentDiagnosticReport
    )
    everything = await pulling.workspace_diagnostic_async(types.WorkspaceDiagnosticParams([]))
    (other,) = everything.items
    assert isinstance(other, types.WorkspaceFullDocumentDiagnosticReport)
    assert other.uri == (tmp_path / "other.py").as_uri()
    assert [each.code for each in other.items] == [each.code for each in report.items]
    known = [types.PreviousResultId(other.uri, other.result_id or "")]
    unchanged = await pulling.workspace_diagnostic_async(types.WorkspaceDiagnosticParams(known))
    assert isinstance(unchanged.items[0], types.WorkspaceUnchangedDocumentDiagnosticReport)


def test_capabilities_are_data() -> None:
    """The harness offers what VS Code does, so the tests above exercise the same paths."""
    found = capabilities(types.PositionEncodingKind.Utf16)
    assert json.dumps(found.experimental)
