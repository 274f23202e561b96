"""Layouts as values: where the elements of a buffer lie, and which thread holds them.

The functions that a program gives are run once, on symbolic indices, and their results are kept; layout inference turns
them into digit sums. The results of the ``make_*_layout`` functions keep their names and arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tilelang.ir.buffer import Buffer
from tilelang.ir.dtype import INT32
from tilelang.ir.expr import Expr, Operand, Var, const_int
from tilelang.ir.unknown import UNKNOWN

Map = Callable[..., Any]
_NAMES = "ijklmnop"


class Trace(NamedTuple):
    """A function of indices as expressions. ``replica`` is the variable that counts copies, where there are any."""

    inputs: tuple[Var, ...]
    outputs: tuple[Operand, ...]
    replica: Var | None = None


Printed = tuple[str, tuple[object, ...], tuple[tuple[str, object], ...]]


class _Derivable:
    """Layouts have methods that make others of them: ``repeat``, ``replicate``, ``expand`` and more."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Callable[..., NamedLayout]:
        if name.startswith("_"):
            raise AttributeError(name)

        def derived(*args: object, **options: object) -> NamedLayout:
            return NamedLayout(name, (self, *args), tuple(options.items()))

        return derived

    def printed(self) -> Printed:
        """How the IR printer writes it: a name, arguments and options."""
        return type(self).__name__, (), ()


@dataclass(frozen=True, slots=True, init=False)
class Layout(_Derivable):
    """A map from the indices of a buffer to an index of its memory: ``T.Layout((M, N), lambda i, j: ...)``."""

    shape: Any
    index: Trace | None

    def printed(self) -> Printed:
        return "Layout", (self.shape, _printed(self.index)), ()

    def __init__(self, shape: Any, forward_fn: Map) -> None:
        object.__setattr__(self, "shape", shape)
        object.__setattr__(self, "index", trace(forward_fn, shape))


@dataclass(frozen=True, slots=True, init=False)
class Fragment(_Derivable):
    """A map from the indices of a fragment to a thread and a register of it.

    ``forward_fn`` gives both; or ``forward_thread_fn`` gives the thread and ``forward_index_fn`` the register.
    ``replicate``: how many threads hold each element; the functions then take the number of the copy as well.
    """

    shape: Any
    thread: Trace | None
    index: Trace | None
    copies: Any
    combine: Any

    def printed(self) -> Printed:
        given = (("copies", self.copies), ("combine", self.combine))
        maps = (self.shape, _printed(self.thread), _printed(self.index))
        return type(self).__name__, maps, tuple((key, value) for key, value in given if value not in (None, 1))

    def __init__(
        self,
        shape: Any,
        forward_fn: Map | None = None,
        forward_thread_fn: Map | None = None,
        replicate: Any = 1,
        forward_index_fn: Map | None = None,
    ) -> None:
        copied = const_int(replicate) not in (None, 1)
        thread, index = None, None
        if forward_fn is not None:
            both = trace(forward_fn, shape, replica=copied)
            if both is not None and len(both.outputs) >= 2:
                thread, index = both._replace(outputs=both.outputs[:1]), both._replace(outputs=both.outputs[1:])
        elif forward_thread_fn is not None:
            thread = trace(forward_thread_fn, shape, replica=copied)
            index = None if forward_index_fn is None else trace(forward_index_fn, shape)
        for name, value in (
            ("shape", shape),
            ("thread", thread),
            ("index", index),
            ("copies", replicate),
            ("combine", None),
        ):
            object.__setattr__(self, name, value)


@dataclass(frozen=True, slots=True, init=False)
class PartialFragment(Fragment):
    """A fragment whose copies in several threads are parts of one result, joined by ``combine``."""

    def __init__(
        self,
        shape: Any,
        forward_fn: Map | None = None,
        forward_thread_fn: Map | None = None,
        replicate: Any = 1,
        forward_index_fn: Map | None = None,
        combine: Any = None,
    ) -> None:
        Fragment.__init__(self, shape, forward_fn, forward_thread_fn, replicate, forward_index_fn)
        object.__setattr__(self, "combine", replicate if combine is None else combine)


@dataclass(frozen=True, slots=True)
class NamedLayout(_Derivable):
    """The result of one of the ``make_*_layout`` functions, or of a method of a layout: its name and its arguments."""

    name: str
    args: tuple[object, ...]
    options: tuple[tuple[str, object], ...] = field(default=())

    def printed(self) -> Printed:
        return self.name, self.args, self.options


def _printed(function: Trace | None) -> object:
    """A function of indices as the indices and the results; UNKNOWN if it could not be run."""
    return UNKNOWN if function is None else (function.inputs, function.outputs)


def trace(function: object, shape: object, *, replica: bool = False) -> Trace | None:
    """What ``function`` makes of symbolic indices, nested results flattened. ``None`` if it cannot be run."""
    if not callable(function) or not isinstance(shape, (tuple, list)):
        return None
    inputs = tuple(Var(INT32, _NAMES[dim % len(_NAMES)], "loop") for dim in range(len(shape)))  # pyright: ignore[reportUnknownArgumentType]
    copy = Var(INT32, "rep", "loop") if replica else None
    outputs = _flat(function(*inputs, copy) if copy is not None else function(*inputs))
    return Trace(inputs, outputs, copy) if outputs else None


def of_function(function: object, buffer: object) -> object:
    """The layout of a buffer that is given as a function of its indices; other values as they are."""
    if not callable(function) or isinstance(function, _Derivable) or not isinstance(buffer, Buffer):
        return function
    return Fragment(buffer.shape, function) if buffer.is_fragment else Layout(buffer.shape, function)


def _flat(value: object) -> tuple[Operand, ...] | None:
    if isinstance(value, (int, Expr)):
        return (value,)
    is_open: object = getattr(value, "open", False)
    if not isinstance(value, (tuple, list)) or is_open:
        return None
    found: list[Operand] = []
    for item in value:  # pyright: ignore[reportUnknownVariableType]
        inner = _flat(item)  # pyright: ignore[reportUnknownArgumentType]
        if inner is None:
            return None
        found += inner
    return tuple(found)


def named_layout(name: str, *args: object, **options: object) -> Any:
    """The layout that ``name`` makes of ``args``."""
    return NamedLayout(name, args, tuple(options.items()))


LayoutLike = Layout | Fragment | NamedLayout | Sequence[Any]
