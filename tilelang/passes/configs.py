"""Pass configs of a kernel, by the plain name of each key."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def plain_name(key: str) -> str:
    """``disable_tma_lower`` for ``PassConfigKey.TL_DISABLE_TMA_LOWER``, ``TL_DISABLE_TMA_LOWER`` and
    ``tl.disable_tma_lower``."""
    return key.rsplit(".", 1)[-1].lower().removeprefix("tl_").removeprefix("tir_")


class PassConfigs(NamedTuple):
    """What ``pass_configs`` of ``tilelang.jit`` or ``tilelang.compile`` said. A value that the evaluator does not know
    is ``None`` and counts as not given."""

    values: Mapping[str, object]

    @staticmethod
    def of(pairs: Iterable[tuple[str, object]] = ()) -> PassConfigs:
        return PassConfigs({plain_name(key): value for key, value in pairs})

    def flag(self, name: str, default: bool = False) -> bool:
        value = self.values.get(name)
        return default if value is None else bool(value)


NO_CONFIGS = PassConfigs({})
