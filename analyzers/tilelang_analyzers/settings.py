"""The settings of the checker and what may be written in `[tool.tilelang]`.

`OPTIONS` is the one list of them: validation, ``--show-settings`` and the suggestions for misspelt keys read it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, cast

from tilelang_analyzers import rules

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

LEVELS = ("off", "info", "warning", "error")

Kind = Literal["names", "strings", "bool", "count", "seconds", "text", "levels", "lists", "words", "targets"]
"""How a value is written. ``names``: a list of strings or one string with commas; ``strings``: a list; ``count``: a
positive integer; ``seconds``: a positive number; ``levels``: a table rule or group = level; ``lists``: a table name =
list of strings; ``words``: a table name = string; ``targets``: a table of tables of options of one target."""


class SettingsError(Exception):
    """Settings that cannot be used. The message names the place and, for a near miss, what was meant."""


@dataclass(frozen=True, slots=True)
class Option:
    kind: Kind
    help: str


OPTIONS: Mapping[str, Option] = {
    "target": Option("names", "targets to check for: cards, arch names or groups"),
    "target-groups": Option("lists", "names for lists of targets"),
    "targets": Option("targets", "options of one target, such as shared-memory-optin"),
    "select": Option("names", "rules or groups of rules to run instead of the default ones"),
    "extend-select": Option("names", "rules or groups of rules to run besides"),
    "ignore": Option("names", "rules or groups of rules not to run"),
    "rules": Option("levels", "level of rules or groups: off, info, warning or error"),
    "per-file-ignores": Option("lists", "rules not to report in files that match a pattern"),
    "per-target-ignores": Option("lists", "rules not to report on a target, or a group or range of targets"),
    "exclude": Option("strings", "patterns of files and folders to leave out, beside the usual ones"),
    "include": Option("strings", "patterns of files to take from folders"),
    "force-exclude": Option("bool", "leave out excluded files also where they are named on the command line"),
    "respect-gitignore": Option("bool", "leave out what .gitignore files name"),
    "baseline": Option("text", "file of known findings that are not shown"),
    "environment": Option("words", "environment variables that the checked program sees"),
    "max-instances": Option("count", "kernel instances to look at per factory"),
    "timeout": Option("seconds", "processor time for one file"),
    "layouts": Option("bool", "put the layouts of tiles and loops into JSON reports"),
    "compile": Option("bool", "compile kernels down to machine code, and report what that shows"),
    "cache": Option("bool", "keep results of unchanged files"),
    "cache-dir": Option("text", "folder of the cache"),
}
TARGET_OPTIONS: Mapping[str, Option] = {
    "shared-memory-optin": Option("bool", "use the card's opt-in limit of shared memory per block"),
}


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of one file. ``root`` is the folder whose Python files form one project; ``origins`` says where each
    value that is not a default comes from."""

    root: str
    target: tuple[str, ...] = ()
    target_groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, "tuple[str, ...]"])
    targets: Mapping[str, Mapping[str, bool]] = field(default_factory=dict[str, "Mapping[str, bool]"])
    select: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    rules: Mapping[str, str] = field(default_factory=dict[str, str])
    per_file_ignores: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, "tuple[str, ...]"])
    per_target_ignores: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, "tuple[str, ...]"])
    exclude: tuple[str, ...] = ()
    include: tuple[str, ...] = ("*.py", "*.ipynb")
    force_exclude: bool = False
    respect_gitignore: bool = True
    baseline: str = ""
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    max_instances: int = 1000
    timeout: float = 30.0
    layouts: bool = False
    compile: bool = False
    cache: bool = True
    cache_dir: str = ""
    origins: Mapping[str, str] = field(default_factory=dict[str, str], compare=False)

    def value(self, key: str) -> object:
        """The value of an option by its written name."""
        return getattr(self, key.replace("-", "_"))

    def target_names(self) -> tuple[str, ...]:
        """``target`` with groups replaced by their members, without repeats. Groups may name groups."""
        return self.expanded(self.target)

    def expanded(self, names: Iterable[str]) -> tuple[str, ...]:
        """Names of targets with the settings' own groups replaced by their members, without repeats."""
        return tuple(dict.fromkeys(_expand(names, self.target_groups, ())))


def _expand(names: Iterable[str], groups: Mapping[str, tuple[str, ...]], above: tuple[str, ...]) -> Iterable[str]:
    for name in names:
        if name in groups and name not in above:
            yield from _expand(groups[name], groups, (*above, name))
        else:
            yield name


# --- validation -------------------------------------------------------------------------------------------------------


def validate(table: Mapping[str, object], place: str) -> dict[str, object]:
    """The values of a `[tool.tilelang]` table by field name. ``place`` begins each message. Raises
    :class:`SettingsError`."""
    values: dict[str, object] = {}
    for written, value in table.items():
        key = _option(written, value)
        if key not in OPTIONS:
            raise SettingsError(f"{place}: unknown key `{written}`{suggestion(written, OPTIONS)}")
        if key == "target" and "target" in values:
            raise SettingsError(f"{place}: `target` and `targets` both list targets")
        values[key.replace("-", "_")] = _READERS[OPTIONS[key].kind](value, f"{place}: `{written}`")
        _check_rules(key, values[key.replace("-", "_")], place)
    return values


def _option(written: str, value: object) -> str:
    """A list under `targets` is the list of targets: the word that most people would try first."""
    return "target" if written == "targets" and not isinstance(value, dict) else written


def suggestion(name: str, known: Iterable[str]) -> str:
    """``, did you mean `x`?`` for a near miss, else an empty string."""
    close = nearest(name, known)
    return f", did you mean `{close}`?" if close else ""


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that ``name`` is a near miss of, if any."""
    from difflib import get_close_matches

    return next(iter(get_close_matches(name, sorted(known), n=1, cutoff=0.6)), None)


def check_rule(name: str, place: str) -> None:
    """Raise :class:`SettingsError` unless ``name`` is a rule."""
    if name not in rules.names():
        raise SettingsError(f"{place}: unknown rule `{name}`{suggestion(name, rules.names())}")


def check_selector(name: str, place: str) -> None:
    """Raise :class:`SettingsError` unless ``name`` is a rule, a group of rules or ``all``."""
    known = (*rules.names(), *rules.GROUPS, *rules.WIDER_GROUPS, "all")
    if name not in known:
        raise SettingsError(f"{place}: unknown rule `{name}`{suggestion(name, known)}")


def _check_rules(key: str, value: object, place: str) -> None:
    """Raise unless every name in an option that lists rules is a rule, a group or ``all``."""
    if key in ("select", "extend-select", "ignore"):
        lists = {f"`{key}`": cast("tuple[str, ...]", value)}
    elif key in ("per-file-ignores", "per-target-ignores"):
        lists = {f"`{key}`, `{name}`": names for name, names in cast("dict[str, tuple[str, ...]]", value).items()}
    else:
        return
    for where, names in lists.items():
        for name in names:
            check_selector(name, f"{place}: {where}")


def _names(value: object, place: str) -> tuple[str, ...]:
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    return _strings(value, place)


def _strings(value: object, place: str) -> tuple[str, ...]:
    spelling = _spell(value)
    items = cast("list[object]", value) if isinstance(value, (list, tuple)) else [None]
    strings = tuple(item for item in items if isinstance(item, str))
    if len(strings) != len(items):
        raise SettingsError(f"{place} must be a list of strings, not {spelling}")
    return strings


def _bool(value: object, place: str) -> bool:
    if not isinstance(value, bool):
        raise SettingsError(f"{place} must be true or false, not {_spell(value)}")
    return value


def _count(value: object, place: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise SettingsError(f"{place} must be a whole number above 0, not {_spell(value)}")
    return value


def _seconds(value: object, place: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not value > 0:
        raise SettingsError(f"{place} must be a number of seconds above 0, not {_spell(value)}")
    return float(value)


def _text(value: object, place: str) -> str:
    if not isinstance(value, str):
        raise SettingsError(f"{place} must be a string, not {_spell(value)}")
    return value


def _table(value: object, place: str) -> dict[str, object]:
    if not isinstance(value, dict):
        raise SettingsError(f"{place} must be a table, not {_spell(value)}")
    return cast("dict[str, object]", value)


def _levels(value: object, place: str) -> dict[str, str]:
    levels: dict[str, str] = {}
    for name, level in _table(value, place).items():
        check_selector(name, place)
        if level not in LEVELS:
            near = suggestion(level, LEVELS) if isinstance(level, str) else ""
            raise SettingsError(f"{place}: level of `{name}` must be one of {', '.join(LEVELS)}{near}")
        levels[name] = str(level)
    return levels


def _lists(value: object, place: str) -> dict[str, tuple[str, ...]]:
    return {name: _names(items, f"{place}, `{name}`,") for name, items in _table(value, place).items()}


def _words(value: object, place: str) -> dict[str, str]:
    return {name: _text(word, f"{place}, `{name}`,") for name, word in _table(value, place).items()}


def _targets(value: object, place: str) -> dict[str, dict[str, bool]]:
    options: dict[str, dict[str, bool]] = {}
    for target, table in _table(value, place).items():
        options[target] = {}
        for key, item in _table(table, f"{place}, `{target}`,").items():
            if key not in TARGET_OPTIONS:
                raise SettingsError(f"{place}: unknown key `{key}` of `{target}`{suggestion(key, TARGET_OPTIONS)}")
            options[target][key] = _bool(item, f"{place}, `{target}.{key}`,")
    return options


def _spell(value: object) -> str:
    text = {True: "true", False: "false"}[value] if isinstance(value, bool) else repr(value)
    return text if len(text) <= 40 else f"{text[:39]}…"


_READERS: Mapping[Kind, Callable[[object, str], object]] = {
    "names": _names,
    "strings": _strings,
    "bool": _bool,
    "count": _count,
    "seconds": _seconds,
    "text": _text,
    "levels": _levels,
    "lists": _lists,
    "words": _words,
    "targets": _targets,
}
