"""Members of tilelang modules other than the language: our own objects where they are pure, else names."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from tilelang.frontend.models.registry import LANGUAGE_MODULES, MODELS, model
from tilelang.frontend.values import External
from tilelang.ir.unknown import UNKNOWN, Unknown

if TYPE_CHECKING:
    from tilelang.frontend.arguments import Args
    from tilelang.frontend.evaluator import Evaluator


_PURE = (
    "tilelang.math",
    "tilelang.layout",
    "tilelang.utils",
    "tilelang.intrinsics",
    "tilelang.quantize",
    "tilelang.dtypes",
)

_SWIZZLES = frozenset(("get_swizzle_layout", "make_mma_swizzle_layout", "make_mfma_swizzle_layout"))
"""Helpers of `tilelang.{cuda,rocm}.intrinsics` that are formulas; the rest of these emits instructions."""

_TOP_LEVEL = frozenset(("next_power_of_2", "PassConfigKey", "TensorSupplyType", "GemmWarpPolicy", "dtypes"))


def package_member(ev: Evaluator, owner: External, name: str) -> Any:
    """A member of a tilelang module that is not the language itself: our own object if it is pure, else a name."""
    full = f"{owner.name}.{name}"
    if full in LANGUAGE_MODULES:
        return External("tilelang.language")
    if owner.name == "tilelang" and name not in _TOP_LEVEL:
        return External(full)
    if owner.name.startswith(("tilelang.cuda.intrinsics", "tilelang.rocm.intrinsics")) and name in _SWIZZLES:
        return _native("tilelang.intrinsics", name)
    if owner.name != "tilelang" and not owner.name.startswith(_PURE):
        return MODELS.get(f"tilelang.{name}", External(full)) if name in ("PassConfigKey",) else External(full)
    found = _native(owner.name, name)
    return External(full) if found is None else found


def _native(module: str, name: str) -> Any:
    import types

    try:
        found = getattr(importlib.import_module(module), name, None)
    except ImportError:
        return None
    return None if isinstance(found, types.ModuleType) else found


@model("tilelang.cdiv", "tilelang.math.cdiv", "triton.cdiv")
def cdiv(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    """Like ``T.ceildiv``, on host numbers and on symbolic sizes."""
    from tilelang.frontend import dsl
    from tilelang.language import ceildiv

    return (
        UNKNOWN
        if any(isinstance(arg, Unknown) for arg in args)
        else dsl.native(ev, ceildiv, tuple(args), kwargs, args.span)
    )
