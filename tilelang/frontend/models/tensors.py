"""Attributes and methods of torch and NumPy arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilelang.frontend.containers import is_sequence
from tilelang.frontend.models.shapes import (
    count_of,
    dense_strides,
    elementwise,
    extent,
    is_axis,
    kind_of,
    matmul,
    reshaped,
    shape_of,
)
from tilelang.frontend.values import Model, Tensor
from tilelang.ir.dtype import BOOL, DType, dtype
from tilelang.ir.unknown import UNKNOWN, Unknown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tilelang.frontend.arguments import Args
    from tilelang.frontend.evaluator import Evaluator


_SAME_NAMES = (
    "contiguous cuda cpu clone detach to_sparse requires_grad_ normal_ uniform_ zero_ fill_ random_ copy_ abs exp "
    "log sqrt rsqrt sigmoid relu neg round floor ceil clamp clamp_ masked_fill masked_fill_ softmax tanh mul_ "
    "add_ sub_ div_ pow cumsum sort_ triu tril flip roll scatter scatter_ index_fill_ nan_to_num exp2 log2 square "
    "masked_scatter logical_not log_softmax clamp_min clamp_max clip tril_ triu_ scatter_add_ isnan contiguous_ "
    "pin_memory exponential_ bernoulli_ requires_grad retain_grad"
)
_SAME = frozenset(_SAME_NAMES.split())
"""Methods whose result has the shape, the type and the strides of the receiver."""

_CASTS = {
    "half": "float16", "float": "float32", "double": "float64", "bfloat16": "bfloat16", "int": "int32", "long": "int64",
    "short": "int16", "bool": "bool", "char": "int8", "byte": "uint8",
}  # fmt: skip

_REDUCTION_NAMES = "sum mean amax amin max min argmax argmin prod std var norm all any logsumexp median"
_REDUCTIONS = frozenset(_REDUCTION_NAMES.split())


def attribute(ev: Evaluator, tensor: Tensor, name: str) -> Any:
    """``tensor.name``."""
    if name == "shape":
        return UNKNOWN if tensor.shape is None else tuple(UNKNOWN if e is None else e for e in tensor.shape)
    if name == "dtype":
        return UNKNOWN if tensor.dtype is None else tensor.dtype
    if name == "ndim":
        return UNKNOWN if tensor.shape is None else len(tensor.shape)
    if name in ("T", "mT", "H"):
        return _permuted(tensor, tuple(range(tensor.rank or 0))[::-1]) if tensor.rank == 2 or name == "T" else UNKNOWN
    if name in ("device", "grad_fn", "data_ptr", "is_cuda", "requires_grad", "grad"):
        return True if name == "is_cuda" else UNKNOWN
    if name == "data":
        return tensor
    if name in ("itemsize", "nbytes"):
        count = 1 if name == "itemsize" else count_of(tensor.shape)
        return UNKNOWN if tensor.dtype is None or count is None else count * max(1, tensor.dtype.bits // 8)
    return Model(f"Tensor.{name}", lambda ev, args, kwargs: _derived(tensor, method(ev, tensor, name, args, kwargs)))


def _derived(tensor: Tensor, result: Any) -> Any:
    """A tensor computed from another one leads back to the same gradient."""
    if tensor.backward is not None and isinstance(result, Tensor) and result.backward is None:
        result.backward = tensor.backward
    return result


def _permuted(tensor: Tensor, order: tuple[Any, ...]) -> Tensor:
    shape, strides = tensor.shape, tensor.strides or dense_strides(tensor.shape)
    if (
        shape is None
        or len(order) != len(shape)
        or not all(isinstance(i, int) and -len(shape) <= i < len(shape) for i in order)
    ):
        return Tensor(None, tensor.dtype, None, tensor.library)
    return Tensor(
        tuple(shape[i] for i in order),
        tensor.dtype,
        tuple(strides[i] for i in order) if strides is not None else None,
        tensor.library,
    )


def method(ev: Evaluator, tensor: Tensor, name: str, args: Args, kwargs: dict[str, Any]) -> Any:
    """The result of a tensor method; unknown if it is not modelled."""
    first = args[0] if args else None
    if name in ("contiguous", "clone"):
        return Tensor(tensor.shape, tensor.dtype, None, tensor.library)
    if name in ("to", "type", "astype"):
        kind = next((DType.parse(v) for v in (*args, *kwargs.values()) if isinstance(v, DType)), None)
        if isinstance(first, Tensor):
            kind = first.dtype
        opaque = any(isinstance(v, Unknown) for v in (*args, *kwargs.values()))
        return Tensor(tensor.shape, kind or (None if opaque else tensor.dtype), tensor.strides, tensor.library)
    if name in _CASTS:
        return Tensor(tensor.shape, dtype(_CASTS[name]), tensor.strides, tensor.library)
    viewed = kwargs.get("dtype", first)
    if name in ("view", "reshape") and isinstance(viewed, DType):
        return _viewed(tensor, viewed)
    if name in ("view", "reshape"):
        return reshaped(tensor, shape_of(ev, args))
    if name in ("size", "stride"):
        values = tensor.shape if name == "size" else (tensor.strides or dense_strides(tensor.shape))
        if values is None:
            return UNKNOWN
        known = tuple(UNKNOWN if entry is None else entry for entry in values)
        if first is None:
            return known
        return known[first] if isinstance(first, int) and -len(known) <= first < len(known) else UNKNOWN
    if name in ("numel", "nelement"):
        count = count_of(tensor.shape)
        return UNKNOWN if count is None else count
    if name in ("dim", "ndimension"):
        return UNKNOWN if tensor.rank is None else tensor.rank
    if name in ("element_size", "itemsize"):
        return UNKNOWN if tensor.dtype is None else max(1, tensor.dtype.bits // 8)
    if name in ("transpose", "swapaxes") and tensor.shape is not None and len(args) == 2:
        order = list(range(len(tensor.shape)))
        if all(isinstance(i, int) and -len(order) <= i < len(order) for i in args):
            order[args[0]], order[args[1]] = order[args[1]], order[args[0]]
            return _permuted(tensor, tuple(order))
    if name == "t":
        return _permuted(tensor, tuple(range(tensor.rank or 0))[::-1])
    if name == "permute":
        return _permuted(tensor, tuple(first) if is_sequence(first) else tuple(args))
    if name in ("unsqueeze", "squeeze", "flatten", "expand", "repeat", "repeat_interleave"):
        return _restructured(ev, tensor, name, [*args, *(kwargs[k] for k in ("repeats", "dim") if k in kwargs)])
    if name in ("new_empty", "new_zeros", "new_ones", "new_full"):
        return Tensor(
            shape_of(ev, args[:1] if name == "new_full" else args or [kwargs.get("size", UNKNOWN)]),
            kind_of(kwargs["dtype"]) if "dtype" in kwargs else tensor.dtype,
            None,
            tensor.library,
        )
    if name in ("is_contiguous",):
        return tensor.strides is None or tensor.strides == dense_strides(tensor.shape)
    if name in ("is_floating_point",):
        return UNKNOWN if tensor.dtype is None else tensor.dtype.is_float
    if name in _SAME:
        return Tensor(tensor.shape, tensor.dtype, tensor.strides, tensor.library)
    if name in _REDUCTIONS:
        return _reduced(tensor, args, kwargs, name)
    if name in ("matmul", "mm", "bmm", "dot") and isinstance(first, Tensor):
        return matmul(tensor, first)
    if name in ("eq", "ne", "lt", "gt", "le", "ge"):
        return Tensor(tensor.shape, BOOL, None, tensor.library)
    if name in ("mul", "add", "sub", "div", "where", "minimum", "maximum"):
        return elementwise(tensor, first)
    if name == "backward":
        if tensor.backward is not None:
            from tilelang.frontend.calls import call

            call(ev, tensor.backward, args[:1] or (tensor,), {}, args.span)
        return None
    if name == "numpy":
        return Tensor(tensor.shape, tensor.dtype, tensor.strides, "numpy")
    if name in ("expand_as", "view_as", "reshape_as") and isinstance(first, Tensor):
        return Tensor(first.shape, tensor.dtype, None, tensor.library)
    if name == "as_strided" and len(args) > 1:
        return Tensor(shape_of(ev, args[:1]), tensor.dtype, shape_of(ev, args[1:2]), tensor.library)
    if name in ("topk", "sort"):
        return _selected(tensor, name, args, kwargs)
    if name in ("gather", "take_along_dim") and len(args) > 1 and isinstance(args[1], Tensor):
        return Tensor(args[1].shape, tensor.dtype, None, tensor.library)
    return UNKNOWN


def _selected(tensor: Tensor, name: str, args: Args, kwargs: dict[str, Any]) -> Any:
    shape = tensor.shape
    if name == "topk" and shape:
        k = args[0] if args else kwargs.get("k")
        dim = args[1] if len(args) > 1 else kwargs.get("dim", -1)
        known = isinstance(dim, int) and -len(shape) <= dim < len(shape)
        shape = tuple(extent(k) if i == dim % len(shape) else e for i, e in enumerate(shape)) if known else None
    return (Tensor(shape, tensor.dtype, None, tensor.library), Tensor(shape, dtype("int64"), None, tensor.library))


def _viewed(tensor: Tensor, kind: DType) -> Tensor:
    """``view(dtype)``: the last extent scales with the element size."""
    if tensor.shape is None or tensor.dtype is None or not tensor.shape or not isinstance(tensor.shape[-1], int):
        return Tensor(tensor.shape if tensor.dtype == kind else None, kind, None, tensor.library)
    old, new = max(8, tensor.dtype.bits), max(8, kind.bits)
    return Tensor((*tensor.shape[:-1], tensor.shape[-1] * old // new), kind, None, tensor.library)


def _restructured(ev: Evaluator, tensor: Tensor, name: str, args: Sequence[Any]) -> Tensor:
    shape = tensor.shape
    unknown = Tensor(None, tensor.dtype, None, tensor.library)
    if shape is None:
        return unknown
    first = args[0] if args else None
    if name == "unsqueeze" and isinstance(first, int) and -len(shape) - 1 <= first <= len(shape):
        at = first if first >= 0 else len(shape) + 1 + first
        return _with_shape(tensor, (*shape[:at], 1, *shape[at:]))
    if name == "squeeze" and is_axis(first, len(shape)) and isinstance(shape[first], int):
        at = first % len(shape)
        return _with_shape(tensor, (*shape[:at], *shape[at + 1 :])) if shape[at] == 1 else tensor
    if name == "squeeze" and first is None and all(isinstance(e, int) for e in shape):
        return _with_shape(tensor, tuple(e for e in shape if e != 1))
    if name == "flatten":
        start = first if isinstance(first, int) else 0
        stop = args[1] if len(args) > 1 else -1
        if isinstance(stop, int) and -len(shape) <= start < len(shape) and -len(shape) <= stop < len(shape):
            start, stop = start % len(shape), stop % len(shape)
            merged = count_of(shape[start : stop + 1])
            return Tensor((*shape[:start], merged, *shape[stop + 1 :]), tensor.dtype, None, tensor.library)
    if name == "expand":
        wanted = shape_of(ev, args)
        if wanted is not None and len(wanted) >= len(shape):
            padded = _padded(shape, len(wanted))
            grown = tuple(p if w == -1 else w for w, p in zip(wanted, padded, strict=True))
            return Tensor(grown, tensor.dtype, (None,) * len(grown), tensor.library)
    if name == "repeat_interleave" and isinstance(first, int) and len(args) > 1 and is_axis(args[1], len(shape)):
        at = args[1] % len(shape)
        grown = shape[at] * first if isinstance(shape[at], int) else None
        return Tensor((*shape[:at], grown, *shape[at + 1 :]), tensor.dtype, None, tensor.library)
    if name == "repeat":
        times = shape_of(ev, args)
        if times is not None and len(times) >= len(shape):
            padded = _padded(shape, len(times))
            sizes = tuple(
                p * t if isinstance(p, int) and isinstance(t, int) else None for p, t in zip(padded, times, strict=True)
            )
            return Tensor(sizes, tensor.dtype, None, tensor.library)
    return unknown


def _with_shape(tensor: Tensor, shape: tuple[Any, ...]) -> Tensor:
    """The same elements with axes of extent 1 added or left out."""
    strides = None if tensor.strides is None else (None,) * len(shape)
    return Tensor(shape, tensor.dtype, strides, tensor.library)


def _padded(shape: tuple[Any, ...], rank: int) -> tuple[Any, ...]:
    """A shape with ones in front."""
    return (*[1] * (rank - len(shape)), *shape)


def _reduced_dtype(name: str, given: DType | None) -> DType | None:
    if name in ("argmax", "argmin"):
        return dtype("int64")
    if name in ("any", "all"):
        return BOOL
    if name in ("sum", "prod"):
        return given if given is None or given.is_float else dtype("int64")
    return given


def _reduced(tensor: Tensor, args: Args, kwargs: dict[str, Any], name: str) -> Any:
    dim = args[0] if args else kwargs.get("dim", kwargs.get("axis"))
    if dim is None or tensor.shape is None:
        return Tensor((), _reduced_dtype(name, tensor.dtype), None, tensor.library) if dim is None else UNKNOWN
    rank = len(tensor.shape)
    dims = [d for d in (dim if is_sequence(dim) else (dim,)) if is_axis(d, rank)]
    if len(dims) != (len(dim) if is_sequence(dim) else 1):
        return UNKNOWN
    gone = {d % rank for d in dims}
    keep = kwargs.get("keepdim", args[1] if len(args) > 1 else False)
    shape = tuple(1 if i in gone else e for i, e in enumerate(tensor.shape) if keep is True or i not in gone)
    result = Tensor(shape, _reduced_dtype(name, tensor.dtype), None, tensor.library)
    if name in ("max", "min", "median") and tensor.library == "torch":
        return (result, Tensor(shape, dtype("int64"), None, tensor.library))
    return result
