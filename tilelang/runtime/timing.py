"""How long a function takes: on a GPU by events around it, else by the clock."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Literal

from tilelang.runtime.devices import check, cuda_archs, driver

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ReturnMode = Literal["min", "max", "mean", "median"]
_ESTIMATE_RUNS = 5
_MEGABYTE = 1 << 20


def measure(
    function: Callable[[], Any],
    *,
    warmup: float = 25,
    rep: float = 100,
    n_warmup: int = 0,
    n_repeat: int = 0,
    device: int | None = None,
    cache_size: int = 256,
    stop_above: float | None = None,
) -> list[float]:
    """The times of single runs in milliseconds. ``warmup`` and ``rep`` are milliseconds; ``n_warmup`` and ``n_repeat``
    are runs instead. On a GPU, ``cache_size`` megabytes are written before each run, so that the L2 cache is cold.
    ``stop_above``: measure only the estimate if that is slower already."""
    clock = _Events(device, cache_size) if _on_gpu(device) else _Wall()
    try:
        function()
        clock.wait()
        estimate = sum(clock.run(function, _ESTIMATE_RUNS)) / _ESTIMATE_RUNS
        if stop_above is not None and estimate > stop_above:
            return [estimate]
        for _ in range(n_warmup or max(1, int(warmup / max(estimate, 1e-6)))):
            function()
        return clock.run(function, n_repeat or max(1, min(100_000, int(rep / max(estimate, 1e-6)))))
    finally:
        clock.close()


def _on_gpu(device: int | None) -> bool:
    return device != -1 and bool(cuda_archs())


def summary(times: Sequence[float], mode: ReturnMode) -> float:
    """One figure of several times."""
    ordered = sorted(times)
    if mode == "median":
        half = len(ordered) // 2
        return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2
    return {"min": ordered[0], "max": ordered[-1], "mean": sum(ordered) / len(ordered)}[mode]


def quantile(times: Sequence[float], fraction: float) -> float:
    """The value below which a fraction of the times lies, between neighbours in proportion."""
    ordered = sorted(times)
    place = fraction * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


class _Wall:
    """The clock of the processor."""

    def run(self, function: Callable[[], Any], count: int) -> list[float]:
        times: list[float] = []
        for _ in range(count):
            start = time.perf_counter()
            function()
            times.append((time.perf_counter() - start) * 1e3)
        return times

    def wait(self) -> None:
        pass

    def close(self) -> None:
        pass


class _Events:
    """Events on the program's current stream of a GPU."""

    def __init__(self, device: int | None, cache_size: int) -> None:
        from tilelang.runtime.arrays import loaded
        from tilelang.runtime.cuda import activate, current_stream

        torch = loaded("torch")
        if device is None or device < 0:
            device = int(torch.cuda.current_device()) if torch is not None and torch.cuda.is_available() else 0
        self._binding = driver()
        activate(device)
        self._stream = current_stream(device)
        self._size = cache_size * _MEGABYTE
        self._flush = check(self._binding.cuMemAlloc(self._size)) if self._size else None

    def run(self, function: Callable[[], Any], count: int) -> list[float]:
        binding, stream = self._binding, self._stream
        events = [(check(binding.cuEventCreate(0)), check(binding.cuEventCreate(0))) for _ in range(count)]
        for before, after in events:
            if self._flush is not None:
                check(binding.cuMemsetD8Async(self._flush, 0, self._size, stream))
            check(binding.cuEventRecord(before, stream))
            function()
            check(binding.cuEventRecord(after, stream))
        self.wait()
        times = [float(check(binding.cuEventElapsedTime(before, after))) for before, after in events]
        for pair in events:
            for event in pair:
                check(binding.cuEventDestroy(event))
        return times

    def wait(self) -> None:
        check(self._binding.cuStreamSynchronize(self._stream))

    def close(self) -> None:
        if self._flush is not None:
            check(self._binding.cuMemFree(self._flush))
