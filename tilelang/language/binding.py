"""Whether the arguments of a call fit a function of the language, and what to say if they do not."""

from __future__ import annotations

import types
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from tilelang.language.catalog import NAMES
from tilelang.language.suggest import nearest

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_ROCM = "the ROCm dialect"
_OLDER: dict[str, dict[str, str]] = {
    "Kernel": {"is_cpu": "tilelang 0.1.6"},
    "Pipelined": {"sync": "tilelang 0.1.13", "group": "tilelang 0.1.13"},
    "gemm": {"k_pack": _ROCM, "wg_wait": "tilelang 0.1.8", "use_2cta": "tilelang 0.1.8"},
    "gemm_sp": {"k_pack": _ROCM},
    "macro": {"hygienic": "tilelang 0.1.6"},
    "prim_func": {"private": "tilelang 0.1.6", "check_well_formed": "tilelang 0.1.6"},
    "reduce": {"nan_propagate": "tilelang 0.1.13"},
}
"""Arguments that another release or dialect takes, by function."""

_SPELLINGS = {
    "trans_A": "transpose_A",
    "trans_B": "transpose_B",
    "transA": "transpose_A",
    "transB": "transpose_B",
    "axis": "dim",
}
"""Spellings of other libraries that are too far from the parameter for the edit distance."""


@dataclass(frozen=True, slots=True)
class Parameters:
    """The parameters of a callable. ``positional`` may be given by place; ``keyword`` are all names; ``required`` have
    no default. ``many`` and ``others``: it takes any number of positional or keyword arguments."""

    positional: tuple[str, ...]
    keyword: tuple[str, ...]
    required: tuple[str, ...]
    many: bool
    others: bool


@dataclass(frozen=True, slots=True)
class BindingProblem:
    """Why a call does not fit.

    ``kind``: ``unknown-argument`` or ``invalid-argument``, or empty if nothing is wrong with the program and only
    ``drop`` applies. ``suggestion``: the parameter that was probably meant. ``known_version``: the release or dialect
    that takes the argument. ``message`` goes after the argument's name. ``drop``: keyword arguments without which
    the call may go on.
    """

    kind: str
    argument: str
    message: str = ""
    suggestion: str | None = None
    known_version: str | None = None
    drop: tuple[str, ...] = ()


_parameters: dict[Any, Parameters | None] = {}


def parameters_of(function: Any) -> Parameters | None:
    """The parameters of a Python callable, computed once; ``None`` if they cannot be read."""
    try:
        return _parameters[function]
    except KeyError:
        found = _parameters[function] = _read(function)
        return found
    except TypeError:
        return _read(function)


def _read(function: Any) -> Parameters | None:
    bound = 0
    target = function
    while hasattr(target, "__wrapped__"):
        target = target.__wrapped__
    if isinstance(target, type):
        target, bound = getattr(target, "__init__", None), 1
    elif not isinstance(target, (types.FunctionType, types.MethodType)):
        kind = cast("type[object]", type(target))
        target, bound = getattr(kind, "__call__", None), 1  # noqa: B004  # what a call of the object runs
    if isinstance(target, types.MethodType):
        target, bound = target.__func__, 1
    if not isinstance(target, types.FunctionType):
        return None
    code = target.__code__
    names = code.co_varnames
    positional = names[bound : code.co_argcount]
    only = names[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    with_default = len(target.__defaults__ or ())
    required = positional[: len(positional) - with_default]
    required += tuple(name for name in only if name not in (target.__kwdefaults__ or {}))
    return Parameters(positional, (*positional, *only), required, bool(code.co_flags & 4), bool(code.co_flags & 8))


def bind(function: Any, args: Sequence[object], kwargs: Mapping[str, object]) -> BindingProblem | None:
    """The first thing that is wrong with a call, or ``None`` if the arguments fit."""
    accepted = parameters_of(function)
    if accepted is None:
        return None
    unknown = unknown_keyword(function, kwargs)
    if unknown is not None:
        return unknown
    first = accepted.positional[:1]
    if first == ("dtype",) and "dtype" in kwargs and _is_wrapper(function):
        args = (kwargs["dtype"], *args)
        kwargs = {name: value for name, value in kwargs.items() if name != "dtype"}
    places = accepted.positional[: len(args)]
    if len(args) > len(accepted.positional) and not accepted.many:
        surplus = f"takes at most {len(accepted.positional)} positional arguments"
        return BindingProblem("invalid-argument", "arguments", surplus)
    for name in places:
        if name in kwargs:
            return BindingProblem("invalid-argument", name, "must be given once")
    for name in accepted.required:
        if name not in kwargs and name not in places:
            return BindingProblem("invalid-argument", name, "must be given")
    return None


def unknown_keyword(function: Any, kwargs: Mapping[str, object]) -> BindingProblem | None:
    """The first keyword that no parameter takes, or ``None``."""
    accepted = parameters_of(function)
    for name in kwargs:
        if accepted is not None and name not in accepted.keyword and not accepted.others:
            return _unknown(getattr(function, "__name__", ""), name, accepted, kwargs)
    return None


def _is_wrapper(function: Any) -> bool:
    """Whether ``dtype`` given by name goes to the first place, before the arguments given by place."""
    row = NAMES.get(getattr(function, "__name__", ""))
    return row is not None and row[4]


def _unknown(function: str, name: str, accepted: Parameters, kwargs: Mapping[str, object]) -> BindingProblem:
    row = NAMES.get(function)
    if name == "dtype" and row is not None and row[4]:  # upstream takes and ignores it
        return BindingProblem("", name, drop=(name,))
    version = _OLDER.get(function, {}).get(name)
    free = [known for known in accepted.keyword if known not in kwargs]
    meant = _SPELLINGS.get(name)
    suggestion = meant if meant in free else nearest(name, free)
    return BindingProblem("unknown-argument", name, "", suggestion, version, (name,))
