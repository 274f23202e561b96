"""Reading a DLPack capsule (https://dmlc.github.io/dlpack/latest/c_api.html) with ctypes."""

from __future__ import annotations

import ctypes
from typing import Any

from tilelang.ir.dtype import DType
from tilelang.runtime.arrays import CPU, Device, View


class _Device(ctypes.Structure):
    _fields_ = (("type", ctypes.c_int32), ("id", ctypes.c_int32))


class _DataType(ctypes.Structure):
    _fields_ = (("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16))


class _Tensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device", _Device),
        ("ndim", ctypes.c_int32),
        ("dtype", _DataType),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


_CODES = {0: "int", 1: "uint", 2: "float", 4: "bfloat", 6: "bool"}
_SMALL_FLOATS = {
    7: "float8_e3m4",
    8: "float8_e4m3",
    9: "float8_e4m3b11fnuz",
    10: "float8_e4m3fn",
    11: "float8_e4m3fnuz",
    12: "float8_e5m2",
    13: "float8_e5m2fnuz",
    14: "float8_e8m0fnu",
    15: "float6_e2m3fn",
    16: "float6_e3m2fn",
    17: "float4_e2m1fn",
}
_CPU_TYPES, _CUDA_TYPES = (1, 3), (2, 13)

_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)


def read(value: Any) -> View:
    """The array behind ``value.__dlpack__()``. The capsule is dropped, so ``value`` must outlive the view."""
    capsule = value.__dlpack__()
    tensor = _Tensor.from_address(_pointer(capsule, b"dltensor"))
    shape = tuple(tensor.shape[i] for i in range(tensor.ndim))
    strides = tuple(tensor.strides[i] for i in range(tensor.ndim)) if tensor.strides else _dense(shape)
    pointer = (tensor.data or 0) + tensor.byte_offset
    return View(pointer, shape, strides, _dtype(tensor.dtype), _device(tensor.device), "dlpack")


def _dense(shape: tuple[int, ...]) -> tuple[int, ...]:
    strides: list[int] = []
    step = 1
    for extent in reversed(shape):
        strides.append(step)
        step *= extent
    return tuple(reversed(strides))


def _dtype(dtype: _DataType) -> str:
    name = _SMALL_FLOATS.get(dtype.code)
    if name is None:
        kind = _CODES.get(dtype.code)
        if kind is None:
            raise TypeError(f"an array with the unknown DLPack type code {dtype.code}")
        name = kind if kind == "bool" else f"{kind}{dtype.bits}"
    return name if dtype.lanes == 1 else f"{name}x{dtype.lanes}"


def _device(device: _Device) -> Device:
    if device.type in _CPU_TYPES:
        return CPU
    if device.type in _CUDA_TYPES:
        return ("cuda", device.id)
    raise TypeError(f"an array on a device of the DLPack type {device.type}, which no target of ours uses")


# --- the other way ----------------------------------------------------------------------------------------------------


class _Managed(ctypes.Structure):
    pass


_Deleter = ctypes.CFUNCTYPE(None, ctypes.POINTER(_Managed))
_Managed._fields_ = (("tensor", _Tensor), ("context", ctypes.c_void_p), ("deleter", _Deleter))

_new = ctypes.pythonapi.PyCapsule_New
_new.restype, _new.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)

_alive: dict[int, tuple[object, ...]] = {}
"""What exported tensors point to, until their consumer deletes them."""


@_Deleter
def _delete(managed: Any) -> None:
    _alive.pop(ctypes.addressof(managed.contents), None)


class Exported:
    """An array that another library can take through DLPack, whatever library made it."""

    def __init__(self, array: View, owner: object = None) -> None:
        self._array = array
        self._owner = owner

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1 if self._array.device == CPU else 2, self._array.device[1])

    def __dlpack__(self, **options: object) -> Any:
        array = self._array
        rank = len(array.shape)
        shape, strides = (ctypes.c_int64 * rank)(*array.shape), (ctypes.c_int64 * rank)(*array.strides)
        managed = _Managed()
        tensor = managed.tensor
        tensor.data, tensor.ndim = array.pointer, rank
        tensor.device.type, tensor.device.id = self.__dlpack_device__()
        tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes = _code(array.dtype)
        tensor.shape = ctypes.cast(shape, ctypes.POINTER(ctypes.c_int64))
        tensor.strides = ctypes.cast(strides, ctypes.POINTER(ctypes.c_int64))
        managed.deleter = _delete
        address = ctypes.addressof(managed)
        _alive[address] = (managed, shape, strides, self._owner)
        return _new(address, b"dltensor", None)


def exported(array: View, owner: object = None) -> Exported:
    """An array for another library; ``owner`` is kept alive as long as that library uses it."""
    return Exported(array, owner)


def _code(dtype: str) -> tuple[int, int, int]:
    kind = DType(dtype)
    for code, name in _SMALL_FLOATS.items():
        if name == kind.base:
            return code, kind.bits, kind.lanes
    codes = {name: code for code, name in _CODES.items()}
    if kind.kind not in codes:
        raise TypeError(f"DLPack has no code for {dtype}")
    return codes[kind.kind], 8 if kind.is_bool else kind.bits, kind.lanes
