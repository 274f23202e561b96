"""The target that a running program compiles for."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from tilelang.runtime.devices import cuda_archs
from tilelang.targets import DEFAULT_TARGET, read_request, resolve, suggest

if TYPE_CHECKING:
    from tilelang.targets import Target


def _around() -> str | None:
    """The target that the program entered, as TVM prints it."""
    tvm: Any = sys.modules.get("tvm")
    current = None if tvm is None else tvm.target.Target.current(allow_none=True)
    return None if current is None else str(current)


def choose_target(value: object = None) -> Target:
    """The target of ``jit(target=)`` or ``compile(target=)``: a name, ``"cuda -arch=sm_80"``, a mapping, or an object
    that prints as one of these. ``None`` and ``"auto"`` are TVM's target around the call (``with
    tilelang.tvm.target.Target(...):``). Else ``None`` reads ``TILELANG_DEFAULT_TARGET``, or is ``"auto"``: CUDA where
    there is a GPU, else the CPU. ``"cuda"`` alone is the GPU of this machine, or sm_80 where there is none. Raises
    ``ValueError``."""
    if value is None or value == "auto":
        value = _around() or value
    if value is None:
        value = os.environ.get("TILELANG_DEFAULT_TARGET") or os.environ.get("TILELANG_TARGET") or "auto"
    request = read_request(value)
    if request is None and not isinstance(value, str):
        request = read_request(str(value))
    if request is None:
        close = ", ".join(suggest(str(value)))
        raise ValueError(f"unknown target {value!r}" + (f"; did you mean {close}?" if close else ""))
    if request.target is not None:
        return request.target
    archs = cuda_archs() if request.family in (None, "cuda") else ()
    name = archs[0] if archs else "cpu" if request.family in (None, "cpu") else DEFAULT_TARGET
    if request.family not in (None, "cuda", "cpu"):
        raise ValueError(f"the target {value!r} names no device; name an arch, such as gfx942")
    target = resolve(name)
    if target is None:
        raise ValueError(f"the GPU of this machine ({name}) is not known")
    return target
