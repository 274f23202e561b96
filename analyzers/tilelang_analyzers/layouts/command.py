"""``tilelang layouts``: where the elements of each tile are, in text, IR, JSON and SVG pictures."""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tilelang_analyzers.exit_codes import CLEAN, TROUBLE
from tilelang_analyzers.kernels import examine, file_and_kernel, first_of_each, matching, nothing_found
from tilelang_analyzers.settings import suggestion

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tilelang.frontend.instance import Instance
    from tilelang.passes import LaunchPlan
    from tilelang_analyzers.checker import Examination

MAX_PICTURES = 200
"""Pictures of one run; more are a mistake."""


class Shown(NamedTuple):
    """One launch, the ``number``-th of its instance, on the target of this ``label``."""

    instance: Instance
    number: int
    label: str
    plan: LaunchPlan


def parser(program: str) -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        program,
        description="Show which thread and register holds each element of a fragment, where each element of a shared "
        "tile is, and how parallel loops are spread over threads. Nothing of the file is run.",
        allow_abbrev=False,
    )
    made.add_argument("file", metavar="FILE[:KERNEL]", help="a file, and the name of one kernel or factory in it")
    made.add_argument("--target", "-t", action="append", metavar="NAMES", help="cards or archs, such as t4,a100,sm_90")
    made.add_argument("--buffer", "-b", default="", metavar="NAME", help="only the tile of this name")
    made.add_argument("--all", action="store_true", help="every instance, not only the first of each kernel")
    made.add_argument("--grid", action="store_true", help="draw the top left of each tile: thread:register, or place")
    made.add_argument("--ir", action="store_true", help="print the kernel's IR with layouts as comments")
    made.add_argument("--svg", metavar="DIR", help="write a picture of each tile to this folder")
    made.add_argument("--json", action="store_true", help="print JSON, as the key layouts of the checker's report")
    return made


def layouts_command(program: str, arguments: Sequence[str]) -> int:
    from tilelang_analyzers.cli import complain, emit
    from tilelang_analyzers.layouts.records import settled

    options = parser(program).parse_args(list(arguments))
    path, kernel = file_and_kernel(options.file)
    examined = examine(path, options.target)
    if examined.report.failure is not None:
        return complain(program, f"{path}: {examined.report.failure.message}")
    found = list(_shown(examined, kernel, every=options.all))
    if not found:
        return complain(program, nothing_found(path, kernel, examined))
    names = {buffer.name for one in found for buffer in settled(one.plan)}
    if options.buffer and options.buffer not in names:
        return complain(program, f"no tile is called `{options.buffer}`{suggestion(options.buffer, names)}")
    if options.svg is not None:
        return _draw(program, found, options.svg, options.buffer)
    if options.json:
        from tilelang_analyzers.report.escape import json_text

        return emit([json_text(_document(found, examined))])
    hidden = 0 if options.all else len(matching(examined, kernel)) - len({id(one.instance) for one in found})
    return emit(_text(found, options, hidden))


def _shown(examined: Examination, kernel: str, *, every: bool) -> Iterator[Shown]:
    """The launches to show, in the order of the source: of the first instance of each kernel, or of all."""
    from tilelang_analyzers.structures import Plans

    if examined.choice is None:
        return
    instances = matching(examined, kernel)
    for instance in instances if every else first_of_each(instances):
        plans = Plans(instance)
        targets, _ = examined.choice.of(instance)
        for target in targets:
            for number, launch in enumerate(instance.program.launches()):
                yield Shown(instance, number, target.label, plans(target, launch))


def _text(found: Sequence[Shown], options: argparse.Namespace, hidden: int) -> Iterable[str]:
    from tilelang_analyzers.layouts import text
    from tilelang_analyzers.report.style import Style

    style = Style.of(sys.stdout)
    for number, one in enumerate(found):
        if number:
            yield ""
        yield style.paint(_heading(one), "bold")
        if options.ir:
            yield from text.ir_lines(one.plan)
        else:
            yield from text.lines_of(one.plan, style, options.buffer, pictures=options.grid)
    if hidden > 0:
        yield ""
        yield f"{hidden} more instance{'s' if hidden > 1 else ''} with other values: --all shows them"


def _heading(one: Shown) -> str:
    from tilelang_analyzers.layouts.text import title
    from tilelang_analyzers.report.places import display_path

    launch = f", launch {one.number}" if len(list(one.instance.program.launches())) > 1 else ""
    return f"{display_path(one.instance.path)}:{one.instance.line} {title(one.instance, one.label)}{launch}"


def _document(found: Sequence[Shown], examined: Examination) -> list[dict[str, object]]:
    from tilelang_analyzers.layouts.records import layouts_of
    from tilelang_analyzers.report.json import layouts_data
    from tilelang_analyzers.report.places import display_path
    from tilelang_analyzers.results import plain

    assert examined.sources is not None
    return [
        {
            "path": display_path(one.instance.path),
            "kernel": one.instance.kernel,
            "factory": one.instance.factory,
            "line": one.instance.line,
            "launch": one.number,
            "target": one.plan.target.arch,
            "bindings": {name: plain(value) for name, value in one.instance.bindings.items()},
            "layouts": layouts_data(layouts_of(one.plan), examined.sources),
        }
        for one in found
    ]


def _draw(program: str, found: Sequence[Shown], folder: str, wanted: str) -> int:
    """Write the pictures; their names are ``KERNEL-ARCH-TILE.svg``, with a number where that is not enough."""
    from tilelang.ir.layout.picture import summary, svg
    from tilelang_analyzers.cli import complain, emit
    from tilelang_analyzers.layouts.records import layout_of, settled

    out = Path(folder)
    taken: dict[str, int] = {}
    written: list[str] = []
    try:
        out.mkdir(parents=True, exist_ok=True)
        for one in found:
            for buffer in settled(one.plan):
                if wanted not in ("", buffer.name):
                    continue
                layout = layout_of(buffer, one.plan.layouts)
                if len(written) == MAX_PICTURES:
                    return complain(program, f"{MAX_PICTURES} pictures are written; name a kernel or a tile for others")
                stem = _file_name(f"{one.instance.factory or one.instance.kernel}-{one.plan.target.arch}-{buffer.name}")
                taken[stem] = taken.get(stem, 0) + 1
                path = out / (f"{stem}.svg" if taken[stem] == 1 else f"{stem}-{taken[stem]}.svg")
                heading = f"{buffer.name}, {summary(layout)}"
                path.write_text(svg(layout, bits=buffer.dtype.bits, title=heading), encoding="utf-8")
                written.append(str(path))
    except OSError as error:
        return complain(program, f"{folder}: {error.strerror or error}")
    emit(written)
    return CLEAN if written else TROUBLE


def _file_name(text: str) -> str:
    return re.sub(r"[^\w.-]+", "_", text)
