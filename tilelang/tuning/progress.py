"""A progress bar: that of tqdm where it is installed, else one line on a terminal."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Generator


class Line:
    """A line that is written anew."""

    def __init__(self, total: int, label: str) -> None:
        self._total, self._label, self._done = total, label, 0
        self._shown = sys.stderr.isatty()

    def update(self, count: int = 1) -> None:
        self._done += count
        if self._shown:
            sys.stderr.write(f"\r{self._label} {self._done}/{self._total}")
            sys.stderr.flush()

    def close(self) -> None:
        if self._shown and self._done:
            sys.stderr.write("\n")


@contextmanager
def progress(total: int, label: str) -> Generator[Any]:
    """Something with ``update()`` for a ``with`` block. Nothing is shown where standard error is no terminal."""
    bar = _bar(total, label)
    try:
        yield bar
    finally:
        bar.close()


def _bar(total: int, label: str) -> Any:
    if find_spec("tqdm") is None:
        return Line(total, label)
    from tqdm.auto import tqdm  # type: ignore[import-not-found]  # a nicety

    make: Any = tqdm
    return make(total=total, desc=label, disable=not sys.stderr.isatty())
