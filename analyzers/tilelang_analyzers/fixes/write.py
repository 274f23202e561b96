"""Puts the new content of a file on the disk: all of it or nothing."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path


class CannotWrite(Exception):
    """A file that stays as it is; the message says why."""


def replace_content(path: str, old: bytes, new: bytes) -> None:
    """Write ``new`` in place of ``old``. Raises :class:`CannotWrite`.

    The file is replaced by a complete one, so that nobody, and no power cut, sees half of it; links to it, its mode and
    its owner stay. A file that somebody has changed since ``old`` was read, or that may not be written, is left alone;
    one that was written under another name already is as it should be.
    """
    file = Path(os.path.realpath(path))
    temporary = file.with_name(f".{file.name}.{os.getpid()}.tmp")
    try:
        status = file.stat()
        if not status.st_mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH) or not os.access(file, os.W_OK):
            raise CannotWrite("the file is read-only")
        try:
            with temporary.open("xb") as stream:
                stream.write(new)
                stream.flush()
                os.fsync(stream.fileno())
            if hasattr(os, "chown"):
                with suppress(OSError):
                    os.chown(temporary, status.st_uid, status.st_gid)
            temporary.chmod(stat.S_IMODE(status.st_mode))
            current = file.read_bytes()
            if current not in (old, new):
                raise CannotWrite("the file was changed meanwhile")
            if current != new:
                temporary.replace(file)
        finally:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)
    except OSError as error:
        raise CannotWrite(error.strerror or str(error)) from None
