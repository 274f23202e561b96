"""Results on disk, named by the content that they were made from.

Anything here may fail without harm: a damaged entry is a miss, and a folder that cannot be written keeps nothing.
Writers rename complete files into place, so processes that share the folder see whole entries only.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections import OrderedDict
from contextlib import suppress
from functools import cache
from pathlib import Path

MEMORY_BYTES = 64 << 20
DISK_BYTES = 1 << 30
"""What is kept; the entries that were read longest ago go first."""
_CHECKSUM = 16


def digest(*parts: bytes | str) -> str:
    """A name for what these parts make. Different lists of parts have different names."""
    hashed = hashlib.blake2b(digest_size=20)
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        hashed.update(len(data).to_bytes(8, "little") + data)
    return hashed.hexdigest()


def default_folder() -> Path:
    """The variable ``TILELANG_CACHE_DIR``, else a folder of the user's cache."""
    named = os.environ.get("TILELANG_CACHE_DIR")
    if named:
        return Path(named)
    home = os.environ.get("XDG_CACHE_HOME")
    return Path(home or Path("~/.cache").expanduser(), "tilelang-suite")


class Store:
    """Bytes by key, in memory and in a folder; in memory only if ``folder`` is None."""

    def __init__(self, folder: Path | None, *, memory: int = MEMORY_BYTES, disk: int = DISK_BYTES) -> None:
        self._folder = folder
        self._memory: OrderedDict[str, bytes] = OrderedDict()
        self._memory_limit = memory
        self._disk_limit = disk
        self._pruned = False

    @staticmethod
    @cache
    def default() -> Store:
        """The store of this user."""
        return Store(default_folder() / "code")

    def get(self, key: str) -> bytes | None:
        """What was put under a key, if it is still there and whole."""
        if key in self._memory:
            self._memory.move_to_end(key)
            return self._memory[key]
        if self._folder is None:
            return None
        file = self._file(key)
        try:
            stored = file.read_bytes()
        except OSError:
            return None
        checksum, data = stored[:_CHECKSUM], stored[_CHECKSUM:]
        if _checksum(data) != checksum:
            with suppress(OSError):
                file.unlink()
            return None
        with suppress(OSError):
            os.utime(file)
        self._remember(key, data)
        return data

    def put(self, key: str, data: bytes) -> None:
        """Keep data under a key."""
        self._remember(key, data)
        if self._folder is None:
            return
        file = self._file(key)
        temporary = file.with_name(f"{file.name}.{os.getpid()}.{threading.get_ident()}")
        with suppress(OSError):
            file.parent.mkdir(parents=True, exist_ok=True)
            try:
                temporary.write_bytes(_checksum(data) + data)
                temporary.replace(file)
            finally:
                temporary.unlink(missing_ok=True)
            self._prune()

    def _file(self, key: str) -> Path:
        assert self._folder is not None
        return self._folder / key[:2] / key[2:]

    def _remember(self, key: str, data: bytes) -> None:
        self._memory[key] = data
        self._memory.move_to_end(key)
        while len(self._memory) > 1 and sum(map(len, self._memory.values())) > self._memory_limit:
            self._memory.popitem(last=False)

    def _prune(self) -> None:
        """Once in a process: take out what was not used for longest, if the folder is too large."""
        if self._pruned or self._folder is None:
            return
        self._pruned = True
        entries: list[tuple[float, int, Path]] = []
        for file in self._folder.glob("??/*"):
            with suppress(OSError):
                status = file.stat()
                entries.append((status.st_mtime, status.st_size, file))
        excess = sum(size for _, size, _ in entries) - self._disk_limit
        for _, size, file in sorted(entries):
            if excess <= 0:
                return
            with suppress(OSError):
                file.unlink()
                excess -= size


def _checksum(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=_CHECKSUM).digest()
