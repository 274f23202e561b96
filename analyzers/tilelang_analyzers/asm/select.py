"""Which instances and targets ``tilelang asm`` shows."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from tilelang_analyzers.kernels import first_of_each, matching
from tilelang_analyzers.results import plain, value_text
from tilelang_analyzers.settings import SettingsError, suggestion

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tilelang.frontend.instance import Instance
    from tilelang.targets import Target
    from tilelang_analyzers.checker import Examination


class Wanted(NamedTuple):
    """One instance on one target."""

    instance: Instance
    target: Target


def parse_values(given: Sequence[str]) -> dict[str, object]:
    """``block_M=64`` as a value by name; what is no Python literal is text. Raises ``SettingsError``."""
    values: dict[str, object] = {}
    for item in given:
        name, sign, text = item.partition("=")
        if not sign or not name.strip().isidentifier():
            raise SettingsError(f"--config {item}: write NAME=VALUE, such as block_M=64")
        try:
            values[name.strip()] = ast.literal_eval(text.strip())
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            values[name.strip()] = text.strip()
    return values


def wanted_of(examined: Examination, kernel: str, values: Mapping[str, object], *, every: bool) -> Iterator[Wanted]:
    """The instances that have these values, on their targets: the first of each kernel, or all. Where no instance has
    the values, the first is built again with them. Raises ``SettingsError`` for values that no kernel takes."""
    choice = examined.choice
    if choice is None:
        return
    instances = matching(examined, kernel)
    if values:
        instances = _with_values(instances, values)
    for instance in instances if every else first_of_each(instances):
        for target in choice.of(instance)[0]:
            yield Wanted(instance, target)


def _with_values(instances: Sequence[Instance], values: Mapping[str, object]) -> list[Instance]:
    takers = [it for it in instances if all(name in it.bindings for name in values)]
    if instances and not takers:
        known = {name for it in instances for name in it.bindings}
        name = next((name for name in values if name not in known), next(iter(values)))
        raise SettingsError(f"--config: no kernel has a parameter `{name}`{suggestion(name, known)}")
    found = [it for it in takers if all(_same(it.bindings[name], value) for name, value in values.items())]
    if found:
        return found
    made = [(it, it.reevaluate(values) if it.reevaluate is not None else None) for it in first_of_each(takers)]
    built = [again for _, again in made if again is not None]
    if made and not built:
        text = ", ".join(f"{name}={value_text(plain(value))}" for name, value in values.items())
        raise SettingsError(f"--config: `{made[0][0].factory}` gives no kernel with {text}")
    return built


def _same(bound: object, value: object) -> bool:
    """Dtypes compare by their name."""
    return bound == value or str(bound) == str(value)
