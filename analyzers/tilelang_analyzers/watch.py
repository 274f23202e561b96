"""Checks again whenever a file changes: `--watch`.

Changes are found by looking at the times and sizes of the files, twice a second. A library with native notifications
(watchfiles) would react a fifth of a second sooner, but is a compiled dependency of a megabyte for every installation,
misses changes on network and container file systems, and saves nothing: 3,000 files take 10 ms to look at. Editors
that save by renaming change the inode, which counts as a change; a file that is gone for a moment is waited for.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tilelang_analyzers.settings import SettingsError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from tilelang_analyzers.runner import Checkup

POLL_SECONDS = 0.5
SETTLE_SECONDS = 0.1
"""A change is looked at when nothing more has happened for that long."""
CLOCK_STEP = 50_000_000
"""Nanoseconds by which the times of files may lag behind the clock."""
CLEAR_SCREEN = "\x1b[2J\x1b[3J\x1b[H"

SETTINGS_NAMES = ("pyproject.toml", ".gitignore")
"""Files whose changes may change which files are checked and how."""


class Stamp(NamedTuple):
    """What tells that a file was written. ``changed`` also counts renames; times are in nanoseconds."""

    written: int
    changed: int
    size: int
    inode: int


Stamps = dict[str, "Stamp | None"]
"""Stamps by path; None: not there."""


def watch(start: Callable[[], Checkup], show: Callable[[Checkup], object]) -> None:
    """Check, show, and begin again after every change, until the user interrupts. ``start`` makes a checkup and runs
    it; it is called again when files come or go or settings change. Raises ``SettingsError`` the first time only:
    settings that are wrong for a while are shown and waited for."""
    try:
        checkup, known = _timed(start, show)
        while True:
            now = _next_change(known)
            changed = {path for path in now if now[path] != known[path]}
            known = now
            new = _new_contents(checkup, changed)
            if new is not None and not new:
                continue
            try:
                if new is None:
                    checkup, known = _timed(start, show)
                else:
                    checkup, known = _timed(lambda current=checkup, new=new: _updated(current, new), show)
            except SettingsError as error:
                print(f"{error}\nwaiting for a change", file=sys.stderr, flush=True)
    except KeyboardInterrupt:
        return


def _new_contents(checkup: Checkup, changed: set[str]) -> dict[str, bytes] | None:
    """The files of the run with another content than the checkup has; None if the run has to begin anew, since files
    came or went or something else changed that it depends on. Editors write files beside those that they edit, so a
    changed folder alone means nothing."""
    files = changed.difference(checkup.folders)
    if files != changed and not checkup.is_complete():
        return None
    new: dict[str, bytes] = {}
    for path in files:
        old = checkup.contents.get(path)
        try:
            content = Path(path).read_bytes()
        except OSError:
            return None
        if old is None:
            return None
        if content != old:
            new[path] = content
    return new


def _updated(checkup: Checkup, contents: Mapping[str, bytes]) -> Checkup:
    checkup.update(contents)
    return checkup


def _timed(check: Callable[[], Checkup], show: Callable[[Checkup], object]) -> tuple[Checkup, Stamps]:
    """Check and show. The stamps are those of what was checked: what changed meanwhile has none, so it is looked at
    next."""
    began, started = time.time_ns(), time.perf_counter()
    checkup = check()
    seconds = time.perf_counter() - started
    found = stamps(_watched(checkup))
    if sys.stdout.isatty():
        sys.stdout.write(CLEAR_SCREEN)
    show(checkup)
    count = len(checkup.contents)
    files = f"{count} file{'' if count == 1 else 's'}"
    print(f"[{time.strftime('%H:%M:%S')}] {seconds:.2f} s; watching {files}, Ctrl-C ends", flush=True)
    recent = began - CLOCK_STEP
    return checkup, {path: None if it and it.changed >= recent else it for path, it in found.items()}


def _watched(checkup: Checkup) -> set[str]:
    """The files of the run, what they read, the folders that were searched, and the settings above them."""
    paths = {*checkup.contents, *checkup.folders}
    for report in checkup.reports.values():
        paths.update(report.dependencies)
    folders = {Path(path).parent for path in checkup.contents}
    above = {parent for folder in folders for parent in (folder, *folder.parents)}
    paths.update(str(folder / name) for folder in above for name in SETTINGS_NAMES)
    return paths


def stamps(paths: Iterable[str]) -> Stamps:
    """The stamps of files and folders."""
    return {path: _stamp(path) for path in paths}


def _stamp(path: str) -> Stamp | None:
    try:
        status = os.stat(path)  # noqa: PTH116  # thousands of calls
    except OSError:
        return None
    return Stamp(status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino)


def _next_change(known: Stamps) -> Stamps:
    """Wait until something differs and has come to rest."""
    while True:
        now = stamps(known)
        if now == known:
            time.sleep(POLL_SECONDS)
            continue
        while True:
            time.sleep(SETTLE_SECONDS)
            settled = stamps(known)
            if settled == now:
                return settled
            now = settled
