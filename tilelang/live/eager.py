"""Calls of eager kernels: which arguments are tensors, which are constants of the kernel, and what identifies it."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tilelang.frontend.values import MISSING, Tensor
from tilelang.ir.dtype import DType
from tilelang.runtime.arguments import type_name
from tilelang.runtime.arrays import view

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tilelang.jit import JITImpl


@dataclass(frozen=True, slots=True)
class EagerCall:
    """One call. ``values``: the arguments by name; ``bound``: the same for the evaluator, tensors as shapes and types;
    ``extra``: sizes that are given by name; ``key``: what a kernel is compiled for, ``None`` if it cannot be kept."""

    values: Mapping[str, Any]
    bound: Mapping[str, Any]
    extra: Mapping[str, Any]
    key: object


def split_call(
    jit: JITImpl[Any, Any], args: tuple[Any, ...], kwargs: Mapping[str, Any], *, compile_only: bool = False
) -> EagerCall:
    """The arguments of a call. With ``compile_only`` tensors may be left out; their sizes are then given by name.
    Raises ``TypeError`` like a call of the function itself."""
    signature = jit.signature
    known = {name for name, param in signature.parameters.items() if param.kind is not param.VAR_KEYWORD}
    extra = {name: value for name, value in kwargs.items() if name not in known}
    own = {name: value for name, value in kwargs.items() if name in known}
    if extra and not compile_only:
        raise TypeError(f"{jit.__name__}() got an unexpected keyword argument {next(iter(extra))!r}")
    bound = signature.bind_partial(*args, **own) if compile_only else signature.bind(*args, **own)
    bound.apply_defaults()
    values = {
        name: bound.arguments.get(name, MISSING)
        for name, param in signature.parameters.items()
        if param.kind not in (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    }
    described: dict[str, Any] = {}
    parts: list[object] = []
    for name, value in values.items():
        array = view(value) if value is not MISSING else None
        if array is None:
            described[name] = value
            parts.append((type_name(value), value))
        else:
            dtype = DType.parse(array.dtype)
            described[name] = Tensor(array.shape, dtype, array.strides, array.library)
            parts.append((array.shape, array.strides, array.dtype, array.device[0]))
    key: object = (tuple(parts), tuple(sorted(extra.items())))
    try:
        hash(key)
    except TypeError:
        key = None
    return EagerCall(values, described, extra, key)
