"""``@tilelang.autotune``: choosing the fastest of several configurations."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tilelang.language.policy import TensorSupplyType
from tilelang.unavailable import no_compiler

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping, Sequence

_AUTO = TensorSupplyType.Auto


def autotune(
    func: Any = None,
    *,
    configs: Mapping[str, Any] | Sequence[Any] | Callable[..., Any],
    warmup: int = 25,
    rep: int = 100,
    timeout: int = 100,
    supply_type: TensorSupplyType = _AUTO,
    ref_prog: Callable[..., Any] | None = None,
    supply_prog: Callable[..., Any] | None = None,
    rtol: float = 0.01,
    atol: float = 0.01,
    max_mismatched_ratio: float = 0.01,
    skip_check: bool = False,
    manual_check_prog: Callable[..., Any] | None = None,
    cache_input_tensors: bool = False,
    do_not_specialize: Sequence[str] | None = None,
    early_stop: bool = False,
    early_stop_factor: float = 2.0,
) -> Any:
    """Compile and time a kernel factory with each entry of ``configs`` and keep the fastest.

    ``configs``: a list of dictionaries from parameter names to values, or a function that returns one. An entry fills
    the parameters that the call leaves open. Tuning needs a compiler; without one the function stays as it is.
    """
    if func is not None:
        return func
    return lambda function: function  # pyright: ignore[reportUnknownLambdaType, reportUnknownVariableType]


class AutoTuner:
    """The tuner behind :func:`autotune`."""

    def __init__(self, fn: Callable[..., Any], configs: Any) -> None:
        no_compiler("tilelang.autotuner.AutoTuner")

    @classmethod
    def from_kernel(cls, kernel: Callable[..., Any], configs: Any) -> AutoTuner:
        """A tuner of a kernel factory."""
        return cls(kernel, configs)


@contextmanager
def set_autotune_inputs(*args: Any) -> Generator[None]:
    """Use these tensors as inputs while tuning, inside a ``with`` block."""
    yield
