"""Arrays of chance in the types of the language, and comparison with what the types can hold."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]

EPSILON = {
    "float64": 2.0**-52,
    "float32": 2.0**-23,
    "float16": 2.0**-10,
    "bfloat16": 2.0**-7,
    "float8_e4m3fn": 2.0**-3,
    "float8_e5m2": 2.0**-2,
    "float4_e2m1fn": 2.0**-1,
}
SMALLEST = {"float16": 2.0**-24, "float8_e4m3fn": 2.0**-9, "float8_e5m2": 2.0**-16, "float4_e2m1fn": 0.5}


def numpy_type(dtype: str) -> np.dtype[Any]:
    """NumPy's type of a name, of ``ml_dtypes`` if NumPy has none."""
    try:
        return np.dtype(dtype)
    except TypeError:
        return np.dtype(getattr(ml_dtypes, dtype))


def array(rng: np.random.Generator, shape: tuple[int, ...], dtype: str, *, scale: float = 1) -> Array:
    """Normal numbers times ``scale``, or integers from the whole range of 8 bits."""
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype.startswith("uint"):
        return rng.integers(0, 256, shape).astype(dtype)
    if dtype.startswith("int"):
        return rng.integers(-128, 128, shape).astype(dtype)
    return (rng.standard_normal(shape) * scale).astype(numpy_type(dtype))


def stored(a: Array) -> Array:
    """The bytes of an array, whatever its type."""
    return np.ascontiguousarray(a).view(np.uint8)


def close(got: Array, expected: Array, dtype: str, *, terms: int = 1) -> None:
    """Each element within half a unit in the last place for each of ``terms`` steps, and one more for the result."""
    wide = np.asarray(got).astype(np.float64)
    assert wide.shape == expected.shape, f"{wide.shape} is not {expected.shape}"
    if dtype not in EPSILON:
        np.testing.assert_array_equal(wide, expected)
        return
    epsilon = EPSILON[dtype]
    limit = epsilon * np.maximum(np.abs(expected), 1e-30) * (0.51 if terms == 1 else 1) + SMALLEST.get(dtype, 0) / 2
    if terms > 1:
        limit = limit + epsilon * max(terms, 32)
    error = np.abs(wide - expected)
    worst = np.unravel_index(np.argmax(error - limit), error.shape) if error.size else ()
    assert np.all(error <= limit), f"{wide[worst]} at {worst} should be {expected[worst]}"
