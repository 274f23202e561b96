"""Patterns of ``match``: whether a value matches, and what the names in the pattern get."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from tilelang.frontend.attributes import get
from tilelang.frontend.comparison import compare
from tilelang.frontend.containers import DictVal, ListVal, is_dict, is_open, is_sequence, is_tuple
from tilelang.frontend.iteration import materialize
from tilelang.frontend.models.reflection import is_instance
from tilelang.frontend.plain import is_key
from tilelang.frontend.values import MISSING, Class, Function, Generator, Model, Object
from tilelang.ir.unknown import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tilelang.frontend.evaluator import Evaluator
    from tilelang.frontend.values import Scope

    Names = dict[str, Any]


def matches(ev: Evaluator, pattern: ast.pattern, subject: Any, scope: Scope, names: Names) -> Any:
    """Whether a value matches a pattern: a bool, or unknown. ``names`` is filled with what the pattern binds if it
    matches."""
    ev.step()
    return _KINDS[type(pattern)](ev, pattern, subject, scope, names)


def bound_names(pattern: ast.pattern) -> set[str]:
    """Names that a pattern binds."""
    found: set[str] = set()
    for inner in ast.walk(pattern):
        if isinstance(inner, (ast.MatchAs, ast.MatchStar)) and inner.name is not None:
            found.add(inner.name)
        elif isinstance(inner, ast.MatchMapping) and inner.rest is not None:
            found.add(inner.rest)
    return found


def _all(results: Iterable[Any]) -> Any:
    """Whether all of some conditions hold. None is looked at behind one that does not."""
    unsure = False
    for result in results:
        if result is False:
            return False
        unsure = unsure or result is not True
    return UNKNOWN if unsure else True


def _value(ev: Evaluator, pattern: ast.MatchValue, subject: Any, scope: Scope, names: Names) -> Any:
    result = compare(ev, ast.Eq(), subject, ev.eval(pattern.value, scope), ev.span(pattern, scope))
    return result if isinstance(result, bool) else UNKNOWN


def _singleton(ev: Evaluator, pattern: ast.MatchSingleton, subject: Any, scope: Scope, names: Names) -> Any:
    return subject is pattern.value if _is_followed(subject) else UNKNOWN


def _as(ev: Evaluator, pattern: ast.MatchAs, subject: Any, scope: Scope, names: Names) -> Any:
    result = True if pattern.pattern is None else matches(ev, pattern.pattern, subject, scope, names)
    if pattern.name is not None:
        names[pattern.name] = subject
    return result


def _or(ev: Evaluator, pattern: ast.MatchOr, subject: Any, scope: Scope, names: Names) -> Any:
    unsure = False
    for part in pattern.patterns:
        own: Names = {}
        result = matches(ev, part, subject, scope, own)
        if result is True and not unsure:
            names.update(own)
            return True
        unsure = unsure or result is not False
    if unsure:
        names.update(dict.fromkeys(bound_names(pattern), UNKNOWN))
    return UNKNOWN if unsure else False


def _sequence(ev: Evaluator, pattern: ast.MatchSequence, subject: Any, scope: Scope, names: Names) -> Any:
    parts = pattern.patterns
    star = next((place for place, part in enumerate(parts) if isinstance(part, ast.MatchStar)), None)
    is_named_tuple = isinstance(subject, Object) and subject.cls.kind == "namedtuple"
    if not is_sequence(subject) and not isinstance(subject, range) and not is_named_tuple:
        return _unlike(ev, pattern, subject, names)
    items = materialize(ev, subject)
    if items is None:
        return _unlike(ev, pattern, UNKNOWN, names)
    if len(items) < len(parts) - 1 if star is not None else len(items) != len(parts):
        return False
    if star is not None:
        tail = len(items) - (len(parts) - star - 1)
        items = [*items[:star], ListVal(items[star:tail]), *items[tail:]]
    return _all(matches(ev, part, item, scope, names) for part, item in zip(parts, items, strict=True))


def _star(ev: Evaluator, pattern: ast.MatchStar, subject: Any, scope: Scope, names: Names) -> Any:
    if pattern.name is not None:
        names[pattern.name] = subject
    return True


def _mapping(ev: Evaluator, pattern: ast.MatchMapping, subject: Any, scope: Scope, names: Names) -> Any:
    if not is_dict(subject):
        return _unlike(ev, pattern, subject, names)
    keys = [ev.eval(key, scope) for key in pattern.keys]
    if not all(is_key(key) for key in keys):
        return _unlike(ev, pattern, UNKNOWN, names)

    def entry(key: Any, part: ast.pattern) -> Any:
        if key in subject:
            return matches(ev, part, subject[key], scope, names)
        return _unlike(ev, part, UNKNOWN, names) if is_open(subject) else False

    result = _all(entry(key, part) for key, part in zip(keys, pattern.patterns, strict=True))
    if pattern.rest is not None:
        rest = DictVal({key: value for key, value in ev.charge(subject).items() if key not in keys})
        rest.open = is_open(subject)
        names[pattern.rest] = rest
    return result


def _class(ev: Evaluator, pattern: ast.MatchClass, subject: Any, scope: Scope, names: Names) -> Any:
    cls = ev.eval(pattern.cls, scope)
    is_one = is_instance(subject, cls)
    if is_one is False:
        return False
    if is_one is not True:
        return _unlike(ev, pattern, UNKNOWN, names)
    parts = list(pattern.patterns)
    if len(parts) == 1 and not isinstance(cls, Class) and _name(cls) in _MATCH_THEMSELVES:
        return matches(ev, parts[0], subject, scope, names)
    attributes = _positional(cls) if parts else []
    if attributes is None or len(attributes) < len(parts):
        return _unlike(ev, pattern, UNKNOWN, names)

    def attribute(name: str, part: ast.pattern) -> Any:
        if isinstance(subject, Object) and name not in subject.attrs and subject.cls.lookup(name) is MISSING:
            has_more = subject.cls.has_external_base() or isinstance(subject.cls.lookup("__getattr__"), Function)
            return _unlike(ev, part, UNKNOWN, names) if has_more else False
        return matches(ev, part, get(ev, subject, name, ev.span(part, scope)), scope, names)

    named = zip((*attributes[: len(parts)], *pattern.kwd_attrs), (*parts, *pattern.kwd_patterns), strict=True)
    return _all(attribute(name, part) for name, part in named)


_MATCH_THEMSELVES = frozenset(
    ("bool", "bytearray", "bytes", "dict", "float", "frozenset", "int", "list", "set", "str", "tuple")
)
"""Classes whose one positional pattern is for the value itself."""


def _name(cls: Any) -> str:
    return cls.name if isinstance(cls, Model) else getattr(cls, "__name__", "")


def _positional(cls: Any) -> list[str] | None:
    """The attributes that positional patterns of a class stand for, if they are known."""
    if not isinstance(cls, Class):
        return None
    given = cls.lookup("__match_args__")
    if given is MISSING and cls.kind in ("dataclass", "namedtuple"):
        return [field.name for field in cls.fields if not field.keyword]
    if is_tuple(given) and all(isinstance(name, str) for name in given):
        return list(given)
    return None


def _is_followed(value: Any) -> bool:
    """Whether a value is one whose class and parts are known."""
    if isinstance(value, Object):
        return not value.cls.has_external_base()
    return value is None or isinstance(value, _FOLLOWED)


_PLAIN = (bool, int, float, complex, str, bytes, list, tuple, dict, set, frozenset, range)
_FOLLOWED = (*_PLAIN, Class, Function, Generator)


def _unlike(ev: Evaluator, pattern: ast.pattern, subject: Any, names: Names) -> Any:
    """The answer for a value that is not of the kind that a pattern asks for, or of which that is not known."""
    if _is_followed(subject):
        return False
    names.update(dict.fromkeys(bound_names(pattern), UNKNOWN))
    return UNKNOWN


_KINDS: dict[type[ast.pattern], Callable[[Evaluator, Any, Any, Scope, Names], Any]] = {
    ast.MatchValue: _value,
    ast.MatchSingleton: _singleton,
    ast.MatchAs: _as,
    ast.MatchOr: _or,
    ast.MatchSequence: _sequence,
    ast.MatchStar: _star,
    ast.MatchMapping: _mapping,
    ast.MatchClass: _class,
}
