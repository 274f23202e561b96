"""Buffers and regions of buffers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tilelang.ir.expr import Expr, Index, Operand, Slice, const_int
from tilelang.ir.span import NOWHERE, Span

if TYPE_CHECKING:
    from tilelang.ir.dtype import DType

Dim = Expr | int
"""One extent: a number, or an expression over dims and parameters."""

SHARED_SCOPES = ("shared", "shared.dyn")


@dataclass(frozen=True, slots=True, eq=False)
class Buffer:
    """A typed array in one memory. Compared by identity: rebinding a Python name never makes a new buffer.

    ``scope`` uses upstream's names: ``global``, ``shared.dyn``, ``shared``, ``local.fragment``, ``local``,
    ``local.var``, ``shared.barrier``, ``shared.cluster_barrier``, ``shared.tmem``, ``local.descriptor.*``.
    ``strides`` count elements; ``None`` means row-major and dense. ``source`` is the buffer that a view or a
    reshape aliases. ``attrs`` holds what the allocation said (reducer op, arrive counts, initial value).
    """

    name: str
    shape: tuple[Dim, ...]
    dtype: DType
    scope: str = "global"
    strides: tuple[Dim, ...] | None = None
    source: Buffer | None = None
    attrs: tuple[tuple[str, object], ...] = ()
    span: Span = field(default=NOWHERE, repr=False, kw_only=True)

    __iter__ = None  # Python would otherwise try to index it from 0 up

    def __getitem__(self, index: Any) -> Any:
        """An element or a box, in code that Python runs itself while a kernel is built."""
        from tilelang.language.context import here
        from tilelang.language.regions import subscript

        return subscript(self, index, here())

    @property
    def rank(self) -> int:
        return len(self.shape)

    @property
    def root(self) -> Buffer:
        """The allocation that this buffer names, through any number of views."""
        buffer = self
        while buffer.source is not None:
            buffer = buffer.source
        return buffer

    @property
    def is_shared(self) -> bool:
        return self.scope in SHARED_SCOPES

    @property
    def is_fragment(self) -> bool:
        return self.scope == "local.fragment"

    @property
    def is_global(self) -> bool:
        return self.scope == "global"

    @property
    def is_local(self) -> bool:
        """Private to a thread: ``T.alloc_local`` and ``T.alloc_var``."""
        return self.scope in ("local", "local.var")

    @property
    def is_var(self) -> bool:
        return self.scope == "local.var"

    def attr(self, name: str, default: object = None) -> object:
        return next((value for key, value in self.attrs if key == name), default)

    def element_count(self) -> int | None:
        """Number of elements, or ``None`` if an extent is symbolic."""
        count = 1
        for extent in self.shape:
            number = const_int(extent)
            if number is None:
                return None
            count *= number
        return count

    def nbytes(self) -> int | None:
        """Packed size in bytes, or ``None`` if an extent is symbolic."""
        count = self.element_count()
        return None if count is None else self.dtype.bytes_of(count)


@dataclass(frozen=True, slots=True)
class Region:
    """A box inside a buffer, as an argument of a tile operation.

    ``indices`` is what the source wrote: ``None`` for a whole buffer, else one entry per written index. An
    entry that is a number or expression gives only a start; the extent then comes from the other side of the
    operation (``T.copy(A[by * 64, 0], tile)``). ``mins`` and ``extents`` are the resolved box, one entry per
    dimension of the buffer; ``extents`` is ``None`` while a start-only region has no partner.
    Invariant: if ``len(indices) != buffer.rank`` the box is unresolved and ``mins`` is empty.
    """

    buffer: Buffer
    indices: tuple[Index, ...] | None
    mins: tuple[Operand, ...]
    extents: tuple[Dim, ...] | None
    span: Span = field(default=NOWHERE, compare=False, repr=False, kw_only=True)

    @property
    def is_whole(self) -> bool:
        """Whether the source named the buffer without an index."""
        return self.indices is None

    @property
    def has_slices(self) -> bool:
        return self.indices is not None and any(isinstance(index, Slice) for index in self.indices)

    @property
    def is_resolved(self) -> bool:
        return self.extents is not None and len(self.mins) == self.buffer.rank
