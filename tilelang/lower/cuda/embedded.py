"""CUDA source that a program brings itself, with its lines numbered as they lie in the file that has them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, cast

from tilelang.lower.unsupported import Unsupported

if TYPE_CHECKING:
    from tilelang.ir.span import Span

LONGEST_PATH = 1024


def embedded(source: object, what: str, span: Span) -> str:
    """The text of a CUDA source, given as text or as a path, behind a ``#line`` directive. Relative paths start at the
    folder of the Python file. Raises :class:`Unsupported` if it is not known or cannot be read."""
    if isinstance(source, os.PathLike):
        source = Path(os.fspath(cast("os.PathLike[str]", source)))
    if not isinstance(source, (str, Path)):
        raise Unsupported(f"{what} needs CUDA source that is known when it compiles", span)
    if _is_path(source):
        path = Path(span.path).parent / source
        try:
            return f'#line 1 "{path}"\n{path.read_text(encoding="utf-8")}'
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or error
            raise Unsupported(f"{what} cannot read {path}: {reason}", span) from None
    text = str(source)
    line = _line_in(Path(span.path), text)
    # A text that was put together at run time lies nowhere: its lines count from where the kernel names it.
    return f'#line {line if line is not None else span.line} "{span.path}"\n{text}'


def _is_path(source: str | Path) -> bool:
    """Text of a kernel has lines or braces; a path has neither."""
    return isinstance(source, Path) or (len(source) <= LONGEST_PATH and not any(mark in source for mark in "\n{;"))


def _line_in(path: Path, text: str) -> int | None:
    """The line of a Python file on which a string with this text begins; ``None`` if there is none, or several."""
    try:
        whole = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    at = whole.find(text)
    if at < 0 or not text.strip() or whole.find(text, at + 1) >= 0:
        return None
    return whole.count("\n", 0, at) + 1
