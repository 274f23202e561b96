"""What the language consists of: the one source for the evaluator, completion, hover and signature help."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

from tilelang.language.binding import BindingProblem, bind
from tilelang.language.catalog import NAMES
from tilelang.language.suggest import nearest

if TYPE_CHECKING:
    from inspect import Signature

__all__ = [
    "BindingProblem",
    "LanguageItem",
    "all_names",
    "bind",
    "load",
    "lookup",
    "signature_of",
    "suggest",
    "uses_of",
]

Kind = Literal["function", "class", "dtype", "annotation", "decorator", "constant", "module", "removed"]


@dataclass(frozen=True, slots=True)
class LanguageItem:
    """One name of the language.

    ``module`` is where it is defined. ``modelled`` is False for operations with unknown effects. ``status`` is
    ``removed`` for a name that only older versions have. ``uses`` counts its uses in public programs. ``wrapper``: it
    wraps a function of TVM script and takes an extra ``dtype`` argument.
    """

    name: str
    kind: Kind
    module: str
    category: str
    uses: int
    modelled: bool
    status: Literal["current", "removed"]
    wrapper: bool

    @property
    def value(self) -> Any:
        """The function, class, dtype or module itself."""
        return load(self.name)

    @property
    def signature(self) -> Signature | None:
        """How it is called; ``None`` for what is not called."""
        return signature_of(self.value)

    @property
    def doc(self) -> str:
        """Its documentation, without the indentation of the source."""
        from inspect import getdoc

        return getdoc(self.value) or "" if self.kind not in ("dtype", "module") else ""


def all_names() -> tuple[str, ...]:
    """Every name of the language, those of older versions included."""
    return tuple(NAMES)


@cache
def lookup(name: str) -> LanguageItem | None:
    """The item of this name, or ``None`` if no known version of the language has it."""
    row = NAMES.get(name)
    if row is None:
        return None
    module, kind, category, uses, wrapper = row
    return LanguageItem(
        name,
        kind,  # type: ignore[arg-type]  # the table holds the kinds of the Literal
        f"tilelang.language.{module}",
        category,
        uses,
        not module.startswith("opaque") and module != "removed",
        "removed" if kind == "removed" else "current",
        wrapper,
    )


def load(name: str) -> Any:
    """The object of this name. Raises ``AttributeError`` if the language has none."""
    row = NAMES.get(name)
    if row is None:
        raise AttributeError(f"module 'tilelang.language' has no attribute {name!r}")
    module = import_module(f"tilelang.language.{row[0]}")
    return module if row[1] == "module" else getattr(module, name)


@cache
def signature_of(function: Any) -> Signature | None:
    """The signature of a callable, computed once; ``None`` if it has none."""
    from inspect import signature

    try:
        return signature(function)
    except (TypeError, ValueError):
        return None


def suggest(name: str) -> str | None:
    """The known name that ``name`` is probably a misspelling of, or ``None``."""
    return nearest(name, (known for known, row in NAMES.items() if row[1] != "removed"), uses_of)


def uses_of(name: str) -> int:
    """How often public programs use a name; 0 for an unknown one."""
    row = NAMES.get(name)
    return 0 if row is None else row[3]
