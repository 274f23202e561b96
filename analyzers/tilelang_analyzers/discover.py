"""Which files to check: the given files, and the Python files and notebooks below the given folders."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from tilelang_analyzers.settings import Settings

SUFFIXES = (".py", ".ipynb")

DEFAULT_EXCLUDES = (
    ".git",
    ".hg",
    ".svn",
    ".venv",
    "venv",
    ".tox",
    ".nox",
    ".eggs",
    ".ipynb_checkpoints",
    ".mypy_cache",
    ".pytest_cache",
    ".ruff_cache",
    ".tilelang-cache",
    "__pycache__",
    "__pypackages__",
    "build",
    "dist",
    "node_modules",
    "site-packages",
)


@dataclass(slots=True)
class Discovered:
    """``files`` are absolute paths, sorted, without repeats; ``explicit`` are those that were named themselves;
    ``problems`` are (path, message) of what could not be read."""

    files: list[str] = field(default_factory=list[str])
    explicit: set[str] = field(default_factory=set[str])
    problems: list[tuple[str, str]] = field(default_factory=list["tuple[str, str]"])


def discover(paths: Iterable[str], settings_of: Callable[[Path], Settings]) -> Discovered:
    """Walk the given paths. A file that is named itself is taken whatever its name and the excludes say."""
    found = Discovered()
    files: set[str] = set()
    for given in paths:
        path = Path(os.path.abspath(given))  # noqa: PTH100  # resolve() would replace what the user wrote
        if path.is_dir():
            files.update(_walk(path, settings_of, found.problems))
        elif path.exists() or path.is_symlink():
            files.add(str(path))
            found.explicit.add(str(path))
        else:
            found.problems.append((given, "no such file or folder"))
    found.files = sorted(files)
    return found


def _walk(start: Path, settings_of: Callable[[Path], Settings], problems: list[tuple[str, str]]) -> Iterator[str]:
    """Files below ``start``. Every real folder is entered once, so links that point upwards end."""
    stack = [(start, _ignores_above(start))]
    seen: set[str] = set()
    while stack:
        folder, ignores = stack.pop()
        real = os.path.realpath(folder)
        if real in seen:
            continue
        seen.add(real)
        try:
            with os.scandir(folder) as entries:
                listing = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            problems.append((str(folder), error.strerror or "cannot be read"))
            continue
        settings = settings_of(folder)
        if any(entry.name == ".gitignore" for entry in listing):
            ignores = (*ignores, IgnoreFile.read(folder / ".gitignore"))
        for entry in listing:
            is_folder = _is_folder(entry)
            if not is_folder and not entry.name.endswith(SUFFIXES):
                continue
            path = Path(entry.path)
            if _excluded(path, settings) or (settings.respect_gitignore and _ignored(path, is_folder, ignores)):
                continue
            if is_folder:
                stack.append((path, ignores))
            else:
                yield entry.path


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _excluded(path: Path, settings: Settings) -> bool:
    return path.name in DEFAULT_EXCLUDES or any(matches(pattern, path, settings.root) for pattern in settings.exclude)


def matches(pattern: str, path: Path, root: str) -> bool:
    """Whether a pattern of the settings names a path. A pattern without a slash matches a name at any depth; one with a
    slash is relative to ``root`` and matches everything below what it names."""
    pattern = pattern.rstrip("/")
    relative = os.path.relpath(path, root).replace(os.sep, "/")
    parts = relative.split("/")
    if "/" not in pattern:
        return any(glob_pattern(pattern).fullmatch(part) for part in parts)
    anchored = glob_pattern(pattern.removeprefix("./").removeprefix("/"))
    return any(anchored.fullmatch("/".join(parts[:count])) for count in range(1, len(parts) + 1))


@cache
def glob_pattern(pattern: str) -> re.Pattern[str]:
    """A glob as a regular expression: ``*`` and ``?`` stay within a folder, ``**`` does not."""
    out: list[str] = []
    at = 0
    while at < len(pattern):
        rest = pattern[at:]
        if rest.startswith("**/"):
            out.append("(?:[^/]+/)*")
            at += 3
        elif rest.startswith("**"):
            out.append(".*")
            at += 2
        elif rest[0] == "*":
            out.append("[^/]*")
            at += 1
        elif rest[0] == "?":
            out.append("[^/]")
            at += 1
        elif rest[0] == "[" and "]" in rest[2:]:
            end = rest.index("]", 2)
            body = rest[1:end].replace("\\", "\\\\")
            out.append(f"[{'^' + body[1:] if body[0] == '!' else body}]")
            at += end + 1
        else:
            out.append(re.escape(rest[0]))
            at += 1
    try:
        return re.compile("".join(out), re.DOTALL)
    except re.error:
        return re.compile(re.escape(pattern))


# --- .gitignore -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class IgnoreRule:
    """One line of a `.gitignore`: what its paths look like relative to the folder of the file."""

    pattern: re.Pattern[str]
    negated: bool
    folders_only: bool
    by_name: bool


@dataclass(frozen=True, slots=True)
class IgnoreFile:
    """The rules of one `.gitignore`, in order: the last one that matches decides."""

    folder: str
    rules: tuple[IgnoreRule, ...]

    @staticmethod
    def read(file: Path) -> IgnoreFile:
        """Read a file; one that cannot be read has no rules."""
        try:
            text = file.read_text(encoding="utf-8", errors="replace")
        except OSError:
            text = ""
        lines = (_ignore_rule(line) for line in text.splitlines())
        return IgnoreFile(str(file.parent), tuple(rule for rule in lines if rule is not None))

    def decision(self, path: Path, is_folder: bool) -> bool | None:
        """True: ignored, False: taken back in, None: not mentioned."""
        relative = os.path.relpath(path, self.folder).replace(os.sep, "/")
        for rule in reversed(self.rules):
            subject = path.name if rule.by_name else relative
            if (is_folder or not rule.folders_only) and rule.pattern.fullmatch(subject):
                return not rule.negated
        return None


def _ignore_rule(line: str) -> IgnoreRule | None:
    line = line.rstrip()
    if not line or line.startswith("#"):
        return None
    negated = line.startswith("!")
    line = line.removeprefix("!").removeprefix("\\")
    folders_only = line.endswith("/")
    line = line.rstrip("/")
    by_name = "/" not in line
    return IgnoreRule(glob_pattern(line.removeprefix("/")), negated, folders_only, by_name) if line else None


def _ignored(path: Path, is_folder: bool, ignores: tuple[IgnoreFile, ...]) -> bool:
    """The innermost file that mentions the path decides."""
    for ignore in reversed(ignores):
        decision = ignore.decision(path, is_folder)
        if decision is not None:
            return decision
    return False


def _ignores_above(folder: Path) -> tuple[IgnoreFile, ...]:
    """The ignore files between the root of the repository and ``folder``, without that of ``folder`` itself."""
    above: list[IgnoreFile] = []
    for parent in folder.parents if not (folder / ".git").exists() else ():
        if (parent / ".gitignore").is_file():
            above.append(IgnoreFile.read(parent / ".gitignore"))
        if (parent / ".git").exists():
            return tuple(reversed(above))
    return ()
