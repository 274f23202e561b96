"""Paths and positions as people read them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tilelang.ir.span import Span
    from tilelang_analyzers.sources import Sources


def display_path(path: str) -> str:
    """Relative to the working folder where that is shorter to read, with forward slashes."""
    try:
        relative = os.path.relpath(path)
    except ValueError:
        # Another drive of Windows.
        return path.replace(os.sep, "/")
    return (path if relative.startswith("..") else relative).replace(os.sep, "/")


def location(span: Span, sources: Sources) -> str:
    """``path:line:column``, both from 1, columns in characters; ``path:cell 3:line:column`` in a notebook."""
    cell, line = sources.locate(span.path, span.line)
    column = sources.file(span.path).char_column(span.line, span.col) + 1
    return f"{display_path(span.path)}:{f'cell {cell}:' if cell else ''}{line}:{column}"
