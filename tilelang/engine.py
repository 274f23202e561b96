"""Lowering a kernel to source, and hooks on the generated source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from tilelang.backends.artifact import Artifact, ParamSpec


@dataclass(frozen=True)
class CompiledArtifact:
    """What :func:`lower` gives. ``kernel_source`` is the generated code; ``params`` are the kernel's parameters."""

    artifact: Artifact

    @property
    def kernel_source(self) -> str:
        return self.artifact.source

    @property
    def params(self) -> tuple[ParamSpec, ...]:
        return self.artifact.signature.params


def lower(
    func_or_mod: Any,
    target: Any = "auto",
    target_host: Any = None,
    runtime_only: bool = False,
    enable_host_codegen: bool = False,
    enable_device_compile: bool = False,
) -> CompiledArtifact:
    """Lower a kernel for a target and give its source."""
    from tilelang.runtime.build import build_kernel

    return CompiledArtifact(build_kernel(func_or_mod, None, target, None)[0])


_postprocessors: dict[str, Callable[[str, Any], str]] = {}
"""By family: a function of the program that changes generated source."""


def _register(family: str, func: Callable[..., Any], override: bool) -> Any:
    if family in _postprocessors and not override:
        raise ValueError(f"a function for {family} is registered already")
    _postprocessors[family] = func
    return func


def postprocessor(family: str) -> Callable[[str, Any], str] | None:
    """The function that was registered for a family of targets, if any: ``function(source, target)``."""
    return _postprocessors.get(family)


def register_cuda_postproc(func: Callable[..., Any], override: bool = True) -> Any:
    """Let ``func(source, target)`` change generated CUDA source before it is assembled."""
    return _register("cuda", func, override)


def register_hip_postproc(func: Callable[..., Any], override: bool = True) -> Any:
    """Let ``func(source, target)`` change generated HIP source."""
    return _register("rocm", func, override)


def register_c_postproc(func: Callable[..., Any], override: bool = True) -> Any:
    """Let ``func(source, target)`` change generated C source."""
    return _register("cpu", func, override)
