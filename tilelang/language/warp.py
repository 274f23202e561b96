"""Exchange within a warp: shuffles, votes, lane and warp numbers. ``mask`` has a bit for each lane that takes part."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilelang.ir.dtype import BOOL, INT32, DType, dtype
from tilelang.ir.expr import Const
from tilelang.ir.unknown import UNKNOWN, Unknown
from tilelang.language.arith import operand, value_dtype
from tilelang.language.context import here, invalid, is_unknown
from tilelang.language.frames import ScopeFrame
from tilelang.language.math import pure

if TYPE_CHECKING:
    from tilelang.language.values import Scalar, Value

_UINT32 = dtype("uint32")
_UINT64 = dtype("uint64")
_ALL_LANES = Const(_UINT32, 0xFFFFFFFF)


def _typed(op: str, result: DType | None, *values: object) -> Any:
    return pure(op, *values, dtype=result)


def _vote(op: str, result: DType, predicate: object, *more: object) -> Any:
    found = operand(predicate)
    if not isinstance(found, Unknown):
        given = value_dtype(found)
        if given.is_known and not (given.is_integer or given.is_bool):
            invalid(f"T.{op}", "predicate", "an integer or a condition", f"of type {given}")
    return _typed(op, result, predicate, *more)


def shfl_sync(value: Value, srcLane: Value, width: Value = 32, mask: Value = _ALL_LANES) -> Scalar:
    """``value`` of lane ``srcLane``, in groups of ``width`` lanes; of the type of ``value``."""
    return _typed("shfl_sync", None, value, srcLane, width, mask)


def shfl_xor(value: Value, delta: Value, width: Value = 32, mask: Value = _ALL_LANES) -> Scalar:
    """``value`` of the lane whose number differs in the bits of ``delta``; of the type of ``value``."""
    return _typed("shfl_xor", None, value, delta, width, mask)


def shfl_down(value: Value, delta: Value, width: Value = 32, mask: Value = _ALL_LANES) -> Scalar:
    """``value`` of the lane ``delta`` above; of the type of ``value``."""
    return _typed("shfl_down", None, value, delta, width, mask)


def shfl_up(value: Value, delta: Value, width: Value = 32, mask: Value = _ALL_LANES) -> Scalar:
    """``value`` of the lane ``delta`` below; of the type of ``value``."""
    return _typed("shfl_up", None, value, delta, width, mask)


def any_sync(predicate: Value, mask: Value = _ALL_LANES) -> Scalar:
    """Not 0 if the predicate holds in a lane of ``mask``. An ``int32``."""
    return _vote("any_sync", INT32, predicate, mask)


def all_sync(predicate: Value, mask: Value = _ALL_LANES) -> Scalar:
    """Not 0 if the predicate holds in all lanes of ``mask``. An ``int32``."""
    return _vote("all_sync", INT32, predicate, mask)


def ballot_sync(predicate: Value, mask: Value = _ALL_LANES) -> Scalar:
    """A bit for each lane of ``mask`` in which the predicate holds. A ``uint64``."""
    return _vote("ballot_sync", _UINT64, predicate, mask)


def ballot(predicate: Value) -> Scalar:
    """A bit for each lane in which the predicate holds. A ``uint64``."""
    return _vote("ballot", _UINT64, predicate)


def activemask() -> Scalar:
    """A bit for each lane that is running. A ``uint64``."""
    return _constant("activemask", _UINT64)


def match_any_sync(value: Value, mask: Value = _ALL_LANES) -> Scalar:
    """A bit for each lane with the same ``value`` as this one. A ``uint32``."""
    return _typed("match_any_sync", _UINT32, value, mask)


def match_all_sync(value: Value, mask: Value = _ALL_LANES) -> Scalar:
    """``mask`` if all its lanes have the same ``value``, else 0. A ``uint32``."""
    return _typed("match_all_sync", _UINT32, value, mask)


def _constant(op: str, result: DType, *values: object) -> Any:
    """A value that depends on the thread alone."""
    return pure(op, *(value for value in values if value is not None), dtype=result)


def get_lane_idx(warp_size: Value | None = None) -> Scalar:
    """Number of the thread in its warp. An ``int32``."""
    return _constant("get_lane_idx", INT32, warp_size)


def get_warp_idx(warp_size: Value | None = None) -> Scalar:
    """Number of the warp in its block. An ``int32``."""
    return _constant("get_warp_idx", INT32, warp_size)


def get_warp_idx_sync(warp_size: Value | None = None) -> Scalar:
    """Number of the warp in its block, known to be equal in all its threads. An ``int32``."""
    return _constant("get_warp_idx_sync", INT32, warp_size)


def get_warp_group_idx(warp_size: Value | None = None, warps_per_group: Value | None = None) -> Scalar:
    """Number of the warp group, four warps on NVIDIA GPUs, in its block. An ``int32``."""
    return _constant("get_warp_group_idx", INT32, warp_size, warps_per_group)


def shuffle_elect(thread_extent: Value) -> Scalar:
    """True in one thread of each ``thread_extent``; 0 elects one of the block. A ``bool``."""
    return _constant("shuffle_elect", BOOL, thread_extent)


def block_rank_in_cluster() -> Scalar:
    """Number of the block in its cluster. An ``int32``."""
    return _constant("block_rank_in_cluster", INT32)


def WarpSpecialize(*warp_group_idx: Any) -> ScopeFrame:
    """A block that only these warp groups run, 128 threads each: ``with T.ws(0):``, ``with T.ws(1, 2):``."""
    return _warp_groups("T.WarpSpecialize", warp_group_idx)


def ws(*warp_group_idx: Any) -> ScopeFrame:
    """Another name of :func:`WarpSpecialize`."""
    return _warp_groups("T.ws", warp_group_idx)


def _warp_groups(function: str, groups: tuple[object, ...]) -> ScopeFrame:
    if not groups:
        invalid(function, "warp_group_idx", "one or more warp groups", "none")
    known = tuple(UNKNOWN if is_unknown(group) else group for group in groups)
    return ScopeFrame("ws", known, span=here())


WarpSpecializeFrame = ScopeFrame
