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
SETTLE_SECONDS = 0.05
"""A change is looked at when nothing more has happened for that long."""
CLEAR_SCREEN = "\x1b[2J\x1b[3J\x1b[H"

SETTINGS_NAMES = ("pyproject.toml", ".gitignore")
"""Files whose changes may change which files are checked and how."""


class Stamp(NamedTuple):
    """What tells that a file was written."""

    time: int
    size: int
    inode: int


Stamps = dict[str, "Stamp | None"]
"""Stamps by path; None: not there."""


def watch(start: Callable[[], Checkup], show: Callable[[Checkup], None]) -> None:
    """Check, show, and begin again after every change, until the user interrupts. ``start`` makes a checkup and runs
    it; it is called again when files come or go or settings change. Raises ``SettingsError`` the first time only:
    settings that are wrong for a while are shown and waited for."""
    try:
        checkup = _timed(start, show)
        watched = _watched(checkup)
        while True:
            before = stamps(watched)
            after = _next_change(before)
            changed = {path for path in after if after[path] != before[path]}
            known = checkup.contents.keys()
            try:
                if all(path in known and after[path] is not None for path in changed):
                    contents = _contents(changed)
                    checkup = _timed(lambda current=checkup, new=contents: _updated(current, new), show)
                else:
                    checkup = _timed(start, show)
                watched = _watched(checkup)
            except SettingsError as error:
                print(f"{error}\nwaiting for a change", file=sys.stderr, flush=True)
    except KeyboardInterrupt:
        return


def _updated(checkup: Checkup, contents: Mapping[str, bytes]) -> Checkup:
    checkup.update(contents)
    return checkup


def _timed(check: Callable[[], Checkup], show: Callable[[Checkup], None]) -> Checkup:
    started = time.perf_counter()
    checkup = check()
    seconds = time.perf_counter() - started
    if sys.stdout.isatty():
        sys.stdout.write(CLEAR_SCREEN)
    show(checkup)
    count = len(checkup.contents)
    files = f"{count} file{'' if count == 1 else 's'}"
    print(f"[{time.strftime('%H:%M:%S')}] {seconds:.2f} s; watching {files}, Ctrl-C ends", flush=True)
    return checkup


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
    return Stamp(status.st_mtime_ns, status.st_size, status.st_ino)


def _next_change(before: Stamps) -> Stamps:
    """Wait until something differs and has come to rest."""
    while True:
        time.sleep(POLL_SECONDS)
        after = stamps(before)
        if after == before:
            continue
        while True:
            time.sleep(SETTLE_SECONDS)
            settled = stamps(before)
            if settled == after:
                return settled
            after = settled


def _contents(paths: Iterable[str]) -> dict[str, bytes]:
    contents: dict[str, bytes] = {}
    for path in paths:
        try:
            contents[path] = Path(path).read_bytes()
        except OSError:
            # Gone since: the next look will see that.
            continue
    return contents
