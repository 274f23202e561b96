"""Shapes and strides of arrays: broadcasting, products, indexing, reshaping."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeGuard

from tilelang.frontend.containers import is_slice, is_tuple
from tilelang.frontend.iteration import materialize
from tilelang.frontend.values import Tensor
from tilelang.ir.dtype import DType
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


def is_axis(value: Any, rank: int) -> TypeGuard[int]:
    """Whether a value is a known axis of an array of this rank."""
    return isinstance(value, int) and -rank <= value < rank


def shape_of(ev: Evaluator, args: Any) -> Shape:
    """A shape given as numbers or as one sequence; ``None`` if not even the rank is known."""
    if len(args) == 1 and not isinstance(args[0], int):
        items = materialize(ev, args[0])
        return None if items is None else tuple(extent(item) for item in items)
    return tuple(extent(arg) for arg in args)


def broadcast(a: Shape, b: Shape) -> Shape:
    """The shape of an elementwise result."""
    if a is None or b is None:
        return None
    longer, shorter = (a, b) if len(a) >= len(b) else (b, a)
    padded = (*[1] * (len(longer) - len(shorter)), *shorter)
    return tuple(y if x == 1 else x if y in (1, x) else None for x, y in zip(longer, padded, strict=True))


def elementwise(a: Any, b: Any) -> Tensor:
    """``a + b`` and the like."""
    left = a.shape if isinstance(a, Tensor) else () if isinstance(a, (int, float)) else None
    right = b.shape if isinstance(b, Tensor) else () if isinstance(b, (int, float)) else None
    tensors = [x for x in (a, b) if isinstance(x, Tensor)]
    kinds = [x.dtype for x in tensors]
    kind = kinds[0] if len(kinds) == 1 or all(k == kinds[0] for k in kinds) else None
    if (
        len(kinds) == 1
        and kind is not None
        and isinstance(a if isinstance(b, Tensor) else b, float)
        and not kind.is_float
    ):
        kind = None
    library = tensors[0].library if tensors else "torch"
    backward = next((x.backward for x in tensors if x.backward is not None), None)
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
    entries = list(index) if is_tuple(index) else [index]
    consumed = sum(entry is not None and entry is not ... for entry in entries)
    if ... in [entry for entry in entries if entry is ...]:
        position = next(i for i, entry in enumerate(entries) if entry is ...)
        missing = max(0, len(tensor.shape) - consumed)
        entries[position : position + 1] = [slice(None)] * missing
    result: list[Any] = []
    strides: list[Any] = []
    steps: tuple[Any, ...] = tensor.strides or dense_strides(tensor.shape) or ()
    dims = iter(zip(tensor.shape, steps, strict=False))
    for entry in entries:
        if entry is None:
            result.append(1)
            strides.append(None)
            continue
        size, stride = next(dims, (None, None))
        if is_slice(entry):
            result.append(_sliced(size, entry))
            step: Any = 1 if entry.step is None else entry.step
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


def _sliced(size: Any, entry: slice[Any, Any, Any]) -> int | None:
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
        total = count_of(tensor.shape)
        others = count_of(tuple(entry for entry in shape if entry != -1))
        free = total // others if total is not None and others else None
        shape = tuple(free if entry == -1 else entry for entry in shape)
    return Tensor(shape, tensor.dtype, None, tensor.library)


def count_of(shape: Shape) -> int | None:
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
