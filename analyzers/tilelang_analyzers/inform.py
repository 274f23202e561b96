"""What the commands print about rules and settings."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, cast

from tilelang.diagnostics import Severity
from tilelang_analyzers import rules
from tilelang_analyzers.discover import discover
from tilelang_analyzers.report.places import display_path
from tilelang_analyzers.report.style import Style, wrap
from tilelang_analyzers.settings import OPTIONS, SettingsError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tilelang_analyzers.config import Config
    from tilelang_analyzers.rule import Rule

WIDTH = 80


def rule_lines(name: str, style: Style) -> Iterator[str]:
    """The documentation of one rule as text."""
    rule = rules.load(name)
    yield style.paint(rule.name, "bold")
    yield from wrap(rule.summary, min(style.width, WIDTH), rest="")
    yield ""
    yield from wrap(facts(rule), min(style.width, WIDTH), rest="")
    yield ""
    yield from prose(rule.doc, style)


def prose(markdown: str, style: Style) -> Iterator[str]:
    """Markdown as text: headings without marks, code indented, paragraphs and list items filled to the width."""
    width = min(style.width, WIDTH)
    paragraph: list[str] = []
    code = False
    lines = markdown.strip().splitlines()
    for number, line in enumerate([*lines, ""]):
        starts_block = code or not line.strip() or line.startswith(("```", "#", "- "))
        if starts_block and paragraph:
            yield from wrap(" ".join(paragraph), width, rest="  " if paragraph[0].startswith("- ") else "")
            paragraph = []
        if line.startswith("```"):
            code = not code
        elif code:
            yield f"    {line}".rstrip()
        elif line.startswith("#"):
            yield style.paint(line.lstrip("# "), "bold")
        elif line.strip():
            paragraph.append(line.strip())
        elif number < len(lines):
            yield ""


def facts(rule: Rule) -> str:
    """``error by default, group shape, since 0.1.0, offers a fix, depends on the target``."""
    level = "off by default" if rule.severity == Severity.OFF else f"{rule.severity.label} by default"
    parts = [level, f"group {rule.group}", f"since {rule.since}"]
    parts += ["offers a fix"] if rule.fixable else []
    parts += ["depends on the target"] if rule.target_dependent else []
    return ", ".join(parts)


def rule_list() -> Iterator[str]:
    """All rules by group."""
    every = rules.load_all()
    width = max(len(rule.name) for rule in every)
    for group in rules.GROUPS:
        members = [rule for rule in every if rule.group == group]
        if not members:
            continue
        yield f"{group}:"
        for rule in members:
            start = f"  {rule.name:<{width}}  {rule.severity.label:<7}  "
            yield from wrap(rule.summary.replace("`", ""), WIDTH, start, " " * len(start))


def file_lines(config: Config, paths: Sequence[str]) -> Iterator[str]:
    """The files that a run over ``paths`` would look at. Raises ``SettingsError`` for a path that is not there."""
    found = discover(paths, config.for_folder)
    for path, message in found.problems:
        raise SettingsError(f"{path}: {message}")
    yield from map(display_path, found.files)


def settings_lines(config: Config, path: str) -> Iterator[str]:
    """Each setting with its value and where that comes from, for the files in one place."""
    place = Path(os.path.abspath(path))  # noqa: PTH100
    settings = config.for_folder(place) if place.is_dir() else config.for_file(place)
    yield f"# settings of {place}"
    yield f"# project root: {settings.root}"
    for key in OPTIONS:
        yield f"{key} = {_toml(settings.value(key))}  # {settings.origins.get(key, 'default')}"


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}"'
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(_toml(item) for item in cast('list[object]', value))}]"
    if isinstance(value, dict):
        items = cast("dict[str, object]", value).items()
        return f"{{ {', '.join(f'{_toml(key)} = {_toml(item)}' for key, item in items)} }}" if value else "{}"
    return f"{value:g}" if isinstance(value, float) else str(value)
