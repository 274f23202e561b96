"""Timing and checking kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, cast

from tilelang.language.policy import TensorSupplyType
from tilelang.runtime.arrays import CPU, library_of, loaded
from tilelang.runtime.compare import assert_close, check
from tilelang.runtime.inputs import make_input
from tilelang.runtime.timing import ReturnMode, measure, quantile, summary

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tilelang.backends.artifact import ParamSpec
    from tilelang.runtime.arrays import Device
    from tilelang.runtime.kernel import CompiledKernel

__all__ = ["Profiler", "bench", "check", "do_bench"]

Backend = Literal["event", "cupti", "cudagraph", "wall", "msprof", "msprof_detail"]


def do_bench(
    fn: Callable[[], Any],
    warmup: float = 25,
    rep: float = 100,
    _n_warmup: int = 0,
    _n_repeat: int = 0,
    quantiles: list[float] | None = None,
    fast_flush: bool = True,
    backend: Backend = "event",
    return_mode: ReturnMode = "median",
    device: Any = None,
    cache_size: int = 256,
    early_stop_baseline: float | None = None,
) -> Any:
    """Time ``fn`` in milliseconds, with a cold L2 cache on a GPU; ``warmup`` and ``rep`` are milliseconds, too.

    With ``quantiles`` a list of those, else one figure. ``early_stop_baseline``: stop early when slower than this.
    ``backend="wall"`` reads the processor's clock; the others measure by events of the driver.
    """
    place = -1 if backend == "wall" else _index(device)
    times = measure(
        fn,
        warmup=warmup,
        rep=rep,
        n_warmup=_n_warmup,
        n_repeat=_n_repeat,
        device=place,
        cache_size=cache_size,
        stop_above=early_stop_baseline,
    )
    if quantiles is not None:
        found = [quantile(times, fraction) for fraction in quantiles]
        return found[0] if len(found) == 1 else found
    return summary(times, return_mode)


def _index(device: Any) -> int | None:
    return device if device is None or isinstance(device, int) else getattr(device, "index", None) or 0


def bench(fn: Callable[..., Any], *args: Any, **options: Any) -> float:
    """The median time of ``fn(*args)`` in milliseconds. ``options`` are those of :func:`do_bench`."""
    return float(do_bench(lambda: fn(*args), **options))


class Profiler:
    """Inputs, checks and timing of one compiled kernel."""

    def __init__(
        self,
        params: list[Any],
        result_idx: list[int] | int | None,
        supply_type: TensorSupplyType,
        adapter: Any = None,
    ) -> None:
        self.params: list[ParamSpec] = list(params)
        chosen = [] if result_idx is None else [result_idx] if isinstance(result_idx, int) else list(result_idx)
        self.result_idx = [index % len(self.params) for index in chosen]
        self.supply_type = supply_type
        self.adapter = adapter

    @classmethod
    def of(cls, kernel: CompiledKernel, supply_type: TensorSupplyType | None = None) -> Profiler:
        """The profiler of a kernel."""
        outputs = list(kernel.signature.outputs)
        return cls(list(kernel.signature.params), outputs, supply_type or TensorSupplyType.Auto, kernel)

    def with_default_adapter(self, adapter: Any) -> Profiler:
        """Use another function in place of the kernel."""
        self.adapter = adapter
        return self

    @property
    def func(self) -> Any:
        """What is run: the kernel."""
        if self.adapter is None:
            raise ValueError("the profiler has no kernel")
        return self.adapter

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.func(*args, **kwargs)

    def _device(self) -> Device:
        artifact = getattr(self.adapter, "artifact", None)
        if artifact is None or artifact.target == "cpu":
            return CPU
        torch = loaded("torch")
        return ("cuda", torch.cuda.current_device() if torch is not None and torch.cuda.is_available() else 0)

    def _get_inputs(
        self, with_output: bool = False, dynamic_symbolic_constraints: Mapping[str, int] | None = None
    ) -> list[Any]:
        device, dims = self._device(), dynamic_symbolic_constraints or {}
        return [
            make_input(param, self.supply_type, device, dims)
            for i, param in enumerate(self.params)
            if with_output or i not in self.result_idx
        ]

    def make_inputs(self, **dims: int) -> list[Any]:
        """Inputs for one call; ``dims`` are sizes that only a call knows."""
        return self._get_inputs(dynamic_symbolic_constraints=dims)

    def run_once(self, func: Callable[..., Any] | None = None) -> Any:
        """Run the kernel, or ``func``, once with made-up inputs."""
        return (func or self.func)(*self._get_inputs())

    def assert_allclose(
        self,
        reference_program: Callable[..., Any],
        input_tensors: Sequence[Any] | None = None,
        atol: float = 1e-2,
        rtol: float = 1e-2,
        max_mismatched_ratio: float = 0.01,
    ) -> None:
        """Compare the results with those of a function of the same inputs. Raises ``AssertionError``."""
        have, want = self._results(reference_program, input_tensors)
        for one, other in zip(have, want, strict=True):
            if one is not None and other is not None:
                assert_close(
                    one,
                    other,
                    rtol=rtol,
                    atol=atol,
                    max_mismatched_ratio=max_mismatched_ratio,
                    names=("the kernel", "the reference"),
                )

    def manual_assert_close(
        self,
        reference_program: Callable[..., Any],
        input_tensors: Sequence[Any] | None = None,
        manual_check_prog: Callable[[list[Any], list[Any]], object] | None = None,
    ) -> None:
        """Give the results of the kernel and of a reference to ``manual_check_prog``."""
        have, want = self._results(reference_program, input_tensors)
        if manual_check_prog is not None:
            manual_check_prog(have, want)

    def _results(
        self, reference: Callable[..., Any], input_tensors: Sequence[Any] | None
    ) -> tuple[list[Any], list[Any]]:
        inputs = list(input_tensors) if input_tensors is not None else self._get_inputs()
        want, have = _listed(reference(*inputs)), _listed(self.func(*inputs))
        if len(have) != len(want):
            raise AssertionError(f"the kernel returns {len(have)} tensors, the reference {len(want)}")
        return have, want

    def assert_consistent(self, repeat: int = 10) -> None:
        """Run several times with the same inputs. Raises ``AssertionError`` if the results differ, as they do after a
        race."""
        inputs = self._get_inputs()
        first = _listed(self.func(*inputs))
        for _ in range(repeat):
            for i, (one, other) in enumerate(zip(_listed(self.func(*inputs)), first, strict=True)):
                check(one, other, limit=0.0, name=f"result {i} of another run")

    def do_bench(
        self,
        func: Callable[..., Any] | None = None,
        warmup: float = 25,
        rep: float = 100,
        n_warmup: int = 0,
        n_repeat: int = 0,
        input_tensors: Sequence[Any] | None = None,
        backend: Backend = "event",
        quantiles: list[float] | None = None,
        return_mode: ReturnMode = "median",
        dynamic_symbolic_constraints: Mapping[str, int] | None = None,
        device: Any = None,
        early_stop_baseline: float | None = None,
    ) -> Any:
        """Time the kernel, or ``func`` with the same inputs, in milliseconds. See :func:`do_bench`."""
        inputs = (
            list(input_tensors)
            if input_tensors is not None
            else self._get_inputs(dynamic_symbolic_constraints=dynamic_symbolic_constraints)
        )
        target = func or self.func
        on_cpu = self._device() == CPU and not any(
            library_of(value) in ("torch", "cupy") and getattr(value, "is_cuda", True) for value in inputs
        )
        return do_bench(
            lambda: target(*inputs),
            warmup=warmup,
            rep=rep,
            _n_warmup=n_warmup,
            _n_repeat=n_repeat,
            quantiles=quantiles,
            backend="wall" if on_cpu else backend,
            return_mode=return_mode,
            device=device,
            early_stop_baseline=early_stop_baseline,
        )


def _listed(value: Any) -> list[Any]:
    if value is None:
        return []
    return list(cast("Sequence[Any]", value)) if isinstance(value, (list, tuple)) else [value]
