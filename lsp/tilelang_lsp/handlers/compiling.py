"""When kernels are compiled, and who is told: on save, and by `tilelang/compile`."""

from __future__ import annotations

import asyncio
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from tilelang.backends.listings import stages_of
from tilelang_lsp.compiles import code_stages, is_compilable
from tilelang_lsp.handlers import diagnostics, status
from tilelang_lsp.handlers.place import fresh, uri_of
from tilelang_lsp.handlers.progress import Progress
from tilelang_lsp.ide.generated import to_compile, wanted
from tilelang_lsp.ide.listing_view import Name, uri_of_listing
from tilelang_lsp.ide.tiles import arguments_text

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from tilelang.targets import Target
    from tilelang_lsp.analysis import Analysis
    from tilelang_lsp.compiles import Compiled, Wanted
    from tilelang_lsp.files import SourceFile
    from tilelang_lsp.server import Server

METHOD, NOTIFICATION, COMMAND = "tilelang/compile", "tilelang/compiled", "tilelang.compile"
PATIENCE = 0.7
"""Seconds after which a compile shows its progress."""
WARM_UP_DELAY = 3.0
"""Seconds from the first keystroke to the start of the workers, which takes some seconds of a core."""
GATHERING = 0.05
"""Seconds in which results are gathered before the views of the editor are refreshed."""


def register(server: Server) -> None:
    server.feature(METHOD)(compile_document)

    async def command(ls: Any, uri: Any, line: Any = None) -> Any:
        await compile_command(ls, uri, line)

    server.command(COMMAND)(command)


@cache
def unavailable(target: Target) -> str:
    """Why nothing can be compiled for a target here; empty if it can be tried."""
    if not is_compilable(target):
        return f"there is no code generator for {target.family} yet"
    if find_spec("tvm") is None:
        return "generated code needs Apache TVM: pip install 'tilelang-suite[cuda]'"
    if target.family == "cuda":
        from tilelang.backends.cuda.nvrtc import library_for

        found = library_for(target.compiled_as)
        return found if isinstance(found, str) else ""
    return ""


async def saved(ls: Server, uri: str) -> None:
    """A file was saved: compile what has changed in it."""
    if not ls.session.options.compile_on_save:
        return
    path = ls.uris.path(uri)
    await ls.scheduler.fresh(path)
    snapshot = ls.session.snapshot(path)
    if snapshot is None or not snapshot.is_current:
        return
    jobs = [each for each in to_compile(snapshot) if not unavailable(each.target)]
    await compile_all(ls, path, [job for job in jobs if ls.compiles.fresh(job, code_stages(job.target)) is None])


async def compile_all(ls: Server, path: str, jobs: list[Wanted], token: Any = None) -> list[Compiled]:
    """Compile some kernels, the first ones first. Shows progress if it takes long; the user may give it up."""
    if not jobs:
        return []
    tasks = [
        asyncio.ensure_future(ls.compiles.compile(job, code_stages(job.target), priority))
        for priority, job in enumerate(jobs)
    ]
    await asyncio.wait(tasks, timeout=0 if token is not None else PATIENCE)
    if not all(task.done() for task in tasks):
        await _show(ls, path, tasks, token)
    return [made for made in await asyncio.gather(*tasks) if made is not None]


async def _show(ls: Server, path: str, tasks: Sequence[asyncio.Future[Compiled | None]], token: Any) -> None:
    progress = await Progress.begin(ls, token, "Compiling kernels", len(tasks))
    reported = 0
    try:
        while left := [task for task in tasks if not task.done()]:
            if progress.is_cancelled:
                ls.compiles.cancel(path)
            done = len(tasks) - len(left)
            if done != reported:
                reported = done
                progress.report(done, f"{done} of {len(tasks)}")
            # The client's cancel only marks the progress, so it is looked at now and then.
            await asyncio.wait(left, timeout=0.05, return_when=asyncio.FIRST_COMPLETED)
    finally:
        progress.end()


async def compile_document(ls: Server, params: Any) -> object:
    """Parameters: ``textDocument``; a ``position`` for one kernel, ``targets``, ``workDoneToken``."""
    line = params.position.line + 1 if getattr(params, "position", None) is not None else None
    return await _compile(
        ls, params.textDocument.uri, line, getattr(params, "targets", None), getattr(params, "workDoneToken", None)
    )


async def compile_command(ls: Server, uri: str, line: int | None = None) -> object:
    return await _compile(ls, uri, line, None, None)


async def _compile(ls: Server, uri: str, line: int | None, targets: Any, token: Any) -> object:
    snapshot = await fresh(ls, uri)
    if snapshot is None or snapshot.analysis is None:
        return []
    from tilelang.targets import resolve

    named = [found for name in targets or () if (found := resolve(str(name).lower())) is not None]
    jobs: list[Wanted] = []
    for kernel in snapshot.analysis.kernels:
        if line is None or kernel.first_line <= line <= kernel.last_line:
            index, instance = kernel.chosen(snapshot.picks.get((snapshot.file.path, kernel.name)))
            for target in named or snapshot.analysis.targets(instance):
                if not unavailable(target):
                    jobs.append(wanted(snapshot, kernel, index, target))
    return [as_plain(ls, each) for each in await compile_all(ls, snapshot.file.path, jobs, token)]


# --- results ----------------------------------------------------------------------------------------------------------


def changed(ls: Server, job: Wanted, made: Compiled | None) -> None:
    """A compile has started, or ended with a result."""
    if ls.client.wants_status:
        document = {"uri": uri_of(ls, job.key.path, job.line)}
        results = [as_plain(ls, made)] if made is not None else []
        ls.protocol.notify(NOTIFICATION, {"textDocument": document, "running": ls.compiles.running, "results": results})
    if made is not None:
        waiting = ls.compiled_paths
        if not waiting:
            asyncio.get_running_loop().call_later(GATHERING, _refresh, ls)
        waiting.add(job.key.path)


def _refresh(ls: Server) -> None:
    """Show what the results of the last moment change."""
    paths, ls.compiled_paths = ls.compiled_paths, set()
    for path in paths:
        analysis = ls.session.analyses.get(path)
        if analysis is not None and not ls.client.pulls_diagnostics:
            diagnostics.publish_all(ls, analysis)
    diagnostics.ask_again(ls)
    status.refresh(ls)
    refresh_documents(ls, paths)


def checked(ls: Server, analysis: Analysis) -> None:
    """A text was checked: open documents of its code are read again, which compiles what is stale."""
    refresh_documents(ls, (analysis.file.path,))


def get_ready(ls: Server, file: SourceFile) -> None:
    """Somebody types in a file with kernels and will save it: start the workers in a while."""
    wanted_later = ls.session.options.compile_on_save and file.mentions_language and not ls.compiles.is_warm
    if wanted_later and find_spec("tvm") is not None:
        ls.compiles.is_warm = True
        asyncio.get_running_loop().call_later(WARM_UP_DELAY, ls.compiles.warm)


def refresh_documents(ls: Server, paths: Collection[str]) -> None:
    """Have the client read the open documents of some files' code again."""
    if ls.client.refreshes_content:
        for uri, path in ls.listings.items():
            if path in paths:
                params = types.TextDocumentContentRefreshParams(uri)
                status.in_background(status.asked(ls.workspace_text_document_content_refresh_async(params)))


def as_plain(ls: Server, made: Compiled) -> dict[str, object]:
    """A result for clients."""
    key = made.wanted.key
    file = uri_of(ls, key.path, made.wanted.line)
    code = made.code
    stage = code.stage if code is not None else stages_of(made.wanted.target)[-1]
    return {
        "kernel": key.kernel,
        "instance": key.instance,
        "arguments": arguments_text(made.wanted.instance, 200),
        "line": made.wanted.line - 1,
        "target": key.arch,
        "ok": made.ok,
        "seconds": round(made.seconds, 3),
        "summary": code.summary if code is not None else "",
        "problems": [str(each.data.get("message", each.kind)) for each in made.problems],
        "uri": uri_of_listing(Name(file, key.kernel, key.instance, key.arch, stage)),
    }
