"""The accesses of every launch of an instance, worked out once for all rules, and how rules spell their points."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from tilelang.ir.stmt import Store
from tilelang.passes.access.sites import sites_of

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from tilelang.ir.buffer import Buffer
    from tilelang.ir.expr import Var
    from tilelang.passes.access.sites import Sites
    from tilelang.passes.access.traffic import Traffic
    from tilelang_analyzers.rule import Context, InstanceContext


def launch_sites(ctx: InstanceContext) -> tuple[Sites, ...]:
    """The accesses of each launch. For ``ctx.shared``."""
    return tuple(sites_of(launch) for launch in ctx.launches)


def has_thread_code(ctx: InstanceContext) -> bool:
    """Whether single threads, and not tile operations, store in memory that others see. For ``ctx.shared``. Rules load
    what they need for such code only then: most kernels have none."""
    return any(
        isinstance(site.stmt, Store)
        and site.nest is None
        and site.access.writes
        and (site.access.buffer.is_shared or site.access.buffer.is_global)
        for sites in ctx.shared(launch_sites)
        for site in sites.sites
    )


def thread_traffic(ctx: InstanceContext) -> tuple[Traffic, ...]:
    """What the lanes of a warp ask of memory, for each access of code that names its threads. For ``ctx.shared``."""
    if not ctx.shared(has_thread_code):
        return ()
    from tilelang.passes.access.traffic import warp_traffic

    return tuple(traffic for sites in ctx.shared(launch_sites) for traffic in warp_traffic(sites))


def point(values: Mapping[Var, int], of: Collection[Var] | None = None) -> str:
    """``bx = 3, i = 127``; with ``of``, those variables only."""
    return ", ".join(f"{var.name} = {value}" for var, value in values.items() if of is None or var in of)


def places(one: Mapping[Var, int], other: Mapping[Var, int], of: Collection[Var]) -> tuple[str, str]:
    """Two points, told apart by the variables in ``of``: ``i = 0`` and ``i = 1``."""
    names = [var for var in one if var in of and var in other]
    first, second = ({var: values[var] for var in names} for values in (one, other))
    return point(first), point(second)


def element(buffer: Buffer, indices: Sequence[int]) -> str:
    """``tile[0, 3]``."""
    return f"{buffer.name}[{', '.join(map(str, indices))}]"


def language_name(ctx: Context, path: str) -> str:
    """The name under which a file knows the language: ``T``. Empty if it does not import it as one name."""
    tree = ctx.syntax_tree(path)
    for node in tree.body if tree is not None else ():
        if isinstance(node, ast.Import):
            for name in node.names:
                if name.name == "tilelang.language" and name.asname:
                    return name.asname
        elif isinstance(node, ast.ImportFrom) and node.module == "tilelang":
            for name in node.names:
                if name.name == "language":
                    return name.asname or name.name
    return ""
