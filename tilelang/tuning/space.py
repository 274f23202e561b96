"""Spaces of configurations as programs write them."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

from tilelang.frontend.containers import is_dict, is_sequence

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Config = dict[str, Any]

PASS_CONFIGS = "pass_configs"
"""The one key of a configuration that is no parameter: pass configs for this entry only."""


def expand(configs: Any, args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None) -> list[Config]:
    """The configurations to try, without repeats.

    ``configs``: a list of dicts; a dict of lists, which stands for every combination (the last name varies fastest); or
    a function that returns either, called with the arguments of the kernel as far as it takes them. Raises
    ``ValueError`` for an empty space and ``TypeError`` for anything else.
    """
    if callable(configs):
        configs = _called(configs, args, kwargs or {})
    if is_dict(configs):
        values = [
            list(entry) if is_sequence(entry) or isinstance(entry, range) else [entry] for entry in configs.values()
        ]
        found: list[Config] = [dict(zip(configs, combination, strict=True)) for combination in product(*values)]
    elif is_sequence(configs) and all(is_dict(entry) for entry in configs):
        found = [dict(entry) for entry in configs]
    else:
        raise TypeError("the configurations of a tuner are a list of dicts, a dict of lists, or a function of those")
    unique: list[Config] = []
    for config in found:
        if config not in unique:
            unique.append(config)
    if not unique:
        raise ValueError("the tuner has no configuration to try")
    return unique


def _called(configs: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """Call the function of a space with as many of the kernel's arguments as it takes."""
    import inspect

    try:
        parameters = inspect.signature(configs).parameters.values()
    except (TypeError, ValueError):
        return configs(*args, **kwargs)
    if any(param.kind is param.VAR_POSITIONAL for param in parameters):
        return configs(*args, **kwargs)
    names = {param.name for param in parameters}
    takes = sum(param.kind in (param.POSITIONAL_ONLY, param.POSITIONAL_OR_KEYWORD) for param in parameters)
    return configs(*args[:takes], **{name: value for name, value in kwargs.items() if name in names})


def text(config: Mapping[str, Any]) -> str:
    """A configuration on one line."""
    return ", ".join(f"{name}={value}" for name, value in config.items())
