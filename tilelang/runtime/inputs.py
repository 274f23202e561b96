"""Made-up inputs for a kernel, from its signature."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from tilelang.ir.dtype import DType
from tilelang.language.policy import TensorSupplyType
from tilelang.runtime.arrays import Device, loaded, numpy_dtype, torch_dtype
from tilelang.runtime.formula import value_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tilelang.backends.artifact import ParamSpec


def make_input(param: ParamSpec, supply: TensorSupplyType, device: Device, dims: Mapping[str, int]) -> Any:
    """One argument: a tensor of the library that the program has loaded (PyTorch on a GPU), or a scalar. Raises
    ``ValueError`` if its shape depends on a size that ``dims`` does not give."""
    kind = DType(param.dtype)
    if param.kind != "tensor":
        return dims.get(param.name, 1) if kind.is_integer else 1.0
    try:
        shape = tuple(value_of(extent, dims) for extent in param.shape)
    except ValueError as error:
        raise ValueError(f"{param.name} cannot be made up: {error}; give dynamic_symbolic_constraints") from None
    return array_of(shape, kind, supply, device)


def array_of(shape: tuple[int, ...], kind: DType, supply: TensorSupplyType, device: Device) -> Any:
    """An array with random or constant elements. Types of less than a byte are packed bytes."""
    import numpy

    generator = numpy.random.default_rng(random.getrandbits(32))
    if kind.bits < 8:
        packed = (*shape[:-1], -(-shape[-1] * kind.bits // 8))
        values: Any = generator.integers(-128, 128, packed)
        name = "int8"
    else:
        values, name = _FILL[supply](generator, shape, kind), str(kind.base)
    if device[0] == "cpu" and loaded("torch") is None:
        return values.astype(numpy_dtype(name))
    import torch  # type: ignore[import-not-found]  # the program has it, or runs on a GPU

    library: Any = torch
    made = library.from_numpy(numpy.ascontiguousarray(values)).to(f"{device[0]}:{device[1]}")
    return made.to(torch_dtype(name))


def _auto(generator: Any, shape: tuple[int, ...], kind: DType) -> Any:
    if kind.is_float and kind.bits >= 16:
        return generator.uniform(-1, 1, shape)
    if kind.is_float:
        return generator.integers(-8, 9, shape) / 4
    return _integers(generator, shape, kind)


def _integers(generator: Any, shape: tuple[int, ...], kind: DType) -> Any:
    if kind.is_bool:
        return generator.integers(0, 2, shape)
    low, high = (0, 3) if kind.kind == "uint" else (-2, 3)
    values = generator.integers(low, high, shape)
    return values.astype("float64") if kind.is_float else values


def _uniform(generator: Any, shape: tuple[int, ...], kind: DType) -> Any:
    return generator.uniform(-1, 1, shape) if kind.is_float else _integers(generator, shape, kind)


def _normal(generator: Any, shape: tuple[int, ...], kind: DType) -> Any:
    return generator.standard_normal(shape) if kind.is_float else _integers(generator, shape, kind)


def _constant(value: int) -> Callable[[Any, tuple[int, ...], DType], Any]:
    def made(generator: Any, shape: tuple[int, ...], kind: DType) -> Any:
        import numpy

        return numpy.full(shape, value, "float64" if kind.is_float else "int64")

    return made


_FILL: dict[TensorSupplyType, Callable[[Any, tuple[int, ...], DType], Any]] = {
    TensorSupplyType.Auto: _auto,
    TensorSupplyType.Integer: _integers,
    TensorSupplyType.Uniform: _uniform,
    TensorSupplyType.Normal: _normal,
    TensorSupplyType.Randn: _normal,
    TensorSupplyType.Zero: _constant(0),
    TensorSupplyType.One: _constant(1),
}
