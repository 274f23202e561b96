"""``--compile``: the instances of a file, compiled down to machine code in worker processes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from concurrent.futures import Future

    from tilelang.backends.compiling import Outcome
    from tilelang.backends.workers import Pool
    from tilelang.frontend.instance import Instance
    from tilelang.listing import Listing
    from tilelang.targets import Target

FAMILIES = ("cuda", "cpu")
"""Families that have a code generator."""
MISSING_COMPILER = "--compile needs the compiler, which is not installed: pip install 'tilelang-suite[cuda]'"
MISSING_NVRTC = (
    "--compile needs NVRTC for NVIDIA's GPUs: pip install 'tilelang-suite[cuda]' (for Linux and Windows), "
    "or set CUDA_HOME to a CUDA toolkit"
)


def unavailable() -> str | None:
    """Why nothing can be compiled here; None if it can. Imports no compiler."""
    from importlib.util import find_spec

    if find_spec("tvm") is None:
        return MISSING_COMPILER
    from tilelang.backends.cuda.toolchain import nvrtc_libraries

    return None if nvrtc_libraries() else MISSING_NVRTC


def compilers() -> str:
    """The versions of what decides the result of a compile, for the cache."""
    import importlib.metadata

    from tilelang.backends.cuda.toolchain import NVRTC_PACKAGES, toolkits

    found = [str(folder) for folder in toolkits()]
    for name in ("apache-tvm", *NVRTC_PACKAGES):
        try:
            found.append(f"{name}={importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            continue
    return " ".join(found)


class Compiler:
    """Compiles in ``jobs`` processes (default: one per core), which start with the first instance."""

    def __init__(self, jobs: int | None = None) -> None:
        self._jobs = jobs
        self._pool: Pool | None = None
        self._futures: dict[object, Future[Outcome]] = {}

    def start(self, instance: Instance, target: Target, structure: object) -> Future[Outcome] | None:
        """Begin to compile; None for what has no code: kernels with unknown parts or values, and devices without a code
        generator. Instances of one ``structure`` share their code."""
        if not can_compile(instance, target):
            return None
        key = (structure if structure is not None else id(instance), target.arch)
        if key not in self._futures:
            self._futures[key] = self._submit(instance, target, ())
        return self._futures[key]

    def sass(self, instance: Instance, target: Target) -> Listing | None:
        """The machine code of an instance; None if it cannot be shown. The assembler's result is known by now."""
        return self._submit(instance, target, ("sass",)).result().listing("sass")

    def forget(self) -> None:
        """Drop the results of one file."""
        self._futures.clear()

    def _submit(self, instance: Instance, target: Target, stages: tuple[str, ...]) -> Future[Outcome]:
        from tilelang.backends.compiling import Job
        from tilelang.backends.workers import Pool

        if self._pool is None:
            self._pool = Pool(self._jobs)
        return self._pool.submit(Job(instance.program, target, instance.jit.pass_configs, stages))


def can_compile(instance: Instance, target: Target) -> bool:
    """Whether everything about an instance is known that its code depends on."""
    known = instance.origin != "symbolic" and instance.program.complete
    return known and target.family in FAMILIES and not instance.expected_failure
