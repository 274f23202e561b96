"""From a kernel function to an artifact, through the cache."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tilelang.frontend.instance import Instance, JitOptions
from tilelang.language.decorators import own_configs, own_flags
from tilelang.live.elaborate import require_complete
from tilelang.live.errors import CompileError, raise_errors, worded
from tilelang.live.target import choose_target
from tilelang.transform import PassContext

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tilelang.backends.artifact import Artifact
    from tilelang.ir.program import Program
    from tilelang.targets import Target


def build_kernel(
    func: Any,
    out_idx: Sequence[int] | int | None,
    target: object,
    pass_configs: Mapping[Any, Any] | None,
    compile_flags: Sequence[str] | str | None = None,
) -> tuple[Artifact, tuple[int, ...], Target]:
    """The artifact of a ``@T.prim_func`` or of an eager kernel's instance, the positions of its outputs, and the
    target. Raises :class:`CompileError`, ``TypeError`` or ``ValueError``."""
    instance = func if isinstance(func, Instance) else getattr(func, "instance", None)
    if not isinstance(instance, Instance):
        raise TypeError(f"tilelang.compile takes a function under @T.prim_func, not a {type(func).__name__}")
    chosen = choose_target(target)
    program = require_complete(instance)
    outputs = output_positions(program, out_idx)
    configs = configs_of(pass_configs, program, compile_flags)
    asked = replace(instance, jit=JitOptions(outputs, None, chosen.arch, configs, program.span))
    artifact = build_instance(asked, chosen)
    return artifact, outputs, chosen


def build_instance(instance: Instance, target: Target) -> Artifact:
    """The artifact of an instance, from the cache if it is there."""
    from tilelang.runtime.cache import cached

    return cached(instance, target, lambda: _compiled(instance, target))


def _compiled(instance: Instance, target: Target) -> Artifact:
    from tilelang.backends.build import build

    result = build(instance.program, target, instance.jit.pass_configs)
    if result.artifact is None:
        found = worded(instance, result.problems)
        if not found:
            raise RuntimeError(f"compiling {instance.kernel} for {target.arch} gave neither code nor a reason")
        raise CompileError(found)
    raise_errors(worded(instance, result.problems))
    return result.artifact


def output_positions(program: Program, out_idx: Sequence[int] | int | None) -> tuple[int, ...]:
    """Positions of the outputs among the parameters: those of ``out_idx``, or the ``T.empty`` tensors."""
    count = len(program.params)
    if program.outputs:
        if out_idx is not None:
            raise ValueError(f"Out index conflict in {program.name}: out_idx and T.empty both name the results")
        return tuple(i for i, param in enumerate(program.params) if any(param is each for each in program.outputs))
    if out_idx is None:
        return ()
    chosen = (out_idx,) if isinstance(out_idx, int) else tuple(out_idx)
    for index in chosen:
        if not -count <= index < count:
            raise ValueError(f"{program.name}: out_idx {index} is outside its {count} parameters")
    return tuple(dict.fromkeys(index % count for index in chosen))


def configs_of(
    pass_configs: Mapping[Any, Any] | None, program: Program, compile_flags: Sequence[str] | str | None
) -> tuple[tuple[str, object], ...]:
    """Pass configs by key, those of the kernel itself first, in a fixed order. Compiler flags are one of them."""
    own = own_configs(program)
    given: dict[str, Any] = {}
    for source in (own, PassContext.current().config, pass_configs or {}):
        given.update((str(getattr(key, "value", key)), value) for key, value in source.items())
    flags = [*own_flags(program), *_listed(compile_flags or ())]
    if flags:
        already: Any = given.get(_FLAGS) or []
        given[_FLAGS] = [*_listed(already), *flags]
    return tuple(sorted(given.items()))


_FLAGS = "tl.device_compile_flags"


def _listed(flags: Sequence[str] | str) -> list[str]:
    return [flags] if isinstance(flags, str) else list(flags)
