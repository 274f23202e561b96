"""Runs the examples on inputs of chance and compares them with NumPy.

    .venv/bin/python tools/run_examples.py [--target cpu] [NAME ...]

``make demo``, the tests on the CPU and the tests on GPUs run the same cases. Outputs are filled with NaN before a call,
so an element that no block writes is an error. Results are compared in float64 with the limits of each case.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence
    from types import ModuleType

    Array = np.ndarray[Any, np.dtype[Any]]

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"


@dataclass(frozen=True, slots=True)
class Case:
    """``example`` is the name of the file. ``inputs`` makes the arguments; ``run`` calls the kernel with them and gives
    its result; ``reference`` gives what that should be. The error of an element may be ``atol + rtol * |expected|``.
    ``on_gpu``: whether the tiles can be dealt out to the threads of a GPU, too."""

    example: str
    what: str
    inputs: Callable[[np.random.Generator], Sequence[Array]]
    run: Callable[[ModuleType, Sequence[Any]], Any]
    reference: Callable[..., Array]
    rtol: float
    atol: float
    on_gpu: bool = True

    @property
    def name(self) -> str:
        return f"{self.example}-{self.what}"


def _half(rng: np.random.Generator, *shape: int) -> Array:
    return rng.standard_normal(shape).astype(np.float16)


def _product(a: Array, b: Array) -> Array:
    return a.astype(np.float64) @ b.astype(np.float64)


def _gemm(example: str, m: int, n: int, k: int, **options: int) -> Case:
    def run(module: ModuleType, args: Sequence[Any]) -> Any:
        return module.matmul(m, n, k, **options)(*args)

    return Case(
        example,
        f"{m}x{n}x{k}",
        lambda rng: (_half(rng, m, k), _half(rng, k, n)),
        run,
        _product,
        rtol=2e-3,
        atol=2e-3 * k**0.5,
    )


def _eager(m: int, n: int, k: int, **options: int) -> Case:
    def run(module: ModuleType, args: Sequence[Any]) -> Any:
        return module.matmul(*args, **options)

    return Case(
        "gemm_eager",
        f"{m}x{n}x{k}",
        lambda rng: (_half(rng, m, k), _half(rng, k, n)),
        run,
        _product,
        rtol=2e-3,
        atol=2e-3 * k**0.5,
    )


def _splitk(m: int, n: int, k: int) -> Case:
    def run(module: ModuleType, args: Sequence[Any]) -> Any:
        module.matmul_splitk(m, n, k)(*args)
        return args[2]

    return Case(
        "gemm_splitk",
        f"{m}x{n}x{k}",
        lambda rng: (_half(rng, m, k), _half(rng, k, n), np.zeros((m, n), np.float32)),
        run,
        lambda a, b, _: _product(a, b),
        rtol=1e-4,
        atol=1e-3,
    )


def _int4(m: int, n: int, k: int, group: int) -> Case:
    def inputs(rng: np.random.Generator) -> Sequence[Array]:
        packed = rng.integers(0, 256, (n, k // 2)).astype(np.uint8)
        return _half(rng, m, k), packed, rng.random((n, k // group)).astype(np.float16)

    def reference(a: Array, packed: Array, scales: Array) -> Array:
        values = np.stack((packed & 15, packed >> 4), axis=-1).reshape(n, k).astype(np.float32) - 8
        weights = (values * np.repeat(scales.astype(np.float32), group, axis=1)).astype(np.float16)
        return _product(a, weights.T)

    def run(module: ModuleType, args: Sequence[Any]) -> Any:
        return module.matmul_int4(m, n, k, group)(*args)

    return Case("gemm_int4", f"{m}x{n}x{k}", inputs, run, reference, rtol=2e-3, atol=5e-2)


def _gemv(m: int, k: int) -> Case:
    def run(module: ModuleType, args: Sequence[Any]) -> Any:
        return module.gemv(m, k)(*args)

    return Case(
        "gemv",
        f"{m}x{k}",
        lambda rng: (_half(rng, m, k), _half(rng, k)),
        run,
        _product,
        rtol=2e-3,
        atol=2e-3 * k**0.5,
    )


def _add(n: int) -> Case:
    def run(module: ModuleType, args: Sequence[Any]) -> Any:
        return module.vector_add(n)(*args)

    def inputs(rng: np.random.Generator) -> Sequence[Array]:
        return tuple(rng.standard_normal(n).astype(np.float32) for _ in range(2))

    return Case("vector_add", str(n), inputs, run, lambda a, b: a + b, rtol=0, atol=0)


def _softmax(m: int, n: int) -> Case:
    def reference(x: Array) -> Array:
        wide = x.astype(np.float64)
        powers = np.exp(wide - wide.max(axis=1, keepdims=True))
        return powers / powers.sum(axis=1, keepdims=True)

    def run(module: ModuleType, args: Sequence[Any]) -> Any:
        return module.softmax(m, n)(*args)

    def inputs(rng: np.random.Generator) -> Sequence[Array]:
        return (4 * _half(rng, m, n),)

    return Case("softmax", f"{m}x{n}", inputs, run, reference, rtol=2e-3, atol=1e-6, on_gpu=n % 1024 == 0)


def _norm(m: int, n: int) -> Case:
    def reference(x: Array, weight: Array) -> Array:
        wide = x.astype(np.float64)
        scale = 1 / np.sqrt((wide**2).mean(axis=1, keepdims=True) + 1e-6)
        return wide * scale * weight.astype(np.float64)

    def run(module: ModuleType, args: Sequence[Any]) -> Any:
        return module.rms_norm(m, n)(*args)

    return Case("rms_norm", f"{m}x{n}", lambda rng: (_half(rng, m, n), _half(rng, n)), run, reference, 3e-3, 1e-3)


def _conv(batch: int, height: int, width: int, channels: int, filters: int, size: int, stride: int, pad: int) -> Case:
    def reference(image: Array, weight: Array) -> Array:
        padded = np.pad(image.astype(np.float64), ((0, 0), (pad, pad), (pad, pad), (0, 0)))
        windows = np.lib.stride_tricks.sliding_window_view(padded, (size, size), axis=(1, 2))[:, ::stride, ::stride]
        columns = windows.transpose(0, 1, 2, 4, 5, 3).reshape(-1, size * size * channels)
        return columns @ weight.astype(np.float64)

    def run(module: ModuleType, args: Sequence[Any]) -> Any:
        return module.conv2d(batch, height, width, channels, filters, size, stride, pad)(*args)

    return Case(
        "conv2d",
        f"{height}x{width}x{channels}-{size}-{stride}-{pad}",
        lambda rng: (_half(rng, batch, height, width, channels), _half(rng, size * size * channels, filters)),
        run,
        reference,
        rtol=2e-3,
        atol=2e-3 * size * channels**0.5,
    )


def _attention(batch: int, heads: int, length: int, dim: int, *, causal: bool) -> Case:
    def reference(q: Array, k: Array, v: Array) -> Array:
        q, k, v = (x.astype(np.float64).transpose(0, 2, 1, 3) for x in (q, k, v))
        scores = q @ k.transpose(0, 1, 3, 2) / dim**0.5
        if causal:
            scores = np.where(np.tri(length, dtype=bool), scores, -np.inf)
        powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
        return (powers / powers.sum(axis=-1, keepdims=True) @ v).transpose(0, 2, 1, 3)

    def run(module: ModuleType, args: Sequence[Any]) -> Any:
        return module.attention(batch, heads, length, dim, causal)(*args)

    def inputs(rng: np.random.Generator) -> Sequence[Array]:
        return tuple(_half(rng, batch, length, heads, dim) for _ in range(3))

    what = f"{length}x{dim}" + ("-causal" if causal else "")
    return Case("flash_attention", what, inputs, run, reference, rtol=3e-3, atol=3e-3)


CASES = (
    _add(1 << 12),
    _add(5001),
    _gemm("gemm", 256, 128, 96),
    _gemm("gemm", 200, 136, 72),
    _eager(256, 192, 64),
    _eager(72, 40, 24, block_m=64),
    _softmax(6, 2048),
    _softmax(5, 1000),
    _norm(4, 4096),
    _norm(3, 520),
    _gemv(16, 2048),
    _gemv(10, 1500),
    _splitk(128, 64, 512),
    _splitk(72, 40, 256),
    _int4(64, 128, 256, 32),
    _conv(1, 8, 8, 32, 64, 3, 1, 1),
    _conv(2, 9, 7, 8, 40, 3, 2, 1),
    _attention(1, 2, 128, 64, causal=False),
    _attention(1, 2, 128, 64, causal=True),
    _gemm("gemm_autotune", 128, 64, 64, block_m=64, block_n=64, block_k=32, num_stages=2),
)
"""Each example with sizes that its tiles divide, and most with sizes that they do not."""


@cache
def module_of(example: str) -> ModuleType:
    """An example as a module; its ``main`` does not run."""
    name = f"tilelang_example_{example}"
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{example}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@dataclass(frozen=True, slots=True)
class Outcome:
    """``excess``: the largest error as a multiple of what the case allows; more than 1, or NaN, is wrong."""

    case: Case
    error: float
    excess: float
    seconds: float

    @property
    def is_right(self) -> bool:
        return self.excess <= 1


@contextmanager
def _target(name: str | None) -> Generator[None, None, None]:
    """What examples compile for, which name no target themselves."""
    outer = os.environ.get("TILELANG_DEFAULT_TARGET")
    if name is not None:
        os.environ["TILELANG_DEFAULT_TARGET"] = name
    try:
        yield
    finally:
        if name is not None:
            os.environ.pop("TILELANG_DEFAULT_TARGET")
            if outer is not None:
                os.environ["TILELANG_DEFAULT_TARGET"] = outer


@contextmanager
def _poisoned_results() -> Generator[None, None, None]:
    """New arrays for results are full of NaN."""
    from tilelang.runtime import arguments

    made = arguments.empty

    def poisoned(*args: Any) -> Any:
        found = made(*args)
        if "float" in str(found.dtype):
            found[...] = float("nan")
        return found

    arguments.empty = poisoned
    try:
        yield
    finally:
        arguments.empty = made


def run_case(case: Case, target: str | None = None, *, seed: int = 0, device: str = "cpu") -> Outcome:
    """Compile and run one case. ``device``: where its arrays are; ``cuda`` needs PyTorch."""
    inputs = case.inputs(np.random.default_rng(seed))
    expected = case.reference(*inputs).astype(np.float64)
    args = [_placed(array, device) for array in inputs]
    start = time.perf_counter()
    with _target(target), _poisoned_results():
        result = case.run(module_of(case.example), args)
    seconds = time.perf_counter() - start
    got = np.asarray(result.cpu().numpy() if hasattr(result, "cpu") else result).astype(np.float64)
    error = np.abs(got.reshape(expected.shape) - expected)
    allowed = case.atol + case.rtol * np.abs(expected)
    with np.errstate(divide="ignore", invalid="ignore"):
        excess = np.where(error == 0, 0, error / allowed)
    return Outcome(case, float(error.max()), float(excess.max()), seconds)


def _placed(array: Array, device: str) -> Any:
    if device == "cpu":
        return array.copy()
    import torch  # type: ignore[import-not-found]  # only for arrays on a GPU

    library: Any = torch
    return library.from_numpy(array).to(device)


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Run the examples and compare them with NumPy.")
    parser.add_argument("names", nargs="*", help="names of examples (all)")
    parser.add_argument("--target", default="cpu", help="cpu, cuda or an arch (cpu)")
    options = parser.parse_args(argv)
    chosen = [case for case in CASES if not options.names or case.example in options.names]
    if options.target != "cpu":
        chosen = [case for case in chosen if case.on_gpu]
    unknown = set(options.names) - {case.example for case in CASES}
    if unknown:
        parser.error(f"there is no example {', '.join(sorted(unknown))}")
    wrong = 0
    for case in chosen:
        outcome = run_case(case, options.target, device="cpu" if options.target == "cpu" else "cuda")
        wrong += not outcome.is_right
        verdict = "right" if outcome.is_right else "WRONG"
        print(f"{verdict}  {case.name:32} largest error {outcome.error:.1e}  {outcome.seconds:6.2f} s")
    print(f"{len(chosen) - wrong} of {len(chosen)} agree with NumPy on {options.target}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
