"""`tilelang/status`: what a status bar shows, and the refresh of views once a check has ended."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException

if TYPE_CHECKING:
    from collections.abc import Awaitable, Coroutine

    from tilelang_lsp.server import Server

METHOD = "tilelang/status"


def register(server: Server) -> None:
    server.feature(types.SET_TRACE)(set_trace)


def set_trace(ls: Server, params: types.SetTraceParams) -> None:
    """pygls keeps the value; :func:`trace` reads it."""


def trace(ls: Server, message: str, verbose: str = "") -> None:
    """Tell a client that traces what was done."""
    if ls.protocol.trace != types.TraceValue.Off:
        detail = verbose if ls.protocol.trace == types.TraceValue.Verbose else None
        ls.log_trace(types.LogTraceParams(message, detail or None))


def finished(ls: Server) -> None:
    """A check has ended: hints, lenses and tokens that the client shows may be old."""
    reports = [analysis.report for analysis in ls.session.analyses.values()]
    kernels = sum(len(report.kernels) for report in reports)
    trace(ls, f"checked {len(reports)} open files", f"{kernels} kernels")
    if ls.client.wants_status:
        failed = next((report.failure for report in reports if report.failure is not None), None)
        targets = [label for report in reports for _, label in report.targets]
        assumed = next((report.assumed_target for report in reports if report.assumed_target), "")
        ls.protocol.notify(
            METHOD,
            {
                "health": "ok" if failed is None else "error" if failed.internal else "warning",
                "message": failed.message if failed is not None else "",
                "quiescent": not ls.scheduler.busy,
                "kernels": kernels,
                "targets": list(dict.fromkeys(targets)) or ([assumed] if assumed else []),
                "targetIsAssumed": bool(assumed),
            },
        )
    if not ls.scheduler.busy:
        refresh(ls)


def refresh(ls: Server) -> None:
    """Ask the client to read again what depends on a check."""
    client = ls.client
    if client.refreshes_lenses:
        _send(ls.workspace_code_lens_refresh_async(None))
    if client.refreshes_hints:
        _send(ls.workspace_inlay_hint_refresh_async(None))
    if client.refreshes_tokens:
        _send(ls.workspace_semantic_tokens_refresh_async(None))


_running: set[asyncio.Task[None]] = set()


def _send(request: Awaitable[object]) -> None:
    in_background(asked(request))


def in_background(work: Coroutine[Any, Any, None]) -> None:
    """Start something whose end nobody waits for."""
    task = asyncio.get_running_loop().create_task(work)
    _running.add(task)
    task.add_done_callback(_running.discard)


async def asked(request: Awaitable[object]) -> None:
    """Await what the client was asked. One that says it can and then cannot is no reason to stop."""
    with suppress(JsonRpcException):
        await request
