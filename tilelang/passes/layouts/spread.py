"""How the iterations of a nest are spread over threads, and what that means for the fragments in it.

A nest takes over the layout of a fragment that is settled already, or is dealt out in vectors. It must run where the
elements are that it reads, and exactly there where it writes. Fragments that are still open get the layout that the
nest needs. The order of preference is upstream's.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from math import prod
from typing import TYPE_CHECKING, NamedTuple

from tilelang.ir.layout.digits import ZERO, Digit, Sum, of, substitute
from tilelang.ir.layout.fragment import MAX_CELLS, REP, Fragment, fully_replicated, of_thread, unused_digits
from tilelang.ir.layout.layout import invert
from tilelang.passes.layouts.indices import is_plain, loops_of
from tilelang.passes.layouts.vector_width import vector_width

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tilelang.ir.buffer import Buffer
    from tilelang.ir.expr import Var
    from tilelang.ir.layout.layout import Layout
    from tilelang.ir.stmt import Stmt
    from tilelang.passes.layouts.nest import Access, Nest
    from tilelang.passes.layouts.result import Reason

    Layouts = Mapping[Buffer, Layout | Fragment]


class Unsuitable(Exception):
    """No spread of a nest agrees with what is settled. Internal to inference: a free attempt gives up, an obligatory
    one becomes a conflict."""

    def __init__(self, reason: Reason, buffer: Buffer, other: Buffer | None = None, loop: Var | None = None) -> None:
        super().__init__(reason)
        self.reason: Reason = reason
        self.buffer = buffer
        self.other = other
        self.loop = loop
        self.stmt: Stmt | None = None


class TooLarge(Exception):
    """A question that only a table of unreasonable size would answer."""


class Threads(NamedTuple):
    """The threads that run a statement."""

    first: int
    number: int


class Situation(NamedTuple):
    """What a nest is spread under. ``wide``: 256-bit accesses exist. ``coalesced``: the width asked for by hand.
    ``given``: the loop layout given by hand."""

    threads: Threads
    wide: bool = False
    coalesced: int | None = None
    given: Fragment | None = None


def settle(nest: Nest, layouts: Layouts, situation: Situation, *, free: bool) -> tuple[Fragment, Buffer | None] | None:
    """The spread of a nest and the fragment that it follows; ``None`` if nothing settles it yet. With ``free``, a nest
    that no fragment settles is dealt out. Raises :class:`Unsuitable`."""
    spread, source = _choose(nest, layouts, situation, free=free)
    if spread is None:
        return None
    one_point = prod(nest.extents) * spread.replicate == 1
    if not one_point and not (all(map(is_plain, (spread.thread, *spread.index))) and spread.is_injective()):
        raise Unsuitable("not-injective", source or _any_fragment(nest))
    _validate(nest, spread, layouts, source)
    _check_replicated_stores(nest, spread, layouts)
    return spread, source


def _any_fragment(nest: Nest) -> Buffer:
    fragments = nest.fragments()
    return fragments[0] if fragments else nest.accesses[0].buffer


def _choose(nest: Nest, layouts: Layouts, situation: Situation, *, free: bool) -> tuple[Fragment | None, Buffer | None]:
    if situation.given is not None:
        return situation.given.bound(*situation.threads), None
    fragments = nest.fragments()
    fixed = [buffer for buffer in fragments if _is_fixed(nest, buffer)]
    may_follow = not fixed or len(fragments) > len(fixed)
    source, reading, source_is_written = _sources(nest, fragments, layouts)
    if source is not None and (may_follow or source_is_written):
        return follow(nest, source, layouts, situation.threads), source
    if not free:
        return None, None
    planned = dealt_out(nest, layouts, situation)
    if reading is None or not may_follow:
        return planned, None
    followed = follow(nest, reading, layouts, situation.threads)
    return _better(nest, followed, planned, layouts), reading


def _is_fixed(nest: Nest, buffer: Buffer) -> bool:
    """Whether a fragment is accessed at constant indices."""
    return all(index.is_const for index in nest.uses(buffer)[0].indices)


def _sources(nest: Nest, fragments: tuple[Buffer, ...], layouts: Layouts) -> tuple[Buffer | None, Buffer | None, bool]:
    """The settled fragment that decides, the one that is read with most indices, and whether the first is written."""
    source: Buffer | None = None
    reading: Buffer | None = None
    written = False
    for buffer in fragments:
        layout = layouts.get(buffer)
        if not isinstance(layout, Fragment):
            continue
        uses = nest.uses(buffer)
        if any(one.writes for one in uses):
            source, written = buffer, True
            continue
        if reading is None or len(uses[0].indices) > len(nest.uses(reading)[0].indices):
            reading = buffer
        if layout.replicate == 1 and source is None:
            source, written = buffer, False
    return source, reading, written


# --- candidates -----------------------------------------------------------------------------------------------


def follow(nest: Nest, buffer: Buffer, layouts: Layouts, threads: Threads) -> Fragment:
    """The spread that runs each iteration where its element of a settled fragment is."""
    layout = layouts[buffer]
    assert isinstance(layout, Fragment)
    access = nest.uses(buffer)[0]
    if is_common(access, nest):
        return layout
    thread = layout.thread_of(access.indices)
    for one in thread.inputs():
        if one.key in nest.inner:
            raise Unsuitable("serial-index", buffer, loop=one.key)  # type: ignore[arg-type]  # keys of loops inside are Vars
    return of_thread(nest.extents, thread, layout.replicate).bound(*threads)


def is_common(access: Access, nest: Nest) -> bool:
    """Whether an access has exactly the loops of the nest as indices."""
    return access.indices == tuple(of(number, extent) for number, extent in enumerate(nest.extents))


def dealt_out(nest: Nest, layouts: Layouts, situation: Situation) -> Fragment:
    """Vectors of iterations to one thread after the other."""
    count = situation.threads.number
    vector = vector_width(nest, layouts, wide=situation.wide)
    total = prod(nest.extents)
    if nest.fragments():
        while vector > 1 and total % (count * vector):
            vector //= 2
    elif situation.coalesced is None:
        vector = _least_padding(vector, total, count)
    if situation.coalesced is not None and vector % situation.coalesced == 0:
        vector = situation.coalesced
    return partition(nest.extents, vector, count, replicate=bool(nest.fragments())).bound(*situation.threads)


def _least_padding(widest: int, total: int, threads: int) -> int:
    """The vector that leaves fewest threads idle in the last round, the widest on a tie."""
    best, least = widest, -1
    vector = widest
    while vector >= 1:
        padding = -total % (threads * vector)
        if least < 0 or padding < least:
            best, least = vector, padding
        vector //= 2
    return best


@lru_cache(maxsize=512)
def partition(extents: tuple[int, ...], vector: int, threads: int, *, replicate: bool) -> Fragment:
    """``vector`` neighbouring iterations to each thread in turn. ``replicate``: threads that get nothing repeat what
    others do, so that fragments are whole."""
    flat = ZERO
    for number, extent in enumerate(extents):
        flat = flat * extent + of(number, extent)
    turn = flat // vector
    found = Fragment(extents, turn % threads, (turn // threads * vector + flat % vector,))
    return found.replicated(threads // found.thread_extent) if replicate else found


# --- choice ---------------------------------------------------------------------------------------------------


def _better(nest: Nest, followed: Fragment, planned: Fragment, layouts: Layouts) -> Fragment:
    """The better of the spread that follows a replicated fragment and the one that is dealt out."""
    fits = [_fits(nest, one, layouts) for one in (followed, planned)]
    if fits != [True, True]:
        return planned if fits[1] and not fits[0] else followed
    by_thread = [indexes_by_thread(nest, one, layouts) for one in (followed, planned)]
    if by_thread[0] != by_thread[1]:
        return planned if by_thread[0] else followed
    plan_inside, follow_inside = covers(planned, followed), covers(followed, planned)
    if plan_inside != follow_inside:
        return planned if plan_inside else followed
    return planned if planned.replicate <= followed.replicate else followed


def _fits(nest: Nest, spread: Fragment, layouts: Layouts) -> bool:
    try:
        _validate(nest, spread, layouts, None)
    except Unsuitable as problem:
        if problem.reason == "not-invertible":
            raise
        return False
    return True


def indexes_by_thread(nest: Nest, spread: Fragment, layouts: Layouts) -> bool:
    """Whether some register number would differ between threads that run the same round of the loop. Registers cannot
    be numbered at run time, so such a fragment would live in memory."""
    if prod(nest.extents) == 1:
        return False
    if not spread.is_bijective():
        raise Unsuitable("not-invertible", _any_fragment(nest))
    for buffer in nest.fragments():
        layout = layouts.get(buffer)
        if isinstance(layout, Fragment):
            places = layout.index_of(nest.uses(buffer)[0].indices)
            if places != spread.index and all(map(is_plain, places)) and _differs_in_a_round(spread, places):
                return True
    return False


@lru_cache(maxsize=512)
def _differs_in_a_round(spread: Fragment, places: tuple[Sum, ...]) -> bool:
    """Whether ``places`` are no function of the round, the register number of ``spread``."""
    if prod(spread.shape) > MAX_CELLS:
        raise TooLarge
    rounds = spread.register_table()
    registers = replace(spread, index=places).register_table()
    return len(set(zip(rounds, registers, strict=True))) > len(set(rounds))


# --- agreement ------------------------------------------------------------------------------------------------


def _validate(nest: Nest, spread: Fragment, layouts: Layouts, source: Buffer | None) -> None:
    if spread.shape != nest.extents:
        # The loops cover part of a fragment that they follow.
        spread = replace(spread, shape=nest.extents)
    for buffer in nest.fragments():
        layout = layouts.get(buffer)
        if not isinstance(layout, Fragment):
            continue
        uses = nest.uses(buffer)
        placed = _over_loops(nest, layout, uses[0])
        if any(not one.writes for one in uses) and not _runs_inside(spread, placed, layout, buffer):
            raise Unsuitable("loop", buffer, source)
        if any(one.writes for one in uses):
            exact = _runs_inside(placed, spread, spread, buffer) and _runs_inside(spread, placed, layout, buffer)
            if not exact:
                raise Unsuitable("loop", buffer, source)


def _over_loops(nest: Nest, layout: Fragment, access: Access) -> Fragment:
    """Where the element of each iteration is."""
    return Fragment(nest.extents, layout.thread_of(access.indices), (), layout.replicate)


def _runs_inside(small: Fragment, large: Fragment, whole: Fragment, buffer: Buffer) -> bool:
    """Whether the threads of each iteration of ``small`` are among those of ``large``. ``whole`` is the layout that
    ``large`` comes from; it has to be invertible."""
    if whole.is_fully_replicated:
        return True
    if not whole.is_bijective():
        raise Unsuitable("not-invertible", buffer)
    return covers(small, large)


def covers(small: Fragment, large: Fragment) -> bool:
    """Whether the threads of each element of ``small`` are among those of ``large``."""
    if small.thread == large.thread and small.replicate == large.replicate:
        return True
    if large.is_fully_replicated and small.thread_extent <= large.replicate:
        return True
    if not is_plain(small.thread) or not is_plain(large.thread):
        return False
    if small.copies() > large.replicate:
        return False
    if prod(small.shape) * max(small.replicate, large.replicate) > MAX_CELLS:
        raise TooLarge
    return all(few <= many for few, many in zip(small.thread_sets(), large.thread_sets(), strict=True))


def _check_replicated_stores(nest: Nest, spread: Fragment, layouts: Layouts) -> None:
    """A nest that runs several times must not store to memory if its fragments are the reason."""
    if spread.replicate == 1 or not any(one.buffer.is_shared or one.buffer.is_global for one in nest.accesses):
        return
    written = [one.buffer for one in nest.accesses if one.writes and one.buffer.is_fragment]
    if not written:
        if not spread.is_bijective():
            raise Unsuitable("not-invertible", _any_fragment(nest))
        return
    stores = any(one.writes and (one.buffer.is_shared or one.buffer.is_global) for one in nest.accesses)
    for buffer in written:
        layout = layouts.get(buffer)
        differs = isinstance(layout, Fragment) and layout.replicate not in (1, spread.replicate)
        if differs and stores and not _is_fixed(nest, buffer):
            raise Unsuitable("replicated", buffer)


# --- fragments that follow a nest -----------------------------------------------------------------------------


def derived(nest: Nest, buffer: Buffer, shape: tuple[int, ...], spread: Fragment) -> Fragment:
    """The layout of an open fragment: each element where the iterations are that use it. Raises :class:`Unsuitable` if
    the indices cannot be turned round."""
    uses = nest.uses(buffer)
    access = uses[0]
    if is_common(access, nest):
        return spread if spread.shape == shape else _resized(spread, shape)
    # A dimension indexed by something outside of the nest is the same for all its iterations.
    indices = tuple(ZERO if not loops_of(index) and not is_plain(index) else index for index in access.indices)
    if not all(map(is_plain, indices)):
        raise Unsuitable("not-invertible", buffer)
    back = invert(nest.extents, indices)
    replicas = 1
    if back is None:
        unused = unused_digits(nest.extents, indices)
        replicas = unused.high + 1
        back = invert(nest.extents, (*indices, unused))
        if back is None:
            raise Unsuitable("not-invertible", buffer)
    copies = replicas * spread.replicate
    copy = of(REP, copies)
    values: dict[object, Sum] = {dim: of(dim, extent) for dim, extent in enumerate(shape)}
    values[len(indices)] = copy % replicas
    loops = [_widened(one, values) for one in back]
    thread = spread.thread_of(loops, copy // replicas)
    found = of_thread(shape, thread, copies).condensed()
    found = Fragment(shape, found.thread, (unused_digits(shape, (thread,)),), found.replicate)
    if not any(one.writes for one in uses) and not found.is_injective():
        return fully_replicated(shape, spread.thread_extent)
    return found


def _resized(spread: Fragment, shape: tuple[int, ...]) -> Fragment:
    """A spread of loops as the layout of a buffer of another size."""
    values: dict[object, Sum] = {dim: of(dim, extent) for dim, extent in enumerate(shape)}
    values[REP] = of(REP, spread.replicate)
    thread, *index = (substitute(one, values) for one in (spread.thread, *spread.index))
    return replace(spread, shape=shape, thread=thread, index=tuple(index))


def _widened(total: Sum, values: Mapping[object, Sum]) -> Sum:
    """A sum over the box that a nest covers, taken over the whole buffer: the topmost digits go on counting."""
    result = Sum((), total.base)
    for source, lower, extent, scale in total.digits:
        assert not isinstance(source, Sum)
        value = values[source.key] // lower
        if not Digit(source, lower, extent, scale).is_top:
            value = value % extent
        result += value * scale
    return result
