"""Helpers that upstream offers to programs: scopes and shapes of buffers, comparison of tensors, deprecation."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

from tilelang.ir.buffer import Buffer, Region
from tilelang.ir.expr import Load
from tilelang.language.policy import TensorSupplyType

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = [
    "TensorSupplyType",
    "array_reduce",
    "build_date",
    "deprecated",
    "get_prim_func_name",
    "is_fragment",
    "is_full_region",
    "is_global",
    "is_local",
    "is_shared",
    "is_shared_dynamic",
    "is_tensor_memory",
    "retrieve_shape",
    "retrieve_stride",
    "to_buffer_region",
    "torch_assert_close",
]


def _buffer(value: Any) -> Buffer:
    return value.buffer if isinstance(value, (Load, Region)) else value


def is_global(buffer: Any) -> bool:
    """Whether a buffer, a box or an element lies in global memory."""
    return _buffer(buffer).scope == "global"


def is_shared(buffer: Any, allow_dynamic: bool = True) -> bool:
    """Whether it lies in shared memory; without ``allow_dynamic``, in static shared memory."""
    scope = _buffer(buffer).scope
    return scope == "shared" or (allow_dynamic and scope == "shared.dyn")


def is_shared_dynamic(buffer: Any) -> bool:
    """Whether it lies in dynamic shared memory."""
    return _buffer(buffer).scope == "shared.dyn"


def is_tensor_memory(buffer: Any) -> bool:
    """Whether it lies in tensor memory."""
    return _buffer(buffer).scope == "shared.tmem"


def is_local(buffer: Any) -> bool:
    """Whether it is an array of one thread."""
    return _buffer(buffer).scope == "local"


def is_fragment(buffer: Any) -> bool:
    """Whether it is a fragment in registers."""
    return _buffer(buffer).scope == "local.fragment"


def retrieve_shape(obj: Any) -> list[Any]:
    """The extents of a buffer or of a box."""
    if isinstance(obj, Region):
        return list(obj.extents or ())
    return [1] * len(obj.indices) if isinstance(obj, Load) else list(obj.shape)


def retrieve_stride(obj: Any) -> list[Any]:
    """Row-major strides of the buffer of ``obj``, in elements."""
    from tilelang.language.arith import binary

    strides: list[Any] = []
    step: Any = 1
    for extent in reversed(_buffer(obj).shape):
        strides.insert(0, step)
        step = binary("*", step, extent)
    return strides


def to_buffer_region(obj: Any, access_type: str = "rw", extents: Sequence[Any] | None = None) -> Any:
    """``obj`` as a box; an element is a box of extent 1 unless ``extents`` are given."""
    from tilelang.language.regions import single, to_region, with_extents

    region = to_region(obj)
    if region is None or region.extents is not None:
        return region
    return single(region) if extents is None else with_extents(region, list(extents))


def is_full_region(buffer_region: Any) -> bool:
    """Whether a box covers its buffer."""
    return all(start == 0 for start in buffer_region.mins) and buffer_region.extents == buffer_region.buffer.shape


def array_reduce(array: Sequence[int]) -> int:
    """The product of numbers."""
    product = 1
    for entry in array:
        product *= entry
    return product


def get_prim_func_name(func: Any, default: str | None = None) -> str | None:
    """The name of a kernel."""
    return getattr(func, "__name__", default)


def deprecated(
    method_name: str, new_method_name: str, phaseout_version: str | None = None
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Let a function warn that it will go, and what to use instead."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            import warnings

            until = f" until {phaseout_version}" if phaseout_version else ""
            warnings.warn(f"{method_name} stays{until}; use {new_method_name}", DeprecationWarning, stacklevel=2)
            return function(*args, **kwargs)

        return call

    return decorate


def build_date(version_str: str | None = None) -> int | None:
    """The date in a development version such as ``0.1.5+20260101``, as a number; ``None`` if there is none."""
    from tilelang import __version__

    digits = (version_str or __version__).partition("+")[2].partition(".")[0]
    return int(digits) if len(digits) == 8 and digits.isdigit() else None


def torch_assert_close(
    tensor_a: Any,
    tensor_b: Any,
    rtol: float = 1e-2,
    atol: float = 1e-3,
    max_mismatched_ratio: float = 0.001,
    verbose: bool = False,
    equal_nan: bool = True,
    check_device: bool = True,
    check_dtype: bool = True,
    check_layout: bool = True,
    check_stride: bool = False,
    base_name: str = "LHS",
    ref_name: str = "RHS",
) -> bool:
    """Raise ``AssertionError`` if more than ``max_mismatched_ratio`` of the elements of two PyTorch tensors differ by
    more than ``atol + rtol * abs(b)``."""
    import torch  # type: ignore[import-not-found]  # optional: programs that compare tensors have it

    library: Any = torch
    if tensor_a.shape != tensor_b.shape:
        raise AssertionError(f"{base_name} has shape {tuple(tensor_a.shape)}, {ref_name} {tuple(tensor_b.shape)}")
    if check_dtype and tensor_a.dtype != tensor_b.dtype:
        raise AssertionError(f"{base_name} has type {tensor_a.dtype}, {ref_name} {tensor_b.dtype}")
    if check_device and tensor_a.device != tensor_b.device:
        raise AssertionError(f"{base_name} lies on {tensor_a.device}, {ref_name} on {tensor_b.device}")
    near = library.isclose(tensor_a.float(), tensor_b.float(), rtol=rtol, atol=atol, equal_nan=equal_nan)
    differ, total = int((~near).sum()), near.numel()
    if differ > total * max_mismatched_ratio:
        raise AssertionError(f"{differ} of {total} elements differ: {base_name} and {ref_name} are not close")
    return True
