"""Settings of a running program: kernel cache, logging, library paths."""

from __future__ import annotations

import logging
import os
import sys
from pathlib import Path
from typing import Any

logger = logging.getLogger("tilelang")
path = Path(__file__).resolve().parent
runtime_library_dirs: list[str] = []

_cache = {"enabled": True}


def enable_cache() -> None:
    """Keep compiled kernels for the next run."""
    _cache["enabled"] = True


def disable_cache() -> None:
    """Compile kernels anew in each run."""
    _cache["enabled"] = False


def is_cache_enabled() -> bool:
    """Whether compiled kernels are kept for the next run."""
    return _cache["enabled"]


def set_log_level(level: int | str) -> None:
    """The level from which on messages are shown: a number or a name of :mod:`logging`."""
    logger.setLevel(level.upper() if isinstance(level, str) else level)


def get_runtime_library_dirs() -> list[str]:
    """Folders in which compiled kernels find their libraries."""
    return list(runtime_library_dirs)


def prepend_dll_search_path(paths: list[str]) -> None:
    """Search these folders for libraries first."""
    runtime_library_dirs[:0] = paths


def __getattr__(name: str) -> Any:
    """Environment variables by name (``env.TILELANG_CACHE_DIR``); ``env`` is this module."""
    if name == "env":
        return sys.modules[__name__]
    if name.startswith("TILELANG_") or name.isupper():
        return os.environ.get(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
