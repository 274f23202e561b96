"""From tile IR to TIRX, the per-thread IR of Apache TVM. Only this package, the back ends and the runtime import it."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any


class _CallableModule(ModuleType):
    """``tilelang.lower`` is a function for programs, too. Importing this package makes it an attribute of that name, so
    the package stands in for the function."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        from tilelang.engine import lower

        return lower(*args, **kwargs)


sys.modules[__name__].__class__ = _CallableModule
