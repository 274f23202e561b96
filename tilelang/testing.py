"""Helpers of tests: skip marks, random seeds, comparison of tensors.

Kernels cannot run in this version, so a test that requires a device is skipped.
"""

from __future__ import annotations

import random
import sys
from typing import TYPE_CHECKING, Any

from tilelang.unavailable import no_compiler
from tilelang.utils import torch_assert_close

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "main",
    "process_func",
    "regression",
    "requires_cdna",
    "requires_cuda",
    "requires_cuda_compute_version",
    "requires_cuda_compute_version_eq",
    "requires_cuda_compute_version_ge",
    "requires_cuda_compute_version_gt",
    "requires_cuda_compute_version_le",
    "requires_cuda_compute_version_lt",
    "requires_cuda_or_cdna",
    "requires_gfx950",
    "requires_llvm",
    "requires_metal",
    "requires_package",
    "requires_rocm",
    "set_random_seed",
    "torch_assert_close",
]


def main() -> None:
    """Run the tests of the calling file with pytest, and end the program with its exit status."""
    import subprocess

    file = sys._getframe(1).f_code.co_filename  # pyright: ignore[reportPrivateUsage]
    sys.exit(subprocess.run([sys.executable, "-m", "pytest", file, *sys.argv[1:]], check=False).returncode)


def set_random_seed(seed: int = 42) -> None:
    """Seed :mod:`random`, and NumPy and PyTorch if the program uses them."""
    random.seed(seed)
    numpy: Any = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed(seed)
    torch: Any = sys.modules.get("torch")
    if torch is not None:
        torch.manual_seed(seed)


def _skip(function: Any, what: str) -> Any:
    from unittest import skip

    return skip(f"requires {what}, and kernels cannot run in this version")(function)


def requires_cuda(func: Any) -> Any:
    """Skip the test unless there is an NVIDIA GPU."""
    return _skip(func, "CUDA")


def requires_rocm(func: Any) -> Any:
    """Skip the test unless there is an AMD GPU."""
    return _skip(func, "ROCm")


def requires_metal(func: Any) -> Any:
    """Skip the test unless there is an Apple GPU."""
    return _skip(func, "Metal")


def requires_llvm(func: Any) -> Any:
    """Skip the test unless kernels can be compiled for the CPU."""
    return _skip(func, "LLVM")


def requires_cdna(func: Any) -> Any:
    """Skip the test unless there is a data-centre GPU of AMD."""
    return _skip(func, "a CDNA GPU")


def requires_gfx950(func: Any) -> Any:
    """Skip the test unless there is a gfx950."""
    return _skip(func, "gfx950")


def requires_cuda_or_cdna(func: Any) -> Any:
    """Skip the test unless there is an NVIDIA GPU or a data-centre GPU of AMD."""
    return _skip(func, "CUDA or a CDNA GPU")


def requires_package(*packages: str) -> Callable[[Any], Any]:
    """Skip the test unless these packages are installed."""
    from importlib.util import find_spec

    missing = [package for package in packages if find_spec(package) is None]
    return (lambda func: _skip(func, ", ".join(missing))) if missing else (lambda func: func)


def requires_cuda_compute_version(major_version: int, minor_version: int = 0, mode: str = "ge") -> Callable[[Any], Any]:
    """Skip the test unless the compute capability compares as told: ``mode`` is ge, gt, le, lt or eq."""
    return lambda func: _skip(func, f"compute capability {mode} {major_version}.{minor_version}")


def requires_cuda_compute_version_ge(major_version: int, minor_version: int = 0) -> Callable[[Any], Any]:
    """Skip the test unless the compute capability is this or later."""
    return requires_cuda_compute_version(major_version, minor_version, "ge")


def requires_cuda_compute_version_gt(major_version: int, minor_version: int = 0) -> Callable[[Any], Any]:
    """Skip the test unless the compute capability is later."""
    return requires_cuda_compute_version(major_version, minor_version, "gt")


def requires_cuda_compute_version_eq(major_version: int, minor_version: int = 0) -> Callable[[Any], Any]:
    """Skip the test unless the compute capability is this."""
    return requires_cuda_compute_version(major_version, minor_version, "eq")


def requires_cuda_compute_version_lt(major_version: int, minor_version: int = 0) -> Callable[[Any], Any]:
    """Skip the test unless the compute capability is earlier."""
    return requires_cuda_compute_version(major_version, minor_version, "lt")


def requires_cuda_compute_version_le(major_version: int, minor_version: int = 0) -> Callable[[Any], Any]:
    """Skip the test unless the compute capability is this or earlier."""
    return requires_cuda_compute_version(major_version, minor_version, "le")


def process_func(func: Callable[..., float], name: str | None = None, /, **kwargs: Any) -> None:
    """Run one case of a performance regression."""
    no_compiler("tilelang.testing.process_func")


def regression(prefixes: Any = ("regression_",), verbose: bool = True) -> None:
    """Run the performance regressions of the calling file."""
    no_compiler("tilelang.testing.regression")
