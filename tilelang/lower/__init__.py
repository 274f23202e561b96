"""From tile IR to TIRX, the per-thread IR of Apache TVM. Only this package, the back ends and the runtime import it."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any


class _CallableModule(ModuleType):
    """``tilelang.lower`` is a function for programs, too. Importing this package makes it an attribute of that name, so
    the package stands in for the function."""

    def __call__(
        self,
        func_or_mod: Any,
        target: Any = "auto",
        target_host: Any = None,
        runtime_only: bool = False,
        enable_host_codegen: bool = False,
        enable_device_compile: bool = False,
    ) -> Any:
        from tilelang.engine import lower

        return lower(func_or_mod, target, target_host, runtime_only, enable_host_codegen, enable_device_compile)


sys.modules[__name__].__class__ = _CallableModule
