"""External names: from a dotted name to its model."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tilelang.frontend.values import MISSING, External, Model
from tilelang.ir.unknown import UNKNOWN, Unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tilelang.frontend.evaluator import Evaluator
    from tilelang.frontend.values import ModelFunction
    from tilelang.ir.span import Span

MODELS: dict[str, Any] = {}

LANGUAGE_MODULES = frozenset(
    (
        "tilelang.language",
        "tilelang.cuda.language",
        "tilelang.language.common",
        "tilelang.rocm.language",
        "tilelang.metal.language",
    )
)
_HOMES: dict[str, tuple[str, ...]] = {
    "torch": ("torch", "torch_device"),
    "numpy": ("torch", "math"),
    "triton": ("package",),
    "cupy": ("torch",),
    "pytest": ("pytest",),
    "unittest": ("pytest",),
    "tilelang": ("decorators", "compilation", "testing", "devices", "package"),
    "tvm": ("devices",),
    "sparse_utils": ("devices",),
    "math": ("math",),
    "operator": ("math",),
    "itertools": ("itertools",),
    "functools": ("itertools",),
    "collections": ("collections", "classes"),
    "copy": ("collections", "dataclasses"),
    "dataclasses": ("dataclasses",),
    "argparse": ("argparse",),
    "types": ("argparse",),
    "builtins": ("builtins", "sequences", "reflection", "system", "objects", "namespaces", "iterators"),
    "contextlib": ("system",),
    "enum": ("system",),
    "importlib": ("namespaces",),
    "os": ("system",),
    "sys": ("system",),
    "typing": ("system",),
}
"""Modules of this package with the models of each package, imported when a name of the package is first asked for."""

_loaded: set[str] = set()

BUILTINS: dict[str, Any] = {}


def builtin(*names: str) -> Callable[[ModelFunction], ModelFunction]:
    """Register the model of a builtin: ``(evaluator, args, kwargs)``."""

    def register(function: ModelFunction) -> ModelFunction:
        for name in names:
            BUILTINS[name] = Model(name, function)
        return function

    return register


def find_builtin(name: str) -> Any:
    """The value or the model of a builtin, or ``MISSING``."""
    if "builtins" not in _loaded:
        _load("builtins")
    return BUILTINS.get(name, MISSING)


def model(*names: str) -> Callable[[ModelFunction], ModelFunction]:
    """Register a function ``(evaluator, args, kwargs)`` as the model of external callables."""

    def register(function: ModelFunction) -> ModelFunction:
        for name in names:
            MODELS[name] = Model(name, function)
        return function

    return register


def _load(name: str) -> None:
    """Import the modules that have the models of a package, once."""
    root = name.split(".", 1)[0]
    if root not in _loaded:
        _loaded.add(root)
        for home in _HOMES.get(root, ()):
            import_module(f"tilelang.frontend.models.{home}")


def find(name: str) -> Any:
    """The model of a dotted name, or ``MISSING``."""
    _load(name)
    return MODELS.get(name, MISSING)


def external_member(ev: Evaluator, owner: External, attribute: str, span: Span) -> Any:
    """``owner.attribute`` for an external name."""
    key = (owner.name, attribute)
    known = _members.get(key)
    if known is None:
        known = _external_member(ev, owner, attribute, span)
        if not isinstance(known, Unknown):
            _members[key] = known
    return known


_members: dict[tuple[str, str], Any] = {}
"""Members found before. What is recorded on the way (an unknown name) has no entry, so it is recorded each time."""


def _external_member(ev: Evaluator, owner: External, attribute: str, span: Span) -> Any:
    name = f"{owner.name}.{attribute}"
    found = find(name)
    if found is not MISSING:
        return found
    if owner.name in LANGUAGE_MODULES:
        return language_member(ev, attribute, span)
    if owner.name.startswith("tilelang.language."):
        from tilelang.language.registry import lookup

        return language_member(ev, attribute, span) if lookup(attribute) is not None else External(name)
    if owner.name.startswith("tilelang"):
        from tilelang.frontend.models.package import package_member

        return package_member(ev, owner, attribute)
    return External(name)


def language_member(ev: Evaluator, name: str, span: Span) -> Any:
    """A public name of the language. An unknown one is recorded, with the known name that it may be a slip for."""
    from tilelang import language

    found = getattr(language, name, None)
    if found is not None and not _is_module(found):
        special = find(f"tilelang.language.{name}")
        return special if special is not MISSING else found
    if found is not None or name.startswith("_"):
        return External(f"tilelang.language.{name}")
    from tilelang.language import registry

    item = registry.lookup(name)
    known = item.status if item is not None else None
    ev.problem(
        "unknown-name",
        span,
        name=name,
        module="tilelang.language",
        suggestion=None if known else registry.suggest(name),
        known_version=known,
    )
    if ev.builder is not None:
        ev.builder.complete = False
    return UNKNOWN


def _is_module(value: Any) -> bool:
    import types

    return isinstance(value, types.ModuleType)


def external_names(ev: Evaluator, source: External) -> Iterator[tuple[str, Any]]:
    """What ``from package import *`` brings, as far as models go."""
    if source.name in LANGUAGE_MODULES:
        from tilelang.ir.span import NOWHERE
        from tilelang.language.registry import all_names, lookup

        for name in all_names():
            item = lookup(name)
            if item is not None and item.status == "current":
                yield name, language_member(ev, name, NOWHERE)
        return
    find(f"{source.name}.x")
    prefix = f"{source.name}."
    for name, value in MODELS.items():
        if name.startswith(prefix) and "." not in name[len(prefix) :]:
            yield name[len(prefix) :], value
