"""Reports in files: those that `--output FORMAT=FILE` names, and the summary of a step of GitHub Actions.

A file is replaced in one step, so that no reader ever sees half of it, and an old report stays if the new one cannot be
written. Pipes and devices are written to as they are.
"""

from __future__ import annotations

import argparse
import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tilelang_analyzers.report import FORMATS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tilelang_analyzers.report import Run

STEP_SUMMARY = "GITHUB_STEP_SUMMARY"
"""The variable in which GitHub Actions names the file that holds the summary of the step."""


class Output(NamedTuple):
    """A report to write besides the one on standard output."""

    format: str
    path: str


def parse_output(text: str) -> Output:
    """Read ``FORMAT=FILE``. Raises what :mod:`argparse` shows as a wrong usage."""
    name, equals, path = text.partition("=")
    if not equals or not path:
        raise argparse.ArgumentTypeError(f"expected FORMAT=FILE, not {text!r}")
    if path == "-":
        raise argparse.ArgumentTypeError(f"a file is needed; --format {name} prints")
    if name not in FORMATS:
        from tilelang_analyzers.settings import suggestion

        near = suggestion(name, FORMATS) or f" (choose from {', '.join(FORMATS)})"
        raise argparse.ArgumentTypeError(f"unknown format {name!r}{near}")
    return Output(name, path)


def write_all(outputs: Iterable[Output], run: Run) -> list[str]:
    """Write the reports to their files. The result says what could not be written."""
    from tilelang_analyzers.report import render
    from tilelang_analyzers.report.style import Style

    messages = [write(one.path, render(one.format, run, Style())) for one in outputs]
    return [message for message in messages if message]


def write_step_summary(run: Run) -> str:
    """Append the Markdown report to the summary of the step, inside GitHub Actions; else do nothing. The result says
    what went wrong, if anything did."""
    path = os.environ.get(STEP_SUMMARY)
    if not path:
        return ""
    from tilelang_analyzers.report import render
    from tilelang_analyzers.report.style import Style

    try:
        with Path(path).open("ab") as file:
            file.write(_encoded(render("markdown", run, Style())))
    except OSError as error:
        return _complaint(path, error)
    return ""


def write(path: str, lines: Iterable[str]) -> str:
    """Write lines to a file in UTF-8, making its folder if need be. The result says why it could not be written, or is
    empty."""
    data = _encoded(lines)
    file = Path(path)
    try:
        if file.exists() and not file.is_file():
            file.write_bytes(data)
        else:
            # A link stays a link to the file that is replaced.
            _replace(Path(os.path.realpath(file)), data)
    except OSError as error:
        return _complaint(path, error)
    return ""


def _replace(file: Path, data: bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    temporary = file.with_name(f".{file.name}.{os.getpid()}.tmp")
    try:
        temporary.write_bytes(data)
        if file.exists():
            temporary.chmod(file.stat().st_mode)
        temporary.replace(file)
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def _encoded(lines: Iterable[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "replace")


def _complaint(path: str, error: OSError) -> str:
    return f"cannot write {path}: {error.strerror or error}"
