"""Marks of a test that say where it runs and whether it is meant to pass."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Generator

    from tilelang.frontend.evaluator import Evaluator
    from tilelang.frontend.values import Mark


@contextmanager
def conditions(ev: Evaluator, marks: tuple[Mark, ...]) -> Generator[None, None, None]:
    """The marks of a test that say where it runs and whether it is meant to pass."""
    unsure, expected, count = ev.unsure, ev.expected_failure, len(ev.requires)
    for mark in marks:
        if mark.name in ("xfail", "skip"):
            ev.expected_failure += 1
        elif mark.name == "skipif":
            ev.unsure += 1
        else:
            allowed = required_archs(mark)
            if allowed is not None:
                ev.requires.append(allowed)
    try:
        yield
    finally:
        ev.unsure, ev.expected_failure = unsure, expected
        del ev.requires[count:]


_COMPARISONS = {"ge": ">=", "gt": ">", "le": "<=", "lt": "<", "eq": "=="}


def required_archs(mark: Mark) -> tuple[str, ...] | None:
    """The archs that a ``requires_*`` decorator admits; ``None`` if it says nothing about the target."""
    from tilelang.targets import archs

    families = {
        "requires_cuda": ("cuda",),
        "requires_rocm": ("rocm",),
        "requires_cdna": ("rocm",),
        "requires_gfx950": ("rocm",),
        "requires_rdna": ("rocm",),
        "requires_metal": ("metal",),
        "requires_llvm": ("cpu",),
        "requires_cuda_or_cdna": ("cuda", "rocm"),
    }
    if mark.name in families:
        return tuple(arch for arch, family in archs().items() if family in families[mark.name])
    if not mark.name.startswith("requires_cuda_compute_version"):
        return None
    relation = mark.name.removeprefix("requires_cuda_compute_version").strip("_") or "ge"
    if relation == "ge" and not mark.name.endswith("_ge"):
        return _in_range(mark)
    wanted = tuple(value for value in (*mark.args, *dict(mark.kwargs).values()) if isinstance(value, int))
    if not wanted:
        return None
    version = (wanted[0], wanted[1] if len(wanted) > 1 else 0)
    return tuple(arch for arch, have in _capabilities() if _holds(have, _COMPARISONS[relation], version))


def _in_range(mark: Mark) -> tuple[str, ...] | None:
    """``requires_cuda_compute_version(major, minor, mode="ge")``."""
    numbers = [value for value in mark.args if isinstance(value, int)]
    mode = next((value for value in (*mark.args, *dict(mark.kwargs).values()) if isinstance(value, str)), "ge")
    if not numbers or mode not in _COMPARISONS:
        return None
    version = (numbers[0], numbers[1] if len(numbers) > 1 else 0)
    return tuple(arch for arch, have in _capabilities() if _holds(have, _COMPARISONS[mode], version))


def _capabilities() -> list[tuple[str, tuple[int, int]]]:
    from tilelang.frontend.models.torch_device import capability
    from tilelang.targets import archs

    return [(arch, capability(arch)) for arch, family in archs().items() if family == "cuda"]


def _holds(have: tuple[int, int], relation: str, wanted: tuple[int, int]) -> bool:
    return {
        ">=": have >= wanted,
        ">": have > wanted,
        "<=": have <= wanted,
        "<": have < wanted,
        "==": have == wanted,
    }[relation]
