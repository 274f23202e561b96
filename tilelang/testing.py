"""Helpers of tests: skip marks, random seeds, comparison of tensors."""

from __future__ import annotations

import operator
import random
import sys
from typing import TYPE_CHECKING, Any

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


def _capability() -> tuple[int, int] | None:
    """The compute capability of the first NVIDIA GPU; ``None`` where there is none."""
    from tilelang.runtime.devices import cuda_archs

    archs = cuda_archs()
    return (int(archs[0][3:-1]), int(archs[0][-1])) if archs else None


def _unless(holds: bool, function: Any, what: str) -> Any:
    from unittest import skipIf

    return skipIf(not holds, f"requires {what}")(function)


def requires_cuda(func: Any) -> Any:
    """Skip the test unless there is an NVIDIA GPU."""
    return _unless(_capability() is not None, func, "an NVIDIA GPU")


def requires_rocm(func: Any) -> Any:
    """Skip the test: kernels do not run on AMD GPUs yet."""
    return _unless(False, func, "ROCm")


def requires_metal(func: Any) -> Any:
    """Skip the test: kernels do not run on Apple GPUs yet."""
    return _unless(False, func, "Metal")


def requires_llvm(func: Any) -> Any:
    """Skip the test unless kernels can be compiled for the CPU."""
    from importlib.util import find_spec

    return _unless(find_spec("tvm") is not None, func, "apache-tvm")


def requires_cdna(func: Any) -> Any:
    """Skip the test: kernels do not run on data-centre GPUs of AMD yet."""
    return _unless(False, func, "a CDNA GPU")


def requires_gfx950(func: Any) -> Any:
    """Skip the test: kernels do not run on a gfx950 yet."""
    return _unless(False, func, "gfx950")


def requires_cuda_or_cdna(func: Any) -> Any:
    """Skip the test unless there is an NVIDIA GPU or a data-centre GPU of AMD that kernels run on."""
    return requires_cuda(func)


def requires_package(*packages: str) -> Callable[[Any], Any]:
    """Skip the test unless these packages are installed."""
    from importlib.util import find_spec

    missing = [package for package in packages if find_spec(package) is None]
    return lambda func: _unless(not missing, func, ", ".join(missing))


def requires_cuda_compute_version(major_version: int, minor_version: int = 0, mode: str = "ge") -> Callable[[Any], Any]:
    """Skip the test unless the compute capability compares as told: ``mode`` is ge, gt, le, lt or eq."""
    have, want = _capability(), (major_version, minor_version)
    holds = have is not None and bool(_COMPARISONS[mode](have, want))
    return lambda func: _unless(holds, func, f"compute capability {mode} {major_version}.{minor_version}")


_COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "ge": operator.ge,
    "gt": operator.gt,
    "eq": operator.eq,
    "lt": operator.lt,
    "le": operator.le,
}


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


_measured: dict[str, float] = {}


def process_func(func: Callable[..., float], name: str | None = None, /, **kwargs: Any) -> float:
    """Run one case of a performance regression, a function that returns a latency, and keep the figure."""
    latency = float(func(**kwargs))
    _measured[name or getattr(func, "__module__", "").rpartition(".")[2] or func.__name__] = latency
    return latency


def regression(prefixes: tuple[str, ...] = ("regression_",), verbose: bool = True) -> dict[str, float]:
    """Run the functions of the calling file whose names begin with a prefix, and print and return the latencies that
    they keep with :func:`process_func`."""
    from tilelang.language.decorators import caller_variables

    _measured.clear()
    for name, function in list(caller_variables().items()):
        if name.startswith(tuple(prefixes)) and callable(function):
            function()
    if verbose:
        for name, latency in _measured.items():
            print(f"{name}: {latency:.6f} ms")
    return dict(_measured)
