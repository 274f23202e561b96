"""The TileLang core: language, syntax, abstract evaluation, tile IR, passes and targets.

Names are imported when they are first asked for. Upstream's internals keep their names and raise
:class:`~tilelang.unavailable.CompilerUnavailableError` when called.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

__distribution__ = "tilelang-suite"
"""Upstream's package has the same import name; this tells the two apart."""

if TYPE_CHECKING:
    import contextlib as contextlib
    import ctypes as ctypes
    import logging as logging
    import os as os
    import sys as sys
    import warnings as warnings
    from pathlib import Path as Path

    from tilelang import autotuner as autotuner
    from tilelang import cache as cache
    from tilelang import carver as carver
    from tilelang import engine as engine
    from tilelang import env as env
    from tilelang import intrinsics as intrinsics
    from tilelang import ir as ir
    from tilelang import language as language
    from tilelang import layout as layout
    from tilelang import math as math
    from tilelang import profiler as profiler
    from tilelang import testing as testing
    from tilelang import transform as transform
    from tilelang import tvm as tvm
    from tilelang import utils as utils
    from tilelang.autotuner import autotune as autotune
    from tilelang.engine import lower as lower
    from tilelang.engine import register_c_postproc as register_c_postproc
    from tilelang.engine import register_cuda_postproc as register_cuda_postproc
    from tilelang.engine import register_hip_postproc as register_hip_postproc
    from tilelang.env import disable_cache as disable_cache
    from tilelang.env import enable_cache as enable_cache
    from tilelang.env import get_runtime_library_dirs as get_runtime_library_dirs
    from tilelang.env import is_cache_enabled as is_cache_enabled
    from tilelang.env import prepend_dll_search_path as prepend_dll_search_path
    from tilelang.env import set_log_level as set_log_level
    from tilelang.jit import JITKernel as JITKernel
    from tilelang.jit import compile as compile  # noqa: A004  # the name is upstream's
    from tilelang.jit import jit as jit
    from tilelang.jit import par_compile as par_compile
    from tilelang.language import dtypes as dtypes
    from tilelang.language.dtypes import dtype as _dtype
    from tilelang.language.layouts import Fragment as Fragment
    from tilelang.language.layouts import Layout as Layout
    from tilelang.language.policy import TensorSupplyType as TensorSupplyType
    from tilelang.live.check import check_kernel as check_kernel
    from tilelang.live.errors import CompileError as CompileError
    from tilelang.math import cdiv as cdiv
    from tilelang.math import next_power_of_2 as next_power_of_2
    from tilelang.profiler import Profiler as Profiler
    from tilelang.profiler import bench as bench
    from tilelang.profiler import check as check
    from tilelang.profiler import do_bench as do_bench
    from tilelang.runtime.bundle import export as export
    from tilelang.runtime.bundle import load as load
    from tilelang.transform import PassConfigKey as PassConfigKey
    from tilelang.utils import build_date as build_date
    from tilelang.utils import deprecated as deprecated

    DataType = _dtype
    _ffi_api: Any
    analysis: Any
    ascend: Any
    backend: Any
    contrib: Any
    cpu: Any
    cuda: Any
    instrumentation: Any
    libinfo: Any
    logger: Any
    metal: Any
    path: Path
    rocm: Any
    runtime_library_dirs: list[str]
    tileop: Any
    tools: Any
    webgpu: Any

_MEMBERS = {
    "CompileError": "tilelang.live.errors:CompileError",
    "DataType": "tilelang.language.dtypes:dtype",
    "Fragment": "tilelang.language.layouts:Fragment",
    "JITKernel": "tilelang.jit:JITKernel",
    "Layout": "tilelang.language.layouts:Layout",
    "PassConfigKey": "tilelang.transform:PassConfigKey",
    "Path": "pathlib:Path",
    "Profiler": "tilelang.profiler:Profiler",
    "TensorSupplyType": "tilelang.language.policy:TensorSupplyType",
    "autotune": "tilelang.autotuner:autotune",
    "bench": "tilelang.profiler:bench",
    "build_date": "tilelang.utils:build_date",
    "cdiv": "tilelang.math:cdiv",
    "check": "tilelang.profiler:check",
    "check_kernel": "tilelang.live.check:check_kernel",
    "compile": "tilelang.jit:compile",
    "deprecated": "tilelang.utils:deprecated",
    "disable_cache": "tilelang.env:disable_cache",
    "do_bench": "tilelang.profiler:do_bench",
    "enable_cache": "tilelang.env:enable_cache",
    "export": "tilelang.runtime.bundle:export",
    "get_runtime_library_dirs": "tilelang.env:get_runtime_library_dirs",
    "is_cache_enabled": "tilelang.env:is_cache_enabled",
    "jit": "tilelang.jit:jit",
    "load": "tilelang.runtime.bundle:load",
    "logger": "tilelang.env:logger",
    "lower": "tilelang.engine:lower",
    "next_power_of_2": "tilelang.math:next_power_of_2",
    "par_compile": "tilelang.jit:par_compile",
    "path": "tilelang.env:path",
    "prepend_dll_search_path": "tilelang.env:prepend_dll_search_path",
    "register_c_postproc": "tilelang.engine:register_c_postproc",
    "register_cuda_postproc": "tilelang.engine:register_cuda_postproc",
    "register_hip_postproc": "tilelang.engine:register_hip_postproc",
    "runtime_library_dirs": "tilelang.env:runtime_library_dirs",
    "set_log_level": "tilelang.env:set_log_level",
}
_STANDARD = frozenset(("contextlib", "ctypes", "logging", "os", "sys", "warnings"))
_MODULES = frozenset(
    (
        "autotuner",
        "cache",
        "carver",
        "engine",
        "env",
        "intrinsics",
        "ir",
        "language",
        "layout",
        "math",
        "profiler",
        "testing",
        "transform",
        "tvm",
        "utils",
    )
)
_UNAVAILABLE = frozenset(
    (
        "_ffi_api",
        "analysis",
        "ascend",
        "backend",
        "contrib",
        "cpu",
        "cuda",
        "instrumentation",
        "libinfo",
        "metal",
        "rocm",
        "tileop",
        "tools",
        "webgpu",
    )
)


if not TYPE_CHECKING:
    # Type checkers must not see this function: it would make every misspelt name a value of unknown type.
    def __getattr__(name: str) -> Any:
        from importlib import import_module

        if name in _MEMBERS:
            home, _, member = _MEMBERS[name].partition(":")
            module = import_module(home)
            # Importing ``tilelang.jit`` makes the module an attribute of this package; the decorator takes its place.
            leaf = home.rpartition(".")[2]
            if leaf in _MEMBERS:
                globals()[leaf] = getattr(module, leaf)
            found = getattr(module, member)
        elif name in _MODULES:
            found = import_module(f"tilelang.{name}")
        elif name == "dtypes":
            found = import_module("tilelang.language.dtypes")
        elif name in _STANDARD:
            found = import_module(name)
        elif name in _UNAVAILABLE:
            from tilelang.unavailable import Unavailable

            found = Unavailable(f"tilelang.{name}")
        else:
            raise AttributeError(f"module 'tilelang' has no attribute {name!r}")
        globals()[name] = found
        return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_MEMBERS, *_MODULES, *_STANDARD, *_UNAVAILABLE, "dtypes"})
