"""Calling kernels that are compiled for the CPU."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilelang.ir.dtype import DType
from tilelang.runtime.arrays import view
from tilelang.runtime.dlpack import exported

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tilelang.backends.artifact import Artifact, ParamSpec


def run(artifact: Artifact, values: Sequence[Any]) -> None:
    """Run the program on arguments in the order of ``signature.params``."""
    import tvm_ffi

    host: Any = artifact.host
    signature = artifact.signature
    given = [_argument(tvm_ffi, param, value) for param, value in zip(signature.params, values, strict=True)]
    host[signature.name](*given)


def _argument(ffi: Any, param: ParamSpec, value: Any) -> Any:
    if param.kind == "scalar":
        return float(value) if DType(param.dtype).is_float else int(value)
    if value is None:
        return None
    if param.kind == "pointer":
        import ctypes

        array = view(value)
        return ctypes.c_void_p(value if array is None else array.pointer)
    array = view(value)
    assert array is not None
    return ffi.from_dlpack(exported(array))
