"""Copies operations that are not modelled. Written by tools/gen_language.py; do not edit."""

from __future__ import annotations

from typing import Any

from tilelang.ir.unknown import UNKNOWN
from tilelang.language.opaque import opaque


@opaque
def get_let_value(var: Any) -> Any:
    """The value that a variable is bound to."""
    return UNKNOWN
