"""Kernel instances: a program together with the values and the call chain that made it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from tilelang.ir.span import NOWHERE, Span

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tilelang.ir.problem import Problem
    from tilelang.ir.program import Program

Style = Literal["lazy", "eager", "primfunc"]
"""``lazy``: a ``@tilelang.jit`` factory that returns a ``@T.prim_func``; ``eager``: the body of the
``@tilelang.jit`` function is the kernel; ``primfunc``: a bare ``@T.prim_func``."""

Origin = Literal["call", "autotune", "default", "directive", "symbolic"]
"""Where the values come from: a call that the program makes, one entry of the tuner's list, parameter
defaults, a ``# tilelang: instance(...)`` comment, or nowhere (parameters stay symbolic)."""


@dataclass(frozen=True, slots=True)
class CallLink:
    """One call on the way from the module to the kernel, outermost first in a chain."""

    function: str
    span: Span


@dataclass(frozen=True, slots=True)
class JitOptions:
    """What ``@tilelang.jit(...)``, ``tilelang.compile(...)`` or ``tilelang.lower(...)`` was told. ``None`` where
    nothing was said or the value is unknown. ``span`` is the decorator or the call."""

    out_idx: tuple[int, ...] | None = None
    out_idx_span: Span | None = None
    target: str | None = None
    pass_configs: tuple[tuple[str, object], ...] = ()
    span: Span = NOWHERE

    def pass_config(self, name: str) -> object:
        """The value of one pass config by its key's name (``TL_DISABLE_THREAD_STORAGE_SYNC`` or the dotted form)."""
        wanted = name.rsplit(".", 1)[-1].lower().removeprefix("tl_")
        for key, value in self.pass_configs:
            if key.rsplit(".", 1)[-1].lower().removeprefix("tl_") == wanted:
                return value
        return None


@dataclass(frozen=True, slots=True)
class TuneEntry:
    """One entry of an autotune list. ``span`` is the entry as written, or the decorator if it was computed."""

    index: int
    count: int
    values: tuple[tuple[str, object], ...]
    span: Span
    decorator: Span


@dataclass(frozen=True, slots=True, eq=False)
class Instance:
    """One kernel with the values that one call gives it.

    ``bindings``: parameter name -> plain value (number, string, bool, DType, tuple), :class:`TensorArg` or ``None``
    where unknown. ``arg_spans``: where each explicitly given argument is written (call site or config entry).
    ``certain`` is False if the instance exists only under a condition that is unknown: rules lower its errors.
    ``expected_failure`` is True under ``pytest.raises``, ``xfail`` and the like. ``reevaluate`` builds the same
    instance with some bindings changed, or returns None.
    """

    program: Program
    kernel: str
    factory: str
    style: Style
    path: str
    line: int
    factory_path: str
    factory_line: int
    bindings: Mapping[str, object] = field(default_factory=dict[str, object])
    closure: Mapping[str, object] = field(default_factory=dict[str, object])
    arg_spans: Mapping[str, Span] = field(default_factory=dict[str, Span])
    chain: tuple[CallLink, ...] = ()
    origin: Origin = "call"
    certain: bool = True
    expected_failure: bool = False
    tune: TuneEntry | None = None
    jit: JitOptions = JitOptions()
    arch: str | None = None
    """Set when the program asked for the target: the values hold for this arch only."""
    requires: tuple[str, ...] | None = None
    """Arch names that decorators or a ``# tilelang: targets=`` comment narrow the kernel to; None means all."""
    problems: tuple[Problem, ...] = ()
    reevaluate: Callable[[Mapping[str, object]], Instance | None] | None = None

    @property
    def call_site(self) -> Span | None:
        """The innermost call that gave the values, if any."""
        return self.chain[-1].span if self.chain else None


@dataclass(frozen=True, slots=True)
class TensorArg:
    """The tensor that a call passes: shape (None where unknown) and dtype name."""

    shape: tuple[int | None, ...] | None
    dtype: str | None


@dataclass(frozen=True, slots=True)
class KernelStatus:
    """How far one kernel definition of a file was followed. ``state``: ``checked`` (at least one complete instance),
    ``partly`` (parts of the body or of the values unknown), ``unchecked`` (no instance; ``reason`` says why)."""

    name: str
    span: Span
    state: Literal["checked", "partly", "unchecked"]
    instances: int
    certain: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Trace:
    """Why a call did not become an instance, or a value became unknown (``--trace-instances``)."""

    message: str
    span: Span


@dataclass(frozen=True, slots=True)
class FileAnalysis:
    """What the evaluator learned about one file. ``problems`` belong to no instance (syntax, names, module code)."""

    path: str
    instances: tuple[Instance, ...]
    problems: tuple[Problem, ...]
    kernels: tuple[KernelStatus, ...]
    traces: tuple[Trace, ...] = ()
    uses_tilelang: bool = True
    dependencies: tuple[str, ...] = ()
    """Absolute paths of the other files whose content mattered: imported modules, and files with callers. A cached
    result is stale once one of them changes."""
