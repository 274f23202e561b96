"""Arithmetic on Python integers."""

from __future__ import annotations


def next_power_of_2(x: int) -> int:
    """The smallest power of two that is not below ``x``."""
    return 1 << (x - 1).bit_length() if x > 0 else 1


def cdiv(a: int, b: int) -> int:
    """``a / b`` rounded up."""
    return -(-a // b)
