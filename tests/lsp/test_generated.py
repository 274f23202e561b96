"""Generated code over the protocol: compiles on save, hints, hovers, documents, maps, comparisons, findings."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable  # pytest-lsp evaluates annotations of fixtures
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
import pytest_lsp
from lsp.ide import GEMM
from lsp.session import CONFIG, change_file, open_file, position, published, start
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pytest_lsp import LanguageClient

from tilelang_lsp.ide.listing_view import Name, read_uri, uri_of_listing

pytest.importorskip("tvm")
SMALL = GEMM.replace("block_m=128, block_n=128", "block_m=64, block_n=64")
IDENTIFIER = types.TextDocumentIdentifier


@pytest_lsp.fixture(config=CONFIG)
async def client(lsp_client: LanguageClient, tmp_path: Path) -> AsyncIterator[None]:
    await start(lsp_client, tmp_path, target=("a100", "t4"))
    yield
    await lsp_client.shutdown_session()


@pytest_lsp.fixture(config=CONFIG)
async def one_target(lsp_client: LanguageClient, tmp_path: Path) -> AsyncIterator[None]:
    await start(lsp_client, tmp_path, target=("a100",))
    yield
    await lsp_client.shutdown_session()


@pytest_lsp.fixture(
    config=CONFIG, params=[types.PositionEncodingKind.Utf8, types.PositionEncodingKind.Utf16], ids=["utf-8", "utf-16"]
)
async def both(request: pytest.FixtureRequest, lsp_client: LanguageClient, tmp_path: Path) -> AsyncIterator[None]:
    await start(lsp_client, tmp_path, request.param, target=("a100",))
    yield
    await lsp_client.shutdown_session()


async def ask(client: LanguageClient, method: str, **params: object) -> Any:
    return as_data(await asyncio.wait_for(client.protocol.send_request_async(method, params), 120))


def as_data(value: Any) -> Any:
    """Objects of the protocol that have no type, as dictionaries."""
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
        return [as_data(each) for each in value]
    fields: Any = getattr(value, "_asdict", None)
    if fields is not None:
        return {key: as_data(each) for key, each in fields().items()}
    if isinstance(value, dict):
        return {key: as_data(each) for key, each in value.items()}
    return value


async def compiled(client: LanguageClient, uri: str) -> list[dict[str, Any]]:
    return await ask(client, "tilelang/compile", textDocument={"uri": uri})


def on_compiled(client: LanguageClient, listen: Callable[[Any], None]) -> None:
    client.protocol.fm.features["tilelang/compiled"] = listen


def plain(place: types.Position) -> dict[str, int]:
    return {"line": place.line, "character": place.character}


async def code_hints(client: LanguageClient, uri: str) -> dict[int, str]:
    """The hints at the ends of lines that show code, by line."""
    whole = types.Range(types.Position(0, 0), types.Position(1000, 0))
    hints = await client.text_document_inlay_hint_async(types.InlayHintParams(IDENTIFIER(uri), whole)) or []
    return {
        hint.position.line: "".join(part.value for part in hint.label)  # type: ignore[union-attr]
        for hint in hints
        if isinstance(hint.data, dict) and hint.data["markdown"]
    }


@pytest.mark.asyncio
async def test_saving_compiles_and_each_line_says_what_it_became(client: LanguageClient, tmp_path: Path) -> None:
    uri = open_file(client, tmp_path / "k.py", SMALL)
    done: list[dict[str, Any]] = []
    on_compiled(client, lambda params: done.append(as_data(params)))
    client.text_document_did_save(types.DidSaveTextDocumentParams(IDENTIFIER(uri)))
    while not (done and done[-1]["running"] == 0 and done[-1]["results"]):
        await asyncio.sleep(0.02)
    results = [result for each in done for result in each["results"]]
    assert [(each["target"], each["ok"], each["problems"]) for each in results if each["target"] == "sm_80"] == [
        ("sm_80", True, [])
    ]
    assert {each["target"] for each in results} == {"sm_80", "sm_75"}
    assert " registers · " in results[0]["summary"]

    gemm, store = (position(SMALL, text).line for text in ("T.gemm(", "T.copy(acc"))
    hints = await code_hints(client, uri)
    assert "HMMA.16816" in hints[gemm]
    assert "LDSM" in hints[gemm]
    assert "STG" in hints[store]
    assert "stale" not in hints[gemm]

    # A comment moves the lines and changes no program.
    moved = SMALL.replace("            T.clear(acc)", "            # Start from nothing.\n            T.clear(acc)")
    change_file(client, uri, 2, moved)
    hints = await code_hints(client, uri)
    assert "HMMA.16816" in hints[gemm + 1]
    assert "stale" not in hints[gemm + 1]

    # Another program: the lines keep what they were until the next compile.
    change_file(client, uri, 3, moved.replace("num_stages=3", "num_stages=2"))
    hints = await code_hints(client, uri)
    assert hints[gemm + 1].endswith(" · stale")

    # Saving a program that was compiled already compiles nothing.
    change_file(client, uri, 4, moved)
    done.clear()
    client.text_document_did_save(types.DidSaveTextDocumentParams(IDENTIFIER(uri)))
    assert "stale" not in (await code_hints(client, uri))[gemm + 1]
    assert done == []


@pytest.mark.asyncio
async def test_hover_has_the_instructions_of_a_line(one_target: LanguageClient, tmp_path: Path) -> None:
    client = one_target
    uri = open_file(client, tmp_path / "k.py", SMALL)
    await compiled(client, uri)

    async def hovered(needle: str) -> str:
        params = types.HoverParams(IDENTIFIER(uri), position(SMALL, needle))
        found = await client.text_document_hover_async(params)
        assert found is not None
        assert isinstance(found.contents, types.MarkupContent)
        return found.contents.value

    on_operation = await hovered("gemm(A_tile")
    assert "```asm\n" in on_operation
    assert "HMMA.16816" in on_operation
    on_tile = await hovered("A_tile, B_tile, acc")
    assert "**sm_80 SASS**: " in on_tile
    assert "```asm" not in on_tile
    assert "compiled for sm_80: " in await hovered("matmul(M, N")


@pytest.mark.asyncio
async def test_listings_map_both_ways(both: LanguageClient, tmp_path: Path) -> None:
    client = both
    uri = open_file(client, tmp_path / "größe.py", SMALL)
    gemm = position(SMALL, "T.gemm(")
    found = await ask(client, "tilelang/listing", textDocument={"uri": uri}, position=plain(gemm))
    assert (found["kernel"], found["target"], found["stage"], found["stale"]) == ("kernel", "sm_80", "sass", False)
    assert found["stages"] == ["tile-ir", "tir", "cuda", "ptx", "sass"]
    assert [each["arch"] for each in found["targets"]] == ["sm_80"]
    assert found["uris"][0] == uri
    lines = found["document"]["lines"]
    text = (await client.workspace_text_document_content_async(types.TextDocumentContentParams(found["uri"]))).text
    assert text.splitlines() == [line["text"] for line in lines]

    mapped = await ask(client, "tilelang/listingMap", uri=found["uri"])
    assert mapped["mapped"]["share"] > 0.9
    entry = next(each for each in mapped["python"] if each["line"] == gemm.line)
    assert entry["uri"] == uri
    assert "HMMA.16816" in entry["text"]
    index = mapped["python"].index(entry)
    back = [number for number, each in enumerate(mapped["lines"]) if each and index in each]
    assert back == [number for first, last in entry["lines"] for number in range(first, last + 1)]
    assert any("HMMA" in lines[number]["text"] for number in back)

    peeked = await ask(client, "tilelang/peek", textDocument={"uri": uri}, position=plain(gemm))
    assert [[each["range"]["start"]["line"], each["range"]["end"]["line"]] for each in peeked] == entry["lines"]
    locations = await client.text_document_implementation_async(types.ImplementationParams(IDENTIFIER(uri), gemm))
    assert isinstance(locations, list)
    assert [each.uri for each in locations if isinstance(each, types.Location)] == [found["uri"]] * len(peeked)


@pytest.mark.asyncio
async def test_each_stage_is_a_document(one_target: LanguageClient, tmp_path: Path) -> None:
    client = one_target
    uri = open_file(client, tmp_path / "k.py", SMALL)
    stages = {"tile-ir": "gemm", "tir": "blockIdx", "cuda": "__global__", "ptx": ".entry", "sass": "HMMA"}
    for stage, content in stages.items():
        name = uri_of_listing(Name(uri, "kernel", None, "sm_80", stage))
        found = await client.workspace_text_document_content_async(types.TextDocumentContentParams(name))
        assert content in found.text


@pytest.mark.asyncio
async def test_targets_are_compared_line_by_line(client: LanguageClient, tmp_path: Path) -> None:
    uri = open_file(client, tmp_path / "k.py", SMALL)
    one, other = (uri_of_listing(Name(uri, "kernel", 0, arch, "sass")) for arch in ("sm_75", "sm_80"))
    found = await ask(client, "tilelang/compare", before=one, after=other)
    assert found["problem"] == ""
    assert "HMMA.1688 -> HMMA.16816" in found["document"]["summary"]
    gemm = position(SMALL, "T.gemm(").line + 1
    line = next(each for each in found["document"]["lines"] if each["line"] == gemm)
    assert "HMMA.1688" in line["before"]
    assert "HMMA.16816" in line["after"]

    opened: list[str] = []

    def show(params: types.ShowDocumentParams) -> types.ShowDocumentResult:
        opened.append(params.uri)
        return types.ShowDocumentResult(True)

    client.protocol.fm.features[types.WINDOW_SHOW_DOCUMENT] = show
    def_line = position(SMALL, "def kernel(").line + 1
    for command in ("tilelang.showAssembly", "tilelang.compareTargets"):
        answer = await client.workspace_execute_command_async(types.ExecuteCommandParams(command, [uri, def_line]))
        assert opened[-1] == answer
    text = (await client.workspace_text_document_content_async(types.TextDocumentContentParams(opened[-1]))).text
    assert f"@@ k.py:{gemm} @@ T.gemm(A_tile, B_tile, acc)" in text
    assert "HMMA.16816 -> HMMA.1688" in text


BAD_CUDA = """\
import tilelang
import tilelang.language as T


@tilelang.jit
def kernel(N=256):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32")):
        with T.Kernel(1, threads=128) as bx:
            T.import_source("__device__ int twice(int x) { return x +; }")
            A[T.get_thread_binding()] = 1.0

    return main


kernel()
"""


@pytest.mark.asyncio
async def test_what_the_assembler_complains_about_is_a_finding_until_the_text_changes(
    client: LanguageClient, tmp_path: Path
) -> None:
    uri = open_file(client, tmp_path / "k.py", BAD_CUDA)
    results = await compiled(client, uri)
    assert [each["ok"] for each in results] == [False, False]
    while True:
        found = await published(client, uri, 1)
        (error,) = [each for each in found if each.code == "compile-error"]
        assert error.data is not None
        if sorted(error.data["targets"]) == ["sm_75", "sm_80"]:
            break
    assert error.severity == types.DiagnosticSeverity.Error
    assert "expected an expression" in error.message
    change_file(client, uri, 2, BAD_CUDA.replace("x +;", "x + x;"))
    assert [each.code for each in await published(client, uri, 2)] == []
    assert [each["ok"] for each in await compiled(client, uri)] == [True, True]


@pytest.mark.asyncio
async def test_a_killed_compiler_is_a_problem_of_its_kernel_only(one_target: LanguageClient, tmp_path: Path) -> None:
    client = one_target
    uri = open_file(client, tmp_path / "k.py", SMALL)
    await compiled(client, uri)
    for process in children(client):
        os.kill(process, signal.SIGKILL)
    changed = SMALL.replace("num_stages=3", "num_stages=2")
    change_file(client, uri, 2, changed)
    await compiled(client, uri)
    change_file(client, uri, 3, SMALL.replace("num_stages=3", "num_stages=1"))
    assert all(each["ok"] for each in await compiled(client, uri))
    assert await client.text_document_hover_async(types.HoverParams(IDENTIFIER(uri), position(SMALL, "A_tile,")))


def children(client: LanguageClient) -> list[int]:
    """The worker processes of the server."""
    server = client._server
    assert server is not None
    tasks = Path(f"/proc/{server.pid}/task")
    if not tasks.exists():
        pytest.skip("this system does not list the children of a process")
    found = [int(pid) for task in tasks.iterdir() for pid in (task / "children").read_text().split()]
    assert found
    return found


@pytest.mark.asyncio
async def test_requests_about_nothing_answer_with_nothing(one_target: LanguageClient, tmp_path: Path) -> None:
    client = one_target
    uri = open_file(client, tmp_path / "k.py", SMALL)
    at = {"line": 0, "character": 0}
    assert await ask(client, "tilelang/listing", textDocument={"uri": uri}, position=at) is None
    assert await ask(client, "tilelang/peek", textDocument={"uri": uri}, position=at) == []
    assert await ask(client, "tilelang/listingMap", uri="tilelang-listing:/nothing") is None
    gone = uri_of_listing(Name(uri, "no_such", 0, "sm_80", "sass"))
    text = (await client.workspace_text_document_content_async(types.TextDocumentContentParams(gone))).text
    assert text.startswith("// there is no kernel no_such")
    at = plain(position(SMALL, "T.gemm("))
    wrong = await ask(client, "tilelang/listing", textDocument={"uri": uri}, position=at, stage="wgsl")
    assert wrong["problem"] == "there is no wgsl for sm_80; there is tile-ir, tir, cuda, ptx, sass"
    unknown = await ask(client, "tilelang/listing", textDocument={"uri": uri}, position=at, target="sm_1")
    assert unknown["problem"] == "there is no target sm_1"
    with pytest.raises(JsonRpcException):
        await ask(client, "tilelang/noSuch", uri=uri)


@pytest.mark.parametrize("instance", [None, 3])
def test_names_of_listings_survive_editors(instance: int | None) -> None:
    name = Name("file:///home/größe/a b&c.py", "kernel@2", instance, "sm_80", "tile-ir")
    uri = uri_of_listing(name)
    assert read_uri(uri) == name
    path, _, query = uri.partition("?")
    # As VS Code writes it.
    assert read_uri(f"{path}?{quote(query, safe='')}") == name
    assert read_uri("file:///k.py") is None
