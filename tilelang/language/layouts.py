"""Layouts as values: where the elements of a buffer lie, and which thread holds them.

They keep what they were made from; layout inference evaluates the maps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

Map = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Layout:
    """A map from the indices of a buffer to an index of its memory: ``T.Layout((M, N), lambda i, j: ...)``."""

    shape: Any
    forward_fn: Map


@dataclass(frozen=True, slots=True, init=False)
class Fragment(Layout):
    """A map from the indices of a fragment to a thread and a register of it.

    ``forward_fn`` gives both; or ``forward_thread_fn`` gives the thread and ``forward_index_fn`` the register.
    ``replicate``: how many threads hold each element.
    """

    forward_thread_fn: Map | None = None
    replicate_count: Any = 1
    forward_index_fn: Map | None = None
    combine: Any = None

    def __init__(
        self,
        shape: Any,
        forward_fn: Map | None = None,
        forward_thread_fn: Map | None = None,
        replicate: Any = 1,
        forward_index_fn: Map | None = None,
    ) -> None:
        for name, value in (
            ("shape", shape),
            ("forward_fn", forward_fn),
            ("forward_thread_fn", forward_thread_fn),
            ("replicate_count", replicate),
            ("forward_index_fn", forward_index_fn),
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
        object.__setattr__(self, "combine", combine)


@dataclass(frozen=True, slots=True)
class NamedLayout:
    """The result of one of the ``make_*_layout`` functions: its name and its arguments."""

    name: str
    args: tuple[object, ...]
    options: tuple[tuple[str, object], ...] = field(default=())

    def __getattr__(self, name: str) -> Callable[..., NamedLayout]:
        if name.startswith("_"):
            raise AttributeError(name)

        def derived(*args: object, **options: object) -> NamedLayout:
            return NamedLayout(f"{self.name}.{name}", (self, *args), tuple(options.items()))

        return derived


def named_layout(name: str, *args: object, **options: object) -> Any:
    """The layout that ``name`` makes of ``args``."""
    return NamedLayout(name, args, tuple(options.items()))


LayoutLike = Layout | NamedLayout | Sequence[Any]
