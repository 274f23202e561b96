"""The language server: its state for one connection, and the command that starts it."""

from __future__ import annotations

import argparse
import gc
import logging
import sys
from typing import TYPE_CHECKING, Any

from tilelang_analyzers.isolation import isolate

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Generator, Sequence

    from tilelang_lsp.analysis import Analysis
    from tilelang_lsp.compiles import Compiled, Wanted
    from tilelang_lsp.files import SourceFile
    from tilelang_lsp.positions import Encoding

_TROUBLE = isolate()
if _TROUBLE is not None:
    sys.exit(f"tilelang-lsp: {_TROUBLE}")

from lsprotocol import types  # noqa: E402
from pygls.exceptions import (  # noqa: E402
    JsonRpcContentModified,
    JsonRpcException,
    JsonRpcInvalidParams,
    JsonRpcRequestCancelled,
)
from pygls.lsp.server import LanguageServer  # noqa: E402
from pygls.protocol import LanguageServerProtocol, lsp_method  # noqa: E402

from tilelang import __version__  # noqa: E402
from tilelang_lsp import handlers  # noqa: E402
from tilelang_lsp.compiles import Compiles  # noqa: E402
from tilelang_lsp.handlers import compiling, diagnostics, progress, status  # noqa: E402
from tilelang_lsp.handlers.client import Client  # noqa: E402
from tilelang_lsp.handlers.notebooks import SYNC  # noqa: E402
from tilelang_lsp.handlers.place import Uris  # noqa: E402
from tilelang_lsp.ide.listing_view import SCHEME  # noqa: E402
from tilelang_lsp.scheduler import Scheduler  # noqa: E402
from tilelang_lsp.session import Session  # noqa: E402


class Protocol(LanguageServerProtocol):
    """Announces documents with content of the server, which pygls does not, and answers requests whose parameters
    cannot be read, which it drops."""

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: types.InitializeParams) -> Generator[Any, Any, types.InitializeResult]:
        result = yield from super().lsp_initialize(params)
        if result.capabilities.workspace is not None:
            result.capabilities.workspace.text_document_content = types.TextDocumentContentOptions([SCHEME])
        return result

    def structure_message(self, data: dict[str, Any]) -> Any:
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            if "id" not in data or not isinstance(data.get("method"), str):
                raise
            refusal = JsonRpcInvalidParams(f"the parameters of {data['method']} cannot be read")
            self._send_response(data["id"], error=refusal.to_response_error())
            # Has been dealt with: what the server does with it is nothing.
            return super().structure_message({"jsonrpc": "2.0", "method": "$/refused", "params": str(error)})


SWITCH_INTERVAL = 0.0005
"""Seconds that a check may keep the interpreter while a request waits; Python's 0.005 would add to every answer."""


class Server(LanguageServer):
    """The state of one connection."""

    def __init__(self) -> None:
        super().__init__(  # pyright: ignore[reportUnknownMemberType]  # *args is untyped
            "tilelang-lsp", __version__, protocol_cls=Protocol, notebook_document_sync=SYNC
        )
        self.session = Session()
        self.scheduler = Scheduler(self.session, self._finished, self._slow)
        self.client = Client()
        self.uris = Uris()
        self.published: set[str] = set()
        """Documents that the editor shows findings for."""
        self.checked_with: dict[str, dict[str, SourceFile]] = {}
        """By file: the texts of other files that its check was asked for again because of."""
        self.bad_settings: set[str] = set()
        """Configuration files that the editor shows a problem in."""
        self.compiles = Compiles(self._compiled)
        self.session.compiled = self.compiles.results
        self.compiled_paths: set[str] = set()
        """Files with results that the editor has not been told of."""
        self.listings: dict[str, str] = {}
        """The files of the listings that the client has read, by the URI of the listing."""
        self.tokens: dict[str, tuple[str, list[int]]] = {}
        """By document: the last semantic tokens and their id, to send differences."""

    @property
    def encoding(self) -> Encoding:
        """The units of columns that client and server agreed on."""
        return types.PositionEncodingKind(self.workspace.position_encoding or "utf-16").value

    def _slow(self, file: SourceFile, work: asyncio.Future[Analysis | None]) -> None:
        status.in_background(progress.show(self, file, work))

    def _finished(self, analysis: Analysis) -> None:
        diagnostics.finished(self, analysis)
        status.finished(self)
        compiling.checked(self, analysis)

    def _compiled(self, job: Wanted, made: Compiled | None) -> None:
        compiling.changed(self, job, made)


class _Quiet(logging.Filter):
    """Requests that were cancelled or came too late are no errors."""

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        return not isinstance(error, (JsonRpcContentModified, JsonRpcRequestCancelled))


def create() -> Server:
    """A server with its handlers."""
    server = Server()
    for module in handlers.ALL:
        module.register(server)
    return server


def main(arguments: Sequence[str] | None = None) -> int:
    """Entry point of `tilelang-lsp`."""
    parser = argparse.ArgumentParser("tilelang-lsp", description="Language server for TileLang kernels.")
    parser.add_argument("--tcp", action="store_true", help="listen on a TCP port instead of stdin and stdout")
    parser.add_argument("--ws", action="store_true", help="listen for WebSocket connections")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: 127.0.0.1)")
    parser.add_argument("--port", type=int, default=8765, help="port to listen on (default: 8765)")
    parser.add_argument("--stdio", action="store_true", help="talk over stdin and stdout (the default)")
    parser.add_argument("--version", action="version", version=f"tilelang-lsp {__version__}")
    options: Any = parser.parse_args(arguments)
    sys.setswitchinterval(SWITCH_INTERVAL)
    # A check makes many objects that soon go again; looking for cycles as often as by default costs tens of
    # milliseconds in the middle of a keystroke.
    gc.set_threshold(50_000, 20, 50)
    logging.getLogger("pygls.protocol.json_rpc").addFilter(_Quiet())
    server = create()
    if options.tcp:
        server.start_tcp(options.host, options.port)
    elif options.ws:
        server.start_ws(options.host, options.port)
    else:
        server.start_io()
    return 0


if __name__ == "__main__":
    sys.exit(main())
