"""Layouts that the source gives by hand: ``T.annotate_layout`` and ``loop_layout=``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.ir.layout.fragment import Fragment
from tilelang.ir.layout.layout import Layout

if TYPE_CHECKING:
    from tilelang.ir.buffer import Buffer


def annotated_layout(value: object, buffer: Buffer) -> Layout | Fragment | None:
    """The layout that a value stands for; ``None`` if it cannot be followed."""
    return value if isinstance(value, (Layout, Fragment)) else None
