"""`tilelang/targets`: the targets to choose from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang_lsp.handlers.plain import plain
from tilelang_lsp.ide.target_list import target_choices

if TYPE_CHECKING:
    from tilelang_lsp.server import Server

METHOD = "tilelang/targets"


def register(server: Server) -> None:
    server.feature(METHOD)(targets)


def targets(ls: Server, params: object) -> object:
    return plain(target_choices())
