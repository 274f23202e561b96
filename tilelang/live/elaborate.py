"""From the functions of a running program to instances: programs with the values that made them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tilelang.diagnostics import Diagnostic, Severity
from tilelang.frontend import eager, programs
from tilelang.frontend.instance import Instance, JitOptions
from tilelang.frontend.recorder import plain_map
from tilelang.frontend.signals import UserError
from tilelang.frontend.values import Jit
from tilelang.live.errors import CompileError, raise_errors, worded
from tilelang.live.evaluator import session
from tilelang.live.functions import LiveFunction, function_of
from tilelang.targets import DEFAULT_TARGET

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import FunctionType

    from tilelang.ir.program import Program


def elaborate_prim_func(function: FunctionType, around: Mapping[str, Any]) -> Instance:
    """The instance of a ``@T.prim_func``. ``around``: variables of the frame that defines it. Raises
    :class:`CompileError` for what the language refuses; exceptions of the kernel's own Python code propagate."""
    live = function_of(function, around)
    with session(DEFAULT_TARGET) as ev:
        made = programs.elaborate(ev, live)
    instance = Instance(
        made.program,
        live.name,
        live.name,
        "primfunc",
        live.path,
        _line(live),
        live.path,
        _line(live),
        closure=plain_map(made.closure),
        problems=(*made.problems, *ev.problems),
    )
    return accepted(instance)


def elaborate_eager(
    function: FunctionType, bound: Mapping[str, Any], extra: Mapping[str, Any], around: Mapping[str, Any]
) -> Instance:
    """The instance of an eager kernel for one set of arguments; tensors are given as ``frontend.values.Tensor``."""
    live = function_of(function, around)
    try:
        with session(DEFAULT_TARGET) as ev:
            instance = eager.build_eager(ev, Jit(live, JitOptions()), bound, {}, extra)
    except UserError as error:
        raise TypeError(error.message) from None
    return accepted(replace(instance, problems=(*instance.problems, *ev.problems)))


def accepted(instance: Instance) -> Instance:
    """The same instance. Raises :class:`CompileError` if the language refuses it, or part of it is not modelled."""
    raise_errors(_refused(finding) for finding in worded(instance, instance.problems))
    return instance


def _refused(finding: Diagnostic) -> Diagnostic:
    """A name or a keyword that this compiler does not have may exist elsewhere: the checker tells, a program stops."""
    unknown = finding.rule in ("unknown-name", "unknown-argument")
    return replace(finding, severity=Severity.ERROR) if unknown else finding


def require_complete(instance: Instance) -> Program:
    """The program of an instance that can be compiled: all of it was followed."""
    program = instance.program
    if not program.complete:
        found = worded(instance, instance.problems)
        if found:
            raise CompileError(found)
        raise CompileError([_incomplete(instance)])
    return program


def _incomplete(instance: Instance) -> Diagnostic:
    message = f"{instance.kernel} uses something that cannot be compiled"
    return Diagnostic("not-modelled", Severity.ERROR, message, instance.program.span)


def _line(function: LiveFunction) -> int:
    return function.node.lineno


def is_eager(function: FunctionType, around: Mapping[str, Any]) -> bool:
    """Whether a jit function is a kernel itself; else it is a factory that returns one."""
    return eager.is_eager(_with_macros(function_of(function, around)))


def _with_macros(function: LiveFunction) -> LiveFunction:
    """The checker's test looks for its own kind of macro among the names that a function mentions."""
    from tilelang.frontend.scoping import lookup, names_used
    from tilelang.frontend.values import Macro as Marker
    from tilelang.frontend.values import Scope
    from tilelang.language.decorators import Macro

    named = {name: lookup(function.scope, name) for name in names_used(function.node)}
    markers: dict[str, Any] = {name: Marker(function) for name, value in named.items() if isinstance(value, Macro)}
    scope = Scope(function.scope.module, markers, function.scope)
    return LiveFunction(function.node, scope, function.name)
