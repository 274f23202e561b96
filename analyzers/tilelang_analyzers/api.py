"""The checker as a library: for tests, fuzzing, notebooks and other tools."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from tilelang_analyzers.checker import Checker
from tilelang_analyzers.config import Config
from tilelang_analyzers.results import Failure, FileReport
from tilelang_analyzers.runner import Options, run

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tilelang_analyzers.report import Run
    from tilelang_analyzers.settings import Settings

__all__ = ["check_file", "check_paths", "check_source"]


def check_paths(paths: Iterable[str | Path], config: Config | None = None, *, jobs: int = 1) -> Run:
    """Check files and folders as `tilelang-check` does, without its cache. Raises ``SettingsError``."""
    return run([str(path) for path in paths], config or Config(), Options(jobs=jobs, use_cache=False, in_process=True))


def check_source(path: str | Path, source: str | bytes, settings: Settings | None = None) -> FileReport:
    """Check text as the content of ``path``, which need not exist. Raises ``SettingsError``."""
    absolute = os.path.abspath(path)  # noqa: PTH100
    data = source.encode("utf-8", "surrogatepass") if isinstance(source, str) else source
    return Checker().check(absolute, data, settings or Config(isolated=True).for_file(absolute))


def check_file(path: str | Path, settings: Settings | None = None) -> FileReport:
    """Check one file. A file that cannot be read is a report with a failure."""
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        failure = Failure(error.strerror or "cannot be read", internal=False)
        return FileReport(os.path.abspath(path), failure=failure)  # noqa: PTH100
    return check_source(path, data, settings)
