"""The command line of ``tilelang asm``."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from tilelang_analyzers.exit_codes import CLEAN, TROUBLE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tilelang.backends.compiling import Outcome
    from tilelang.listing import Listing, Place
    from tilelang.targets import Target
    from tilelang_analyzers.asm.select import Wanted
    from tilelang_analyzers.checker import Examination
    from tilelang_analyzers.report.style import Style

STAGES = ("tile-ir", "tir", "cuda", "ptx", "sass", "cpu")
COMPILER_MISSING = (
    "generated code needs the compiler, which is not installed: pip install 'tilelang-suite[cuda]' "
    "(--as tile-ir works without)"
)


def parser(program: str) -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        program,
        description="Show the code that kernels compile to, with the Python line that each instruction comes from, "
        "registers, spills, shared memory, occupancy and the instructions by line. Nothing of the file is run.",
        allow_abbrev=False,
    )
    made.add_argument("file", metavar="FILE[:KERNEL]", help="a file, and the name of one kernel or factory in it")
    made.add_argument("--target", "-t", action="append", metavar="NAMES", help="cards or archs, such as t4,a100,sm_90")
    made.add_argument(
        "--as",
        dest="stage",
        choices=STAGES,
        help="what to show: tile-ir, tir, cuda, ptx, sass, cpu (default: the machine code of the target)",
    )
    made.add_argument("--passes", action="store_true", help="show the IR before, between and behind all passes instead")
    made.add_argument(
        "--config",
        "-c",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a value of a kernel's parameter, such as block_M=64; may be repeated",
    )
    made.add_argument("--all", action="store_true", help="every instance, not only the first of each kernel")
    made.add_argument("--line", type=int, metavar="N", help="only the code of this line of the source")
    made.add_argument("--control", action="store_true", help="SASS with its scheduling, in JSON")
    made.add_argument("--diff", action="store_true", help="what differs between two targets, by line")
    made.add_argument("--summary", action="store_true", help="only what the kernels take, not their code")
    made.add_argument(
        "--json", action="store_true", help="print JSON; docs/json-schema/listing.schema.json describes it"
    )
    return made


def asm_command(program: str, arguments: Sequence[str]) -> int:
    from tilelang_analyzers.asm.select import parse_values, wanted_of
    from tilelang_analyzers.cli import complain
    from tilelang_analyzers.kernels import examine, file_and_kernel, nothing_found

    options = parser(program).parse_args(list(arguments))
    path, kernel = file_and_kernel(options.file)
    examined = examine(path, options.target)
    if examined.report.failure is not None:
        return complain(program, f"{path}: {examined.report.failure.message}")
    wanted = list(wanted_of(examined, kernel, parse_values(options.config), every=options.all))
    if not wanted:
        return complain(program, nothing_found(path, kernel, examined))
    if options.diff and len(wanted) != 2:
        return complain(program, f"--diff compares two listings, not {len(wanted)}: name a kernel and two targets")
    if options.stage != "tile-ir" and not _compiler_is_here():
        return complain(program, COMPILER_MISSING)
    compiled = [(one, _compile(one, options)) for one in wanted]
    return (_show_json if options.json else _show_text)(program, compiled, options, examined)


def _compiler_is_here() -> bool:
    from importlib.util import find_spec

    return find_spec("tvm") is not None


def _stages(options: argparse.Namespace, target: Target) -> tuple[str, ...]:
    from tilelang.backends.listings import passes_of, stages_of

    if options.passes:
        return passes_of(target)
    if options.stage is not None:
        return (options.stage,)
    # SASS of a GPU that the disassembler does not know is not there; the PTX is.
    return ("sass", "ptx") if target.family == "cuda" else (stages_of(target)[-1],)


def _compile(one: Wanted, options: argparse.Namespace) -> Outcome:
    """In a worker process if a compiler takes part, since LLVM and NVRTC may crash."""
    from tilelang.backends.compiling import Job, Outcome
    from tilelang.backends.listings import is_tile_ir, tile_ir_listings
    from tilelang.backends.workers import shared_pool

    stages = _stages(options, one.target)
    program, configs = one.instance.program, one.instance.jit.pass_configs
    if all(map(is_tile_ir, stages)):
        return Outcome(None, (), tuple(tile_ir_listings(program, one.target, stages, configs)))
    # Unknown parts of a kernel have no code; the IR can be looked at.
    link = not options.passes and options.stage not in ("tir", "cuda")
    return shared_pool().submit(Job(program, one.target, configs, stages, link, options.control)).result()


def _shown(outcome: Outcome, options: argparse.Namespace) -> list[Listing]:
    """The listings to show: of SASS and PTX, the first that has lines."""
    if options.stage is not None or options.passes:
        return list(outcome.listings)
    full = [it for it in outcome.listings if it.lines]
    if not full:
        return list(outcome.listings[:1])
    notes = tuple(note for it in outcome.listings if not it.lines for note in it.notes)
    from dataclasses import replace

    return [replace(full[0], notes=(*full[0].notes, *notes))]


def _show_text(
    program: str, compiled: Sequence[tuple[Wanted, Outcome]], options: argparse.Namespace, examined: Examination
) -> int:
    from tilelang_analyzers.asm.text import diff_lines, head_lines, lines_of
    from tilelang_analyzers.cli import emit
    from tilelang_analyzers.layouts.text import title
    from tilelang_analyzers.report.places import display_path
    from tilelang_analyzers.report.style import Style

    style, source = Style.of(sys.stdout), _source_of(examined)
    code = CLEAN
    lines: list[str] = []
    for one, outcome in compiled:
        place = f"{display_path(one.instance.path)}:{one.instance.line}"
        lines += [""] if lines else []
        lines.append(style.paint(f"{place} {title(one.instance, one.target.label)}", "bold"))
        for problem in _problems(outcome, style):
            lines.append(problem)
            code = TROUBLE
        for listing in _shown(outcome, options):
            if options.stage is not None and not listing.lines:
                code = TROUBLE
            shown = options.summary or options.diff
            lines += head_lines(listing, style) if shown else lines_of(listing, style, source, options.line)
            lines += [""] if options.passes else []
    if options.diff:
        pair = [_shown(outcome, options) for _, outcome in compiled]
        if not all(pair):
            return emit(lines) or TROUBLE
        from tilelang.listing import diff_of

        lines += ["", style.paint("difference", "bold"), *diff_lines(diff_of(pair[0][0], pair[1][0]), style, source)]
    emit(lines)
    return code


def _problems(outcome: Outcome, style: Style) -> Iterator[str]:
    from tilelang_analyzers.report.places import display_path
    from tilelang_analyzers.report.style import clean, wrap

    for problem in outcome.problems:
        where = f"{display_path(problem.span.path)}:{problem.span.line}: " if problem.span.line else ""
        text = clean(f"{where}{problem.data.get('message', problem.kind)}")
        yield from wrap(text, style.width, f"  {style.paint('error', 'error')}: ", "    ")


def _source_of(examined: Examination) -> Callable[[Place], str]:
    sources = examined.sources
    assert sources is not None
    texts: dict[str, list[str]] = {}

    def source(place: Place) -> str:
        if place.path not in texts:
            texts[place.path] = sources.text(place.path).splitlines()
        lines = texts[place.path]
        return lines[place.line - 1] if 0 < place.line <= len(lines) else ""

    return source


def _show_json(
    program: str, compiled: Sequence[tuple[Wanted, Outcome]], options: argparse.Namespace, examined: Examination
) -> int:
    from tilelang.listing import diff_document, diff_of, document_of
    from tilelang_analyzers.cli import complain, emit
    from tilelang_analyzers.report.escape import json_text
    from tilelang_analyzers.report.style import Style

    found = [listing for _, outcome in compiled for listing in _shown(outcome, options)]
    for _, outcome in compiled:
        for problem in _problems(outcome, Style()):
            print(problem, file=sys.stderr)
    if not found:
        return TROUBLE
    if options.diff:
        if len(found) != 2:
            return complain(program, "--diff needs the code of both targets")
        return emit([json_text(diff_document(diff_of(found[0], found[1])))])
    documents = [document_of(listing) for listing in found]
    emit([json_text(documents[0] if len(documents) == 1 else documents)])
    return TROUBLE if any(outcome.problems for _, outcome in compiled) else CLEAN
