"""A compiler that does not compile: the host function of a kernel is a Python function of NumPy arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tilelang.backends import build as backend
from tilelang.backends.artifact import Artifact, ParamSpec, Signature
from tilelang.ir.buffer import Buffer
from tilelang.ir.expr import Var
from tilelang.ir.printer import text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import pytest

    from tilelang.ir.program import Program


@dataclass
class Result:
    artifact: Artifact | None
    problems: tuple[Any, ...] = ()


class FakeCompiler:
    """Counts what it compiles. ``body`` gets the arguments of each call, tensors as NumPy arrays."""

    def __init__(self, body: Callable[..., None]) -> None:
        self.body = body
        self.programs: list[Program] = []

    def build(self, program: Program, target: Any, pass_configs: Any = (), **options: Any) -> Result:
        self.programs.append(program)
        return Result(Artifact(signature_of(program), target.arch, (), "text", host=self))

    def _run(self, artifact: Artifact, values: Sequence[Any], dims: Mapping[str, int]) -> None:
        self.body(*(np.from_dlpack(value) if hasattr(value, "__dlpack__") else value for value in values))

    def install(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(backend, "build", self.build)
        monkeypatch.setattr("tilelang.runtime.cpu.run", self._run)
        monkeypatch.setattr("tilelang.runtime.cache.is_cache_enabled", lambda: False)


def signature_of(program: Program) -> Signature:
    params: list[ParamSpec] = []
    dims: dict[str, str] = {}
    for param in program.params:
        if isinstance(param, Buffer):
            extents = (*param.shape, *(param.strides or ()))
            dims.update((extent.name, str(extent.dtype)) for extent in extents if isinstance(extent, Var))
            strides = None if param.strides is None else tuple(map(_text, param.strides))
            params.append(ParamSpec(param.name, "tensor", str(param.dtype), tuple(map(_text, param.shape)), strides))
        else:
            params.append(ParamSpec(param.name, "scalar", str(param.dtype)))
    return Signature(program.name, tuple(params), tuple(dims.items()))


def _text(extent: Any) -> int | str:
    return extent if isinstance(extent, int) else text_of(extent)
