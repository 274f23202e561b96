"""Timing of kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from tilelang.unavailable import no_compiler

if TYPE_CHECKING:
    from collections.abc import Callable

    from tilelang.language.policy import TensorSupplyType


def do_bench(
    fn: Callable[[], Any],
    warmup: float = 25,
    rep: float = 100,
    _n_warmup: int = 0,
    _n_repeat: int = 0,
    quantiles: list[float] | None = None,
    fast_flush: bool = True,
    backend: Literal["event", "cupti", "cudagraph", "wall", "msprof", "msprof_detail"] = "event",
    return_mode: Literal["min", "max", "mean", "median"] = "mean",
    device: Any = None,
    cache_size: int = 256,
    early_stop_baseline: float | None = None,
) -> Any:
    """Time ``fn`` on the GPU, in milliseconds: ``warmup`` and ``rep`` are milliseconds too."""
    no_compiler("tilelang.profiler.do_bench")


class Profiler:
    """Inputs, checks and timing of one compiled kernel."""

    def __init__(
        self, params: list[Any], result_idx: list[int], supply_type: TensorSupplyType, adapter: Any = None
    ) -> None:
        no_compiler("tilelang.Profiler")
