"""Questions about the device. Asking makes the instances depend on the target."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilelang.frontend.models.options import target_name
from tilelang.frontend.models.registry import model
from tilelang.frontend.values import Class, Object
from tilelang.ir.dtype import DType
from tilelang.ir.unknown import UNKNOWN

if TYPE_CHECKING:
    from tilelang.frontend.arguments import Args
    from tilelang.frontend.evaluator import Evaluator


def _capability(ev: Evaluator) -> tuple[int, int]:
    from tilelang.frontend.models.torch_device import capability

    return capability(ev.target_arch())


@model("tilelang.utils.determine_fp8_type", "tilelang.language.determine_fp8_type")
def determine_fp8_type(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    """The fp8 format that the device's matrix instructions take: the ``fnuz`` forms on gfx942 and older."""
    wanted = args[0] if args else kwargs.get("fp8_format", "e4m3")
    if not isinstance(wanted, str):
        return UNKNOWN
    old_amd = ev.target_arch() in ("gfx908", "gfx90a", "gfx940", "gfx941", "gfx942")
    suffix = {"e4m3": "fnuz" if old_amd else "fn", "e5m2": "fnuz" if old_amd else ""}.get(wanted)
    return UNKNOWN if suffix is None else DType.parse(f"float8_{wanted}{suffix}") or UNKNOWN


@model("tilelang.utils.determine_torch_fp8_type", "tilelang.language.determine_torch_fp8_type")
def determine_torch_fp8_type(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    return determine_fp8_type(ev, args, kwargs)


@model(
    "tilelang.contrib.nvcc.get_target_compute_version",
    "tilelang.contrib.nvcc.get_target_arch",
    "tilelang.carver.arch.driver.get_num_sms",
    "tilelang.carver.arch.driver.get_sm_count",
    "tilelang.utils.target.determine_target",
    "tilelang.utils.determine_target",
    "tilelang.backend.target.determine_target",
)
def target_query(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    """Questions about the target whose answers are not modelled: the instances depend on the target."""
    ev.target_arch()
    return UNKNOWN


@model("tvm.DataType", "tilelang.tvm.DataType", "tvm.ffi.DataType", "tilelang.DataType")
def data_type(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    return (DType.parse(args[0]) or UNKNOWN) if args else UNKNOWN


_SPARSE_GROUPS = {32: 2, 16: 4, 8: 4, 4: 8}
"""Elements that share 4 bits of metadata in 2:4 sparse operands, by element width (PTX ISA, mma.sp)."""


@model("tilelang.cuda.intrinsics.sparse_layout.get_e_factor", "sparse_utils.get_e_factor")
def get_e_factor(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    """Elements of A for each element of its sparsity metadata."""
    kinds = [DType.parse(value) for value in (*args, *kwargs.values())]
    if len(kinds) < 2 or kinds[0] is None or kinds[1] is None or kinds[0].bits not in _SPARSE_GROUPS:
        return UNKNOWN
    return kinds[1].bits // 4 * _SPARSE_GROUPS[kinds[0].bits]


@model("tilelang.contrib.nvcc.parse_compute_version")
def parse_compute_version(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    return _capability(ev)


@model(
    "tilelang.utils.target.check_hip_availability",
    "tilelang.utils.target.check_metal_availability",
    "tilelang.utils.is_hip",
)
def never(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    return False


@model("tilelang.utils.target.check_cuda_availability")
def always(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    return True


@model("tilelang.tvm.target.Target", "tvm.target.Target")
def target(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    name = target_name(args[0] if args else kwargs.get("target"))
    return Object(Class("Target", (), {}, external_base=True), {"_target": name}) if name is not None else UNKNOWN
