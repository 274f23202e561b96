"""Arrays of the libraries that programs use, seen without copying them: NumPy, PyTorch, CuPy, and anything with DLPack.

None of these libraries is imported here unless the program has imported it already, or a result has to be made.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from tilelang.ir.dtype import DType

if TYPE_CHECKING:
    from collections.abc import Sequence

Device = tuple[Literal["cpu", "cuda"], int]
CPU: Device = ("cpu", 0)


@dataclass(frozen=True, slots=True)
class View:
    """One array. ``shape`` and ``strides`` count elements; ``library`` is torch, numpy, cupy or dlpack."""

    pointer: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: str
    device: Device
    library: str
    writable: bool = True


def loaded(name: str) -> Any:
    """A module that the program has imported, or ``None``."""
    return sys.modules.get(name)


def library_of(value: Any) -> str | None:
    """Which library's array a value is; ``None`` if it is none."""
    root = type(value).__module__.partition(".")[0]
    if root in ("torch", "numpy", "cupy"):
        return root if hasattr(value, "shape") and hasattr(value, "dtype") else None
    if _is_torch(value):
        return "torch"
    return "dlpack" if hasattr(value, "__dlpack__") and hasattr(value, "__dlpack_device__") else None


def _is_torch(value: Any) -> bool:
    torch = loaded("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def view(value: Any) -> View | None:
    """An array of any library; ``None`` if the value is no array."""
    library = library_of(value)
    if library == "torch":
        return _torch(value)
    if library == "numpy":
        return _numpy(value)
    if library == "cupy":
        return _cupy(value)
    return _dlpack(value) if library == "dlpack" else None


def _torch(value: Any) -> View:
    device: Device = ("cuda", value.device.index or 0) if value.device.type == "cuda" else (value.device.type, 0)
    return View(value.data_ptr(), tuple(value.shape), tuple(value.stride()), dtype_name(value.dtype), device, "torch")


def _numpy(value: Any) -> View:
    size = value.dtype.itemsize
    strides = tuple(step // size for step in value.strides)
    if any(step % size for step in value.strides):
        raise ValueError(f"the strides {value.strides} of an array are no multiples of its element size {size}")
    return View(
        value.ctypes.data, value.shape, strides, dtype_name(value.dtype), CPU, "numpy", bool(value.flags.writeable)
    )


def _cupy(value: Any) -> View:
    strides = tuple(step // value.dtype.itemsize for step in value.strides)
    return View(value.data.ptr, value.shape, strides, dtype_name(value.dtype), ("cuda", value.device.id), "cupy")


def _dlpack(value: Any) -> View:
    from tilelang.runtime.dlpack import read

    return read(value)


_SHORT = {"half": "float16", "bool_": "bool", "bool8": "bool", "float4_e2m1fn_x2": "float4_e2m1fnx2"}


def dtype_name(dtype: Any) -> str:
    """The language's name of a library's type: ``torch.float8_e4m3fn``, ``numpy.dtype('bfloat16')``."""
    name = str(dtype).rpartition(".")[2]
    return _SHORT.get(name, name)


# --- results ----------------------------------------------------------------------------------------------------------


def empty(shape: Sequence[int], dtype: str, device: Device, library: str) -> Any:
    """A new array for a result, dense, not initialised. Types that NumPy lacks come from ``ml_dtypes``; types of less
    than a byte are packed in bytes, two or more along the last dimension."""
    kind = DType(dtype)
    packed = tuple(shape)
    if kind.bits < 8:
        packed = (*shape[:-1], -(-shape[-1] * kind.bits // 8))
        dtype = "int8"
    if library == "torch":
        torch = _torch_module()
        return torch.empty(packed, dtype=torch_dtype(dtype), device=f"{device[0]}:{device[1]}")
    if library == "cupy":
        import cupy  # type: ignore[import-not-found]  # the program has it

        made: Any = cupy
        with made.cuda.Device(device[1]):
            return made.empty(packed, dtype=numpy_dtype(dtype))
    import numpy

    return numpy.empty(packed, dtype=numpy_dtype(dtype))


_TORCH_NAMES = {"bool": "bool", "float8_e4m3": "float8_e4m3fn", "tfloat32": "float32", "handle": "int64"}
_NUMPY_NAMES = {"float8_e4m3": "float8_e4m3fn", "tfloat32": "float32", "handle": "int64"}


def torch_dtype(dtype: str) -> Any:
    """PyTorch's type of a name. Raises ``TypeError`` if it has none."""
    torch = _torch_module()
    found = getattr(torch, _TORCH_NAMES.get(dtype, dtype), None)
    if found is None:
        raise TypeError(f"PyTorch {torch.__version__} has no type {dtype}")
    return found


_TORCH_STORED = {"float4_e2m1fn": "float4_e2m1fn_x2", "float4_e2m1fnx2": "float4_e2m1fn_x2"}
"""Packed types of PyTorch: one element of it holds two of ours."""


def torch_storage(dtype: DType) -> Any:
    """PyTorch's type for the elements of a tensor of ours. Types of a byte or less that it lacks are ``int8``. Raises
    ``TypeError`` if there is none."""
    found = getattr(_torch_module(), _TORCH_STORED.get(str(dtype), "-"), None)
    if found is not None:
        return found
    return torch_dtype("int8" if dtype.bits < 8 or dtype.kind == "custom" else str(dtype))


def _torch_module() -> Any:
    import torch  # type: ignore[import-not-found]  # only asked for where tensors of PyTorch are made

    found: Any = torch
    return found


def numpy_dtype(dtype: str) -> Any:
    """NumPy's type of a name, or that of ``ml_dtypes``."""
    import numpy

    name = _NUMPY_NAMES.get(dtype, dtype)
    try:
        return numpy.dtype(name)
    except TypeError:
        import ml_dtypes

        found = getattr(ml_dtypes, name, None)
        if found is None:
            raise TypeError(f"NumPy and ml_dtypes have no type {dtype}") from None
        return numpy.dtype(found)


def preferred_library(device: Device) -> str:
    """Which library makes results when no argument says so: the one that the program has loaded."""
    for name in ("torch", "cupy" if device[0] == "cuda" else "numpy"):
        if loaded(name) is not None:
            return name
    return "torch" if device[0] == "cuda" else "numpy"
