"""Collects kernel instances, each once."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tilelang.frontend.containers import is_sequence
from tilelang.frontend.instance import Instance, TensorArg
from tilelang.frontend.plain import is_small
from tilelang.frontend.values import Tensor
from tilelang.ir.dtype import DType
from tilelang.ir.expr import Var

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_PER_KERNEL = 1_000
"""Instances kept per kernel definition. Upstream's largest tuning space has 576 entries."""


def plain(value: Any) -> Any:
    """A value of the program as plain data for reports; ``None`` where it is unknown or not data. A symbolic size is
    its name."""
    if value is None or isinstance(value, (bool, int, float, str, DType)):
        return value
    if isinstance(value, Tensor):
        shape = None if value.shape is None else tuple(e if isinstance(e, int) else None for e in value.shape)
        return TensorArg(shape, value.dtype)
    if isinstance(value, Var) and value.kind == "dim":
        return value.name
    if is_sequence(value):
        return tuple(plain(item) for item in value) if is_small(value) else None
    return None


def plain_map(values: Mapping[str, Any]) -> dict[str, Any]:
    """:func:`plain` for each entry."""
    return {name: plain(value) for name, value in values.items()}


class Recorder:
    """The instances of one evaluation, in the order in which the program makes them."""

    def __init__(self) -> None:
        self._found: dict[object, Instance] = {}
        self._counts: dict[tuple[str, int], int] = {}
        self.dropped: dict[tuple[str, int], int] = {}
        """Instances beyond :data:`MAX_PER_KERNEL`, by kernel."""

    @property
    def instances(self) -> tuple[Instance, ...]:
        return tuple(self._found.values())

    def add(self, instance: Instance) -> None:
        """Keep an instance unless the same kernel with the same values is known; certain replaces possible."""
        key = _key(instance)
        known = self._found.get(key)
        if known is not None:
            better = (instance.certain and not known.certain) or (
                known.expected_failure and not instance.expected_failure
            )
            if better and instance.certain >= known.certain:
                self._found[key] = instance
            elif known.requires is not None and instance.requires != known.requires:
                merged = (
                    None if instance.requires is None else tuple(dict.fromkeys((*known.requires, *instance.requires)))
                )
                self._found[key] = replace(known, requires=merged)
            return
        place = (instance.path, instance.line)
        if self._counts.get(place, 0) >= MAX_PER_KERNEL:
            self.dropped[place] = self.dropped.get(place, 0) + 1
            return
        self._counts[place] = self._counts.get(place, 0) + 1
        self._found[key] = instance


def _key(instance: Instance) -> object:
    return (
        instance.path,
        instance.line,
        instance.style,
        _frozen(instance.bindings),
        _frozen(instance.closure),
        instance.tune is not None,
        instance.jit.target,
        instance.jit.pass_configs,
        instance.jit.out_idx,
        instance.arch,
    )


def _frozen(values: Mapping[str, object]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted((name, repr(value)) for name, value in values.items()))
