"""Shapes of torch and NumPy arrays: attributes, methods, indexing, broadcasting."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from tilelang.frontend.iteration import materialize
from tilelang.frontend.values import Model, Tensor
from tilelang.ir.dtype import BOOL, DType, dtype
from tilelang.ir.unknown import UNKNOWN, Unknown

if TYPE_CHECKING:
    from tilelang.frontend.evaluator import Evaluator

Shape = tuple[Any, ...] | None


def extent(value: Any) -> int | None:
    """One extent; ``None`` if it is not a known number."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def kind_of(value: Any) -> DType | None:
    """An element type; ``None`` if it is not known."""
    found = DType.parse(value)
    return found if found is not None and found.is_known else None


def shape_of(ev: Evaluator, args: Any) -> Shape:
    """A shape given as numbers or as one sequence; ``None`` if not even the rank is known."""
    if len(args) == 1 and isinstance(args[0], (list, tuple)):
        items = materialize(ev, args[0])
        return None if items is None else tuple(extent(item) for item in items)
    if len(args) == 1 and isinstance(args[0], Unknown):
        return None
    return tuple(extent(arg) for arg in args)


def broadcast(a: Shape, b: Shape) -> Shape:
    """The shape of an elementwise result."""
    if a is None or b is None:
        return None
    longer, shorter = (a, b) if len(a) >= len(b) else (b, a)
    padded = (1,) * (len(longer) - len(shorter)) + shorter
    return tuple(y if x == 1 else x if y == 1 or x == y else None for x, y in zip(longer, padded))


def elementwise(a: Any, b: Any) -> Tensor:
    """``a + b`` and the like."""
    left = a.shape if isinstance(a, Tensor) else () if isinstance(a, (int, float)) else None
    right = b.shape if isinstance(b, Tensor) else () if isinstance(b, (int, float)) else None
    kinds = [x.dtype for x in (a, b) if isinstance(x, Tensor)]
    kind = kinds[0] if len(kinds) == 1 or all(k == kinds[0] for k in kinds) else None
    if (
        len(kinds) == 1
        and kind is not None
        and isinstance(a if isinstance(b, Tensor) else b, float)
        and not kind.is_float
    ):
        kind = None
    library = a.library if isinstance(a, Tensor) else cast("Tensor", b).library
    backward = next((x.backward for x in (a, b) if isinstance(x, Tensor) and x.backward is not None), None)
    return Tensor(broadcast(left, right), kind, None, library, backward)


def matmul(a: Any, b: Any) -> Tensor:
    """``a @ b``."""
    if not (isinstance(a, Tensor) and isinstance(b, Tensor)) or not a.shape or not b.shape:
        return Tensor()
    if len(a.shape) < 2 or len(b.shape) < 2:
        return Tensor(None, a.dtype)
    batch = broadcast(a.shape[:-2], b.shape[:-2])
    return Tensor(None if batch is None else (*batch, a.shape[-2], b.shape[-1]), a.dtype, None, a.library)


def getitem(tensor: Tensor, index: Any) -> Any:
    """``tensor[index]``: the shape for numbers, slices, ``None`` and ``...``; values are never known."""
    if tensor.shape is None:
        return Tensor(None, tensor.dtype, None, tensor.library)
    entries = list(cast("tuple[Any, ...]", index)) if isinstance(index, tuple) else [index]
    consumed = sum(entry is not None and entry is not ... for entry in entries)
    if ... in [entry for entry in entries if entry is ...]:
        position = next(i for i, entry in enumerate(entries) if entry is ...)
        missing = max(0, len(tensor.shape) - consumed)
        entries[position : position + 1] = [slice(None)] * missing
    result: list[Any] = []
    strides: list[Any] = []
    dims = iter(zip(tensor.shape, tensor.strides or dense_strides(tensor.shape) or ()))
    for entry in entries:
        if entry is None:
            result.append(1)
            strides.append(None)
            continue
        size, stride = next(dims, (None, None))
        if isinstance(entry, slice):
            result.append(_sliced(size, entry))
            step = 1 if entry.step is None else entry.step
            strides.append(stride * step if isinstance(stride, int) and isinstance(step, int) else None)
        elif isinstance(entry, (int, Unknown)) and not isinstance(entry, bool):
            if isinstance(entry, Unknown):
                return Tensor(None, tensor.dtype, None, tensor.library)
        else:
            return Tensor(None, tensor.dtype, None, tensor.library)
    for size, stride in dims:
        result.append(size)
        strides.append(stride)
    if not result and tensor.shape:
        return UNKNOWN
    return Tensor(tuple(result), tensor.dtype, tuple(strides), tensor.library)


def _sliced(size: Any, entry: slice) -> int | None:
    parts = (entry.start, entry.stop, entry.step)
    if not isinstance(size, int) or any(part is not None and not isinstance(part, int) for part in parts):
        return None
    try:
        return len(range(*entry.indices(size)))
    except ValueError:
        return None


def reshaped(tensor: Tensor, shape: Shape) -> Tensor:
    """``view``/``reshape``: one extent may be -1."""
    if shape is None:
        return Tensor(None, tensor.dtype, None, tensor.library)
    if -1 in shape:
        total = _count(tensor.shape)
        others = _count(tuple(entry for entry in shape if entry != -1))
        free = total // others if total is not None and others else None
        shape = tuple(free if entry == -1 else entry for entry in shape)
    return Tensor(shape, tensor.dtype, None, tensor.library)


def _count(shape: Shape) -> int | None:
    if shape is None:
        return None
    count = 1
    for entry in shape:
        if not isinstance(entry, int):
            return None
        count *= entry
    return count


def dense_strides(shape: Shape) -> tuple[Any, ...] | None:
    """Row-major strides in elements."""
    if shape is None:
        return None
    strides: list[Any] = []
    step: int | None = 1
    for entry in reversed(shape):
        strides.append(step)
        step = step * entry if step is not None and isinstance(entry, int) else None
    return tuple(reversed(strides))


_SAME = frozenset(
    "contiguous cuda cpu clone detach to_sparse requires_grad_ normal_ uniform_ zero_ fill_ random_ copy_ abs exp log sqrt "
    "rsqrt sigmoid relu neg round floor ceil clamp clamp_ masked_fill masked_fill_ softmax tanh mul_ add_ sub_ div_ pow "
    "cumsum sort_ triu tril flip roll scatter scatter_ index_fill_ nan_to_num exp2 log2 square masked_scatter logical_not "
    "log_softmax clamp_min clamp_max clip tril_ triu_ scatter_add_ isnan contiguous_ pin_memory exponential_ bernoulli_ requires_grad retain_grad".split()
)
_CASTS = {
    "half": "float16", "float": "float32", "double": "float64", "bfloat16": "bfloat16", "int": "int32", "long": "int64",
    "short": "int16", "bool": "bool", "char": "int8", "byte": "uint8",
}  # fmt: skip
_REDUCTIONS = frozenset("sum mean amax amin max min argmax argmin prod std var norm all any logsumexp median".split())


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


def method(ev: Evaluator, tensor: Tensor, name: str, args: Any, kwargs: dict[str, Any]) -> Any:
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
    if name in ("view", "reshape") and isinstance(kwargs.get("dtype", first), DType):
        return _viewed(tensor, kwargs.get("dtype", first))
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
        count = _count(tensor.shape)
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
        return _permuted(tensor, tuple(first) if isinstance(first, (list, tuple)) else tuple(args))
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


def _selected(tensor: Tensor, name: str, args: Any, kwargs: dict[str, Any]) -> Any:
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


def _restructured(ev: Evaluator, tensor: Tensor, name: str, args: Any) -> Tensor:
    shape = tensor.shape
    unknown = Tensor(None, tensor.dtype, None, tensor.library)
    if shape is None:
        return unknown
    first = args[0] if args else None
    if name == "unsqueeze" and isinstance(first, int) and -len(shape) - 1 <= first <= len(shape):
        at = first if first >= 0 else len(shape) + 1 + first
        return Tensor((*shape[:at], 1, *shape[at:]), tensor.dtype, None, tensor.library)
    if name == "squeeze" and isinstance(first, int) and -len(shape) <= first < len(shape):
        at = first % len(shape)
        return Tensor((*shape[:at], *shape[at + 1 :]) if shape[at] == 1 else shape, tensor.dtype, None, tensor.library)
    if name == "squeeze" and first is None and all(isinstance(e, int) for e in shape):
        return Tensor(tuple(e for e in shape if e != 1), tensor.dtype, None, tensor.library)
    if name == "flatten":
        start = first if isinstance(first, int) else 0
        stop = args[1] if len(args) > 1 else -1
        if isinstance(stop, int) and -len(shape) <= start < len(shape) and -len(shape) <= stop < len(shape):
            start, stop = start % len(shape), stop % len(shape)
            merged = _count(shape[start : stop + 1])
            return Tensor((*shape[:start], merged, *shape[stop + 1 :]), tensor.dtype, None, tensor.library)
    if name == "expand":
        wanted = shape_of(ev, args)
        if wanted is not None and len(wanted) >= len(shape):
            padded = (1,) * (len(wanted) - len(shape)) + shape
            return Tensor(
                tuple(p if w == -1 else w for w, p in zip(wanted, padded)), tensor.dtype, None, tensor.library
            )
    if name == "repeat_interleave" and isinstance(first, int) and len(args) > 1 and isinstance(args[1], int):
        if -len(shape) <= args[1] < len(shape):
            at = args[1] % len(shape)
            grown = shape[at] * first if isinstance(shape[at], int) else None
            return Tensor((*shape[:at], grown, *shape[at + 1 :]), tensor.dtype, None, tensor.library)
    if name == "repeat":
        times = shape_of(ev, args)
        if times is not None and len(times) >= len(shape):
            padded = (1,) * (len(times) - len(shape)) + shape
            sizes = tuple(p * t if isinstance(p, int) and isinstance(t, int) else None for p, t in zip(padded, times))
            return Tensor(sizes, tensor.dtype, None, tensor.library)
    return unknown


def _reduced(tensor: Tensor, args: Any, kwargs: dict[str, Any], name: str) -> Any:
    dim = args[0] if args else kwargs.get("dim", kwargs.get("axis"))
    if dim is None or tensor.shape is None:
        return Tensor((), tensor.dtype, None, tensor.library) if dim is None else UNKNOWN
    dims = dim if isinstance(dim, (tuple, list)) else (dim,)
    rank = len(tensor.shape)
    if not all(isinstance(d, int) and -rank <= d < rank for d in dims):
        return UNKNOWN
    gone = {d % rank for d in cast("tuple[int, ...]", dims)}
    keep = kwargs.get("keepdim", args[1] if len(args) > 1 else False)
    shape = tuple(1 if i in gone else e for i, e in enumerate(tensor.shape) if keep is True or i not in gone)
    result = Tensor(shape, tensor.dtype, None, tensor.library)
    if name in ("max", "min", "median") and tensor.library == "torch":
        return (result, Tensor(shape, dtype("int64"), None, tensor.library))
    return result
