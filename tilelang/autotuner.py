"""``@tilelang.autotune``: choosing the fastest of several configurations."""

from __future__ import annotations

import hashlib
import inspect
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, cast

from tilelang.frontend.containers import is_sequence
from tilelang.language.policy import TensorSupplyType
from tilelang.tuning.result import TuneResult

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping, Sequence
    from concurrent.futures import Executor

    from tilelang.jit import JITImpl
    from tilelang.runtime.kernel import JITKernel

__all__ = ["AutoTuneImpl", "AutoTuner", "TuneResult", "autotune", "set_autotune_inputs", "use_executor"]

_AUTO = TensorSupplyType.Auto

_inputs: ContextVar[tuple[Any, ...] | None] = ContextVar("autotune_inputs", default=None)
_executor: ContextVar[Executor | None] = ContextVar("autotune_executor", default=None)


class AutoTuneImpl:
    """A jit function with a tuner. Calling it tunes once for each set of arguments; the kernel it gives has ``config``,
    ``latency`` and ``ref_latency``. ``result`` is the last :class:`TuneResult`."""

    def __init__(self, jit: JITImpl[Any, Any], configs: Any, options: Mapping[str, Any]) -> None:
        self.jit_impl = jit
        self.configs = configs
        self.options = dict(options)
        self.result: TuneResult | None = None
        self.__wrapped__ = jit
        self.__name__ = jit.__name__
        self.__doc__ = jit.__doc__
        self._found: dict[object, TuneResult] = {}

    @property
    def func(self) -> Any:
        """The Python function."""
        return self.jit_impl.func

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Tune for these arguments if that was not done, then do what the jit function does."""
        if self.jit_impl.mode == "lazy":
            return self.compile(*args, **kwargs)
        found = self.tune(*args, **kwargs)
        return self.jit_impl(*args, **{**kwargs, **_parameters(found.config)})

    def compile(self, *args: Any, **kwargs: Any) -> JITKernel:
        """The fastest kernel for these arguments."""
        found = self.tune(*args, **kwargs)
        assert found.kernel is not None
        return found.kernel

    def tune(self, *args: Any, executor: Executor | None = None, **kwargs: Any) -> TuneResult:
        """Tune for these arguments and tell everything. ``executor``: any :class:`concurrent.futures.Executor`, also of
        other machines, that compiles; else processes of this one do. The call's own values win over configurations:
        where it gives every tuned parameter, its kernel is the result."""
        key = self._key(args, kwargs)
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = self._tuned(args, kwargs, executor or _executor.get())
        self.result = found
        return found

    def _tuned(self, args: tuple[Any, ...], kwargs: dict[str, Any], executor: Executor | None) -> TuneResult:
        from tilelang.env import is_cache_enabled, logger
        from tilelang.live.target import choose_target
        from tilelang.tuning import result as results
        from tilelang.tuning.search import CompileOptions, search
        from tilelang.tuning.space import PASS_CONFIGS, expand

        given = self._given(args, kwargs)
        configs: list[dict[str, Any]] = []
        for config in expand(self.configs, args, kwargs):
            open_ = {name: value for name, value in config.items() if name not in given}
            if open_ not in configs:
                configs.append(open_)
        options = self.jit_impl.options
        compiling = CompileOptions(
            choose_target(options.get("target")),
            options.get("out_idx"),
            options.get("pass_configs"),
            options.get("compile_flags"),
        )
        measuring = self._measuring(args, kwargs)

        def elaborate(config: dict[str, Any]) -> Any:
            return self.jit_impl.get_tir(*args, **{**kwargs, **config})

        if configs == [{}]:
            kernel = self.jit_impl.compile(*args, **kwargs)
            return TuneResult({}, float("nan"), [], kernel)
        key = self._disk_key(args, kwargs, configs, compiling.target.arch)
        known = results.load(key) if key is not None and is_cache_enabled() else None
        if known is not None and known.config in configs:
            plain = {name: value for name, value in known.config.items() if name != PASS_CONFIGS}
            if PASS_CONFIGS not in known.config:
                known.kernel = self.jit_impl.compile(*args, **{**kwargs, **plain})
                known.kernel.update_tuner_result(known.latency, known.config, known.ref_latency)
                return known
        found = search(self.__name__, configs, elaborate, compiling, measuring, executor)
        if key is not None and is_cache_enabled():
            results.store(key, found)
        logger.info("tuned %s\n%s", self.__name__, found.table())
        return found

    def _given(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> frozenset[str]:
        """Parameters that the call itself sets."""
        bound = self.jit_impl.signature.bind_partial(*args, **kwargs)
        return frozenset(bound.arguments)

    def _measuring(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        from tilelang.runtime.arrays import library_of
        from tilelang.tuning.measure import MeasureOptions

        inputs: Sequence[Any] | None = _inputs.get()
        if inputs is None and self.jit_impl.mode == "eager":
            arguments = self.jit_impl.signature.bind_partial(*args, **kwargs).arguments.values()
            inputs = [value for value in arguments if library_of(value) is not None] or None
        return MeasureOptions(**self.options, inputs=inputs)

    def _key(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> str:
        ignored = self.options_ignored
        bound = self.jit_impl.signature.bind_partial(*args, **kwargs).arguments
        return repr([(name, _described(value)) for name, value in bound.items() if name not in ignored])

    options_ignored: frozenset[str] = frozenset()
    """Parameters whose values do not call for tuning anew."""

    def _disk_key(
        self, args: tuple[Any, ...], kwargs: Mapping[str, Any], configs: list[dict[str, Any]], arch: str
    ) -> str | None:
        """What the result depends on; ``None`` if the source of the function is not there."""
        from tilelang import __version__

        try:
            source = inspect.getsource(self.jit_impl.func)
        except (OSError, TypeError):
            return None
        closure: dict[str, Any] = {}
        if inspect.isfunction(self.func):
            closure.update(inspect.getclosurevars(self.func).nonlocals)
        parts = (
            __version__,
            source,
            self._key(args, kwargs),
            repr(configs),
            repr(sorted((name, repr(value)) for name, value in closure.items())),
            repr(sorted((name, repr(value)) for name, value in self.jit_impl.options.items())),
            arch,
        )
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()

    def __repr__(self) -> str:
        return f"<tuned kernel {self.__name__}>"


def _described(value: Any) -> object:
    from tilelang.runtime.arrays import view

    array = view(value)
    return value if array is None else (array.shape, array.strides, array.dtype)


def _parameters(config: Mapping[str, Any]) -> dict[str, Any]:
    from tilelang.tuning.space import PASS_CONFIGS

    return {name: value for name, value in config.items() if name != PASS_CONFIGS}


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

    ``configs``: a list of dictionaries from parameter names to values, a dictionary of lists (every combination), or a
    function that returns one of these. An entry fills the parameters that the call leaves open. Entries that the
    checker refutes for the target are dropped before any compile, with the reason in the result's table.
    """
    options = {
        "warmup": warmup,
        "rep": rep,
        "timeout": timeout,
        "supply_type": supply_type,
        "ref_prog": ref_prog,
        "supply_prog": supply_prog,
        "rtol": rtol,
        "atol": atol,
        "max_mismatched_ratio": max_mismatched_ratio,
        "skip_check": skip_check,
        "manual_check_prog": manual_check_prog,
        "cache_input_tensors": cache_input_tensors,
        "early_stop": early_stop,
        "early_stop_factor": early_stop_factor,
    }

    def decorate(function: Any) -> AutoTuneImpl:
        made = AutoTuneImpl(_jit(function), configs, options)
        made.options_ignored = frozenset(do_not_specialize or ())
        return made

    return decorate if func is None else decorate(func)


def _jit(function: Any, **options: Any) -> Any:
    from tilelang.jit import JITImpl, jit

    if isinstance(function, JITImpl):
        return cast("Any", function)
    return jit(**options)(function)


class AutoTuner:
    """The tuner behind :func:`autotune` as an object that is set up step by step."""

    def __init__(self, fn: Callable[..., Any], configs: Any) -> None:
        self.fn = fn
        self.configs = configs
        self._compile: dict[str, Any] = {}
        self._profile: dict[str, Any] = {}

    @classmethod
    def from_kernel(cls, kernel: Callable[..., Any], configs: Any) -> AutoTuner:
        """A tuner of a kernel factory."""
        return cls(kernel, configs)

    def set_compile_args(self, **options: Any) -> AutoTuner:
        """Options of ``tilelang.compile``: ``out_idx``, ``target``, ``pass_configs`` and so on."""
        self._compile = {name: value for name, value in options.items() if value is not None}
        return self

    def set_profile_args(self, **options: Any) -> AutoTuner:
        """Options of :func:`autotune` that say how to measure and compare."""
        self._profile = {name: value for name, value in options.items() if value is not None}
        return self

    def run(
        self,
        warmup: int = 25,
        rep: int = 100,
        timeout: int = 100,
        early_stop: bool = False,
        early_stop_factor: float = 2.0,
        executor: Executor | None = None,
    ) -> TuneResult:
        """Try every configuration; ``executor`` as in :meth:`AutoTuneImpl.tune`."""
        from tilelang.jit import JITImpl

        given: Any = self.fn
        is_jit = isinstance(self.fn, JITImpl)
        function = given.func if is_jit else given
        tuned = autotune(
            _jit(function, **self._compile),
            configs=self.configs,
            warmup=warmup,
            rep=rep,
            timeout=timeout,
            early_stop=early_stop,
            early_stop_factor=early_stop_factor,
            **{name: value for name, value in self._profile.items() if name != "backend"},
        )
        return tuned.tune(executor=executor)

    __call__ = run


@contextmanager
def set_autotune_inputs(*args: Any) -> Generator[None]:
    """Use these tensors as inputs while tuning, inside a ``with`` block; one list of them does, too."""
    given = tuple(args[0]) if len(args) == 1 and is_sequence(args[0]) else args
    token = _inputs.set(given)
    try:
        yield
    finally:
        _inputs.reset(token)


@contextmanager
def use_executor(executor: Executor) -> Generator[None]:
    """Compile on this executor while tuning, inside a ``with`` block: ``dask``'s ``client.get_executor()``, for one."""
    token = _executor.set(executor)
    try:
        yield
    finally:
        _executor.reset(token)
