"""``torch.cuda`` and ``torch.version``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilelang.frontend.models.registry import MODELS, model
from tilelang.frontend.values import Class, Object
from tilelang.ir.unknown import UNKNOWN

if TYPE_CHECKING:
    from tilelang.frontend.arguments import Args
    from tilelang.frontend.evaluator import Evaluator


def capability(arch: str) -> tuple[int, int]:
    """Compute capability of ``sm_90`` and the like."""
    digits = "".join(char for char in arch.removeprefix("sm_") if char.isdigit())
    return (int(digits[:-1]), int(digits[-1])) if len(digits) >= 2 else (0, 0)


@model("torch.cuda.get_device_capability")
def get_device_capability(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    arch = ev.target_arch()
    return capability(arch) if arch.startswith("sm_") else UNKNOWN


@model("torch.cuda.get_device_properties")
def get_device_properties(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    from tilelang.targets import resolve

    arch = ev.target_arch()
    target = resolve(arch)
    major, minor = capability(arch) if arch.startswith("sm_") else (UNKNOWN, UNKNOWN)
    count = getattr(target, "sm_count", None) if target is not None else None
    return Object(
        Class("DeviceProperties", (), {}, external_base=True),
        {"major": major, "minor": minor, "multi_processor_count": UNKNOWN if count is None else count},
    )


@model("torch.cuda.is_available", "torch.cuda.is_bf16_supported")
def is_available(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    return True


@model("torch.cuda.device_count")
def device_count(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    return UNKNOWN


@model("torch.device")
def device(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    return UNKNOWN


MODELS["torch.version.hip"] = None

MODELS["torch.version.cuda"] = "12.9"
