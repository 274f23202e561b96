"""Which thread holds which element of a fragment, and in which of its registers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from math import gcd, prod
from typing import TYPE_CHECKING, Final

from tilelang.ir.layout.digits import ZERO, Digit, Input, Sum, normal, of, substitute, table, text
from tilelang.ir.layout.layout import AXES, Shape, axis_name, is_compact, is_mixed_radix, viewed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

REP: Final = -1
"""The key of the input that counts the copies of an element."""
MAX_CELLS: Final = 1 << 19
"""Tables with more entries are not made; real tiles have at most 2**17 elements and copies."""


@dataclass(frozen=True, slots=True)
class Fragment:
    """``thread`` is a sum over the dimensions of ``shape`` and the replica ``REP``; ``index`` are the registers, over
    the dimensions only. ``replicate``: copies of each element. ``first_thread`` and ``threads`` are the threads of the
    block that share the fragment; thread numbers count from ``first_thread``. ``threads`` is 0 where that is open.
    """

    shape: Shape
    thread: Sum
    index: tuple[Sum, ...]
    replicate: int = 1
    first_thread: int = 0
    threads: int = 0

    @property
    def registers(self) -> Shape:
        """The extents of the registers of one thread."""
        return tuple(one.high + 1 for one in self.index)

    @property
    def register_count(self) -> int:
        return prod(self.registers)

    @property
    def thread_extent(self) -> int:
        """One more than the greatest thread that holds anything, counted from ``first_thread``."""
        return self.thread.high + 1

    @property
    def is_fully_replicated(self) -> bool:
        """Whether every thread holds all elements."""
        return self.thread == of(REP, self.replicate)

    def bound(self, first_thread: int, threads: int) -> Fragment:
        """The same fragment for some threads of the block."""
        return replace(self, first_thread=first_thread, threads=threads)

    def copies(self) -> int:
        """A number of different threads that each element certainly has."""
        digits = tuple(
            digit for digit in self.thread.digits if isinstance(digit.source, Input) and digit.source.key == REP
        )
        return prod(digit.extent for digit in digits) if is_mixed_radix(Sum(digits)) else 1

    # --- questions about elements ---

    def threads_at(self, index: Sequence[int]) -> Shape:
        """The threads that hold one element, counted from ``first_thread``, in order of the replica."""
        point: dict[object, int] = dict(enumerate(index))
        return tuple(self.thread.at({**point, REP: replica}) for replica in range(self.replicate))

    def register_at(self, index: Sequence[int]) -> Shape:
        """The register of one element, the same in all threads that hold it."""
        point: dict[object, int] = dict(enumerate(index))
        return tuple(one.at(point) for one in self.index)

    def thread_table(self) -> tuple[int, ...]:
        """Threads in row-major order of the elements, the replicas of an element side by side."""
        rank = len(self.shape)
        values: dict[object, Sum] = {REP: of(rank, self.replicate)}
        return table(substitute(self.thread, values), (*self.shape, self.replicate))

    def register_table(self) -> tuple[int, ...]:
        """Registers as single numbers, in row-major order of the elements."""
        total = ZERO
        for one, extent in zip(self.index, self.registers, strict=True):
            total = total * extent + one
        return table(total, self.shape)

    def thread_sets(self) -> tuple[frozenset[int], ...]:
        """The threads of each element, in row-major order."""
        return _thread_sets(self.shape, self.thread, self.replicate)

    # --- comparison ---

    def same_as(self, other: Fragment) -> bool:
        """Whether two fragments put every element into the same registers of the same threads."""
        if self.shape != other.shape or (self.threads and other.threads and self._range != other._range):
            return False
        same_owners = self.thread == other.thread and self.replicate == other.replicate
        if not same_owners and (self.thread_extent != other.thread_extent or self.thread_sets() != other.thread_sets()):
            return False
        if self.index == other.index:
            return True
        return self.registers == other.registers and self.register_table() == other.register_table()

    @property
    def _range(self) -> tuple[int, int]:
        return self.first_thread, self.threads

    def is_injective(self) -> bool:
        """Whether no register of a thread holds two elements, or one element twice."""
        return _is_injective(self.shape, self.thread, self.index, self.replicate)

    def is_bijective(self) -> bool:
        """Whether it is injective and every register up to the greatest of every thread up to the greatest is used."""
        used = prod(self.shape) * self.replicate
        return used == self.thread_extent * self.register_count and self.is_injective()

    # --- derived fragments ---

    def thread_of(self, indices: Sequence[Sum], replica: Sum | None = None) -> Sum:
        """The thread sum for indices, and a replica, that are sums themselves."""
        values: dict[object, Sum] = dict(enumerate(indices))
        if replica is not None:
            values[REP] = replica
        return substitute(self.thread, values)

    def index_of(self, indices: Sequence[Sum]) -> tuple[Sum, ...]:
        values: dict[object, Sum] = dict(enumerate(indices))
        return tuple(substitute(one, values) for one in self.index)

    def repeat(self, repeats: Sequence[int], *, on_threads: bool = False, last_first: bool = True) -> Fragment:
        """A grid of copies for a larger tile, in further threads or in further registers. ``last_first``: copies are
        counted along the last dimension first."""
        shape = tuple(extent * times for extent, times in zip(self.shape, repeats, strict=True))
        whole = [of(dim, extent) for dim, extent in enumerate(shape)]
        inside = [one % extent for one, extent in zip(whole, self.shape, strict=True)]
        copy, stride = ZERO, 1
        order = range(len(shape))
        for dim in reversed(order) if last_first else order:
            copy += whole[dim] // self.shape[dim] * stride
            stride *= repeats[dim]
        thread, index = self.thread_of(inside), self.index_of(inside)
        if on_threads:
            return Fragment(shape, thread + copy * self.thread_extent, index, self.replicate)
        return Fragment(shape, thread, (index[0] + copy * self.registers[0],), self.replicate)

    def replicated(self, times: int) -> Fragment:
        """``times`` copies of everything, in further threads."""
        replica = of(REP, self.replicate * times)
        values: dict[object, Sum] = {REP: replica % self.replicate}
        thread = substitute(self.thread, values) + replica // self.replicate * self.thread_extent
        return Fragment(self.shape, thread, self.index, self.replicate * times)

    def dereplicated(self) -> Fragment:
        """Fewer copies: registers take turns where their number and that of the copies share a factor."""
        factor = gcd(self.replicate, self.register_count)
        if factor == 1 or len(self.index) != 1:
            return self
        replica = of(REP, self.replicate // factor) * factor + self.index[0] % factor
        values: dict[object, Sum] = {REP: replica}
        thread = substitute(self.thread, values)
        return Fragment(self.shape, thread, (self.index[0] // factor,), self.replicate // factor, 0, thread.high + 1)

    def condensed(self) -> Fragment:
        """Without replicas that change nothing: the replica counts only what the thread depends on."""
        used = sorted(_digits_of(REP, (self.thread,)), key=lambda digit: digit.lower)
        if len(used) == 1 and used[0].extent == self.replicate:
            return self
        count = prod(digit.extent for digit in used)
        replica, lower = of(REP, count), 1
        spread: list[Digit] = []
        for digit in used:
            part = replica // lower % digit.extent
            spread += (part * digit.lower).digits
            lower *= digit.extent
        values: dict[object, Sum] = {REP: normal(spread)}
        return replace(self, thread=substitute(self.thread, values), replicate=count)

    def reshape(self, shape: Shape, bits: int = 1, new_bits: int = 1) -> Fragment | None:
        """The fragment of a view of the same registers; see :meth:`Layout.reshape`."""
        if prod(self.shape) * bits != prod(shape) * new_bits:
            return None
        outputs = viewed(self.shape, (self.thread, *self.index), shape, bits, new_bits)
        if outputs is None:
            return None
        return replace(self, shape=shape, thread=outputs[0], index=outputs[1:])

    def owner(self) -> str:
        """Which thread holds an element, as a formula: ``(i, j) -> thread i // 16 * 32 + i % 8 * 4``."""
        names = ", ".join(AXES[: len(self.shape)])
        return f"({names}) -> thread {text(self.thread, axis_name)}"

    def __str__(self) -> str:
        index = ", ".join(text(one, axis_name) for one in self.index)
        copies = f", {self.replicate} copies" if self.replicate != 1 else ""
        return f"{self.owner()}, register {index}{copies}"


@lru_cache(maxsize=512)
def _thread_sets(shape: Shape, thread: Sum, replicate: int) -> tuple[frozenset[int], ...]:
    values = Fragment(shape, thread, (), replicate).thread_table()
    known: dict[tuple[int, ...], frozenset[int]] = {}
    sets: list[frozenset[int]] = []
    for start in range(0, len(values), replicate):
        owners = values[start : start + replicate]
        sets.append(known.setdefault(owners, frozenset(owners)))
    return tuple(sets)


@lru_cache(maxsize=1024)
def _is_injective(shape: Shape, thread: Sum, index: tuple[Sum, ...], replicate: int) -> bool:
    values: dict[object, Sum] = {REP: of(len(shape), replicate)}
    if is_compact((*shape, replicate), (substitute(thread, values), *index)):
        return True
    if prod(shape) * replicate > MAX_CELLS:
        return False
    fragment = Fragment(shape, thread, index, replicate)
    registers, size = fragment.register_table(), fragment.register_count
    cells = {owner * size + registers[number // replicate] for number, owner in enumerate(fragment.thread_table())}
    return len(cells) == prod(shape) * replicate


def fully_replicated(shape: Shape, threads: int) -> Fragment:
    """A fragment of which every thread holds all elements."""
    return of_thread(shape, of(REP, threads), threads).bound(0, threads)


def of_thread(shape: Shape, thread: Sum, replicate: int = 1) -> Fragment:
    """The fragment with a given thread map whose registers count, in row-major order, what the threads leave open."""
    return Fragment(shape, thread, (unused_digits(shape, (thread,)),), replicate)


@lru_cache(maxsize=1024)
def unused_digits(shape: Shape, sums: tuple[Sum, ...]) -> Sum:
    """A number for the parts of the inputs that some sums do not depend on, later dimensions fastest; fused sums come
    after the dimensions."""
    parts: list[Digit] = []
    for dim, extent in enumerate(shape):
        parts += _gaps(Input(dim, extent), extent, _digits_of(dim, sums))
    fused: dict[Sum, list[Digit]] = {}
    for one in sums:
        for digit in one.digits:
            if isinstance(digit.source, Sum):
                fused.setdefault(digit.source, []).append(digit)
    for source, digits in fused.items():
        parts += _gaps(source, source.high + 1, digits)
    total: list[Digit] = []
    scale = 1
    for part in reversed(parts):
        total.append(Digit(part.source, part.lower, part.extent, scale))
        scale *= part.extent
    return normal(total)


def _gaps(source: Input | Sum, extent: int, used: Iterable[Digit]) -> list[Digit]:
    """The digits of a source between those that are used, the most significant first."""
    found: list[Digit] = []
    reach = 1
    for digit in sorted(used, key=lambda digit: digit.lower):
        if digit.lower > reach:
            found.append(Digit(source, reach, digit.lower // reach, 1))
        reach = max(reach, digit.lower * digit.extent)
    if reach < extent:
        found.append(Digit(source, reach, -(-extent // reach), 1))
    return found[::-1]


def _digits_of(key: object, sums: Iterable[Sum]) -> list[Digit]:
    """The digits of one input, those inside fused digits included."""
    found: list[Digit] = []
    for one in sums:
        for digit in one.digits:
            if isinstance(digit.source, Sum):
                found += _digits_of(key, (digit.source,))
            elif digit.source.key == key:
                found.append(digit)
    return found
