"""Kernel operations that are not modelled. Written by tools/gen_language.py; do not edit."""

from __future__ import annotations

from typing import Any

from tilelang.language.opaque import OpaqueObject


class BaseTileScheduler(OpaqueObject):
    """Base of the classes that give a persistent block one tile after another."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.keep(locals())


class PersistentTileScheduler(OpaqueObject):
    """Gives a persistent block one tile of a grid after another."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.keep(locals())
