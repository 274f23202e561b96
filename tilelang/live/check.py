"""The checker's findings in a running program."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tilelang.frontend.instance import Instance, JitOptions
from tilelang.live.errors import check_instance
from tilelang.live.target import choose_target
from tilelang.runtime.arguments import type_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tilelang.diagnostics import Diagnostic


def check_kernel(
    func: Any, target: object = None, *args: Any, pass_configs: Mapping[Any, Any] | None = None, **kwargs: Any
) -> tuple[Diagnostic, ...]:
    """What the checker says about a kernel on a target, as ``tilelang-check`` words it: shared memory, shapes, layouts,
    bounds, races and the rest. Nothing is compiled.

    ``func``: a function under ``@T.prim_func``, or one under ``@tilelang.jit`` with the arguments of a call.
    """
    options: dict[str, Any] = getattr(func, "options", {})
    made = func.get_tir(*args, **kwargs) if hasattr(func, "get_tir") else func
    instance = made if isinstance(made, Instance) else getattr(made, "instance", None)
    if not isinstance(instance, Instance):
        raise TypeError(f"check_kernel takes a kernel function, not a {type_name(func)}")
    if target is None:
        target = options.get("target")
    pass_configs = pass_configs or options.get("pass_configs")
    chosen = choose_target(target)
    from tilelang.runtime.build import configs_of

    configs = configs_of(pass_configs, instance.program, None)
    asked = replace(instance, jit=JitOptions(target=chosen.arch, pass_configs=configs))
    return check_instance(asked, chosen)
