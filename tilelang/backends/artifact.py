"""What compiling a program gives: plain data that can be cached, sent between processes and launched without TVM."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Extent = int | str
"""A number, or a formula in Python's integer syntax over the names of the program's dims (``"(n + 127) // 128"``)."""


@dataclass(frozen=True, slots=True)
class ParamSpec:
    """One parameter of the program, in source order. ``kind``: ``tensor``, ``scalar`` or ``pointer``. ``shape`` and
    ``strides`` count elements of ``dtype``; ``strides`` is ``None`` for a dense row-major tensor."""

    name: str
    kind: Literal["tensor", "scalar", "pointer"]
    dtype: str
    shape: tuple[Extent, ...] = ()
    strides: tuple[Extent, ...] | None = None


@dataclass(frozen=True, slots=True)
class Signature:
    """How a program is called. ``dims`` are the names of the sizes that are found from the shapes and strides of the
    arguments at the call. ``outputs`` are positions in ``params`` of tensors that the call allocates and returns."""

    name: str
    params: tuple[ParamSpec, ...]
    dims: tuple[tuple[str, str], ...] = ()
    """Pairs of a name and its dtype."""
    outputs: tuple[int, ...] = ()
    assumptions: tuple[tuple[Extent, str], ...] = ()
    """Conditions on the sizes and scalars that must hold at the call, each with its text (``T.assume``)."""


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a device function. ``kind``: ``param`` (``name`` is a parameter of the program), ``dim`` (one of
    ``Signature.dims``) or ``workspace`` (device memory that the launch allocates, ``shape`` x ``dtype``)."""

    kind: Literal["param", "dim", "workspace"]
    name: str
    dtype: str
    shape: tuple[Extent, ...] = ()


@dataclass(frozen=True, slots=True)
class Resources:
    """What the assembler reports of one device function. Bytes, per thread for local memory, per block for shared."""

    registers: int | None = None
    spill_stores: int | None = None
    spill_loads: int | None = None
    stack: int | None = None
    static_shared: int | None = None
    dynamic_shared: int = 0


@dataclass(frozen=True, slots=True)
class DeviceKernel:
    """One device function and how it is launched, in the order of the program's launches."""

    symbol: str
    grid: tuple[Extent, Extent, Extent]
    block: tuple[int, int, int]
    arguments: tuple[Argument, ...]
    dynamic_shared: int = 0
    cluster: tuple[int, int, int] | None = None
    resources: Resources = Resources()


@dataclass(frozen=True, slots=True)
class Artifact:
    """The code of one program for one target.

    ``target`` is the arch name (``sm_80``, ``cpu``). ``source`` is the text that went to the assembler: CUDA C++ for
    CUDA, with ``#line`` directives that name files of ``files``; LLVM's language for the CPU. ``ptx`` and ``cubin``
    exist for CUDA. ``host`` is the loaded host module of the CPU target; it does not travel between processes.
    ``stages`` are the texts of the intermediate forms by name, in order, made on request: ``tile-ir``, ``tir``, and
    ``asm`` for the CPU.
    """

    signature: Signature
    target: str
    kernels: tuple[DeviceKernel, ...]
    source: str
    ptx: str | None = None
    cubin: bytes | None = None
    files: tuple[str, ...] = ()
    log: str = ""
    stages: tuple[tuple[str, str], ...] = ()
    host: object = field(default=None, compare=False, repr=False)
