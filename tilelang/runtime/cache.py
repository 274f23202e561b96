"""Compiled kernels on disk, by content.

The key is a hash of everything that the code depends on: the program as text, the target, the pass configs, and the
version of the compiler. An entry is one file that is written aside and renamed, with a checksum: processes may share
the folder, and a damaged entry counts as missing.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from tilelang import __version__
from tilelang.env import is_cache_enabled

if TYPE_CHECKING:
    from collections.abc import Callable

    from tilelang.backends.artifact import Artifact
    from tilelang.frontend.instance import Instance
    from tilelang.targets import Target

_FORMAT = b"tilelang-kernel-2\n"
_memory: dict[str, Artifact] = {}


def folder() -> Path:
    """Where kernels are kept: ``TILELANG_CACHE_DIR``, else the user's cache folder."""
    chosen = os.environ.get("TILELANG_CACHE_DIR")
    if chosen:
        return Path(chosen) / "kernels"
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "tilelang-suite" / "kernels"


def cached(instance: Instance, target: Target, make: Callable[[], Artifact]) -> Artifact:
    """The artifact of an instance on a target: from this process, from disk, or made now."""
    if not is_cache_enabled():
        return make()
    key = key_of(instance, target)
    found = _memory.get(key) or load(key)
    if found is None:
        found = make()
        store(key, found)
    _memory[key] = found
    return found


def key_of(instance: Instance, target: Target) -> str:
    """The content of a kernel as a hash. Lines count, since the code tells debuggers about them."""
    from tilelang.ir.printer import print_program

    program = instance.program
    parts = (
        __version__,
        _compiler(),
        str(target),
        print_program(program, lines=True),
        program.span.path,
        repr(program.attrs),
        repr(instance.jit.pass_configs),
    )
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


@cache
def _compiler() -> str:
    """The version of the code generator: the newest change of its files, which matters while it is developed."""
    root = Path(__file__).resolve().parent.parent
    files = (file for part in ("backends", "lower", "passes", "ir") for file in (root / part).rglob("*.py"))
    return str(max((file.stat().st_mtime_ns for file in files), default=0))


def load(key: str) -> Artifact | None:
    """The entry of a key; ``None`` if there is none or it is damaged."""
    from tilelang.backends.artifact import Artifact

    try:
        data = (folder() / key).read_bytes()
    except OSError:
        return None
    head = len(_FORMAT)
    body = data[head + 32 :]
    if data[:head] != _FORMAT or hashlib.sha256(body).digest() != data[head : head + 32]:
        return None
    try:
        found = pickle.loads(body)
    except Exception:  # noqa: BLE001  # written by another version of the classes
        return None
    return found if isinstance(found, Artifact) else None


def store(key: str, artifact: Artifact) -> None:
    """Keep an artifact, unless it has a loaded host module. A full or read-only disk is no error."""
    if artifact.host is not None:
        return
    body = pickle.dumps(artifact)
    data = _FORMAT + hashlib.sha256(body).digest() + body
    with suppress(OSError):
        folder().mkdir(parents=True, exist_ok=True)
        descriptor, aside = tempfile.mkstemp(dir=folder(), prefix=".new-")
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
            Path(aside).replace(folder() / key)
        except OSError:
            with suppress(OSError):
                Path(aside).unlink()
            raise


def clear() -> None:
    """Forget every kernel, on disk, too."""
    _memory.clear()
    with suppress(OSError):
        for file in folder().iterdir():
            file.unlink(missing_ok=True)
