"""Lenses over kernels: the verdict on each target, which instance is shown, and what is missing."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from tilelang.frontend.scoping import functions_in
from tilelang_lsp.compiles import is_compilable
from tilelang_lsp.ide.tiles import arguments_text, size_text
from tilelang_lsp.ide.verdicts import results_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tilelang_analyzers.results import KernelResult, TargetResult
    from tilelang_lsp.analysis import Analysis, Kernel
    from tilelang_lsp.session import Snapshot

Action = Literal["", "pick", "instance-comment", "report", "assembly", "compare"]


@dataclass(frozen=True, slots=True)
class Lens:
    """A line above a kernel. ``action`` is what a click does; ``kernel`` and ``def_line`` say with which kernel."""

    line: int
    title: str
    action: Action
    kernel: str
    def_line: int


def code_lenses(snapshot: Snapshot) -> list[Lens]:
    """The lenses of a file."""
    analysis = snapshot.analysis
    if analysis is None or not snapshot.is_current or not snapshot.options.code_lens:
        return []
    return [lens for status in analysis.report.kernels for lens in _of_kernel(snapshot, analysis, status)]


def _of_kernel(snapshot: Snapshot, analysis: Analysis, status: KernelResult) -> Iterator[Lens]:
    if status.path != snapshot.file.path:
        return
    kernel = next((each for each in analysis.kernels if each.line == status.line), None)
    line = _header_line(snapshot, status.line)
    if kernel is None:
        yield Lens(line, f"not checked: {status.reason}" if status.reason else "not checked", "", status.name, line)
        return
    verdict = verdict_text(snapshot, analysis, kernel)
    if verdict:
        yield Lens(line, verdict, "report", kernel.name, kernel.line)
    index, instance = kernel.chosen(snapshot.picks.get((snapshot.file.path, kernel.name)))
    if all(each.origin == "symbolic" for each in kernel.instances):
        unknown = [each for each in analysis.report.kernels if _is_symbolic(analysis, each)]
        text = f"{len(unknown)} of {len(analysis.report.kernels)} have no known arguments: add an instance comment"
        yield Lens(line, text, "instance-comment", kernel.name, kernel.line)
    elif len(kernel.instances) > 1:
        text = f"instance {index + 1} of {len(kernel.instances)}: {arguments_text(instance, 60)}"
        yield Lens(line, text, "pick", kernel.name, kernel.line)
    usable = [target for target in analysis.targets(instance) if is_compilable(target)]
    if usable and instance.program.complete:
        yield Lens(line, "Show assembly", "assembly", kernel.name, kernel.line)
    if len(usable) > 1 and instance.program.complete:
        yield Lens(line, "Compare targets", "compare", kernel.name, kernel.line)


def _is_symbolic(analysis: Analysis, status: KernelResult) -> bool:
    kernel = next((each for each in analysis.kernels if each.line == status.line), None)
    return kernel is not None and all(each.origin == "symbolic" for each in kernel.instances)


def verdict_text(snapshot: Snapshot, analysis: Analysis, kernel: Kernel) -> str:
    """``T4 ✗ 96 KiB of 48 KiB · A100 ✓ 96 KiB, 1 block/SM``: the shown instance, its worst launch on each target."""
    index, _ = kernel.chosen(snapshot.picks.get((snapshot.file.path, kernel.name)))
    worst: dict[str, TargetResult] = {}
    for row in results_of(analysis, kernel, index):
        for each in row:
            known = worst.get(each.arch)
            if known is None or _badness(each) > _badness(known):
                worst[each.arch] = each
    return " · ".join(_target_text(each) for each in worst.values())


def _badness(each: TargetResult) -> tuple[int, int]:
    return ({"ok": 0, "unknown": 1, "error": 2}[each.verdict], each.shared_bytes or 0)


def _target_text(each: TargetResult) -> str:
    mark = {"ok": "✓", "error": "✗", "unknown": "?"}[each.verdict]
    over = each.shared_limit is not None and (each.shared_bytes or 0) > each.shared_limit
    size = size_text(each.shared_bytes)
    if over:
        return f"{each.label} {mark} {size} of {size_text(each.shared_limit)}"
    if each.verdict == "error":
        return f"{each.label} {mark} {', '.join(each.errors)}"
    blocks = "" if each.blocks_per_sm is None else f", {each.blocks_per_sm} block{'s' * (each.blocks_per_sm != 1)}/SM"
    return f"{each.label} {mark} {size}{blocks}"


def _header_line(snapshot: Snapshot, line: int) -> int:
    """The first decorator of the outermost function around a kernel, where its lens stands."""
    for top in snapshot.file.module.body:
        if isinstance(top, (ast.FunctionDef, ast.AsyncFunctionDef)) and top.lineno <= line <= (top.end_lineno or 0):
            return min([top.lineno, *(each.lineno for each in top.decorator_list)])
    node = next((each for each in functions_in(snapshot.file.module.body) if each.lineno == line), None)
    return min([line, *(each.lineno for each in node.decorator_list)]) if node is not None else line


def instance_comment(snapshot: Snapshot, def_line: int) -> tuple[int, str] | None:
    """The line before which to put an `instance` comment for the factory of a kernel, and its text."""
    kernel = (
        next((each for each in snapshot.analysis.kernels if each.line == def_line), None)
        if (snapshot.analysis is not None)
        else None
    )
    if kernel is None:
        return None
    factory = next(
        (each for each in functions_in(snapshot.file.module.body) if each.lineno == kernel.instances[0].factory_line),
        None,
    )
    if factory is None:
        return None
    line = min([factory.lineno, *(each.lineno for each in factory.decorator_list)])
    indent = " " * factory.col_offset
    args = (*factory.args.posonlyargs, *factory.args.args, *factory.args.kwonlyargs)
    required = args[: len(args) - len(factory.args.defaults) - sum(1 for d in factory.args.kw_defaults if d)]
    values = ", ".join(f"{arg.arg}={_guess(arg)}" for arg in required)
    return line, f"{indent}# tilelang: instance({values})\n"


def _guess(arg: ast.arg) -> str:
    """A value to start from."""
    name = arg.arg.lower()
    if "dtype" in name:
        return '"float16"'
    return "128" if "block" in name else "2" if "stage" in name else "1024"
