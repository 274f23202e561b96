"""The kernels of one file, for commands that show something about them: ``FILE[:KERNEL]``."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from tilelang_analyzers.settings import SettingsError, suggestion

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tilelang.frontend.instance import Instance
    from tilelang_analyzers.checker import Examination


def file_and_kernel(given: str) -> tuple[str, str]:
    """The parts of ``FILE[:KERNEL]``. A file may have a colon in its name."""
    head, colon, tail = given.rpartition(":")
    return (head, tail) if colon and not Path(given).exists() and Path(head).exists() else (given, "")


def examine(path: str, targets: Sequence[str] | None) -> Examination:
    """Evaluate one file under its project's settings, for these targets if there are some. Raises ``SettingsError`` for
    a file that cannot be read and for targets that do not exist."""
    from tilelang_analyzers.checker import Checker
    from tilelang_analyzers.config import Config
    from tilelang_analyzers.settings import validate

    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise SettingsError(f"{path}: {error.strerror or error}") from None
    written: dict[str, object] = {} if targets is None else {"target": ",".join(targets)}
    full = os.path.abspath(path)  # noqa: PTH100  # as the checker names files
    settings = Config(validate(written, "command line"), [], isolated=False).for_file(full)
    return Checker().examine(full, data, settings)


def matching(examined: Examination, kernel: str) -> list[Instance]:
    """The instances of a kernel or factory of this name, of all if it is empty, in the order of the source."""
    if examined.analysis is None:
        return []
    found = [it for it in examined.analysis.instances if kernel in ("", it.kernel, it.factory)]
    return sorted(found, key=lambda it: (it.path, it.line))


def first_of_each(instances: Sequence[Instance]) -> Iterator[Instance]:
    """The first instance of every kernel definition."""
    seen: set[tuple[str, int]] = set()
    for instance in instances:
        if (instance.path, instance.line) not in seen:
            seen.add((instance.path, instance.line))
            yield instance


def nothing_found(path: str, kernel: str, examined: Examination) -> str:
    """Why there is nothing to show."""
    known = {it.name for it in examined.report.kernels}
    if examined.analysis is not None:
        known |= {instance.factory for instance in examined.analysis.instances if instance.factory}
    if kernel:
        return f"{path}: no kernel `{kernel}` that could be followed{suggestion(kernel, known)}"
    return f"{path}: no kernel that could be followed"
