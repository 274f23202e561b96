"""Whether the arguments of a call fit a kernel, and which sizes they bring.

A call is checked once for each combination of shapes, strides, types and devices; :class:`Bound` is the result.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tilelang.ir.dtype import DType
from tilelang.runtime.arrays import CPU, Device, View, empty, preferred_library, view
from tilelang.runtime.formula import names_in, value_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tilelang.backends.artifact import Extent, ParamSpec, Signature


class ArgumentMismatchError(TypeError, ValueError, RuntimeError):
    """The arguments of a call do not fit the kernel. Upstream raises several of Python's exceptions for that, so this
    is one of each."""


@dataclass(frozen=True, slots=True)
class Bound:
    """What a call with arguments of certain shapes does. ``dims``: the sizes by name. ``results``: for each output its
    position among the parameters, its shape and its dtype; they are made on ``device`` by ``library``."""

    dims: Mapping[str, int]
    device: Device
    results: tuple[tuple[int, tuple[int, ...], str], ...]
    library: str

    def allocate(self) -> list[Any]:
        """New arrays for the outputs."""
        return [empty(shape, dtype, self.device, self.library) for _, shape, dtype in self.results]


def place_arguments(signature: Signature, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Any]:
    """The arguments by parameter, in the order of ``signature.params`` without its outputs."""
    inputs = [param for i, param in enumerate(signature.params) if i not in signature.outputs]
    if len(args) + len(kwargs) != len(inputs):
        names = ", ".join(param.name for param in inputs)
        raise ArgumentMismatchError(
            f"{signature.name} takes {len(inputs)} argument{'' if len(inputs) == 1 else 's'} ({names}), "
            f"not {len(args) + len(kwargs)}"
        )
    given = list(args)
    for param in inputs[len(args) :]:
        if param.name not in kwargs:
            raise ArgumentMismatchError(f"{signature.name}: the argument {param.name} is missing")
        given.append(kwargs[param.name])
    return given


def bind(signature: Signature, family: str, given: Sequence[Any], default_device: Device) -> Bound:
    """Check arguments (as :func:`place_arguments` orders them) and find the sizes. Raises
    :class:`ArgumentMismatchError`."""
    binder = _Binder(signature, family)
    inputs = [(i, param) for i, param in enumerate(signature.params) if i not in signature.outputs]
    for (_, param), value in zip(inputs, given, strict=True):
        binder.take(param, value)
    binder.settle()
    dims = binder.dims
    for condition, text in signature.assumptions:
        # A tensor that is left out may keep a size from being known.
        if names_in(condition) <= dims.keys() and not binder.known(condition):
            raise ArgumentMismatchError(f"{signature.name} needs Assume: {text}{_values(condition, dims)}")
    results = tuple(
        (i, tuple(binder.known(extent) for extent in signature.params[i].shape), signature.params[i].dtype)
        for i in signature.outputs
    )
    device = binder.device or default_device
    return Bound(dims, device, results, binder.library or preferred_library(device))


def _values(condition: Extent, dims: Mapping[str, int]) -> str:
    """``, but N is 3``."""
    found = [f"{name} is {dims[name]}" for name in sorted(names_in(condition)) if name in dims]
    return f", but {', '.join(found)}" if found else ""


class _Binder:
    """Collects the sizes of one call."""

    def __init__(self, signature: Signature, family: str) -> None:
        self._signature = signature
        self._family = family
        self._names = {name for name, _ in signature.dims}
        self.dims: dict[str, int] = {}
        self._sources: dict[str, str] = {}
        self._later: list[tuple[str, Extent, int]] = []
        self.device: Device | None = None
        self._device_of = ""
        self.library: str | None = None

    def take(self, param: ParamSpec, value: Any) -> None:
        if param.kind == "tensor":
            if value is not None:
                self._tensor(param, value)
        elif param.kind == "scalar":
            self.dims[param.name] = check_scalar(param, value)
        elif value is not None and not isinstance(value, int) and view(value) is None:
            raise ArgumentMismatchError(f"{param.name} must be an address or an array, not {_described(value)}")

    def _tensor(self, param: ParamSpec, value: Any) -> None:
        try:
            array = view(value)
        except (ValueError, TypeError) as error:
            raise ArgumentMismatchError(f"{param.name}: {error}") from None
        if array is None:
            raise ArgumentMismatchError(f"{param.name} must be an array, not {_described(value)}")
        self._check_device(param, array)
        if self.library is None or array.library != "dlpack":
            self.library = self.library or (array.library if array.library != "dlpack" else None)
        shape, strides = _logical(param, array)
        if len(shape) != len(param.shape):
            raise ArgumentMismatchError(
                f"{param.name} must have {len(param.shape)} dimensions {_shape(param.shape)}, not {len(shape)}: "
                f"{_shape(shape)}"
            )
        for axis, (extent, size) in enumerate(zip(param.shape, shape, strict=True)):
            self._match(f"dimension {axis} of {param.name}", extent, size, param.shape, shape)
        if param.strides is None:
            _check_dense(param, shape, strides)
            return
        for axis, (extent, step) in enumerate(zip(param.strides, strides, strict=True)):
            if shape[axis] != 1 or isinstance(extent, str):
                self._match(f"stride {axis} of {param.name}", extent, step, param.strides, strides)

    def _check_device(self, param: ParamSpec, array: View) -> None:
        kind = "cuda" if self._family == "cuda" else "cpu"
        if array.device[0] != kind:
            where = "the CPU" if array.device == CPU else f"{array.device[0]}:{array.device[1]}"
            raise ArgumentMismatchError(f"{param.name} is on {where}, but the kernel is compiled for {self._family}")
        if self.device is None:
            self.device, self._device_of = array.device, param.name
        elif self.device != array.device:
            raise ArgumentMismatchError(
                f"{param.name} is on {array.device[0]}:{array.device[1]}, but {self._device_of} is on "
                f"{self.device[0]}:{self.device[1]}"
            )

    def _match(self, what: str, extent: Extent, size: int, wanted: tuple[Extent, ...], have: tuple[int, ...]) -> None:
        if isinstance(extent, int):
            if extent != size:
                raise ArgumentMismatchError(f"{what} must be {extent}, not {size}: {_shape(wanted)} is {_shape(have)}")
        elif extent in self._names and extent not in self.dims:
            self.dims[extent] = size
            self._sources[extent] = what
        elif extent in self.dims:
            if self.dims[extent] != size:
                source = self._sources.get(extent, f"the argument {extent}")
                raise ArgumentMismatchError(f"{what} is {size}, but {extent} is {self.dims[extent]} ({source})")
        else:
            self._later.append((what, extent, size))

    def settle(self) -> None:
        """Check the extents that are formulas, now that the sizes are known."""
        for what, extent, size in self._later:
            self._solve(extent, size)
            wanted = self.known(extent)
            if wanted != size:
                raise ArgumentMismatchError(f"{what} must be {extent} = {wanted}, not {size}")

    def _solve(self, extent: Extent, size: int) -> None:
        """Find a size that only occurs inside a formula, where one multiple or quotient of it is given."""
        unknown = [name for name in names_in(extent) if name not in self.dims]
        if len(unknown) != 1:
            return
        name = unknown[0]
        for guess in _guesses(extent, size, name, self.dims):
            if value_of(extent, {**self.dims, name: guess}) == size:
                self.dims[name] = guess
                return

    def known(self, extent: Extent) -> int:
        try:
            return value_of(extent, self.dims)
        except ValueError as error:
            raise ArgumentMismatchError(f"{self._signature.name}: {error}; no argument has it as an extent") from None


def _guesses(extent: Extent, size: int, name: str, dims: Mapping[str, int]) -> list[int]:
    """Candidates for a size from the values of a formula at 0 and 1: right for linear ones."""
    try:
        zero, one = (value_of(extent, {**dims, name: at}) for at in (0, 1))
        many = value_of(extent, {**dims, name: 1 << 20})
    except (ValueError, ZeroDivisionError):
        return []
    if one != zero:
        return [(size - zero) // (one - zero)]
    return [(size - zero) * (1 << 20) // (many - zero)] if many != zero else []


def check_scalar(param: ParamSpec, value: Any) -> Any:
    """A scalar argument as a Python number of the parameter's kind."""
    kind = DType(param.dtype)
    try:
        if kind.is_float:
            return float(value)
        if kind.is_bool:
            return bool(value)
        number = operator.index(value)
    except (TypeError, ValueError):
        wanted = "a number" if kind.is_float else "an integer"
        raise ArgumentMismatchError(f"{param.name} must be {wanted} ({param.dtype}), not {_described(value)}") from None
    low, high = (-(1 << (kind.bits - 1)), (1 << (kind.bits - 1)) - 1) if kind.is_signed else (0, (1 << kind.bits) - 1)
    if kind.is_integer and not low <= number <= high:
        raise ArgumentMismatchError(f"{param.name} is {number}, which {param.dtype} cannot hold")
    return number


# --- element types ----------------------------------------------------------------------------------------------------

_BYTES = ("int8", "uint8")


def compatible(wanted: str, have: str) -> bool:
    """Whether an array of type ``have`` can stand for one of type ``wanted``: the same type, another name of it, or
    bytes for a type of at most a byte, which few libraries have."""
    if wanted == have:
        return True
    one, other = DType(wanted), DType.parse(have)
    if other is None:
        return False
    if one.bits * one.lanes <= 8 or (one.is_bool and other.is_bool):
        if have in _BYTES:
            return one.bits < 8 or not one.is_integer
        return _family(one) == _family(other)
    if one.kind == "tfloat":
        return have == "float32"
    if one.lanes > 1:
        return compatible(one.base, have)
    return one.kind == "handle" and have in ("int64", "uint64")


def _family(dtype: DType) -> object:
    """What makes two small floats the same for a kernel: the finite and the plain spelling of one format are."""
    return (dtype.kind, dtype.bits, dtype.format.removesuffix("fn"))


def _logical(param: ParamSpec, array: View) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Shape and strides of an array in elements of the parameter's type. Raises if the types do not fit."""
    if not compatible(param.dtype, array.dtype):
        raise ArgumentMismatchError(f"{param.name} must be of type {param.dtype}, not {array.dtype}")
    wanted, have = DType(param.dtype), DType(array.dtype)
    per_element = wanted.bits * wanted.lanes
    stored = have.bits * have.lanes
    if stored == per_element or not array.shape:
        return array.shape, array.strides
    if per_element > stored:  # vectors: several stored elements make one
        lanes = per_element // stored
        return (*array.shape[:-1], array.shape[-1] // lanes), (*(s // lanes for s in array.strides[:-1]), 1)
    count = stored // per_element
    last = param.shape[-1] if param.shape else 0
    if isinstance(last, int) and last == array.shape[-1] and last != array.shape[-1] * count:
        return array.shape, array.strides  # one byte an element
    return (*array.shape[:-1], array.shape[-1] * count), (*(step * count for step in array.strides[:-1]), 1)


def _check_dense(param: ParamSpec, shape: tuple[int, ...], strides: tuple[int, ...]) -> None:
    if 0 in shape:
        return
    step = 1
    for axis in reversed(range(len(shape))):
        if shape[axis] != 1 and strides[axis] != step:
            raise ArgumentMismatchError(
                f"{param.name} must be contiguous: stride {axis} must be {step}, not {strides[axis]} "
                f"(shape {_shape(shape)}, strides {_shape(strides)})"
            )
        step *= shape[axis]


def _shape(extents: Sequence[Extent]) -> str:
    inner = ", ".join(str(extent) for extent in extents)
    return f"({inner},)" if len(extents) == 1 else f"({inner})"


def _described(value: Any) -> str:
    return "None" if value is None else f"a {type_name(value)}"


def type_name(value: object) -> str:
    """The name of a value's type, for messages."""
    return type(value).__name__
