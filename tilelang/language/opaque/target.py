"""Target operations that are not modelled. Written by tools/gen_language.py; do not edit."""

from __future__ import annotations

from typing import Any

from tilelang.ir.unknown import UNKNOWN
from tilelang.language.opaque import opaque


@opaque
def target(target_config: Any, host: Any = None) -> Any:
    """A compilation target, with the host's target."""
    return UNKNOWN
