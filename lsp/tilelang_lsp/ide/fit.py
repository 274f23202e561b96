"""Smaller values for the arguments of a kernel, so that a block fits a target: fewer stages first, then smaller tiles.

The evaluator builds the kernel again for each trial, so this runs where checks run.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from itertools import islice, product
from typing import TYPE_CHECKING

from tilelang.diagnostics import Edit
from tilelang.frontend.scoping import functions_in
from tilelang.ir.span import Span
from tilelang.passes import plan

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tilelang.frontend.instance import Instance
    from tilelang.targets import Target
    from tilelang_lsp.files import SourceFile

SMALLEST_TILE = 16
LARGEST_TILE = 1024
MAX_TRIALS = 60


@dataclass(frozen=True, slots=True)
class Fitted:
    """The arguments that change, and the bytes of a block then."""

    changes: Mapping[str, int]
    bytes: int


def excess(instance: Instance, target: Target) -> int | None:
    """The bytes of the largest launch if they are above the budget of the target; None if they fit or are unknown."""
    need, budget = _bytes(instance, target), target.shared_memory.budget
    return need if need is not None and budget is not None and need > budget else None


def fit(instance: Instance, target: Target) -> Fitted | None:
    """The least change that fits: as few parameters as possible, stages before tiles, values as large as possible."""
    budget = target.shared_memory.budget
    if instance.reevaluate is None or budget is None:
        return None
    for changes in islice(_candidates(instance), MAX_TRIALS):
        changed = instance.reevaluate(changes)
        need = _bytes(changed, target) if changed is not None else None
        if need is not None and need <= budget:
            return Fitted(changes, need)
    return None


def _candidates(instance: Instance) -> Iterator[dict[str, int]]:
    stages: dict[str, list[int]] = {}
    tiles: dict[str, list[int]] = {}
    for name, value in instance.bindings.items():
        if isinstance(value, bool) or not isinstance(value, int):
            continue
        if "stage" in name.lower():
            stages[name] = list(range(value - 1, 0, -1))
        elif SMALLEST_TILE < value <= LARGEST_TILE and value & (value - 1) == 0 and _is_tile(name):
            tiles[name] = [value >> shift for shift in range(1, 4) if value >> shift >= SMALLEST_TILE]
    for name, values in stages.items():
        yield from ({name: value} for value in values)
    for name, values in tiles.items():
        yield from ({name: value} for value in values)
    least = {name: 1 for name, values in stages.items() if values}
    choices = [[None, *values] for values in tiles.values()]
    combined = sorted(product(*choices), key=lambda chosen: sum(value is not None for value in chosen))
    for chosen in combined:
        picked = {name: value for name, value in zip(tiles, chosen, strict=True) if value is not None}
        if picked:
            yield {**least, **picked}


def _is_tile(name: str) -> bool:
    """Problem sizes have one letter in most kernels, or say that they are lengths."""
    lower = name.lower()
    return any(word in lower for word in ("block", "tile", "bm", "bn", "bk")) or len(name) > 3


def _bytes(instance: Instance, target: Target) -> int | None:
    configs = instance.jit.pass_configs
    totals = [plan(instance.program, each, target, configs).memory.total for each in instance.program.launches()]
    known = [total for total in totals if total is not None]
    return max(known) if known and len(known) == len(totals) else None


def edits(file: SourceFile, instance: Instance, changes: Mapping[str, int]) -> list[Edit] | None:
    """Where the values are written: at the call, else as defaults, else a new argument of the call. None if a value is
    computed or is in another file."""
    found: list[Edit] = []
    added: list[str] = []
    for name, value in changes.items():
        span = instance.arg_spans.get(name) or _default(file, instance, name)
        if span is None or span.path != file.path:
            added.append(f"{name}={value}")
        elif _text(file, span).strip().isdigit():
            found.append(Edit(span, str(value)))
        else:
            return None
    if added:
        place = _end_of_call(file, instance)
        if place is None:
            return None
        found.append(Edit(place, "".join(f", {each}" for each in added)))
    return found


def _default(file: SourceFile, instance: Instance, name: str) -> Span | None:
    if instance.factory_path != file.path:
        return None
    for node in functions_in(file.module.body):
        if node.lineno == instance.factory_line:
            spec = node.args
            positional = [*spec.posonlyargs, *spec.args]
            pairs = [*zip(reversed(positional), reversed(spec.defaults), strict=False)]
            keyword = [(arg, value) for arg, value in zip(spec.kwonlyargs, spec.kw_defaults, strict=True) if value]
            for arg, value in (*pairs, *keyword):
                if arg.arg == name:
                    end_line, end_col = value.end_lineno or value.lineno, value.end_col_offset or value.col_offset
                    return Span(file.path, value.lineno, value.col_offset, end_line, end_col)
    return None


def _text(file: SourceFile, span: Span) -> str:
    source = file.source
    return source.text[source.char_offset(span.line, span.col) : source.char_offset(span.end_line, span.end_col)]


def _end_of_call(file: SourceFile, instance: Instance) -> Span | None:
    """Before the closing bracket of the innermost call that made the instance."""
    call = instance.call_site
    if call is None or call.path != file.path:
        return None
    for top in file.module.body:
        for node in ast.walk(top):
            if not isinstance(node, ast.Call) or (node.lineno, node.col_offset) != (call.line, call.col):
                continue
            ends = [_end(each) for each in (*node.args, *(keyword.value for keyword in node.keywords))]
            if ends:
                return Span(file.path, *max(ends), *max(ends))
    return None


def _end(node: ast.expr) -> tuple[int, int]:
    return node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
