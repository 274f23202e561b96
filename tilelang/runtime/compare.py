"""Comparing what a kernel computed with a reference, whatever library holds the arrays."""

from __future__ import annotations

from math import inf
from typing import Any

from tilelang.ir.dtype import DType
from tilelang.runtime.arrays import dtype_name, library_of

LIMITS = {
    "float64": 1e-12,
    "float32": 1e-5,
    "tfloat32": 2e-3,
    "float16": 2e-3,
    "bfloat16": 1.5e-2,
    "float8_e4m3": 5e-2,
    "float8_e4m3fn": 5e-2,
    "float8_e4m3fnuz": 5e-2,
    "float8_e5m2": 1e-1,
    "float8_e5m2fnuz": 1e-1,
    "float4_e2m1fn": 3e-1,
}
"""Largest relative Frobenius error by type: a few times half the distance of two numbers of the type, since a result is
rounded once and its inputs are exact. Integers and truth values must be equal."""

_SHOWN = 5


def check(actual: Any, expected: Any, *, dtype: str | None = None, limit: float | None = None, name: str = "") -> float:
    """Compare two arrays and return the relative Frobenius error ``|actual - expected| / |expected|``.

    The limit is that of the type of ``actual``, or of ``dtype`` where the computation was in a narrower one. Raises
    ``AssertionError`` with the error, the number of elements that differ and the worst of them with their places; not
    a number matches only itself.
    """
    import numpy

    kind = dtype or _name(actual)
    if tuple(actual.shape) != tuple(expected.shape):
        raise AssertionError(f"{name or 'the result'} has shape {tuple(actual.shape)}, not {tuple(expected.shape)}")
    have, want = as_numpy(actual), as_numpy(expected)
    allowed = LIMITS.get(kind, 0.0) if limit is None else limit
    both = numpy.isnan(have) & numpy.isnan(want) | (have == want)
    with numpy.errstate(invalid="ignore", over="ignore"):
        difference = numpy.where(both, 0.0, numpy.abs(have - want))
    difference = numpy.where(numpy.isnan(difference), inf, difference)
    norm = float(numpy.linalg.norm(numpy.where(numpy.isfinite(want), want, 0.0)))
    error = float(numpy.linalg.norm(difference)) / (norm or 1.0)
    if error <= allowed:
        return error
    raise AssertionError(_message(name or "the result", error, allowed, kind, difference, have, want))


def _message(name: str, error: float, allowed: float, kind: str, difference: Any, have: Any, want: Any) -> str:
    import numpy

    wrong = int(numpy.count_nonzero(difference > allowed * numpy.maximum(numpy.abs(want), 1e-30)))
    order = numpy.argsort(difference, axis=None)[::-1][:_SHOWN]
    unravel: Any = numpy.unravel_index
    places = [tuple(int(i) for i in unravel(flat, difference.shape)) for flat in order]
    worst = "; ".join(
        f"[{', '.join(map(str, place))}] is {have[place]:g} instead of {want[place]:g}" for place in places
    )
    return (
        f"{name} is off by {error:.3g} in the Frobenius norm, more than {allowed:g} for {kind}; "
        f"{wrong} of {difference.size} elements differ. The worst: {worst}"
    )


def assert_close(
    actual: Any,
    expected: Any,
    *,
    rtol: float = 1e-2,
    atol: float = 1e-2,
    max_mismatched_ratio: float = 0.01,
    names: tuple[str, str] = ("the result", "the reference"),
) -> None:
    """Raise ``AssertionError`` if more than ``max_mismatched_ratio`` of the elements differ by more than
    ``atol + rtol * abs(expected)``."""
    import numpy

    if tuple(actual.shape) != tuple(expected.shape):
        raise AssertionError(f"{names[0]} has shape {tuple(actual.shape)}, {names[1]} {tuple(expected.shape)}")
    have, want = as_numpy(actual), as_numpy(expected)
    near = numpy.isclose(have, want, rtol=rtol, atol=atol, equal_nan=True)
    differ = near.size - int(numpy.count_nonzero(near))
    if differ > near.size * max_mismatched_ratio:
        first = tuple(int(i) for i in numpy.argwhere(~near)[0])
        raise AssertionError(
            f"{differ} of {near.size} elements of {names[0]} and {names[1]} differ; the first at "
            f"[{', '.join(map(str, first))}]: {have[first]:g} and {want[first]:g}"
        )


def as_numpy(value: Any) -> Any:
    """The elements of an array of any library as float64 (complex and integers beyond 2**53 lose digits)."""
    import numpy

    library = library_of(value)
    if library == "torch":
        return value.detach().to("cpu").double().numpy()
    if library == "cupy":
        return value.get().astype(numpy.float64)
    return numpy.asarray(value).astype(numpy.float64)


def _name(value: Any) -> str:
    name = dtype_name(value.dtype)
    known = DType.parse(name)
    return str(known) if known is not None else name
