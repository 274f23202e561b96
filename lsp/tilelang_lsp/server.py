"""The language server: the checker's findings while one types, over stdio or TCP."""

from __future__ import annotations

import argparse
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, cast

from tilelang_analyzers.isolation import isolate

if TYPE_CHECKING:
    from collections.abc import Sequence

_TROUBLE = isolate()
if _TROUBLE is not None:
    sys.exit(f"tilelang-lsp: {_TROUBLE}")

from lsprotocol import types  # noqa: E402
from pygls.lsp.server import LanguageServer  # noqa: E402

from tilelang import __version__  # noqa: E402
from tilelang_lsp.handlers import documents  # noqa: E402
from tilelang_lsp.session import Session  # noqa: E402


class Server(LanguageServer):
    """The state of one connection. ``worker`` has one thread: checks run one after another."""

    def __init__(self) -> None:
        super().__init__("tilelang-lsp", __version__)  # pyright: ignore[reportUnknownMemberType]  # *args is untyped
        self.session = Session()
        self.worker = ThreadPoolExecutor(1, "tilelang-check")
        self.shows_related_information = False

    @property
    def position_encoding(self) -> str:
        """The units of columns that client and server agreed on."""
        return types.PositionEncodingKind(self.workspace.position_encoding or "utf-16").value


def initialize(ls: Server, params: types.InitializeParams) -> None:
    """Read the client's capabilities and the editor's settings once."""
    document = params.capabilities.text_document
    capability = document.publish_diagnostics if document else None
    ls.shows_related_information = bool(capability and capability.related_information)
    options: object = params.initialization_options
    ls.session.options = cast("dict[str, object]", options) if isinstance(options, dict) else {}


def create() -> Server:
    """A server with its handlers."""
    server = Server()
    server.feature(types.INITIALIZE)(initialize)
    documents.register(server)
    return server


def main(arguments: Sequence[str] | None = None) -> int:
    """Entry point of `tilelang-lsp`."""
    parser = argparse.ArgumentParser("tilelang-lsp", description="Language server for TileLang kernels.")
    parser.add_argument("--tcp", action="store_true", help="listen on a TCP port instead of stdin and stdout")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: 127.0.0.1)")
    parser.add_argument("--port", type=int, default=8765, help="port to listen on (default: 8765)")
    parser.add_argument("--stdio", action="store_true", help="talk over stdin and stdout (the default)")
    parser.add_argument("--version", action="version", version=f"tilelang-lsp {__version__}")
    options: Any = parser.parse_args(arguments)
    server = create()
    if options.tcp:
        server.start_tcp(options.host, options.port)
    else:
        server.start_io()
    return 0


if __name__ == "__main__":
    sys.exit(main())
