"""Reduce operations that are not modelled. Written by tools/gen_language.py; do not edit."""

from __future__ import annotations

from typing import Any

from tilelang.ir.unknown import UNKNOWN
from tilelang.language.opaque import OpaqueObject, opaque


class CommReducer(OpaqueObject):
    """A commutative operation with its identity."""

    def __init__(self, lhs: Any, rhs: Any, result: Any, identity_element: Any, span: Any = None) -> None:
        self.keep(locals())


@opaque
def comm_reducer(combiner: Any, identity: Any) -> Any:
    """A commutative operation with its identity."""
    return UNKNOWN
