"""``tilelang.testing``: requirements are kept as marks on the tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilelang.frontend.models.registry import MODELS, model
from tilelang.frontend.values import Class, Function, Mark, Model

if TYPE_CHECKING:
    from tilelang.frontend.arguments import Args
    from tilelang.frontend.evaluator import Evaluator


def _requirement(name: str) -> Model:
    def run(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
        if len(args) == 1 and isinstance(args[0], (Function, Class)):
            if isinstance(args[0], Function):
                args[0].marks = (*args[0].marks, Mark(name, (), (), args.span))
            return args[0]
        return Mark(name, tuple(args), tuple(kwargs.items()), args.span)

    return Model(f"testing.{name}", run)


_MARKS = (
    "requires_cuda",
    "requires_rocm",
    "requires_metal",
    "requires_llvm",
    "requires_gfx950",
    "requires_cdna",
    "requires_cuda_or_cdna",
    "requires_rdna",
    "requires_package",
    "requires_cuda_compute_version",
    "requires_cuda_compute_version_eq",
    "requires_cuda_compute_version_ge",
    "requires_cuda_compute_version_gt",
    "requires_cuda_compute_version_le",
    "requires_cuda_compute_version_lt",
    "regression",
)
for _name in _MARKS:
    MODELS[f"tilelang.testing.{_name}"] = _requirement(_name)


@model("tilelang.testing.main", "tilelang.testing.set_random_seed", "tilelang.disable_cache", "tilelang.enable_cache")
def nothing(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    return None
