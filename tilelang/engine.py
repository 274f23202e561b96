"""Lowering a kernel to source, and hooks on the generated source."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilelang.unavailable import no_compiler

if TYPE_CHECKING:
    from collections.abc import Callable


def lower(
    func_or_mod: Any,
    target: Any = "auto",
    target_host: Any = None,
    runtime_only: bool = False,
    enable_host_codegen: bool = False,
    enable_device_compile: bool = False,
) -> Any:
    """Lower a kernel for a target and give its source."""
    no_compiler("tilelang.lower")


def register_cuda_postproc(func: Callable[..., Any], override: bool = True) -> Any:
    """Let a function change generated CUDA source."""
    return func


def register_hip_postproc(func: Callable[..., Any], override: bool = True) -> Any:
    """Let a function change generated HIP source."""
    return func


def register_c_postproc(func: Callable[..., Any], override: bool = True) -> Any:
    """Let a function change generated C source."""
    return func
