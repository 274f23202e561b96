"""The cache of compiled kernels."""

from __future__ import annotations

from tilelang.runtime.cache import clear, folder

__all__ = ["clear_cache", "folder"]


def clear_cache() -> None:
    """Forget every compiled kernel, in this process and on disk."""
    clear()
