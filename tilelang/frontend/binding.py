"""Whether the arguments of a language call fit the function's signature."""

from __future__ import annotations

from dataclasses import dataclass
from inspect import Parameter, Signature
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

_OLDER = {
    "k_pack": "a keyword of older versions and of the ROCm dialect",
    "kPack": "a keyword of older versions and of the ROCm dialect",
    "wg_wait": "a keyword of older versions",
    "use_2cta": "a keyword of T.tcgen05_gemm",
    "nan_propagate": "a keyword of some reductions",
}
"""Keywords that some version or dialect of the language takes: known, but not by this function."""


@dataclass(frozen=True, slots=True)
class BindingFailure:
    """Arguments that do not fit. ``drop``: keywords without which the call fits."""

    kind: str
    message: str
    argument: str = ""
    suggestion: str | None = None
    known_version: str | None = None
    drop: tuple[str, ...] = ()


def check(
    function: Any, args: Sequence[Any], kwargs: Mapping[str, Any], *, wrapper: bool = False
) -> BindingFailure | None:
    """The first way in which a call does not fit, or ``None``. ``wrapper``: the function also takes ``dtype``."""
    from tilelang.language.registry import signature_of

    signature = signature_of(function)
    if signature is None:
        return None
    unknown = _unknown_keyword(signature, kwargs, wrapper=wrapper)
    if unknown is not None:
        return unknown
    params = list(signature.parameters.values())
    positional = [p for p in params if p.kind in (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)]
    takes_any = any(p.kind is Parameter.VAR_POSITIONAL for p in params)
    if len(args) > len(positional) and not takes_any:
        return BindingFailure(
            "invalid-argument", f"takes at most {len(positional)} positional arguments, {len(args)} given"
        )
    for param in positional[: len(args)]:
        if param.name in kwargs and param.kind is Parameter.POSITIONAL_OR_KEYWORD:
            return BindingFailure("invalid-argument", "is given twice", param.name)
    for param in positional[len(args) :]:
        if param.default is Parameter.empty and param.name not in kwargs:
            return BindingFailure("invalid-argument", "is missing", param.name)
    for param in params:
        if param.kind is Parameter.KEYWORD_ONLY and param.default is Parameter.empty and param.name not in kwargs:
            return BindingFailure("invalid-argument", "is missing", param.name)
    return None


def _unknown_keyword(signature: Signature, kwargs: Mapping[str, Any], *, wrapper: bool) -> BindingFailure | None:
    if not kwargs:
        return None
    params = signature.parameters
    if any(p.kind is Parameter.VAR_KEYWORD for p in params.values()):
        return None
    strange = [name for name in kwargs if name not in params and not (wrapper and name == "dtype")]
    if not strange:
        dropped = tuple(name for name in kwargs if name not in params)
        return BindingFailure("", "", drop=dropped) if dropped else None
    name = strange[0]
    free = [known for known in params if known not in kwargs]
    return BindingFailure(
        "unknown-argument",
        f"has no parameter {name}",
        name,
        None if name in _OLDER else nearest_parameter(name, free),
        _OLDER.get(name),
        tuple(strange),
    )


def first_parameter(function: Any) -> str | None:
    """The name of the first parameter, if there is one."""
    from tilelang.language.registry import signature_of

    signature = signature_of(function)
    return next(iter(signature.parameters), None) if signature is not None else None


def nearest_parameter(name: str, known: Collection[str]) -> str | None:
    """The parameter that a misspelt keyword probably means."""
    folded = {candidate.lower().replace("_", ""): candidate for candidate in known}
    exact = folded.get(name.lower().replace("_", ""))
    if exact is not None:
        return exact
    from difflib import get_close_matches

    found = get_close_matches(name.lower(), [candidate.lower() for candidate in known], n=1, cutoff=0.75)
    return next((candidate for candidate in known if candidate.lower() == found[0]), None) if found else None
