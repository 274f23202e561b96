"""Generated code for clients: documents by URI, and the requests `docs/editor.md` describes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types

from tilelang.listing import diff_document, diff_of, document_of
from tilelang.listing.model import ranges_of
from tilelang_lsp.compiles import code_stages
from tilelang_lsp.handlers.compiling import unavailable
from tilelang_lsp.handlers.diagnostics import as_json
from tilelang_lsp.handlers.place import core_position, fresh, position_of, uri_of
from tilelang_lsp.ide import listing_view
from tilelang_lsp.ide.code_hints import main_text
from tilelang_lsp.ide.diff_text import diff_text
from tilelang_lsp.ide.generated import kernel_named
from tilelang_lsp.ide.listing_view import UNASSEMBLED, Shown, Spot, read_uri, uri_of_listing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tilelang.listing import Listing, Place
    from tilelang_lsp.server import Server
    from tilelang_lsp.session import Snapshot

LISTING, MAP, PEEK, COMPARE = "tilelang/listing", "tilelang/listingMap", "tilelang/peek", "tilelang/compare"
SHOW, SHOW_DIFF = "tilelang.showAssembly", "tilelang.compareTargets"


def register(server: Server) -> None:
    server.feature(types.WORKSPACE_TEXT_DOCUMENT_CONTENT)(text_document_content)
    server.feature(LISTING)(listing)
    server.feature(MAP)(listing_map)
    server.feature(PEEK)(peek)
    server.feature(COMPARE)(compare)
    server.feature(types.TEXT_DOCUMENT_IMPLEMENTATION)(implementation)

    async def show(ls: Any, uri: Any, line: Any) -> Any:
        return await show_assembly(ls, uri, line)

    async def show_diff(ls: Any, uri: Any, line: Any) -> Any:
        return await compare_targets(ls, uri, line)

    server.command(SHOW)(show)
    server.command(SHOW_DIFF)(show_diff)


# --- from requests to listings ----------------------------------------------------------------------------------------


async def _shown(ls: Server, place: Spot | str | None, *, compile_now: bool = True) -> Shown | str | None:
    """The stage of a spot, compiled now if need be. A sentence where there is no spot."""
    if place is None or isinstance(place, str):
        return place
    found = listing_view.without_compiler(place)
    if found is not None:
        return found
    wanted = place.wanted
    if not compile_now:
        return listing_view.shown(place, ls.compiles.results.get(wanted.key))
    reason = unavailable(place.target)
    if reason:
        return Shown(place, None, problem=reason)
    stages = {place.stage, *(() if place.stage in UNASSEMBLED else code_stages(place.target))}
    compiled = await ls.compiles.compile(wanted, stages)
    if compiled is None:
        return Shown(place, None, problem=f"compiling {place.kernel.name} was given up")
    # The text may have changed meanwhile: what is shown follows the newest one.
    now = ls.session.snapshot(place.snapshot.file.path)
    kernel = kernel_named(now.analysis, wanted.key.kernel) if now is not None and now.analysis is not None else None
    if now is not None and kernel is not None and place.index < len(kernel.instances):
        place = Spot(now, kernel, place.index, place.target, place.targets, place.stage)
    return listing_view.shown(place, compiled)


async def _at(ls: Server, params: Any, stage: str | None) -> Spot | str | None:
    """The spot that a request with a document means."""
    uri = params.textDocument.uri
    snapshot = await fresh(ls, uri)
    if snapshot is None or snapshot.analysis is None:
        return None
    name, position = getattr(params, "kernel", None), getattr(params, "position", None)
    if name is not None:
        kernel = kernel_named(snapshot.analysis, name)
    else:
        kernel = snapshot.analysis.kernel_at(_line(ls, snapshot, uri, position)) if position is not None else None
    return listing_view.spot(
        snapshot,
        kernel,
        instance=getattr(params, "instance", None),
        target=getattr(params, "target", None),
        stage=stage,
    )


def _line(ls: Server, snapshot: Snapshot, uri: str, position: Any) -> int:
    return core_position(snapshot.file, uri, types.Position(position.line, position.character), ls.encoding)[0]


async def _named(ls: Server, uri: str) -> Shown | str:
    """The listing of a URI, or why there is none."""
    name = read_uri(uri)
    if name is None:
        return f"this is not the name of a listing: {uri}"
    snapshot = await fresh(ls, name.file)
    if snapshot is None:
        return f"{name.file} is not open, or has no kernels"
    found = await _shown(ls, listing_view.spot_named(snapshot, name))
    return found if found is not None else f"there is no kernel {name.kernel} in {name.file}"


def _document_uri(ls: Server, place: Spot) -> str:
    return uri_of_listing(listing_view.name_of(place, _source(ls, place)))


def _source(ls: Server, place: Spot) -> str:
    return uri_of(ls, place.snapshot.file.path, place.kernel.line, place.snapshot.file)


# --- requests ---------------------------------------------------------------------------------------------------------


async def listing(ls: Server, params: Any) -> object:
    """Parameters: ``textDocument``, ``position`` or ``kernel``; ``instance``, ``target``, ``stage``, ``compile``."""
    place = await _at(ls, params, getattr(params, "stage", None))
    found = await _shown(ls, place, compile_now=getattr(params, "compile", True) is not False)
    return {"problem": found, "document": None} if isinstance(found, str) else _answer(ls, found)


def _answer(ls: Server, found: Shown | None, *, whole: bool = True) -> dict[str, object] | None:
    if found is None:
        return None
    place, made = found.spot, found.listing
    document = document_of(made) if made is not None and whole else None
    files: Any = document["files"] if document is not None else ()
    return {
        "uri": _document_uri(ls, place),
        "source": _source(ls, place),
        "kernel": listing_view.name_of(place, "").kernel,
        "instance": place.index,
        "instances": len(place.kernel.instances),
        "arguments": place.arguments,
        "line": position_of(ls, place.snapshot.file.path, place.kernel.line, 0, place.snapshot.file).line,
        "target": place.target.arch,
        "targets": [{"arch": each.arch, "label": each.label} for each in place.targets],
        "stage": place.stage,
        "stages": list(place.stages),
        "stale": found.stale,
        "seconds": round(found.seconds, 3),
        "summary": made.summary if made is not None else "",
        "problem": found.problem,
        "document": document,
        "uris": [ls.uris.uri(file) if made is not None and file in made.sources else "" for file in files],
    }


async def listing_map(ls: Server, params: Any) -> object:
    """Parameters: ``uri`` of a listing."""
    found = await _named(ls, str(params.uri))
    if isinstance(found, str) or found.listing is None:
        return None
    made = found.listing
    places = {place: number for number, place in enumerate(made.mapped_places)}
    return {
        "uri": params.uri,
        "source": _source(ls, found.spot),
        "stale": found.stale,
        "summary": made.summary,
        "mapped": {"lines": made.mapped.lines, "of": made.mapped.total, "share": round(made.mapped.share, 4)},
        "python": [_python_line(ls, made, place) for place in places],
        "lines": [[places[each] for each in made.python_lines(index)] or None for index in range(len(made.lines))],
    }


def _python_line(ls: Server, made: Listing, place: Place) -> dict[str, object]:
    mix = made.mix_of(place.path, place.line)
    return {
        "uri": uri_of(ls, place.path, place.line),
        "line": position_of(ls, place.path, place.line, 0).line,
        "lines": [list(each) for each in ranges_of(made.lines_of(place.path, place.line))],
        "text": main_text(mix) or mix.text,
        "classes": dict(mix.classes),
    }


async def peek(ls: Server, params: Any) -> object:
    """Parameters: ``textDocument``, ``position``; ``stage``, ``target``, ``instance``."""
    place = await _at(ls, params, getattr(params, "stage", None))
    found = await _shown(ls, place)
    if found is None or isinstance(found, str):
        return []
    line = _line(ls, found.spot.snapshot, params.textDocument.uri, params.position)
    return [as_json(each) for each in _locations(ls, found, line)]


async def implementation(ls: Server, params: types.ImplementationParams) -> list[types.Location] | None:
    """What a line became is how it is implemented."""
    snapshot = await fresh(ls, params.text_document.uri)
    if snapshot is None or snapshot.analysis is None:
        return None
    line = _line(ls, snapshot, params.text_document.uri, params.position)
    found = await _shown(ls, listing_view.spot(snapshot, snapshot.analysis.kernel_at(line)))
    return list(_locations(ls, found, line)) if isinstance(found, Shown) else None


def _locations(ls: Server, found: Shown, line: int) -> Iterator[types.Location]:
    made = found.listing
    if made is None:
        return
    uri = _document_uri(ls, found.spot)
    for first, last in ranges_of(made.lines_of(found.spot.snapshot.file.path, line)):
        end = types.Position(last, len(made.lines[last].text))
        yield types.Location(uri, types.Range(types.Position(first, 0), end))


async def compare(ls: Server, params: Any) -> object:
    """Parameters: ``before`` and ``after``, URIs of listings."""
    before, after = await _named(ls, str(params.before)), await _named(ls, str(params.after))
    return _comparison(ls, before, after)


def _comparison(ls: Server, before: Shown | str, after: Shown | str) -> dict[str, object]:
    sides = {
        side: None if isinstance(each, str) else _answer(ls, each, whole=False)
        for side, each in (("before", before), ("after", after))
    }
    problem = _difficulty(before, after)
    document = None
    if not problem and isinstance(before, Shown) and isinstance(after, Shown) and before.listing and after.listing:
        document = diff_document(diff_of(before.listing, after.listing))
    return {**sides, "document": document, "problem": problem}


def _difficulty(before: Shown | str, after: Shown | str) -> str:
    """Why two listings cannot be compared; empty if they can."""
    for each in (before, after):
        if isinstance(each, str):
            return each
        if each.listing is None:
            return each.problem
    assert isinstance(before, Shown)
    assert isinstance(after, Shown)
    one, other = before.spot.stage, after.spot.stage
    return "" if one == other else f"{one} and {other} are different stages"


# --- documents --------------------------------------------------------------------------------------------------------


async def text_document_content(ls: Server, params: types.TextDocumentContentParams) -> types.TextDocumentContentResult:
    """The text of a listing. Why there is none is a text too: the editor shows it in its place."""
    name = read_uri(params.uri)
    if name is not None:
        ls.listings[params.uri] = ls.uris.path(name.file)
        if name.stage == "diff":
            return types.TextDocumentContentResult(await _diff(ls, name))
    found = await _named(ls, params.uri)
    if isinstance(found, str) or found.listing is None:
        problem = found if isinstance(found, str) else found.problem
        return types.TextDocumentContentResult(f"// {problem}\n")
    return types.TextDocumentContentResult(found.listing.text)


async def _diff(ls: Server, name: listing_view.Name) -> str:
    """The difference of two targets, whose names stand where listings have one: `sm_75..sm_80`."""
    one, _, other = name.target.partition("..")
    before, after = [
        await _named(
            ls, uri_of_listing(listing_view.Name(name.file, name.kernel, name.instance, arch, _last_stage(arch)))
        )
        for arch in (one, other)
    ]
    problem = _difficulty(before, after)
    if problem or not (isinstance(before, Shown) and isinstance(after, Shown) and before.listing and after.listing):
        return f"// {problem}\n"
    titles = (_title(before), _title(after))
    return diff_text(diff_of(before.listing, after.listing), ls.session.workspace, titles)


def _last_stage(arch: str) -> str:
    from tilelang.targets import resolve

    target = resolve(arch)
    return code_stages(target)[-1] if target is not None else "sass"


def _title(found: Shown) -> str:
    place = found.spot
    return f"{place.kernel.name}({place.arguments}) on {place.target.label}, {place.stage}"


# --- commands ---------------------------------------------------------------------------------------------------------


async def show_assembly(ls: Server, uri: str, line: int) -> str | None:
    """Open the listing of a kernel on its first target. ``line``: of the ``def``, from 1."""
    place = await _of_def(ls, uri, line)
    if place is None:
        return None
    document = _document_uri(ls, place)
    await _open(ls, document)
    return document


async def compare_targets(ls: Server, uri: str, line: int) -> str | None:
    """Open the difference of a kernel on the first two targets that there is a code generator for."""
    place = await _of_def(ls, uri, line)
    if place is None:
        return None
    usable = [each for each in place.targets if not unavailable(each)]
    if len(usable) < 2:
        ls.window_show_message(types.ShowMessageParams(types.MessageType.Info, "Choose two targets to compare."))
        return None
    name = listing_view.name_of(place, _source(ls, place))
    pair = f"{usable[0].arch}..{usable[1].arch}"
    document = uri_of_listing(listing_view.Name(name.file, name.kernel, name.instance, pair, "diff"))
    await _open(ls, document)
    return document


async def _of_def(ls: Server, uri: str, line: int) -> Spot | None:
    snapshot = await fresh(ls, uri)
    kernels = snapshot.analysis.kernels if snapshot is not None and snapshot.analysis is not None else ()
    kernel = next((each for each in kernels if each.line == line), None)
    found = listing_view.spot(snapshot, kernel) if snapshot is not None else None
    return found if isinstance(found, Spot) else None


async def _open(ls: Server, document: str) -> None:
    if ls.client.shows_documents:
        await ls.window_show_document_async(types.ShowDocumentParams(document, take_focus=False))
