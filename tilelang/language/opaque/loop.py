"""Loop operations that are not modelled. Written by tools/gen_language.py; do not edit."""

from __future__ import annotations

from typing import Any

from tilelang.ir.unknown import UNKNOWN
from tilelang.language.opaque import opaque_value


@opaque_value("bool")
def ignore_loop_partition(predicate: Any) -> Any:
    """A condition that does not split its loop."""
    return UNKNOWN
