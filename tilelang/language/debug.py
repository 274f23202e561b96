"""Looking into a running kernel."""

from __future__ import annotations

from typing import Any

from tilelang.ir.buffer import Buffer
from tilelang.ir.unknown import Unknown
from tilelang.language.arith import operand
from tilelang.language.context import describe, effect, invalid, is_unknown
from tilelang.language.regions import to_region

_PRINTABLE = ("global", "shared", "shared.dyn", "local", "local.var", "local.fragment")


def print(obj: Any = None, msg: str = "", warp_group_id: int = 0, warp_id: int = 0) -> None:
    """Print a value or the elements of a buffer from the device, after ``msg``.

    A buffer is printed by one warp of the block, ``warp_id`` of ``warp_group_id``.
    """
    value: object = obj
    if isinstance(value, Buffer) and value.scope not in _PRINTABLE:
        invalid("T.print", "obj", "a buffer in global, shared or local memory", f"{value.name} in {value.scope}")
    shown = value if isinstance(value, (Buffer, str)) or to_region(value) is not None else operand(value)
    if isinstance(shown, Unknown):
        if value is not None and not is_unknown(value):
            invalid("T.print", "obj", "a value or a buffer", describe(value))
        effect("print", attrs=(("message", msg),))
    else:
        effect("print", shown, mode="read", attrs=(("message", msg),))


def device_assert(*args: Any, **kwargs: Any) -> None:
    """Stop the kernel unless a condition holds: ``T.device_assert(condition, msg)``."""
    condition = operand(args[0] if args else kwargs.get("condition"))
    effect("device_assert", *(() if isinstance(condition, Unknown) else (condition,)), mode="read")
