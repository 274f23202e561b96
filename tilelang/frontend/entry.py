"""Entry points: what a program runs, and so where kernels get their values.

The module's own code comes first (with its ``__main__`` block), then tests with their parameters, then functions that
nothing in the file calls but that look like a program's main. What still has no instance is evaluated with its
parameter defaults, a ``# tilelang: instance(...)`` comment or symbolic parameters.
"""

from __future__ import annotations

import ast
import re
from contextlib import contextmanager
from itertools import product
from typing import TYPE_CHECKING, Any, cast

from tilelang.frontend.arguments import Arguments
from tilelang.frontend.calls import call, call_function
from tilelang.frontend.instance import JitOptions
from tilelang.frontend.iteration import materialize
from tilelang.frontend.signals import Exhausted, UserError
from tilelang.frontend.values import MISSING, Class, Function, Jit, Mark, Module, Object, PrimFunc, StaticMethod
from tilelang.ir.dtype import INT32
from tilelang.ir.expr import Var
from tilelang.ir.unknown import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tilelang.frontend.evaluator import Evaluator

ENTRY_BUDGET = 150_000
"""Steps of one entry point: a runaway test does not starve the others."""

TEST_BUDGET = 250_000
"""Steps of one test with all its parameter sets. The sets come in an order that spreads over the whole list, so that a
list that is too long is sampled evenly."""

MAX_PARAMETER_SETS = 400
"""Parameter sets of one test that are evaluated at most."""

_MAIN_NAMES = ("main", "run", "test", "bench", "demo", "example")


def run_entries(ev: Evaluator, module: Module) -> None:
    """Run everything that the program would, after the module's own code."""
    functions = [(name, value) for name, value in module.vars.items() if _defined_here(value, module)]
    for name, value in functions:
        if isinstance(value, Function) and name.startswith("test"):
            run_test(ev, value, module)
        elif isinstance(value, Class) and name.startswith("Test"):
            _run_test_class(ev, value, module)
    for name, value in functions:
        if isinstance(value, Function) and name.split("_")[0].lower() in _MAIN_NAMES:
            if (
                not name.startswith("test")
                and not _is_called(ev, name, module)
                and _callable_without_arguments(value)
                and ev.modules.reaches_kernels(ev, value)
            ):
                attempt(ev, lambda value=value: call_function(ev, value, (), {}, _span(ev, value)))
    for _, value in functions:
        if isinstance(value, PrimFunc) and not value.consumed:
            from tilelang.frontend.instances import prim_func_instance, record

            value.consumed = True
            record(ev, prim_func_instance(ev, value, JitOptions(span=value.span), (), "default"))


def _defined_here(value: Any, module: Module) -> bool:
    if isinstance(value, Function):
        return value.scope.module is module
    if isinstance(value, PrimFunc):
        return value.function.scope.module is module
    return isinstance(value, (Class, Jit))


def _is_called(ev: Evaluator, name: str, module: Module) -> bool:
    """Whether the text of the file calls a name anywhere."""
    source = ev.modules.sources.source(module.path)
    if source is None:
        return False
    calls = len(re.findall(rf"\b{re.escape(name)}[ \t]*\(", source.text))
    return calls > len(re.findall(rf"\bdef[ \t]+{re.escape(name)}[ \t]*\(", source.text))


def _callable_without_arguments(function: Function) -> bool:
    spec = function.node.args
    return len(function.defaults) >= len(spec.posonlyargs) + len(spec.args) and len(function.kw_defaults) >= len(
        spec.kwonlyargs
    )


def _span(ev: Evaluator, function: Function) -> Any:
    return ev.span(function.node, function.scope)


def attempt(ev: Evaluator, run: Callable[[], Any]) -> Any:
    """Run one entry point with its own budget; an exception of the program ends it, not the file."""
    unsure, expected, requires = ev.unsure, ev.expected_failure, list(ev.requires)
    stack = list(ev.stack)
    try:
        with ev.budget(ENTRY_BUDGET):
            return run()
    except UserError as error:
        if error.name not in ("Skipped", "SystemExit"):
            ev.trace(f"stops with {error.name}: {error.message}".rstrip(": "), error.span)
    except Exhausted:
        ev.trace("the step budget of this entry point is spent", stack[-1].span if stack else _nowhere())
        if ev.steps > ev.limit:
            raise
    finally:
        ev.unsure, ev.expected_failure, ev.requires = unsure, expected, requires
        del ev.stack[len(stack) :]
    return UNKNOWN


def _nowhere() -> Any:
    from tilelang.ir.span import NOWHERE

    return NOWHERE


# --- tests ----------------------------------------------------------------------------------------------------


def run_test(
    ev: Evaluator, function: Function, module: Module, receiver: Any = None, marks: tuple[Mark, ...] = ()
) -> None:
    """Run one test with every set of its parameters."""
    every = (*marks, *function.marks)
    if not ev.modules.reaches_kernels(ev, function):
        return
    with _conditions(ev, every):
        names = [arg.arg for arg in (*function.node.args.posonlyargs, *function.node.args.args)]
        if receiver is not None and names:
            names = names[1:]
        start = ev.steps
        sets = list(_parameter_sets(ev, every))
        for count, position in enumerate(spread(len(sets))):
            if ev.steps - start > TEST_BUDGET:
                ev.trace(f"{count} of {len(sets)} parameter sets are evaluated", _span(ev, function))
                break
            values = sets[position]
            bound = dict(values)
            for name in names:
                if name not in bound:
                    bound[name] = _fixture(ev, name, module)
            bound = {name: value for name, value in bound.items() if name in names and value is not MISSING}
            args = (receiver,) if receiver is not None else ()
            attempt(ev, lambda args=args, bound=bound: call_function(ev, function, args, bound, _span(ev, function)))


def spread(count: int) -> Iterator[int]:
    """The numbers below ``count``, each prefix spread over the whole range: ends and middles first."""
    seen: set[int] = set()
    parts = 1
    while len(seen) < count:
        for step in range(parts + 1):
            position = step * (count - 1) // parts
            if position not in seen:
                seen.add(position)
                yield position
        parts *= 2


def _run_test_class(ev: Evaluator, cls: Class, module: Module) -> None:
    marks = cast("tuple[Mark, ...]", cls.vars.get("__marks__", ()))
    for name, member in list(cls.vars.items()):
        function = member.function if isinstance(member, StaticMethod) else member
        if name.startswith("test") and isinstance(function, Function):
            receiver = None if isinstance(member, StaticMethod) else Object(cls)
            setup = cls.lookup("setUp")
            if isinstance(receiver, Object) and isinstance(setup, Function):
                attempt(
                    ev,
                    lambda setup=setup, receiver=receiver: call_function(ev, setup, (receiver,), {}, _span(ev, setup)),
                )
            run_test(ev, function, module, receiver, marks)


def _parameter_sets(ev: Evaluator, marks: tuple[Mark, ...]) -> Iterator[dict[str, Any]]:
    """Every combination of the ``parametrize`` marks. Unknown lists give one set of unknown values."""
    axes: list[list[dict[str, Any]]] = []
    for mark in marks:
        if mark.name == "parametrize" and mark.args:
            axes.append(_axis(ev, mark))
    combinations = [dict(kv for part in combo for kv in part.items()) for combo in _bounded_product(axes)]
    if len(combinations) > MAX_PARAMETER_SETS:
        step = len(combinations) / MAX_PARAMETER_SETS
        combinations = [combinations[int(i * step)] for i in range(MAX_PARAMETER_SETS)]
    yield from combinations


def _bounded_product(axes: list[list[dict[str, Any]]]) -> Iterator[tuple[dict[str, Any], ...]]:
    size = 1
    for axis in axes:
        size *= max(1, len(axis))
    if size > 100_000:
        axes = [axis[:8] for axis in axes]
    return product(*axes)


def _axis(ev: Evaluator, mark: Mark) -> list[dict[str, Any]]:
    argnames, argvalues = (
        mark.args[0],
        mark.args[1] if len(mark.args) > 1 else dict(mark.kwargs).get("argvalues", UNKNOWN),
    )
    if isinstance(argnames, str):
        names = [name.strip() for name in argnames.split(",") if name.strip()]
    else:
        names = [name for name in materialize(ev, argnames) or [] if isinstance(name, str)]
    entries = materialize(ev, argvalues)
    if entries is None:
        return [dict.fromkeys(names, UNKNOWN)]
    axis: list[dict[str, Any]] = []
    for entry in entries:
        skipped = False
        if isinstance(entry, Mark) and entry.name == "param":
            extra = dict(entry.kwargs).get("marks", ())
            extra = extra if isinstance(extra, (list, tuple)) else (extra,)
            skipped = any(getattr(m, "name", "") in ("skip", "xfail", "skipif") for m in cast("Any", extra))
            entry = entry.args if len(names) > 1 else entry.args[0] if entry.args else UNKNOWN
        if skipped:
            continue
        if len(names) == 1:
            axis.append({names[0]: entry})
            continue
        values = materialize(ev, entry) or []
        axis.append({name: values[i] if i < len(values) else UNKNOWN for i, name in enumerate(names)})
    return axis


def _fixture(ev: Evaluator, name: str, module: Module) -> Any:
    """The value of a fixture of the same file; ``MISSING`` lets a default stand, other fixtures are unknown."""
    found = module.vars.get(name, MISSING)
    if isinstance(found, Function) and any(mark.name == "fixture" for mark in found.marks):
        value = attempt(ev, lambda: call(ev, found, (), {}, _span(ev, found)))
        return value[0] if found.is_generator and isinstance(value, list) and value else value  # pyright: ignore[reportUnknownVariableType]
    return UNKNOWN


# --- conditions -----------------------------------------------------------------------------------------------


@contextmanager
def _conditions(ev: Evaluator, marks: tuple[Mark, ...]) -> Iterator[None]:
    """The marks of a test that say where it runs and whether it is meant to pass."""
    unsure, expected, count = ev.unsure, ev.expected_failure, len(ev.requires)
    for mark in marks:
        if mark.name in ("xfail", "skip"):
            ev.expected_failure += 1
        elif mark.name == "skipif":
            ev.unsure += 1
        else:
            allowed = required_archs(mark)
            if allowed is not None:
                ev.requires.append(allowed)
    try:
        yield
    finally:
        ev.unsure, ev.expected_failure = unsure, expected
        del ev.requires[count:]


_COMPARISONS = {"ge": ">=", "gt": ">", "le": "<=", "lt": "<", "eq": "=="}


def required_archs(mark: Mark) -> tuple[str, ...] | None:
    """The archs that a ``requires_*`` decorator admits; ``None`` if it says nothing about the target."""
    from tilelang.targets import archs

    families = {
        "requires_cuda": ("cuda",),
        "requires_rocm": ("rocm",),
        "requires_cdna": ("rocm",),
        "requires_gfx950": ("rocm",),
        "requires_rdna": ("rocm",),
        "requires_metal": ("metal",),
        "requires_llvm": ("cpu",),
        "requires_cuda_or_cdna": ("cuda", "rocm"),
    }
    if mark.name in families:
        return tuple(arch for arch, family in archs().items() if family in families[mark.name])
    if not mark.name.startswith("requires_cuda_compute_version"):
        return None
    relation = mark.name.removeprefix("requires_cuda_compute_version").strip("_") or "ge"
    if relation == "ge" and not mark.name.endswith("_ge"):
        return _in_range(mark)
    wanted = tuple(value for value in (*mark.args, *dict(mark.kwargs).values()) if isinstance(value, int))
    if not wanted:
        return None
    version = (wanted[0], wanted[1] if len(wanted) > 1 else 0)
    return tuple(arch for arch, have in _capabilities() if _holds(have, _COMPARISONS[relation], version))


def _in_range(mark: Mark) -> tuple[str, ...] | None:
    """``requires_cuda_compute_version(major, minor, mode="ge")``."""
    numbers = [value for value in mark.args if isinstance(value, int)]
    mode = next((value for value in (*mark.args, *dict(mark.kwargs).values()) if isinstance(value, str)), "ge")
    if not numbers or mode not in _COMPARISONS:
        return None
    version = (numbers[0], numbers[1] if len(numbers) > 1 else 0)
    return tuple(arch for arch, have in _capabilities() if _holds(have, _COMPARISONS[mode], version))


def _capabilities() -> list[tuple[str, tuple[int, int]]]:
    from tilelang.frontend.models.torch import capability
    from tilelang.targets import archs

    return [(arch, capability(arch)) for arch, family in archs().items() if family == "cuda"]


def _holds(have: tuple[int, int], relation: str, wanted: tuple[int, int]) -> bool:
    return {
        ">=": have >= wanted,
        ">": have > wanted,
        "<=": have <= wanted,
        "<": have < wanted,
        "==": have == wanted,
    }[relation]


# --- what nothing calls ---------------------------------------------------------------------------------------


def run_uncalled(ev: Evaluator, module: Module, directives: dict[int, list[dict[str, Any]]]) -> None:
    """Jit functions of the file without an instance: comments, then defaults, then symbolic parameters."""
    from tilelang.frontend.jit import build, call_jit

    recorded = {(instance.factory_path, instance.factory_line) for instance in ev.recorder.instances}
    for value in list(module.vars.values()):
        function = value.function if isinstance(value, Jit) else value
        if not isinstance(function, Function) or function.path != module.path:
            continue
        is_factory = isinstance(value, Jit) or _makes_prim_func(function)
        if not is_factory:
            continue
        jit = value if isinstance(value, Jit) else None
        for values in directives.get(function.node.lineno, ()):
            if jit is not None:
                attempt(ev, lambda jit=jit, values=values: _from_directive(ev, jit, values))
        if (function.path, function.node.lineno) in recorded or directives.get(function.node.lineno):
            continue
        if jit is not None and _callable_without_arguments(function) and function.defaults:
            attempt(ev, lambda jit=jit: call_jit(ev, jit, Arguments(), _span(ev, jit.function)))
            if any(i.factory_line == function.node.lineno for i in ev.recorder.instances):
                continue
        bound = _symbolic_arguments(function)
        span = _span(ev, function)
        # A default beside values that nobody gives is a guess: what rests on it is possible, not certain.
        guessed = bool(function.defaults or function.kw_defaults)
        ev.unsure += guessed
        if jit is not None:
            attempt(ev, lambda jit=jit, b=bound, s=span: build(ev, jit, b, {}, {}, s, origin="symbolic"))
        else:
            attempt(ev, lambda f=function, b=bound: _record_made(ev, f, b))
        ev.unsure -= guessed


def _from_directive(ev: Evaluator, jit: Jit, values: dict[str, Any]) -> None:
    from tilelang.frontend.jit import call_jit

    call_jit(ev, jit, Arguments([], dict(values)), _span(ev, jit.function))


def _makes_prim_func(function: Function) -> bool:
    return any(
        isinstance(inner, ast.FunctionDef) and any("prim_func" in ast.unparse(d) for d in inner.decorator_list)
        for inner in ast.walk(function.node)
        if inner is not function.node
    ) and not function.name.startswith(("test", "run"))


def _record_made(ev: Evaluator, function: Function, bound: dict[str, Any]) -> None:
    from tilelang.frontend.instances import prim_func_instance, record

    made = call_function(ev, function, (), bound, _span(ev, function))
    if isinstance(made, PrimFunc) and not made.consumed:
        made.consumed = True
        record(ev, prim_func_instance(ev, made, JitOptions(span=made.span), (), "symbolic"))


def _symbolic_arguments(function: Function) -> dict[str, Any]:
    """Parameters without a value: sizes become symbols, anything that is no size is unknown."""
    spec = function.node.args
    positional = [*spec.posonlyargs, *spec.args]
    defaults: dict[str, Any] = dict(
        zip([arg.arg for arg in positional][len(positional) - len(function.defaults) :], function.defaults)
    )
    defaults.update(function.kw_defaults)
    sizes = _sizes(function)
    bound: dict[str, Any] = {}
    for arg in (*positional, *spec.kwonlyargs):
        if arg.arg in defaults:
            bound[arg.arg] = defaults[arg.arg]
        elif arg.arg in sizes:
            bound[arg.arg] = Var(INT32, arg.arg, "param")
        else:
            bound[arg.arg] = UNKNOWN
    if spec.vararg is not None:
        bound[spec.vararg.arg] = UNKNOWN
    if spec.kwarg is not None:
        bound[spec.kwarg.arg] = UNKNOWN
    return bound


_SIZE_CALLS = frozenset(
    ("Kernel", "ceildiv", "cdiv", "Pipelined", "Parallel", "serial", "Serial", "unroll", "range", "Persistent")
)


def _sizes(function: Function) -> frozenset[str]:
    """Names that the body uses as numbers: in arithmetic, as extents in a tuple, as loop bounds."""
    found: set[str] = set()
    for node in ast.walk(function.node):
        if isinstance(node, ast.BinOp):
            found.update(part.id for part in (node.left, node.right) if isinstance(part, ast.Name))
        elif isinstance(node, (ast.Tuple, ast.List)) and isinstance(node.ctx, ast.Load):
            found.update(part.id for part in node.elts if isinstance(part, ast.Name))
        elif isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name in _SIZE_CALLS:
                found.update(part.id for part in node.args if isinstance(part, ast.Name))
                found.update(k.value.id for k in node.keywords if isinstance(k.value, ast.Name))
    return frozenset(found)
