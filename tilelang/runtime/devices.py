"""The GPUs of this machine, asked of the driver."""

from __future__ import annotations

import sys
from functools import cache
from typing import Any


class DriverUnavailableError(RuntimeError):
    """A kernel cannot be launched: there is no driver, no GPU, or no binding to it."""


@cache
def driver() -> Any:
    """The binding of the CUDA driver, initialised. Raises :class:`DriverUnavailableError` with what is missing."""
    try:
        import cuda.bindings.driver  # noqa: F401  # type: ignore[import-not-found]  # part of the extra `cuda`
    except ImportError:
        raise DriverUnavailableError(
            "cuda-bindings is not installed: kernels can be compiled for CUDA but not launched; "
            "pip install 'tilelang-suite[cuda]'"
        ) from None
    binding: Any = sys.modules["cuda.bindings.driver"]
    try:
        (status,) = binding.cuInit(0)
    except (RuntimeError, OSError) as error:
        raise DriverUnavailableError(
            f"the NVIDIA driver (libcuda) is not on this machine, so nothing can be launched on CUDA: {error}"
        ) from None
    if status != binding.CUresult.CUDA_SUCCESS:
        raise DriverUnavailableError(f"the NVIDIA driver does not start: {status.name}")
    return binding


def check(result: Any) -> Any:
    """The value of a driver call. Raises ``RuntimeError`` if it failed."""
    status, *values = result
    if int(status) != 0:
        _, text = driver().cuGetErrorString(status)
        raise RuntimeError(f"CUDA driver: {text.decode() if text else status.name}")
    return values[0] if len(values) == 1 else tuple(values) if values else None


@cache
def cuda_archs() -> tuple[str, ...]:
    """The archs of the GPUs of this machine, in the driver's order; none without a driver."""
    try:
        binding = driver()
    except DriverUnavailableError:
        return ()
    kinds = binding.CUdevice_attribute
    found: list[str] = []
    for index in range(check(binding.cuDeviceGetCount())):
        device = check(binding.cuDeviceGet(index))
        major = check(binding.cuDeviceGetAttribute(kinds.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device))
        minor = check(binding.cuDeviceGetAttribute(kinds.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device))
        found.append(f"sm_{major}{minor}")
    return tuple(found)
