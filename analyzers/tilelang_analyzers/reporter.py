"""Prints and writes the reports of a run, as the options of the command line ask."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, TextIO

from tilelang_analyzers.exit_codes import CLEAN, TROUBLE
from tilelang_analyzers.report import WITH_INSTANCES, render
from tilelang_analyzers.report.style import Style
from tilelang_analyzers.settings import SettingsError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Iterator

    from tilelang_analyzers.output import Output
    from tilelang_analyzers.report import Run
    from tilelang_analyzers.report.json_lines import Stream
    from tilelang_analyzers.results import FileReport
    from tilelang_analyzers.sources import Sources

    Emit = Callable[[Iterable[str], TextIO], int]

DOCUMENTS = ("json", "json-lines", "sarif", "gitlab", "junit", "rdjson")
"""Formats whose readers need a document even if there is nothing in it: ``--quiet`` leaves them alone."""
WITHOUT_COVERAGE = ("gitlab", "rdjson")
"""Formats that cannot say how much was checked; standard error says it then."""

WITH_TRACE = ("full", "json")
"""Formats that show what ``--trace-instances`` asks for; standard error has it beside the others."""


class Reporter:
    """What a run prints, by ``emit``, and writes. Raises ``SettingsError`` for options that exclude each other."""

    def __init__(self, options: argparse.Namespace, emit: Emit) -> None:
        self._emit = emit
        self._format: str = options.format
        self._file: str | None = options.output_file
        self._outputs: list[Output] = options.output
        self._statistics: bool = options.statistics
        self._color: str = options.color
        self._quiet: bool = options.quiet
        self._stream: Stream | None = None
        self._check()

    def _check(self) -> None:
        if self._statistics:
            from tilelang_analyzers.report.statistics import FORMATS

            if self._format not in FORMATS:
                raise SettingsError(f"--statistics goes with --format {', '.join(FORMATS)}, not {self._format}")
        paths = [one.path for one in self._outputs] + ([self._file] if self._file else [])
        seen: set[str] = set()
        for path in paths:
            place = os.path.realpath(path)
            if place in seen and place != os.devnull:
                raise SettingsError(f"--output: two reports for one file, {path}")
            seen.add(place)

    @property
    def with_instances(self) -> bool:
        """Whether a report shows instances."""
        return any(name in WITH_INSTANCES for name in (self._format, *(one.format for one in self._outputs)))

    def stream(self) -> Callable[[FileReport, Sources], None] | None:
        """What to call with each file of a run to print its findings at once; None if the format is not one for
        that."""
        if self._format != "json-lines" or self._file is not None:
            return None
        from tilelang_analyzers.report.json_lines import Stream

        stream = self._stream = Stream()

        def on_report(file: FileReport, sources: Sources) -> None:
            for line in stream.lines(file, sources):
                self._emit([line], sys.stdout)
                sys.stdout.flush()

        return on_report

    def report(self, run: Run, stream: TextIO | None = None) -> int:
        """Write everything, and print to ``stream``: standard output unless that has something else.

        The result is 2 if a file could not be written, else 0.
        """
        from tilelang_analyzers.output import write, write_all, write_step_summary

        # Files first: whoever reads the text may stop reading before its end.
        complaints = write_all(self._outputs, run)
        if self._file is not None:
            complaints.append(write(self._file, self._lines(run, Style())))
        if "github" in (self._format, *(one.format for one in self._outputs)):
            complaints.append(write_step_summary(run))
        self._print(run, stream or sys.stdout)
        for complaint in filter(None, complaints):
            print(f"tilelang-check: {complaint}", file=sys.stderr)
        return TROUBLE if any(complaints) else CLEAN

    def _print(self, run: Run, stream: TextIO) -> None:
        if self._stream is not None:
            self._emit(self._stream.closing(run), stream)
            self._tell_instances(run)
        elif self._file is None and not self._silent(run):
            self._emit(self._lines(run, Style.of(stream, self._color)), stream)
            self._tell_coverage(run)
            self._tell_instances(run)
        stream.flush()

    def _silent(self, run: Run) -> bool:
        text = self._format not in DOCUMENTS
        return self._quiet and text and run.exit_code == CLEAN and not run.findings()

    def _lines(self, run: Run, style: Style) -> Iterator[str]:
        if not self._statistics:
            return render(self._format, run, style)
        from tilelang_analyzers.report.statistics import json_lines, text_lines

        return json_lines(run) if self._format == "json" else text_lines(run, style)

    def _tell_coverage(self, run: Run) -> None:
        """Say on standard error what the printed format has no place for."""
        if self._quiet or not (self._format in WITHOUT_COVERAGE or (self._statistics and self._format == "json")):
            return
        from tilelang_analyzers.report.coverage import failures, summary

        style = Style.of(sys.stderr, self._color)
        for line in (*failures(run, style), *summary(run, style)):
            print(line, file=sys.stderr)

    def _tell_instances(self, run: Run) -> None:
        """What ``--trace-instances`` asks for, on standard error if the printed format has no place for it."""
        if not run.trace or (self._format in WITH_TRACE and not self._statistics):
            return
        from tilelang_analyzers.report.trace import trace

        self._emit(trace(run, Style.of(sys.stderr, self._color)), sys.stderr)
