"""Tensors that a kernel receives, returns or makes from pointers: ``T.Tensor`` and its relatives.

An annotation has the call form, ``T.Tensor((M, K), T.float16)``, or the subscript form,
``T.Tensor[(M, K), T.float16]``. Type checkers accept the subscript form only. Either gives a buffer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from tilelang.ir.buffer import Buffer as IRBuffer
from tilelang.ir.buffer import Dim
from tilelang.ir.builder import current
from tilelang.ir.dtype import FLOAT32, HANDLE, INT32, INT64, UNKNOWN_DTYPE, DType
from tilelang.ir.expr import Const, Expr, Var
from tilelang.ir.stmt import Let
from tilelang.ir.unknown import UNKNOWN, Unknown
from tilelang.language.arith import operand
from tilelang.language.context import describe, here, invalid, is_unknown, target_name
from tilelang.language.dtypes import to_dtype
from tilelang.language.regions import unknown_var

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tilelang.language.values import DTypeLike, Scalar, Shape, Tile, Value


def to_shape(function: str, value: object, argument: str = "shape") -> tuple[Dim, ...]:
    """Extents from one extent or a sequence of them. Records ``invalid-argument`` for anything else."""
    if isinstance(value, (tuple, list)):
        return tuple(_extent(function, entry, argument) for entry in cast("Iterable[object]", value))
    return (_extent(function, value, argument),)


def _extent(function: str, value: object, argument: str) -> Dim:
    if isinstance(value, int):
        return int(value)
    if isinstance(value, Const):
        return value.value if isinstance(value.value, int) else value
    found = operand(value)
    if isinstance(found, Expr):
        if found.dtype.is_float:
            invalid(function, argument, "integers", describe(value))
        return found
    if not is_unknown(value) and isinstance(value, (float, str, DType, type(None), tuple, list)):
        got = "a nested sequence" if isinstance(value, (tuple, list)) else describe(value)
        invalid(function, argument, "integers", got)
    return unknown_var(here())


def storage_dtype(function: str, dtype: object) -> DType:
    """Like :func:`~tilelang.language.dtypes.to_dtype`; ``T.ptr`` stands for a table of addresses, 64-bit integers."""
    return INT64 if dtype is ptr else to_dtype(function, dtype)


def _tensor(
    function: str, shape: object, dtype: object, scope: object, *, strides: object = None, data: object = None
) -> Any:
    extents = to_shape(function, shape)
    steps = None if strides is None else to_shape(function, strides, "strides")
    if steps is not None and len(steps) != len(extents) and not is_unknown(shape) and not is_unknown(strides):
        invalid(function, "strides", f"{len(extents)} numbers, one for each dimension", f"{len(steps)} numbers")
        steps = None
    data = _address(data)
    attrs = () if data is None else (("data", data),)
    source = data if isinstance(data, IRBuffer) else None
    return IRBuffer(
        target_name("tensor"),
        extents,
        storage_dtype(function, dtype),
        scope if isinstance(scope, str) else "global",
        steps,
        source,
        attrs,
        span=here(),
    )


def _address(data: object) -> object:
    """Where a tensor begins. An address that is computed or read from a table is found where the tensor is made."""
    found = operand(data)
    builder = current()
    if builder is None or isinstance(data, (Var, IRBuffer)) or not isinstance(found, Expr):
        return data
    span = builder.site.span
    address = Var(found.dtype, f"{target_name('tensor')}_address", "let", span=span)
    builder.emit(Let(address, found, span=span))
    return address


if TYPE_CHECKING:

    class _Annotation(Tile):
        def __class_getitem__(cls, key: Any) -> Any: ...
        def __iter__(self) -> Any: ...
        @classmethod
        def from_ptr(
            cls, pointer_var: Value, shape: Shape, dtype: DTypeLike = ..., strides: Shape | None = None
        ) -> Tile: ...

    class Tensor(_Annotation):
        """A tensor in global memory, dense in row-major order. ``shape``: extents or one extent."""

        def __init__(
            self, shape: Shape, dtype: DTypeLike = "float32", data: Any = None, scope: str | None = None
        ) -> None: ...

    class StridedTensor(_Annotation):
        """A tensor in global memory with a stride for each dimension, counted in elements."""

        def __init__(
            self,
            shape: Shape,
            strides: Shape,
            dtype: DTypeLike = "float32",
            scope: str | None = None,
            *,
            data: Any = None,
        ) -> None: ...

    class _BufferAnnotation(_Annotation):
        def __init__(
            self,
            shape: Shape,
            dtype: DTypeLike = "float32",
            data: Any = None,
            strides: Shape | None = None,
            elem_offset: Any = None,
            scope: str | None = None,
            align: int | None = None,
            offset_factor: int | None = None,
            buffer_type: str = "",
            axis_separators: Any = None,
        ) -> None: ...

    class Buffer(_BufferAnnotation):
        """An older spelling of :class:`Tensor`, with every field of a TVM buffer."""

    class FragmentBuffer(_BufferAnnotation):
        """A parameter in registers, of a macro."""

    class SharedBuffer(_BufferAnnotation):
        """A parameter in shared memory, of a macro."""

    class LocalBuffer(_BufferAnnotation):
        """A parameter in memory private to a thread, of a macro."""

    class ptr(Scalar):
        """A pointer parameter to elements of ``dtype``. As the dtype of a tensor, a table of addresses."""

        def __init__(
            self, dtype: DTypeLike | None = None, storage_scope: str = "global", *, is_size_var: bool = False
        ) -> None: ...

    class handle(Scalar):
        """An opaque pointer parameter."""

        def __init__(
            self, dtype: DTypeLike | None = None, storage_scope: str = "global", *, is_size_var: bool = False
        ) -> None: ...

else:

    class _Annotation:
        """What may stand in an annotation: called or subscripted, it gives a buffer."""

        def __init__(self, name: str, scope: str, doc: str) -> None:
            self.__name__, self._scope, self.__doc__ = name, scope, doc

        def __repr__(self) -> str:
            return f"T.{self.__name__}"

        def __getitem__(self, key: object) -> IRBuffer:
            if isinstance(key, Unknown):
                return IRBuffer("tensor", (), UNKNOWN_DTYPE, self._scope, span=here())
            keys = key if isinstance(key, tuple) else (key,)
            if not any(isinstance(entry, (tuple, list, str)) for entry in keys):
                keys = (keys,)
            return self(*keys)

        def from_ptr(self, pointer_var, shape, dtype="float32", strides=None) -> IRBuffer:
            """The tensor of this shape that begins at a pointer."""
            return _tensor(f"T.{self.__name__}.from_ptr", shape, dtype, self._scope, strides=strides, data=pointer_var)

    class _Tensor(_Annotation):
        def __call__(self, shape, dtype="float32", data=None, scope=None):
            return _tensor("T.Tensor", shape, dtype, scope or self._scope, data=data)

    class _StridedTensor(_Annotation):
        def __call__(self, shape, strides, dtype="float32", scope=None, *, data=None):
            return _tensor("T.StridedTensor", shape, dtype, scope or self._scope, strides=strides, data=data)

    class _BufferAnnotation(_Annotation):
        def __call__(
            self,
            shape,
            dtype="float32",
            data=None,
            strides=None,
            elem_offset=None,
            scope=None,
            align=None,
            offset_factor=None,
            buffer_type="",
            axis_separators=None,
        ):
            return _tensor(f"T.{self.__name__}", shape, dtype, scope or self._scope, strides=strides, data=data)

    class _Buffer(_Annotation):
        def __call__(
            self,
            shape,
            dtype=FLOAT32,
            data=None,
            strides=None,
            elem_offset=None,
            scope="global",
            align=0,
            offset_factor=0,
            buffer_type="",
            axis_separators=None,
        ):
            return _tensor("T.Buffer", shape, dtype, scope, strides=strides, data=data)

    def ptr(dtype=None, storage_scope="global", *, is_size_var=False) -> Var:
        """A pointer parameter to elements of ``dtype``. As the dtype of a tensor, it means addresses."""
        return Var(HANDLE, target_name("ptr"), "param", span=here())

    def handle(dtype=None, storage_scope="global", *, is_size_var=False) -> Var:
        """An opaque pointer parameter."""
        return Var(HANDLE, target_name("handle"), "param", span=here())

    Tensor = _Tensor("Tensor", "global", "A tensor in global memory, dense in row-major order.")
    StridedTensor = _StridedTensor("StridedTensor", "global", "A tensor in global memory with strides in elements.")
    FragmentBuffer = _BufferAnnotation("FragmentBuffer", "local.fragment", "A parameter in registers, of a macro.")
    SharedBuffer = _BufferAnnotation("SharedBuffer", "shared.dyn", "A parameter in shared memory, of a macro.")
    LocalBuffer = _BufferAnnotation("LocalBuffer", "local", "A parameter in memory private to a thread, of a macro.")
    Buffer = _Buffer("Buffer", "global", "An older spelling of T.Tensor, with every field of a TVM buffer.")


def empty(*shape: Any, dtype: DTypeLike = FLOAT32) -> Tile:
    """A tensor that an eager kernel makes and returns: ``T.empty((M, N), T.float16)``, ``T.empty(M, N, dtype=...)``.

    Shape: extents in a tuple, or one argument each; ``dtype`` may follow a tuple. The tensor lies in global memory and
    must be returned by the kernel.
    """
    extents: object = shape
    if len(shape) in (1, 2) and isinstance(shape[0], (tuple, list)):
        extents = cast("object", shape[0])
        if len(shape) == 2:
            dtype = shape[1]
    buffer = IRBuffer(
        target_name("output"),
        to_shape("T.empty", extents),
        to_dtype("T.empty", dtype),
        attrs=(("output", True),),
        span=here(),
    )
    builder = current()
    if builder is not None:
        builder.outputs.append(buffer)
    return cast("Tile", buffer)


def make_tensor(ptr: Value, shape: Shape, dtype: DTypeLike = "float32", strides: Shape | None = None) -> Tile:
    """The tensor of this shape and type that begins at a pointer or at an address read from a table."""
    return _tensor("T.make_tensor", shape, dtype, "global", strides=strides, data=ptr)


def make_tensor_from_addr(
    addr: Value,
    shape: Shape,
    dtype: DTypeLike = "float32",
    strides: Shape | None = None,
    storage_scope: str = "global",
) -> Tile:
    """The tensor of this shape and type that begins at an address, a 64-bit integer or a ``handle``."""
    return _tensor("T.make_tensor_from_addr", shape, dtype, storage_scope, strides=strides, data=addr)


def match_buffer(
    param: Value,
    shape: Shape | None = None,
    dtype: DTypeLike = "float32",
    data: Any = None,
    strides: Shape | None = None,
    elem_offset: Any = None,
    scope: str = "global",
    align: int = -1,
    offset_factor: int = 0,
    buffer_type: str = "default",
    axis_separators: Any = None,
) -> Tile:
    """The tensor that a ``handle`` parameter points to."""
    extents: object = UNKNOWN if shape is None else shape
    return _tensor("T.match_buffer", extents, dtype, scope, strides=strides, data=param)


def buffer(
    shape: Shape,
    dtype: DTypeLike = "float32",
    data: Any = None,
    strides: Shape | None = None,
    elem_offset: Any = None,
    scope: str = "global",
    align: int = 0,
    offset_factor: int = 0,
    buffer_type: str = "",
    axis_separators: Any = None,
) -> Tile:
    """A buffer without storage of its own: a view of ``data`` or a parameter."""
    return _tensor("T.buffer", shape, dtype, scope, strides=strides, data=data)


class Ref:
    """Annotation of a macro parameter that is passed by reference: the macro may assign to the caller's variable."""

    def __init__(self, bufload: Any) -> None:
        self.bufload = bufload

    def __class_getitem__(cls, key: Any) -> Any:
        return cls


def symbol(name: str, dtype: DType = INT32) -> Var:
    """A symbolic size."""
    return Var(dtype, name, "dim", span=here())
