"""Alloc operations that are not modelled. Written by tools/gen_language.py; do not edit."""

from __future__ import annotations

from typing import Any

from tilelang.ir.unknown import UNKNOWN
from tilelang.language.opaque import OpaqueObject, opaque


class BufferLoad(OpaqueObject):
    """An element of a buffer."""

    def __init__(self, buffer: Any, indices: Any, predicate: Any = None, span: Any = None) -> None:
        self.keep(locals())


@opaque
def buffer_decl(*args: Any, **kwargs: Any) -> Any:
    """An older name of T.buffer."""
    return UNKNOWN


@opaque
def buffer_store(buffer: Any, value: Any, indices: Any, predicate: Any = None) -> Any:
    """Store into an element of a buffer."""
    return UNKNOWN


@opaque
def buffer_var(dtype: Any, storage_scope: Any = "global") -> Any:
    """The pointer of a buffer."""
    return UNKNOWN


@opaque
def tvm_stack_alloca(dtype_str: Any, num: Any) -> Any:
    """Room on the stack of the host function."""
    return UNKNOWN
