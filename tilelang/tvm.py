"""Apache TVM under the name that upstream gives it.

What the compiler decides itself replaces TVM's: ``tilelang.tvm.TVMError`` and ``tilelang.tvm.error.InternalError`` are
what a kernel that does not compile raises, and ``tilelang.tvm.transform.PassContext`` sets the pass configs of kernels.
Everything else is TVM's, loaded when it is asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from tilelang.live.errors import CompileError
from tilelang.transform import PassContext


class _Overlay:
    """A module of TVM with members of ours over it."""

    def __init__(self, name: str, **members: Any) -> None:
        self._name = name
        self.__dict__.update(members)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(getattr(import_module("tvm"), self._name), name)

    def __repr__(self) -> str:
        return f"<tvm.{self._name} of tilelang>"


TVMError = CompileError
error = _Overlay("error", TVMError=CompileError, InternalError=CompileError, DiagnosticError=CompileError)
transform = _Overlay("transform", PassContext=PassContext)


def __getattr__(name: str) -> Any:
    return getattr(import_module("tvm"), name)
