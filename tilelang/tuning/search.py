"""The search: drop what cannot work, compile the rest in parallel, measure, keep the fastest."""

from __future__ import annotations

import threading
from concurrent.futures import as_completed
from dataclasses import dataclass, replace
from queue import Empty, Queue
from typing import TYPE_CHECKING, Any

from tilelang.diagnostics import Severity
from tilelang.frontend.instance import Instance, JitOptions
from tilelang.live.check import check_kernel
from tilelang.runtime.kernel import JITKernel
from tilelang.tuning.measure import Measurement, MeasureOptions, devices_for, measured
from tilelang.tuning.progress import progress
from tilelang.tuning.result import Trial, TuneResult
from tilelang.tuning.space import PASS_CONFIGS
from tilelang.tuning.work import executor_for, submit, unpacked

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from concurrent.futures import Executor

    from tilelang.language.decorators import PrimFunc
    from tilelang.targets import Target

STOPPING = frozenset(("budget", "shape", "dtype", "layout"))
"""Groups of rules whose errors mean that a kernel does not compile or launch."""


class NoConfigurationError(RuntimeError):
    """No configuration gave a kernel that runs and is right. ``trials`` has the reasons."""

    def __init__(self, name: str, trials: Sequence[Trial]) -> None:
        self.trials = list(trials)
        reasons = "; ".join(dict.fromkeys(trial.reason.splitlines()[0] for trial in trials if trial.reason))
        super().__init__(f"{name}: none of {len(trials)} configurations works: {reasons}")


@dataclass(frozen=True)
class CompileOptions:
    """How every configuration is compiled."""

    target: Target
    out_idx: Sequence[int] | int | None = None
    pass_configs: Mapping[Any, Any] | None = None
    compile_flags: Sequence[str] | str | None = None


@dataclass(frozen=True)
class Candidate:
    """A configuration whose program passed the checks."""

    config: dict[str, Any]
    instance: Instance
    outputs: tuple[int, ...]


def search(
    name: str,
    configs: Sequence[dict[str, Any]],
    elaborate: Callable[[dict[str, Any]], PrimFunc[Any, Any]],
    compiling: CompileOptions,
    measuring: MeasureOptions,
    executor: Executor | None = None,
) -> TuneResult:
    """Try every configuration. Raises :class:`NoConfigurationError` if none works."""
    trials: list[Trial] = []
    candidates: list[Candidate] = []
    with progress(len(configs), f"{name}: checking") as bar:
        for config in configs:
            found = _candidate(config, elaborate, compiling)
            (trials if isinstance(found, Trial) else candidates).append(found)  # type: ignore[arg-type]  # one or other
            bar.update()
    best = _Best()
    ready: Queue[JITKernel | None] = Queue()
    measurers = [
        threading.Thread(target=_measure_all, args=(ready, device, measuring, best, trials), daemon=True)
        for device in devices_for(compiling.target)
    ]
    for thread in measurers:
        thread.start()
    try:
        with progress(len(candidates), f"{name}: compiling") as bar:
            _compile_all(candidates, compiling, executor, measuring.timeout, trials, ready, bar.update)
    finally:
        for _ in measurers:
            ready.put(None)
        for thread in measurers:
            thread.join()
    if best.kernel is None or best.latency is None:
        raise NoConfigurationError(name, trials)
    kernel = best.kernel
    kernel.update_tuner_result(best.latency, kernel.config or {}, best.reference)
    return TuneResult(dict(kernel.config or {}), best.latency, trials, kernel, best.reference)


def _candidate(
    config: dict[str, Any], elaborate: Callable[[dict[str, Any]], PrimFunc[Any, Any]], compiling: CompileOptions
) -> Candidate | Trial:
    """Elaborate one configuration and ask the checker about it."""
    from tilelang.live.elaborate import require_complete
    from tilelang.runtime.build import configs_of, output_positions

    own: dict[Any, Any] = {**(compiling.pass_configs or {}), **(config.get(PASS_CONFIGS) or {})}
    try:
        made = elaborate({name: value for name, value in config.items() if name != PASS_CONFIGS})
        program = require_complete(made.instance)
        outputs = output_positions(program, compiling.out_idx)
    except Exception as error:  # noqa: BLE001  # an assertion of the factory, or a refusal of the language
        return Trial(config, "refuted", reason=_reason(error))
    for finding in check_kernel(made.instance, compiling.target.arch, pass_configs=own):
        if finding.severity == Severity.ERROR and _group(finding.rule) in STOPPING:
            return Trial(config, "refuted", reason=f"{finding.message} [{finding.rule}]")
    configs = configs_of(own, program, compiling.compile_flags)
    jit = JitOptions(outputs, None, compiling.target.arch, configs, program.span)
    return Candidate(config, replace(made.instance, jit=jit), outputs)


def _group(rule: str) -> str:
    from tilelang.live.errors import checker

    found = checker()
    return found.group_of(rule) if found is not None else ""


def _compile_all(
    candidates: Sequence[Candidate],
    compiling: CompileOptions,
    executor: Executor | None,
    timeout: float,
    trials: list[Trial],
    ready: Queue[JITKernel | None],
    done: Callable[[], object],
) -> None:
    with executor_for(compiling.target, len(candidates), executor) as pool:
        futures = {submit(pool, each.instance, compiling.target): each for each in candidates}
        for future in as_completed(futures, timeout=timeout * max(1, len(candidates))):
            candidate = futures[future]
            try:
                artifact = future.result()
                if isinstance(artifact, bytes):
                    artifact = unpacked(artifact)
                kernel = JITKernel.from_artifact(artifact, candidate.outputs, compiling.target)
                kernel.config = candidate.config
                ready.put(kernel)
            except Exception as error:  # noqa: BLE001  # one configuration must not end the search
                trials.append(Trial(candidate.config, "failed", reason=_reason(error)))
            done()


class _Best:
    """The fastest kernel so far, shared by the threads that measure."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.kernel: JITKernel | None = None
        self.latency: float | None = None
        self.reference: float | None = None

    def offer(self, kernel: JITKernel, found: Measurement) -> None:
        with self.lock:
            self.reference = self.reference if found.reference is None else found.reference
            if found.latency is not None and (self.latency is None or found.latency < self.latency):
                self.kernel, self.latency = kernel, found.latency


def _measure_all(
    ready: Queue[JITKernel | None], device: int, options: MeasureOptions, best: _Best, trials: list[Trial]
) -> None:
    """Measure kernels on one device until there are no more."""
    while True:
        try:
            kernel = ready.get(timeout=3600)
        except Empty:
            return
        if kernel is None:
            return
        config = dict(kernel.config or {})
        try:
            found = measured(kernel, device, options, best.latency)
        except Exception as error:  # noqa: BLE001  # one configuration must not end the search
            trials.append(Trial(config, "failed", reason=_reason(error)))
            continue
        trials.append(Trial(config, found.state, found.latency, found.reason))
        if found.state == "ok":
            best.offer(kernel, found)


def _reason(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
