"""Methods of strings."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tilelang.frontend.containers import ListVal
from tilelang.frontend.iteration import materialize
from tilelang.frontend.operators import MAX_SEQUENCE
from tilelang.frontend.plain import is_plain
from tilelang.frontend.signals import UserError
from tilelang.frontend.values import Model
from tilelang.ir.unknown import UNKNOWN

if TYPE_CHECKING:
    from tilelang.frontend.arguments import Args
    from tilelang.frontend.evaluator import Evaluator


_PURE_NAMES = (
    "capitalize casefold count endswith find index isalnum isalpha isascii isdecimal isdigit isidentifier islower "
    "isnumeric isspace istitle isupper lower lstrip partition removeprefix removesuffix rfind rindex rpartition rsplit "
    "rstrip split splitlines startswith strip swapcase title upper encode"
)
_PURE = frozenset(_PURE_NAMES.split())


def string_method(owner: str, name: str) -> Any:
    text = str.__str__(owner)
    if name in _PURE:
        return Model(name, lambda ev, args, kwargs: _pure_string(ev.charge(text), name, args, kwargs))
    if name == "join":
        return Model(name, lambda ev, args, kwargs: _join(ev, text, args))
    if name == "format":
        return Model(name, lambda ev, args, kwargs: _format(text, args, kwargs))
    if name in ("replace", "ljust", "rjust", "center", "zfill"):
        return Model(name, lambda ev, args, kwargs: _growing(text, name, args))
    return UNKNOWN


def _pure_string(text: str, name: str, args: Args, kwargs: dict[str, Any]) -> Any:
    if not is_plain(list(args)) or not is_plain(kwargs) or len(text) > MAX_SEQUENCE:
        return UNKNOWN
    try:
        result = getattr(text, name)(*args, **kwargs)
    except (TypeError, ValueError, LookupError, UnicodeError) as error:
        raise UserError(type(error).__name__, str(error), args.span) from None
    return ListVal(result) if isinstance(result, list) else result


def _growing(text: str, name: str, args: Args) -> Any:
    if not is_plain(list(args)):
        return UNKNOWN
    numbers = [arg for arg in args if isinstance(arg, int)]
    strings = [arg for arg in args if isinstance(arg, str)]
    if any(n > 10_000 for n in numbers) or len(text) * (1 + sum(map(len, strings))) > MAX_SEQUENCE:
        return UNKNOWN
    try:
        return getattr(text, name)(*args)
    except (TypeError, ValueError) as error:
        raise UserError(type(error).__name__, str(error), args.span) from None


def _join(ev: Evaluator, text: str, args: Args) -> Any:
    items = materialize(ev, args[0]) if args else None
    if items is None or not all(isinstance(item, str) for item in items):
        return UNKNOWN
    size = sum(len(item) for item in items) + len(text) * len(items)
    return text.join(items) if size <= MAX_SEQUENCE else UNKNOWN


_WIDTH_BY_ARGUMENT = re.compile(r"\{[^{}]*\{")


def _format(text: str, args: Args, kwargs: dict[str, Any]) -> Any:
    digits = "".join(char if char.isdigit() else " " for char in text).split()
    if not is_plain(list(args)) or not is_plain(kwargs) or any(len(run) > 3 for run in digits) or len(text) > 5_000:
        return UNKNOWN
    if "!" in text or ("." in text.replace("{:.", "") and "__" in text) or _WIDTH_BY_ARGUMENT.search(text):
        return UNKNOWN
    try:
        return text.format(*args, **kwargs)
    except (TypeError, ValueError, LookupError, AttributeError):
        return UNKNOWN
