"""What kernels say about reads outside of tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.ir.buffer import Buffer
from tilelang.ir.expr import Expr
from tilelang.ir.stmt import Effect
from tilelang.ir.visit import walk

if TYPE_CHECKING:
    from tilelang.ir.expr import Operand
    from tilelang.ir.stmt import Launch


def safe_values(launch: Launch) -> dict[Buffer, Operand]:
    """What reads outside of a tensor give, as ``T.annotate_safe_value`` says."""
    found: dict[Buffer, Operand] = {}
    for stmt in walk(launch.body):
        if isinstance(stmt, Effect) and stmt.call.op == "annotate_safe_value":
            entries = dict(stmt.call.attrs).get("values")
            if isinstance(entries, tuple):
                for entry in entries:  # type: ignore[reportUnknownVariableType]  # pairs, checked below
                    if isinstance(entry, tuple) and len(entry) == 2 and isinstance(entry[0], Buffer):  # type: ignore[reportUnknownArgumentType]
                        value: object = entry[1]  # type: ignore[reportUnknownVariableType]
                        if isinstance(value, (Expr, int, float)):
                            found[entry[0]] = value
    return found
