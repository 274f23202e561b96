"""Who calls what is defined in a file: a project index by identifiers.

Reading every file with :mod:`ast` would cost seconds in a large project, so files are scanned for words and imports.
The answer may name files that turn out not to call anything; evaluating them finds that out.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

_IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+(?P<module>[.\w]+)[ \t]+import[ \t]+(?P<members>\([^)]*\)|[^\n]*)"
    r"|import[ \t]+(?P<plain>[^\n]+))",
    re.MULTILINE,
)
_MEMBER = re.compile(r"[A-Za-z_]\w*|\*")
_WORD = re.compile(r"[A-Za-z_]\w*")
_DEFINITION = re.compile(r"^(?:async[ \t]+def|def|class)[ \t]+(?P<name>\w+)", re.MULTILINE)
_SKIPPED_FOLDERS = frozenset(
    ("venv", "node_modules", "__pycache__", "build", "dist", "site-packages", "3rdparty", "third_party")
)

MAX_FILES = 5_000
"""Files of a project that are scanned. A scan reads about 10 MB a second."""

MAX_FILE_BYTES = 1_000_000
ROUNDS = 3
"""Calls through that many library files are followed."""

MAX_CALLERS = 24
"""Files that call into the analysed one and are evaluated for it, nearest first."""


@dataclass(frozen=True, slots=True)
class FileEntry:
    """What the index knows about one file. ``imports``: names of modules and members, and ``*`` if all of one are
    imported. ``definitions`` maps a top-level name to the words of its body."""

    imports: frozenset[str]
    words: frozenset[str]
    definitions: dict[str, frozenset[str]]


class ProjectIndex:
    """The Python files below a folder that may matter to kernels."""

    def __init__(self, root: Path) -> None:
        self._entries = {str(path): entry for path in python_files(root) if (entry := scan(path)) is not None}

    def callers(self, path: str) -> list[str]:
        """Files that may call what ``path`` defines, directly or through other files, nearest first. A project should
        evaluate :data:`MAX_CALLERS` of them."""
        entry = self._entries.get(path)
        if entry is None:
            return []
        modules = self._module_names(path)
        names = set(entry.definitions)
        found: dict[str, int] = {}
        for distance in range(ROUNDS):
            fresh: set[str] = set()
            homes: set[str] = set()
            for other, known in self._entries.items():
                if other == path or not known.imports & modules:
                    continue
                passes_on = "*" in known.imports or bool(known.imports & names)
                if not passes_on and not known.words & names:
                    continue
                found.setdefault(other, distance)
                through = {name for name, words in known.definitions.items() if words & names}
                fresh |= through
                # What a file calls or imports by name can be had from that file, too.
                if through or passes_on:
                    homes |= self._module_names(other)
            if fresh <= names and homes <= modules:
                break
            names |= fresh
            modules |= homes
        callers = [other for other in found if not _is_package(other)]
        # Files that name what is defined here come before those that only reach it through others.
        callers.sort(key=lambda other: (found[other], not _is_test(other), _distance(path, other), other))
        return callers

    def _module_names(self, path: str) -> set[str]:
        """Names under which a file's content can be imported: its own, and those of packages that re-export it."""
        file = Path(path)
        names = {file.stem} if file.stem != "__init__" else {file.parent.name}
        folder = file.parent
        while (folder / "__init__.py").is_file():
            names.add(folder.name)
            folder = folder.parent
        return names


def python_files(root: Path) -> list[Path]:
    """Python files below ``root``, without environments, build results and vendored code."""
    found: list[Path] = []
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in _SKIPPED_FOLDERS and not name.startswith("."))
        found += [Path(folder, name) for name in sorted(files) if name.endswith(".py")]
        if len(found) > MAX_FILES:
            break
    return found[:MAX_FILES]


def scan(path: Path) -> FileEntry | None:
    """The entry of one file, or ``None`` if it cannot be read or is generated data."""
    try:
        if not path.is_file() or path.stat().st_size > MAX_FILE_BYTES:
            return None
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    imports: set[str] = set()
    for match in _IMPORT.finditer(text):
        imports.update(_WORD.findall(match["module"] or ""))
        imports.update(_MEMBER.findall(match["members"] or ""))
        imports.update(_WORD.findall(match["plain"] or ""))
    starts = list(_DEFINITION.finditer(text))
    definitions: dict[str, frozenset[str]] = {}
    for position, match in enumerate(starts):
        end = starts[position + 1].start() if position + 1 < len(starts) else len(text)
        definitions[match["name"]] = frozenset(_WORD.findall(text, match.end(), end))
    return FileEntry(frozenset(imports), frozenset(_WORD.findall(text)), definitions)


def _is_package(path: str) -> bool:
    return path.endswith("__init__.py")


def _is_test(path: str) -> bool:
    name = Path(path).name
    return name.startswith("test") or name.endswith("_test.py")


def _distance(a: str, b: str) -> int:
    left, right = Path(a).parts, Path(b).parts
    common = 0
    for x, y in zip(left, right, strict=False):
        if x != y:
            break
        common += 1
    return len(left) + len(right) - 2 * common
