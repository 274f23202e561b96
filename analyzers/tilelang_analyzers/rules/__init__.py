"""The rules, one module each. A module is found by its file name and imported when its rule is first needed."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tilelang_analyzers.rule import Rule

GROUPS = (
    "budget",
    "shape",
    "dtype",
    "bounds",
    "race",
    "pipeline",
    "layout",
    "initialisation",
    "language",
    "program",
    "compile",
)
"""Groups of rules, in the order of the documentation."""

WIDER_GROUPS = MappingProxyType({"memory": ("budget",), "sync": ("race", "pipeline")})
"""Other words that select groups."""

_NOT_RULES = ("docs",)


@cache
def names() -> tuple[str, ...]:
    """The name of every rule, sorted. Imports nothing."""
    stems = [file.stem for folder in __path__ for file in Path(folder).iterdir() if file.suffix == ".py"]
    return tuple(sorted(stem.replace("_", "-") for stem in stems if stem[0] != "_" and stem not in _NOT_RULES))


@cache
def load(name: str) -> Rule:
    """The rule called ``name``, which must be one of :func:`names`."""
    module = import_module(f"{__name__}.{name.replace('-', '_')}")
    return module.RULE


def selected(selectors: Iterable[str], every: Iterable[Rule]) -> set[str]:
    """The names of the rules among ``every`` that are named by themselves, by a group or by ``all``."""
    wanted = set(selectors)
    wanted |= {group for name in wanted for group in WIDER_GROUPS.get(name, ())}
    return {rule.name for rule in every if "all" in wanted or rule.name in wanted or rule.group in wanted}


def load_all() -> tuple[Rule, ...]:
    """Every rule, sorted by name."""
    return tuple(load(name) for name in names())
