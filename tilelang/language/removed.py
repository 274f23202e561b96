"""Names that older versions of the language had. They still resolve, and the registry marks them as removed."""

from __future__ import annotations

from typing import Any

from tilelang.ir.dtype import DType, dtype
from tilelang.ir.unknown import UNKNOWN
from tilelang.language.context import describe, invalid, is_unknown

_FP8 = {"e4m3": dtype("float8_e4m3fn"), "e5m2": dtype("float8_e5m2")}


def determine_fp8_type(fp8_format: str = "e4m3") -> DType:
    """The 8-bit float type of NVIDIA GPUs with this format, e4m3 or e5m2. On AMD GPUs the type depends on the arch."""
    if is_unknown(fp8_format):
        return _FP8["e4m3"]
    if fp8_format not in _FP8:
        invalid("T.determine_fp8_type", "fp8_format", "'e4m3' or 'e5m2'", describe(fp8_format))
        return _FP8["e4m3"]
    return _FP8[fp8_format]


def determine_torch_fp8_type(fp8_format: str = "e4m3") -> Any:
    """Like :func:`determine_fp8_type`, as a PyTorch type."""
    return determine_fp8_type(fp8_format)


def resolve_torch_storage_dtype(value: Any) -> Any:
    """The type in which PyTorch stores elements of a dtype."""
    return UNKNOWN


def __getattr__(name: str) -> Any:
    if name in NAMES:
        return UNKNOWN
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


NAMES = (
    "BACKEND_ONLY_TIR_EXPORTS",
    "BaseBuilder",
    "CLASSIFIED_VENDOR_TIR_EXPORTS",
    "CUDA_ONLY_TIR_EXPORTS",
    "METAL_ONLY_TIR_EXPORTS",
    "ROCM_ONLY_TIR_EXPORTS",
    "SHARED_LEGACY_TIR_EXPORTS",
    "_TORCH_DTYPE_TO_STR",
    "_VALID_CAST_ROUNDING_MODES",
    "_all_dtypes",
    "_normalize_threads",
    "ds_read_tr16_b64",
    "ds_read_tr8_b64",
    "ir",
    "mfma",
    "mfma_store",
    "mutate",
    "tvm_mfma",
    "tvm_mfma_store",
)
"""Names of other dialects or of the implementation, found in programs. They give an unknown value."""
