"""Results of unchanged files on disk.

An entry is a file of three lines: a checksum, the report without its instances, and the instances, which most formats
do not need. Its name is made from the path of the checked file, the settings, the targets and the version of the
checker. It holds the hashes of the file and of every other file that was read for it.

A new call of a factory in some other file of the project changes the result too. So an entry is stale as well if a
project file that is newer than the entry mentions the file's module or one of its kernels.

Everything here may fail without harm: a damaged entry is a miss, a folder that cannot be written is no cache. Writers
rename complete files into place, so parallel runs see whole entries only. Entries are JSON: reading them runs no code.
"""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from tilelang_analyzers.results import FileReport, InstanceResult, decode, encode, words_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tilelang_analyzers.settings import Settings

FOLDER_NAME = ".tilelang-cache"
MAX_FOLDERS = 5_000
"""Folders that are searched for newer files, as the evaluator's own index of callers ends somewhere too."""
CLOCK_SLACK = 2.0
"""Seconds by which the clocks of file systems and of this machine may differ."""


def digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()


class Cache:
    """The cache of one run. ``with_instances`` says whether the reports need them."""

    def __init__(self, *, with_instances: bool) -> None:
        self._with_instances = with_instances
        self._version = _own_version()
        self._tools = ""
        self._hashes: dict[str, str] = {}
        self._newer = _NewerFiles()
        self._ready: set[Path] = set()

    def load(self, path: str, data: bytes, settings: Settings) -> FileReport | None:
        """The stored report of a file with this content, or None."""
        file = self._entry(path, settings)
        try:
            checksum, head, instances = file.read_bytes().split(b"\n")
            if digest(head + instances).encode() != checksum:
                return None
            stored = json.loads(head)
            if stored["content"] != digest(data) or not self._current(stored["dependencies"]):
                return None
            if self._newer.mention(settings.root, stored["time"], stored["words"], {path, *stored["dependencies"]}):
                return None
            report = decode(stored["report"])
            if not isinstance(report, FileReport):
                return None
            rows = decode(json.loads(instances)) if self._with_instances else ()
            return report._replace(instances=cast("tuple[InstanceResult, ...]", rows))
        except (OSError, ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError):
            return None

    def store(self, report: FileReport, data: bytes, settings: Settings, started: float) -> None:
        """Keep a report. ``started`` is the time at which its check began."""
        if report.failure is not None:
            return
        head = json.dumps(
            {
                "content": digest(data),
                "time": started,
                "dependencies": {path: self._hash(path) for path in report.dependencies},
                "words": words_of(report, data),
                "report": encode(report._replace(instances=())),
            }
        ).encode()
        instances = json.dumps(encode(report.instances)).encode()
        checksum = digest(head + instances).encode()
        file = self._entry(report.path, settings)
        with suppress(OSError):
            self._prepare(file.parent.parent)
            file.parent.mkdir(exist_ok=True)
            temporary = file.with_name(f"{file.name}.{os.getpid()}")
            try:
                temporary.write_bytes(b"\n".join((checksum, head, instances)))
                temporary.replace(file)
            finally:
                temporary.unlink(missing_ok=True)

    def _entry(self, path: str, settings: Settings) -> Path:
        plain = repr(
            replace(settings, cache=True, cache_dir="", baseline="", include=(), force_exclude=False, origins={})
        )
        name = digest(f"{path}\0{plain}\0{self._version}{self._compilers(settings)}".encode())
        return cache_folder(settings) / name[:2] / f"{name[2:]}.json"

    def _compilers(self, settings: Settings) -> str:
        """What a compile depends on, for settings that ask for one."""
        if settings.compile and not self._tools:
            from tilelang_analyzers.compiling import compilers

            self._tools = compilers()
        return self._tools if settings.compile else ""

    def _prepare(self, folder: Path) -> None:
        """Make the cache's folder and keep it out of repositories and backups."""
        if folder in self._ready:
            return
        folder.mkdir(parents=True, exist_ok=True)
        if not (folder / ".gitignore").exists():
            (folder / ".gitignore").write_text("*\n")
            (folder / "CACHEDIR.TAG").write_text("Signature: 8a477f597d28d172789f06886806bc55\n")
        self._ready.add(folder)

    def _current(self, dependencies: dict[str, str]) -> bool:
        return all(self._hash(path) == stored for path, stored in dependencies.items())

    def _hash(self, path: str) -> str:
        """The hash of a file, empty if it cannot be read."""
        if path not in self._hashes:
            try:
                self._hashes[path] = digest(Path(path).read_bytes())
            except (OSError, ValueError):
                self._hashes[path] = ""
        return self._hashes[path]


def cache_folder(settings: Settings) -> Path:
    """Where entries are kept: the settings' folder; else in the project; else, for files outside any project, in the
    user's cache, so that checking a lone file leaves nothing beside it."""
    if settings.cache_dir:
        return Path(settings.root, settings.cache_dir)
    root = Path(settings.root)
    if (root / "pyproject.toml").exists() or (root / ".git").exists():
        return root / FOLDER_NAME
    return user_folder()


def user_folder() -> Path:
    """What this program keeps for the user, outside any project."""
    home = os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()
    return Path(home, "tilelang-suite")


def _own_version() -> str:
    """Changes with every change of the checker's own code, also in a working copy."""
    import tilelang

    stamps = hashlib.blake2b(digest_size=16)
    for package in (Path(tilelang.__file__).parent, Path(__file__).parent):
        for file, status in _files(str(package), (".py", ".json")):
            stamps.update(f"{file}\0{status.st_mtime_ns}\0{status.st_size}\0".encode())
    return stamps.hexdigest()


class _NewerFiles:
    """Files of a project by time, and what they mention."""

    def __init__(self) -> None:
        self._times: dict[str, list[tuple[float, str]]] = {}
        self._contents: dict[str, bytes] = {}

    def mention(self, root: str, since: float, words: list[str], known: set[str]) -> bool:
        """Whether a file that is newer than ``since``, other than the ``known`` ones, has one of the words in it."""
        if root not in self._times:
            files = _files(root, (".py", ".ipynb"))
            self._times[root] = [(max(status.st_mtime, status.st_ctime), file) for file, status in files]
        newer = [file for changed, file in self._times[root] if changed >= since - CLOCK_SLACK and file not in known]
        return any(word.encode() in self._content(file) for file in newer for word in words)

    def _content(self, path: str) -> bytes:
        if path not in self._contents:
            try:
                self._contents[path] = Path(path).read_bytes()
            except OSError:
                self._contents[path] = b""
        return self._contents[path]


def _files(folder: str, suffixes: tuple[str, ...]) -> Iterator[tuple[str, os.stat_result]]:
    """Files below a folder with their status, in a fixed order; folders that no check enters are left out."""
    from tilelang_analyzers.discover import DEFAULT_EXCLUDES

    stack = [folder]
    for _ in range(MAX_FOLDERS):
        if not stack:
            return
        try:
            with os.scandir(stack.pop()) as entries:
                listing = sorted(entries, key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in listing:
            with suppress(OSError):
                if entry.is_dir(follow_symlinks=False):
                    if entry.name not in DEFAULT_EXCLUDES:
                        stack.append(entry.path)
                elif entry.name.endswith(suffixes):
                    yield entry.path, entry.stat()
