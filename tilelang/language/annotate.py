"""Hints to the compiler about buffers, the grid and the whole kernel.

They are recorded as effects whose call has the same name as the function, with their arguments among the attributes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from tilelang.ir.buffer import Buffer
from tilelang.ir.builder import current
from tilelang.ir.expr import Expr, const_int, const_value
from tilelang.ir.unknown import UNKNOWN, Unknown
from tilelang.language.arith import operand
from tilelang.language.context import describe, effect, here, invalid, is_text, is_unknown
from tilelang.language.frames import ScopeFrame
from tilelang.language.layouts import of_function

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tilelang.language.values import Value

WSID = "tl.ws_op_id"
"""Key of ``annotations`` that names an operation of a warp-specialisation schedule."""

_ORDERS = ("row", "column", "mlx")


def annotate_layout(layout_map: Mapping[Any, Any]) -> None:
    """Give buffers a layout: ``{A_shared: T.Layout(...)}`` or a function from indices to an index.

    A fragment takes a ``T.Fragment``. Layout inference reads them.
    """
    entries = _entries("T.annotate_layout", "layout_map", layout_map)
    for _, layout in entries:
        if layout is None or isinstance(layout, (bool, int, float, str)):
            invalid("T.annotate_layout", "layout_map", "layouts or functions of the indices", describe(layout))
    effect("annotate_layout", attrs=(("layouts", tuple((key, of_function(value, key)) for key, value in entries)),))


def annotate_safe_value(safe_value_map: Mapping[Any, Any]) -> None:
    """Give buffers the value that a read out of bounds has: ``{A: 0}``."""
    entries = _entries("T.annotate_safe_value", "safe_value_map", safe_value_map)
    effect("annotate_safe_value", attrs=(("values", entries),))


def annotate_l2_hit_ratio(l2_hit_ratio_map: Mapping[Any, Any]) -> None:
    """Keep part of global buffers in the L2 cache: ``{A: 0.9}``."""
    function = "T.annotate_l2_hit_ratio"
    entries = _entries(function, "l2_hit_ratio_map", l2_hit_ratio_map)
    for buffer, _ in entries:
        if isinstance(buffer, Buffer) and not buffer.is_global:
            invalid(function, "l2_hit_ratio_map", "buffers in global memory", f"{buffer.name} in {buffer.scope}")
    effect("annotate_l2_hit_ratio", attrs=(("ratios", entries),))


def annotate_restrict_buffers(*buffers: Any) -> None:
    """Say that parameters may overlap in memory, so that they are not declared ``__restrict__``."""
    for buffer in buffers:
        if not isinstance(buffer, Buffer) and not is_unknown(buffer):
            invalid("T.annotate_restrict_buffers", "buffers", "buffers", describe(buffer))
    effect("annotate_restrict_buffers", attrs=(("buffers", buffers),))


def annotate_min_blocks_per_sm(n: int) -> None:
    """Ask for registers few enough that ``n`` blocks fit on a multiprocessor."""
    number = const_int(n)
    if not is_unknown(n) and (number is None or number <= 0 or isinstance(n, float)):
        invalid("T.annotate_min_blocks_per_sm", "n", "a positive integer", describe(n))
    effect("annotate_min_blocks_per_sm", attrs=(("blocks", n),))


def use_swizzle(panel_size: int, order: str = "row", enable: bool = True) -> Any:
    """Visit the blocks of the grid in panels of ``panel_size`` rows or columns, for the L2 cache.

    ``order``: row, column or mlx.
    """
    if not is_unknown(order) and order not in _ORDERS:
        invalid("T.use_swizzle", "order", "'row', 'column' or 'mlx'", describe(order))
    if const_value(enable) in (False, 0):
        return None
    effect("use_swizzle", attrs=(("panel_size", panel_size), ("order", order)))
    return None


def annotate_compile_flags(flags: Any) -> None:
    """Flags for the compiler of the generated source."""
    effect("annotate_compile_flags", attrs=(("flags", flags),))


def annotate_pass_configs(configs: Mapping[str, Any]) -> None:
    """Settings of compiler passes for this kernel, by their keys in ``tilelang.PassConfigKey``."""
    builder = current()
    entries = _entries("T.annotate_pass_configs", "configs", configs)
    if builder is not None:
        builder.func_attrs["pass_configs"] = entries
    effect("annotate_pass_configs", attrs=(("configs", entries),))


def assume(cond: Value | None = None) -> None:
    """Tell the compiler that a condition holds. It is kept as an argument of the effect, so passes may use it."""
    condition = operand(cond)
    effect("assume", *(() if isinstance(condition, Unknown) else (condition,)))


def func_attr(attrs: Mapping[str, Any]) -> None:
    """Set attributes of the function, as TVM script does."""
    builder = current()
    if builder is not None:
        builder.func_attrs.update({str(name): value for name, value in _entries("T.func_attr", "attrs", attrs)})


def sblock_attr(attrs: Mapping[str, Any]) -> None:
    """Set attributes of the enclosing block, as TVM script does."""
    effect("sblock_attr", attrs=tuple((str(name), value) for name, value in _entries("T.sblock_attr", "attrs", attrs)))


def attr(node: Any, attr_key: str, value: Any) -> Any:
    """A block with an attribute: ``with T.attr(node, "key", value):``."""
    return ScopeFrame("attr", (node, attr_key, value), span=here())


def annotate_ws_schedule(schedule: Any) -> None:
    """Set the warp-specialisation schedule, a ``T.WSSchedule``, of the kernel."""
    given = cast("object", schedule)
    if given is None or isinstance(given, (bool, int, float, str, list, tuple, dict)):
        invalid("T.annotate_ws_schedule", "schedule", "a T.WSSchedule", describe(cast("object", given)))
    effect("annotate_ws_schedule", attrs=(("schedule", cast("object", schedule)),))


def annotate_ws_pipeline_depth(depth_map: Mapping[Any, Any]) -> None:
    """Set how many versions of a buffer a warp-specialised pipeline keeps in the enclosing scope: ``{A_shared: 3}``."""
    function = "T.annotate_ws_pipeline_depth"
    entries = _entries(function, "depth_map", depth_map)
    for _, depth in entries:
        number = const_int(depth)
        if not is_unknown(depth) and not isinstance(depth, Expr) and (number is None or number < 1):
            invalid(function, "depth_map", "positive integers", describe(depth))
    effect("annotate_ws_pipeline_depth", attrs=(("depths", entries),))


def ws_op(op_id: str) -> Any:
    """A block that is one operation, named ``op_id``, of a warp-specialisation schedule: ``with T.ws_op("vote"):``."""
    if not is_unknown(op_id) and not (op_id and is_text(op_id)):
        invalid("T.ws_op", "op_id", "a name", describe(op_id))
    return ScopeFrame("ws_op", (op_id,), span=here())


def _entries(function: str, argument: str, given: object) -> tuple[tuple[Any, Any], ...]:
    """The entries of a dictionary argument; a list of pairs counts as one."""
    if isinstance(given, dict):
        return tuple(cast("Iterable[tuple[object, object]]", given.items()))
    items = getattr(given, "items", None)
    if callable(items):
        return tuple(cast("Iterable[tuple[object, object]]", items()))
    if not isinstance(given, Unknown):
        invalid(function, argument, "a dictionary", describe(given))
    return ((UNKNOWN, UNKNOWN),)
