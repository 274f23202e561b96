"""What a back end says of something that it cannot do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.ir.span import NOWHERE

if TYPE_CHECKING:
    from tilelang.ir.span import Span


class Unsupported(Exception):
    """A construct of a program that a back end has no code for. Lowering a program ends with it; whoever asked for the
    lowering makes a problem of it. ``message`` stands alone on one line."""

    def __init__(self, message: str, span: Span = NOWHERE) -> None:
        super().__init__(message)
        self.message = message
        self.span = span
