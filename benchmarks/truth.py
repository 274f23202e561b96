"""Upstream's real compile results, one row for each kernel instance and target, and how to compare values with them.

The rows are JSON lines. ``args`` are the arguments of the factory and ``closure`` the free variables of the kernel;
values are numbers, strings, booleans, lists, ``Tensor[shape]:dtype`` and None where nothing is known.
"""

from __future__ import annotations

import ast
import json
import math
import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from tilelang.ir.dtype import DType

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

TENSOR: Final = re.compile(r"Tensor\[(?P<shape>[^\]]*)\]:(?P<dtype>\S+)$")
CUT: Final = 120
"""Characters that the results keep of a string."""
ARCHS: Final = ("sm_75", "sm_80", "sm_89", "sm_90", "sm_100", "sm_120")


class _Skipped:
    """The value of an entry that says nothing: compares equal to all."""

    def __repr__(self) -> str:
        return "?"


SKIPPED: Final = _Skipped()


@dataclass(frozen=True, slots=True)
class Tensor:
    """The shape and dtype of a tensor argument."""

    shape: tuple[object, ...]
    dtype: str


@dataclass(frozen=True)
class Row:
    """One kernel instance on one target, as upstream lowered it. ``data`` is the line of the file."""

    data: Mapping[str, Any]

    @property
    def file(self) -> str:
        return self.data["file"]

    @property
    def def_file(self) -> str | None:
        return self.data["def_file"]

    @property
    def def_line(self) -> int:
        return self.data["def_line"]

    @property
    def arch(self) -> str | None:
        return self.data["arch"]

    @property
    def lowered(self) -> bool:
        return bool(self.data["ok"])

    @property
    def built(self) -> bool:
        """Whether upstream got from the call to a program at all, lowered or not."""
        return self.data.get("stage") != "elaborate"

    @property
    def has_tiles(self) -> bool:
        return bool(self.data.get("allocs")) or bool(self.data.get("smem_total"))

    @property
    def by_args(self) -> bool:
        """Whether the factory's arguments identify the instance; else the free variables do."""
        return self.data["args"] is not None

    @cached_property
    def values(self) -> Mapping[str, object]:
        """The entries that identify the instance, without those that say nothing."""
        raw = self.data["args"] if self.by_args else self.data["closure"] or {}
        values = {name: from_truth(value) for name, value in raw.items()}
        return {name: value for name, value in values.items() if value is not SKIPPED}

    @property
    def tune(self) -> tuple[int, int] | None:
        """Index and count of the tuner's entry, if the values come from one."""
        text = self.data.get("tune")
        if text is None:
            return None
        index, count = text.split("/")
        return int(index), int(count)

    def label(self) -> str:
        return f"{self.def_file}:{self.def_line} {self.data['kernel']} {self.arch}"


def read_rows(path: Path, only: str = "") -> list[Row]:
    """The rows of the file whose program or definition file contains ``only``."""
    with path.open(encoding="utf-8") as lines:
        rows = [Row(json.loads(line)) for line in lines]
    return [row for row in rows if only in row.file or only in (row.def_file or "")]


def from_truth(value: object) -> object:
    """A value of a row in the form that :func:`same` compares."""
    if value is None:
        return SKIPPED
    if isinstance(value, list):
        if not value:  # the empty `*args` of a wrapper
            return SKIPPED
        return tuple(from_truth(item) for item in value)
    if isinstance(value, dict):
        return SKIPPED
    if isinstance(value, str):
        if value.startswith("<"):  # the repr of a function or an object
            return SKIPPED
        tensor = TENSOR.match(value)
        if tensor:
            shape = tuple(_extent(text) for text in tensor["shape"].split(",") if text.strip())
            return Tensor(shape, _dtype_name(tensor["dtype"]))
        return _dtype_name(value)
    return value


def from_instance(value: object) -> object:
    """A binding of our instance in the same form."""
    if isinstance(value, str):
        return _dtype_name(value)
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, (list, tuple)):
        return tuple(from_instance(item) for item in value)
    shape, dtype = getattr(value, "shape", None), getattr(value, "dtype", None)
    if shape is not None and dtype is not None:
        return Tensor(tuple(from_instance(extent) for extent in shape), _dtype_name(str(dtype)))
    name = getattr(value, "name", None)
    return name if isinstance(name, str) else None


def same(truth: object, ours: object) -> bool:
    """Whether two values agree; entries that say nothing agree with all."""
    if truth is SKIPPED:
        return True
    if isinstance(truth, Tensor):
        return (
            isinstance(ours, Tensor)
            and truth.dtype == ours.dtype
            and len(truth.shape) == len(ours.shape)
            and all(same(a, b) for a, b in zip(truth.shape, ours.shape, strict=True))
        )
    if isinstance(truth, tuple):
        return (
            isinstance(ours, tuple)
            and len(truth) == len(ours)
            and all(same(a, b) for a, b in zip(truth, ours, strict=True))
        )
    if isinstance(truth, str) and len(truth) == CUT and isinstance(ours, str):
        return ours.startswith(truth)
    if isinstance(truth, float) and isinstance(ours, (int, float)):
        return math.isclose(truth, ours, rel_tol=1e-6) or (math.isnan(truth) and math.isnan(ours))
    return truth == ours


def _extent(text: str) -> object:
    text = text.strip()
    return int(text) if text.lstrip("-").isdigit() else text


def _dtype_name(text: str) -> str:
    """The canonical spelling if the text names a dtype, else the text."""
    dtype = DType.parse(text.removeprefix("torch."))
    return str(dtype) if dtype is not None else str(text)


@dataclass(frozen=True, slots=True)
class SourceFacts:
    """Where the functions of a file are. ``definition_lines``: any line from the first decorator to the ``def`` -> the
    line of the ``def``. ``spans``: name, first and last line of every function of the module itself."""

    definition_lines: Mapping[int, int]
    spans: tuple[tuple[str, int, int], ...]

    def function_at(self, line: int) -> str | None:
        """The function of the module that a line belongs to."""
        return next((name for name, first, last in self.spans if first <= line <= last), None)


def read_facts(path: Path) -> SourceFacts:
    """The facts of one file; none if it cannot be read or parsed."""
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
    except (OSError, SyntaxError):
        return SourceFacts({}, ())
    lines: dict[int, int] = {}
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            lines.update(dict.fromkeys(range(_first_line(node), node.lineno + 1), node.lineno))
    functions = [node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    return SourceFacts(lines, tuple((one.name, _first_line(one), one.end_lineno or one.lineno) for one in functions))


def _first_line(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])


def distinct(rows: Iterable[Row]) -> int:
    """How many instances the rows are about, targets apart."""
    keys = {
        (row.def_file, row.def_line, json.dumps([row.data["args"], row.data["closure"]], sort_keys=True))
        for row in rows
    }
    return len(keys)
