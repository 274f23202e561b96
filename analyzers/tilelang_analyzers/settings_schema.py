"""The JSON schema of the settings, made from their definition, for editors that complete `pyproject.toml`.

`tilelang-check --settings-schema` prints it, and `docs/json-schema/settings.schema.json` is a copy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilelang_analyzers import rules
from tilelang_analyzers.settings import LEVELS, OPTIONS, TARGET_OPTIONS, Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tilelang_analyzers.settings import Kind, Option

Json = dict[str, Any]

_STRINGS: Json = {"type": "array", "items": {"type": "string"}}
_NAMES: Json = {"description": "A list, or one string with commas.", "anyOf": [{"type": "string"}, _STRINGS]}
RULE_LISTS = ("select", "extend-select", "ignore")
RULE_TABLES = ("per-file-ignores", "per-target-ignores")
"""Options whose strings are rules, groups of rules or ``all``."""


def settings_schema() -> Json:
    """The schema of a `[tool.tilelang]` table."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Settings of tilelang-check",
        "description": "The table [tool.tilelang] of pyproject.toml.",
        "type": "object",
        "additionalProperties": False,
        "properties": {key: _property(key, option) for key, option in OPTIONS.items()},
        "$defs": {
            "selector": {
                "description": "A rule, a group of rules, or all.",
                "enum": ["all", *rules.GROUPS, *rules.WIDER_GROUPS, *rules.names()],
            },
            "selectors": {
                "anyOf": [{"type": "array", "items": {"$ref": "#/$defs/selector"}}, {"type": "string"}],
            },
            "level": {"enum": list(LEVELS)},
        },
        # `targets` and `target` are two names of one list.
        "not": {
            "required": ["target", "targets"],
            "properties": {"targets": {"not": {"type": "object"}}},
        },
    }


def _property(key: str, option: Option) -> Json:
    schema = _KINDS[option.kind]()
    if key in RULE_LISTS:
        schema = {"$ref": "#/$defs/selectors"}
    elif key in RULE_TABLES:
        schema = {"type": "object", "additionalProperties": {"$ref": "#/$defs/selectors"}}
    return {**schema, "description": _sentence(option.help), **_default(key, option)}


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def _default(key: str, option: Option) -> Json:
    if option.kind not in ("bool", "count", "seconds", "text"):
        return {}
    return {"default": Settings("").value(key)}


def _table_of(items: Json) -> Callable[[], Json]:
    return lambda: {"type": "object", "additionalProperties": items}


def _targets() -> Json:
    """Options by target; a list is taken for the list of targets."""
    options = {key: {"type": "boolean", "description": _sentence(it.help)} for key, it in TARGET_OPTIONS.items()}
    table = {"type": "object", "additionalProperties": False, "properties": options}
    return {"anyOf": [{"type": "object", "additionalProperties": table}, _STRINGS, {"type": "string"}]}


_KINDS: Mapping[Kind, Callable[[], Json]] = {
    "names": lambda: dict(_NAMES),
    "strings": lambda: dict(_STRINGS),
    "bool": lambda: {"type": "boolean"},
    "count": lambda: {"type": "integer", "minimum": 1},
    "seconds": lambda: {"type": "number", "exclusiveMinimum": 0},
    "text": lambda: {"type": "string"},
    "levels": lambda: {
        "type": "object",
        "propertyNames": {"$ref": "#/$defs/selector"},
        "additionalProperties": {"$ref": "#/$defs/level"},
    },
    "lists": _table_of(_NAMES),
    "words": _table_of({"type": "string"}),
    "targets": _targets,
}
