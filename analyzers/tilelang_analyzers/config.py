"""From `pyproject.toml` and the command line to the settings of a file.

The nearest `pyproject.toml` with a `[tool.tilelang]` table counts, as for ruff; tables of outer folders are not merged
in. What the command line says wins over the file.
"""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from tilelang_analyzers.settings import Settings, SettingsError, validate

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

FILE_NAME = "pyproject.toml"
_PROJECT_MARKS = (FILE_NAME, "setup.py", "setup.cfg", ".git", ".hg")


class Config:
    """Settings by path. ``given`` are the options of the command line by field name; ``assignments`` are its
    ``--config key=value`` texts; ``isolated`` ignores configuration files. Raises :class:`SettingsError`."""

    def __init__(
        self,
        given: Mapping[str, object] | None = None,
        assignments: Iterable[str] = (),
        *,
        isolated: bool = False,
    ) -> None:
        self._isolated = isolated
        self._over: dict[str, object] = {}
        self._over_origins: dict[str, str] = {}
        for text in assignments:
            for key, value in _parse_assignment(text).items():
                self._override(key, value, f"--config {text}")
        for key, value in (given or {}).items():
            self._override(key, value, "command line")
        self._by_folder: dict[Path, Settings] = {}

    def _override(self, key: str, value: object, origin: str) -> None:
        self._over[key] = value
        self._over_origins[key.replace("_", "-")] = origin

    def for_file(self, path: str | os.PathLike[str]) -> Settings:
        """The settings of one file."""
        return self.for_folder(Path(os.path.abspath(path)).parent)  # noqa: PTH100  # resolve() would follow links

    def for_folder(self, folder: Path) -> Settings:
        """The settings of the files in a folder."""
        found = self._by_folder.get(folder)
        if found is None:
            found = self._by_folder[folder] = self._load(folder)
        return found

    def _load(self, folder: Path) -> Settings:
        place = None if self._isolated else _configured_folder(folder)
        if place is None:
            return self._finish(Settings(str(project_root(folder))), {}, "")
        known = self._by_folder.get(place)
        if known is not None:
            return known
        file = place / FILE_NAME
        settings = self._finish(Settings(str(place)), validate(_read_table(file), str(file)), str(file))
        self._by_folder[place] = settings
        return settings

    def _finish(self, settings: Settings, values: dict[str, object], origin: str) -> Settings:
        origins = {key.replace("_", "-"): origin for key in values} | self._over_origins
        merged = values | self._over
        # `--ignore`, `--extend-select` and `--exclude` add to what the file says; the other options replace it.
        for key in ("ignore", "extend_select", "exclude"):
            if key in values and key in self._over:
                merged[key] = (*_tuple(values[key]), *_tuple(self._over[key]))
        changes: dict[str, Any] = {**merged, "origins": origins}
        return replace(settings, **changes)


def project_root(folder: Path) -> Path:
    """The nearest folder at or above ``folder`` that looks like the root of a project. Without one, the working folder
    if ``folder`` is in it, else the folder that the package of ``folder`` can be imported from."""
    for candidate in (folder, *folder.parents):
        if any((candidate / mark).exists() for mark in _PROJECT_MARKS):
            return candidate
    working = Path.cwd()
    if working in folder.parents and working not in (Path.home(), Path(working.anchor)):
        return working
    while (folder / "__init__.py").is_file() and folder.parent != folder:
        folder = folder.parent
    return folder


def _tuple(value: object) -> tuple[object, ...]:
    return tuple(cast("tuple[object, ...]", value))


def _configured_folder(folder: Path) -> Path | None:
    """The nearest folder at or above ``folder`` whose `pyproject.toml` mentions this tool."""
    for candidate in (folder, *folder.parents):
        try:
            data = (candidate / FILE_NAME).read_bytes()
        except OSError:
            continue
        # Parsing TOML costs more than the rest of the start: look for the table's name first.
        if b"tilelang" in data and "tilelang" in _tool_tables(data, candidate / FILE_NAME):
            return candidate
    return None


def _tool_tables(data: bytes, file: Path) -> dict[str, object]:
    document = _toml(data, str(file))
    tool = document.get("tool", {})
    return cast("dict[str, object]", tool) if isinstance(tool, dict) else {}


def _read_table(file: Path) -> dict[str, object]:
    table = _tool_tables(file.read_bytes(), file)["tilelang"]
    if not isinstance(table, dict):
        raise SettingsError(f"{file}: `tool.tilelang` must be a table")
    return cast("dict[str, object]", table)


def _toml(data: bytes, place: str) -> dict[str, object]:
    from importlib import import_module

    tomllib: Any = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
    try:
        return tomllib.loads(data.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise SettingsError(f"{place}: {error}") from None


def _parse_assignment(text: str) -> dict[str, object]:
    """``key=value`` of ``--config``. The value is TOML, or a bare string."""
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        raise SettingsError(f"--config {text}: expected key=value")
    try:
        table = _toml(f"{key} = {value}".encode(), "--config")
    except SettingsError:
        escaped = value.strip().replace("\\", "\\\\").replace('"', '\\"')
        table = _toml(f'{key} = "{escaped}"'.encode(), f"--config {text}")
    return validate(table, f"--config {text}")
