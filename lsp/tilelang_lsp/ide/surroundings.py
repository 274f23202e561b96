"""Whether a line is inside a kernel, by indentation: right also while statements around it cannot be read."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tilelang_lsp.files import SourceFile

_LAUNCH = re.compile(r"with\b.*\.(?:Kernel|ClusterKernel|CUDASourceCodeKernel)\(")
_DEF = re.compile(r"(?:async\s+)?def\s+(\w+)")
_HEADER = re.compile(r"(?:async\s+)?(?:def|class|with|for|while|if|elif|else|try|except|finally)\b")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """``functions``: names of the functions around, inner ones first. ``decorators``: those of the innermost one."""

    in_launch: bool
    in_macro: bool
    in_prim_func: bool
    functions: tuple[str, ...]

    @property
    def in_kernel(self) -> bool:
        """Whether tile operations make sense."""
        return self.in_launch or self.in_macro


def surroundings(file: SourceFile, line: int) -> Surroundings:
    """What is around a line."""
    source = file.source
    text = source.line_text(line)
    indent = _indent(text) if text.strip() else _typed_indent(file, line)
    launch = macro = prim_func = False
    functions: list[str] = []
    number = line - 1
    while number >= 1 and indent > 0:
        text = source.line_text(number)
        bare = text.strip()
        if bare and _indent(text) < indent and _HEADER.match(bare):
            indent = _indent(text)
            launch = launch or (not functions and bool(_LAUNCH.match(bare)))
            found = _DEF.match(bare)
            if found:
                marks = _decorators(file, number)
                if not functions:
                    macro = any("macro" in mark for mark in marks)
                    prim_func = any("prim_func" in mark for mark in marks)
                functions.append(found[1])
        number -= 1
    return Surroundings(launch, macro, prim_func, tuple(functions))


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())


def _typed_indent(file: SourceFile, line: int) -> int:
    """Of an empty line: what is typed, else where the text above goes on."""
    typed = len(file.source.line_text(line))
    if typed:
        return typed
    number = line - 1
    while number >= 1:
        text = file.source.line_text(number)
        if text.strip():
            return _indent(text) + (1 if text.rstrip().endswith(":") else 0)
        number -= 1
    return 0


def _decorators(file: SourceFile, line: int) -> list[str]:
    marks: list[str] = []
    number = line - 1
    while number >= 1 and file.source.line_text(number).strip().startswith("@"):
        marks.append(file.source.line_text(number).strip())
        number -= 1
    return marks
