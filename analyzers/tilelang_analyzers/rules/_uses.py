"""The accesses of every statement of an instance, worked out once for all rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.ir.access import accesses

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tilelang.ir.access import Access
    from tilelang_analyzers.rule import InstanceContext


def uses(ctx: InstanceContext) -> Mapping[int, tuple[Access, ...]]:
    """The accesses of each statement itself, without its body, by ``id`` of the statement. For ``ctx.shared``."""
    return {id(stmt): tuple(accesses(stmt)) for stmt in ctx.walk()}
