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

_SUFFIXES = (".py", ".pyi", ".pyw", ".ipynb")
_MAX_SHEBANG = 256

_TRAILING_SPACES = re.compile(r"(?<!\\) +$")


@dataclass(slots=True)
class Discovered:
    """``files`` are absolute paths, sorted, without repeats; ``folders`` are those that were searched; ``problems`` are
    (path, message) of what could not be read."""

    files: list[str] = field(default_factory=list[str])
    folders: list[str] = field(default_factory=list[str])
    problems: list[tuple[str, str]] = field(default_factory=list["tuple[str, str]"])


def discover(paths: Iterable[str], settings_of: Callable[[Path], Settings]) -> Discovered:
    """Walk the given paths. A Python file or notebook that is named itself is taken whatever the excludes say, unless
    the settings have `force-exclude`."""
    _ignores_above.cache_clear()
    found = Discovered()
    files: set[str] = set()
    for given in paths:
        path = Path(os.path.abspath(given))  # noqa: PTH100  # resolve() would replace what the user wrote
        if path.is_dir():
            if not is_left_out(path, settings_of(path), is_folder=True):
                files.update(_walk(path, settings_of, found))
        elif path.exists() or path.is_symlink():
            settings = settings_of(path.parent)
            if is_left_out(path, settings):
                continue
            if _is_python(path, settings):
                files.add(str(path))
            else:
                found.problems.append((given, "neither a Python file nor a notebook (`include` can name others)"))
        else:
            found.problems.append((given, "no such file or folder"))
    found.files = sorted(files)
    return found


def _is_python(path: Path, settings: Settings) -> bool:
    """Whether a file is for this checker: by its name, or a script without a suffix by its first line."""
    if path.suffix.lower() in _SUFFIXES or any(matches(pattern, path, settings.root) for pattern in settings.include):
        return True
    if path.suffix or not path.is_file():
        return False
    try:
        with path.open("rb") as file:
            return b"python" in file.readline(_MAX_SHEBANG)
    except OSError:
        return True  # reading it says what is wrong


def is_left_out(path: Path, settings: Settings, *, is_folder: bool = False) -> bool:
    """Whether `force-exclude` leaves out a path that was named itself: it, or a folder above it within the project, is
    excluded or ignored. So a hook that passes the names of changed files checks what a run over the folder checks."""
    if not settings.force_exclude:
        return False
    inside = [each for each in (path, *path.parents) if settings.root in map(str, each.parents)]
    if any(_excluded(each, settings) for each in inside):
        return True
    if not settings.respect_gitignore:
        return False
    return any(_ignored(each, is_folder or each != path, _ignores_above(each)) for each in inside)


def _walk(start: Path, settings_of: Callable[[Path], Settings], found: Discovered) -> Iterator[str]:
    """Files below ``start``. Every real folder is entered once, so links that point upwards end."""
    # Who names an ignored folder wants to see what is in it.
    above = _ignores_above(start) if settings_of(start).respect_gitignore else ()
    stack = [(start, tuple(it for it in above if not it.decision(start, True)))]
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
            found.problems.append((str(folder), error.strerror or "cannot be read"))
            continue
        found.folders.append(str(folder))
        settings = settings_of(folder)
        if settings.respect_gitignore and any(entry.name == ".gitignore" for entry in listing):
            ignores = (*ignores, IgnoreFile.read(folder, folder / ".gitignore"))
        for entry in listing:
            is_folder = _is_folder(entry)
            path = Path(entry.path)
            if not is_folder and not any(matches(pattern, path, settings.root) for pattern in settings.include):
                continue
            if _excluded(path, settings) or _ignored(path, is_folder, ignores):
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
    """A glob as a regular expression: ``*`` and ``?`` stay within a folder, ``**`` does not; a backslash takes the
    meaning from the next sign."""
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
        elif rest[0] == "\\" and len(rest) > 1:
            out.append(re.escape(rest[1]))
            at += 2
        elif rest[0] == "[" and "]" in rest[2:]:
            end = rest.index("]", 2)
            body = rest[1:end].replace("\\", "\\\\")
            out.append(f"(?!/)[{'^' + body[1:] if body[0] == '!' else body}]")
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
    """The rules of one ignore file for the paths below ``folder``, in order: the last one that matches decides.

    Git decides about every folder on the way to a file, and does not enter one that is ignored. The library pathspec
    decides about whole paths of files: it takes `*` and `!off/` to ignore the folder `off`, which git enters.
    """

    folder: str
    rules: tuple[IgnoreRule, ...]

    @staticmethod
    def read(folder: Path, file: Path) -> IgnoreFile:
        """Read a file; one that cannot be read has no rules."""
        try:
            text = file.read_text(encoding="utf-8-sig", errors="replace")
        except OSError:
            text = ""
        rules = (_ignore_rule(line) for line in text.split("\n"))
        return IgnoreFile(str(folder), tuple(rule for rule in rules if rule is not None))

    def decision(self, path: Path, is_folder: bool) -> bool | None:
        """True: ignored, False: taken back in, None: not mentioned."""
        relative = os.path.relpath(path, self.folder).replace(os.sep, "/")
        for rule in reversed(self.rules):
            subject = path.name if rule.by_name else relative
            if (is_folder or not rule.folders_only) and rule.pattern.fullmatch(subject):
                return not rule.negated
        return None


def _ignore_rule(line: str) -> IgnoreRule | None:
    line = _TRAILING_SPACES.sub("", line.rstrip("\r"))
    if not line or line.startswith("#"):
        return None
    negated = line.startswith("!")
    line = line.removeprefix("!")
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


@cache
def _ignores_above(path: Path) -> tuple[IgnoreFile, ...]:
    """The ignore files from the root of the repository to the folder above ``path``; none outside a repository. As for
    git, what the repository's own `info/exclude` says counts least."""
    above: list[IgnoreFile] = []
    for folder in (path, *path.parents):
        if folder != path and (folder / ".gitignore").is_file():
            above.append(IgnoreFile.read(folder, folder / ".gitignore"))
        if (folder / ".git").exists():
            if (folder / ".git" / "info" / "exclude").is_file():
                above.append(IgnoreFile.read(folder, folder / ".git" / "info" / "exclude"))
            return tuple(reversed(above))
    return ()
