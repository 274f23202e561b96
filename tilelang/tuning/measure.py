"""Measuring one compiled configuration: inputs, comparison with the reference, time."""

from __future__ import annotations

from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tilelang.frontend.containers import is_sequence
from tilelang.language.policy import TensorSupplyType
from tilelang.profiler import Profiler, do_bench
from tilelang.runtime.arrays import loaded
from tilelang.runtime.compare import assert_close
from tilelang.runtime.devices import cuda_archs

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from tilelang.runtime.kernel import JITKernel
    from tilelang.targets import Target
    from tilelang.tuning.result import State


@dataclass
class MeasureOptions:
    """How configurations are measured and compared. ``inputs``: tensors to use, else ``supply_prog`` or random ones."""

    warmup: float = 25
    rep: float = 100
    timeout: float = 100
    supply_type: TensorSupplyType = TensorSupplyType.Auto
    ref_prog: Callable[..., Any] | None = None
    supply_prog: Callable[..., Any] | None = None
    rtol: float = 1e-2
    atol: float = 1e-2
    max_mismatched_ratio: float = 0.01
    skip_check: bool = False
    manual_check_prog: Callable[..., Any] | None = None
    cache_input_tensors: bool = False
    early_stop: bool = False
    early_stop_factor: float = 2.0
    backend: str = "event"
    inputs: Sequence[Any] | None = None
    kept: dict[int, list[Any]] = field(default_factory=dict[int, "list[Any]"])
    """Inputs by device, where they are kept for all configurations."""


@dataclass(frozen=True)
class Measurement:
    """What came out for one configuration, in milliseconds."""

    state: State
    latency: float | None = None
    reference: float | None = None
    reason: str = ""


def devices_for(target: Target) -> list[int]:
    """The GPUs of this machine that run a target's code; for the CPU, one place."""
    if target.family != "cuda":
        return [-1]
    archs = cuda_archs()
    same = [i for i, arch in enumerate(archs) if arch == target.arch]
    return same or list(range(len(archs))) or [0]


@contextmanager
def _on(device: int) -> Generator[None]:
    """Make a GPU the current one of this thread, for the libraries too."""
    torch = loaded("torch")
    with torch.cuda.device(device) if torch is not None and device >= 0 else nullcontext():
        yield


def measured(kernel: JITKernel, device: int, options: MeasureOptions, best: float | None) -> Measurement:
    """Compare and time a kernel on a device. ``best``: the fastest time so far."""
    with _on(device):
        profiler = Profiler.of(kernel, options.supply_type)
        inputs = _inputs(profiler, device, options)
        wrong = "" if options.skip_check or options.ref_prog is None else _difference(profiler, inputs, options)
        if wrong:
            return Measurement("wrong", reason=wrong)
        limit = best * options.early_stop_factor if options.early_stop and best is not None else None
        latency = float(
            profiler.do_bench(
                warmup=options.warmup,
                rep=options.rep,
                input_tensors=inputs,
                early_stop_baseline=limit,
            )
        )
        if limit is not None and latency > limit:
            return Measurement("slow", latency)
        return Measurement("ok", latency, _reference(inputs, device, options))


def _inputs(profiler: Profiler, device: int, options: MeasureOptions) -> list[Any]:
    if options.inputs is not None:
        return list(options.inputs)
    known = options.kept.get(device)
    if known is not None:
        return known
    made = profiler.make_inputs() if options.supply_prog is None else list(options.supply_prog(profiler.params))
    if options.cache_input_tensors:
        options.kept[device] = made
    return made


def _difference(profiler: Profiler, inputs: Sequence[Any], options: MeasureOptions) -> str:
    """Why the results are wrong; empty if they are right."""
    assert options.ref_prog is not None
    try:
        if options.manual_check_prog is not None:
            profiler.manual_assert_close(options.ref_prog, inputs, options.manual_check_prog)
            return ""
        want, have = options.ref_prog(*inputs), profiler.func(*inputs)
        for one, other in zip(_listed(have), _listed(want), strict=False):
            assert_close(
                one,
                other,
                rtol=options.rtol,
                atol=options.atol,
                max_mismatched_ratio=options.max_mismatched_ratio,
            )
    except AssertionError as error:
        return str(error)
    return ""


def _reference(inputs: Sequence[Any], device: int, options: MeasureOptions) -> float | None:
    program = options.ref_prog
    if program is None:
        return None
    backend: Any = "wall" if device < 0 else "event"
    return float(do_bench(lambda: program(*inputs), warmup=options.warmup, rep=options.rep, backend=backend))


def _listed(value: Any) -> list[Any]:
    return [] if value is None else list(value) if is_sequence(value) else [value]
