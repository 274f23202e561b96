"""The command `tilelang-check`.

Exit codes: 0 without errors and warnings, 1 with some, 2 if the command or the settings are wrong or a file could not
be checked. Nothing but the import path is touched before :func:`~tilelang_analyzers.isolation.isolate` has run, and
whatever a run does not need is imported late: a check of one file starts and ends in a fraction of a second.
"""

from __future__ import annotations

import argparse
import errno
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from tilelang_analyzers.exit_codes import CLEAN, INTERRUPTED, TROUBLE
from tilelang_analyzers.isolation import isolate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from contextlib import AbstractContextManager

    from tilelang_analyzers.actions import Outcome
    from tilelang_analyzers.config import Config
    from tilelang_analyzers.results import FileReport
    from tilelang_analyzers.runner import Progress

    Command = Callable[[str, Sequence[str]], int]
    """Takes the name of the program and its arguments; gives the exit code."""

HELP_WIDTH = 80


def main(arguments: Sequence[str] | None = None) -> int:
    """Entry point of `tilelang-check`; the result is the exit code."""
    return guarded("tilelang-check", sys.argv[1:] if arguments is None else arguments, check_command)


def guarded(program: str, arguments: Sequence[str], command: Command) -> int:
    """Run a command so that no traceback ever reaches the user."""
    trouble = isolate()
    if trouble is not None:
        return complain(program, trouble)
    from tilelang_analyzers.settings import SettingsError

    try:
        code = command(program, arguments)
        sys.stdout.flush()
        sys.stderr.flush()
    except SettingsError as error:
        return complain(program, str(error))
    except KeyboardInterrupt:
        print(f"{program}: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # The reader (`head`, a pager) has seen enough.
        _silence_output()
        return CLEAN
    except SystemExit as error:
        return error.code if isinstance(error.code, int) else TROUBLE
    except OSError as error:
        if not _is_about_output(error):
            return _internal_error(program, arguments, error)
        _silence_output()
        return complain(program, f"cannot write the output: {error.strerror or error}")
    except Exception as error:  # noqa: BLE001  # the promise of this function
        return _internal_error(program, arguments, error)
    return code


def _internal_error(program: str, arguments: Sequence[str], error: Exception) -> int:
    if "--debug" in arguments:
        raise error
    text = f"internal error: {type(error).__name__}: {error}".rstrip(": ")
    return complain(program, f"{text}\nplease report it with the output of --debug")


def _is_about_output(error: OSError) -> bool:
    """Whether writing to a stream failed: errors about files have their names."""
    return error.filename is None and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF)


def _silence_output() -> None:
    """Python tries to write what is left in the buffer when it ends, and would complain once more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def complain(program: str, message: str) -> int:
    print(f"{program}: {message}", file=sys.stderr)
    return TROUBLE


# --- the command line -------------------------------------------------------------------------------------------------


def parser(program: str) -> argparse.ArgumentParser:
    """The options of `tilelang-check`."""
    from tilelang_analyzers.completion import SHELLS
    from tilelang_analyzers.output import parse_output
    from tilelang_analyzers.report import FORMATS

    made = argparse.ArgumentParser(
        program,
        usage=f"{program} [OPTIONS] [PATHS]",
        description="Check TileLang kernels from source. No GPU is needed and nothing of the checked files is run.",
        epilog="Exit codes: 0 clean, 1 errors or warnings, 2 wrong usage or settings, or an internal error.",
        formatter_class=lambda prog: argparse.HelpFormatter(prog, max_help_position=26, width=HELP_WIDTH),
        allow_abbrev=False,
    )
    made.add_argument("paths", nargs="*", metavar="PATHS", help="files and folders (default: .), - for standard input")
    what = made.add_argument_group("what to check")
    what.add_argument(
        "--target", "-t", action="append", metavar="NAMES", help="cards or archs, such as t4,a100,sm_90+ or all-nvidia"
    )
    what.add_argument(
        "--select", action="append", metavar="RULES", help="rules or groups to run instead of the default"
    )
    what.add_argument("--extend-select", action="append", metavar="RULES", help="rules or groups to run besides")
    what.add_argument("--ignore", action="append", metavar="RULES", help="rules or groups not to run")
    what.add_argument("--diff-base", metavar="REV", help="only findings on kernels that differ from a git revision")
    what.add_argument("--exclude", action="append", metavar="GLOBS", help="files and folders to leave out")
    what.add_argument("--force-exclude", action="store_true", help="leave out excluded files also where they are named")
    what.add_argument("--stdin-filename", metavar="FILE", help="the name of what standard input holds")
    output = made.add_argument_group("output")
    output.add_argument(
        "--format",
        "-f",
        choices=FORMATS,
        default="full",
        metavar="FORMAT",
        help=f"the form of the report: {', '.join(FORMATS)} (default: full)",
    )
    output.add_argument(
        "--output",
        action="append",
        type=parse_output,
        default=[],
        metavar="FORMAT=FILE",
        help="write a report to a file besides: sarif=check.sarif; may be repeated",
    )
    output.add_argument("--output-file", "-o", metavar="FILE", help="write the report to this file, and print nothing")
    output.add_argument(
        "--statistics",
        action="store_true",
        help="count findings by rule instead; [*] marks what --fix removes",
    )
    output.add_argument(
        "--color",
        choices=("auto", "always", "never"),
        default="auto",
        metavar="WHEN",
        help="colours: auto (on a terminal), always, never (default: auto)",
    )
    output.add_argument("--quiet", "-q", action="store_true", help="print no text if there are no findings")
    output.add_argument("--exit-zero", action="store_true", help="exit with 0 whatever the findings")
    output.add_argument("--trace-instances", action="store_true", help="show each kernel's instances and missing ones")
    what.add_argument(
        "--compile",
        action="store_true",
        help="compile kernels down to machine code too: compile errors, spills, the real registers",
    )
    output.add_argument("--layouts", action="store_true", help="put the layouts of tiles and loops into JSON reports")
    fixing = made.add_argument_group("fixing")
    fixing.add_argument("--fix", action="store_true", help="apply the fixes that cannot change what a kernel computes")
    fixing.add_argument("--unsafe-fixes", action="store_true", help="apply the other fixes too")
    fixing.add_argument("--fix-only", action="store_true", help="apply fixes and do not report what is left")
    fixing.add_argument(
        "--diff", action="store_true", help="show what --fix-only would change; exit with 1 if it would"
    )
    fixing.add_argument("--show-fixes", action="store_true", help="list what was fixed")
    fixing.add_argument(
        "--exit-non-zero-on-fix", action="store_true", help="exit with 1 if something was fixed, whatever is left"
    )
    known = made.add_argument_group("known findings")
    known.add_argument(
        "--baseline", metavar="FILE", help="show no findings that FILE has; take out those that are gone"
    )
    known.add_argument("--write-baseline", action="store_true", help="put all findings into the baseline")
    known.add_argument("--keep-baseline", action="store_true", help="only report which entries are gone")
    known.add_argument(
        "--add-ignore",
        metavar="REASON",
        help="write a `# tl: ignore` comment at every finding; =REASON may be left out",
    )
    run = made.add_argument_group("settings and running")
    run.add_argument("--config", action="append", default=[], metavar="KEY=VALUE", help="one setting, as in TOML")
    run.add_argument("--isolated", action="store_true", help="ignore every pyproject.toml")
    run.add_argument("--no-cache", action="store_true", help="neither read nor write results of unchanged files")
    run.add_argument("--cache-dir", metavar="DIR", help="folder of the cache")
    run.add_argument(
        "--jobs", "-j", type=_jobs, default=0, metavar="N", help="worker processes (default: one per core)"
    )
    run.add_argument("--timeout", metavar="SECONDS", help="processor time for one file (default: 30)")
    run.add_argument("--watch", "-w", action="store_true", help="check again whenever a file changes")
    run.add_argument("--profile", action="store_true", help="show the time that each rule and file took, without cache")
    run.add_argument("--profile-json", metavar="FILE", help="write these times to a file")
    run.add_argument("--debug", action="store_true", help="show the tracebacks of internal errors")
    about = made.add_argument_group("instead of checking")
    about.add_argument("--explain", metavar="RULE", help="explain one rule")
    about.add_argument("--list-rules", action="store_true", help="list the rules")
    about.add_argument("--show-files", action="store_true", help="list the files that would be checked")
    about.add_argument("--show-settings", action="store_true", help="show the settings and where each comes from")
    about.add_argument(
        "--settings-schema", action="store_true", help="print the JSON schema of [tool.tilelang], for editors"
    )
    about.add_argument(
        "--generate-shell-completion",
        choices=SHELLS,
        metavar="SHELL",
        help=f"print the script that completes this command: {', '.join(SHELLS)}",
    )
    about.add_argument("--version", action="store_true", help="show the version")
    return made


def _jobs(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError("must be a whole number above 0")
    return int(text)


def number(text: str) -> object:
    """A number if the text is one; else the text, for the settings to complain about."""
    try:
        return float(text)
    except ValueError:
        return text


def check_command(program: str, arguments: Sequence[str]) -> int:
    """`tilelang-check` and `tilelang check`."""
    # A reason belongs to the option only with `=`: the next word may be a path.
    words = ["--add-ignore=" if word == "--add-ignore" else word for word in arguments]
    options = parser(program).parse_args(words)
    if options.version:
        return show_version(program)
    if options.explain is not None:
        return explain(options.explain, options.color)
    if options.list_rules:
        return list_rules()
    if options.settings_schema:
        from tilelang_analyzers.report.escape import json_text
        from tilelang_analyzers.settings_schema import settings_schema

        return emit([json_text(settings_schema())])
    if options.generate_shell_completion is not None:
        from tilelang_analyzers.completion import script

        return emit([script(parser("tilelang-check"), options.generate_shell_completion)])
    config = _config(options)
    paths = options.paths or ["."]
    if options.show_settings:
        from tilelang_analyzers.inform import settings_lines

        return emit(settings_lines(config, paths[0]))
    if options.show_files:
        from tilelang_analyzers.inform import file_lines

        return emit(file_lines(config, paths))
    return _check(options, config, paths)


def _config(options: argparse.Namespace) -> Config:
    from tilelang_analyzers.config import Config
    from tilelang_analyzers.settings import SettingsError, validate

    given = {
        "target": options.target,
        "select": options.select,
        "extend-select": options.extend_select,
        "ignore": options.ignore,
    }
    # Patterns may have commas in them, so each option is one pattern.
    written: dict[str, object] = {key: ",".join(values) for key, values in given.items() if values is not None}
    if options.exclude is not None:
        written["exclude"] = options.exclude
    if options.force_exclude:
        written["force-exclude"] = True
    if options.layouts:
        written["layouts"] = True
    if options.compile:
        from tilelang_analyzers.compiling import unavailable

        missing = unavailable()
        if missing is not None:
            raise SettingsError(missing)
        written["compile"] = True
    if options.timeout is not None:
        written["timeout"] = number(options.timeout)
    if options.cache_dir is not None:
        written["cache-dir"] = os.path.abspath(options.cache_dir)  # noqa: PTH100
    return Config(validate(written, "command line"), options.config, isolated=options.isolated)


def _check(options: argparse.Namespace, config: Config, paths: list[str]) -> int:
    from tilelang_analyzers.actions import Plan, carry_out
    from tilelang_analyzers.report.style import Style
    from tilelang_analyzers.reporter import Reporter
    from tilelang_analyzers.runner import Checkup, Options

    plan = Plan.of(options, config)
    stdin = None
    if "-" in paths:
        if len(paths) > 1:
            return complain("tilelang-check", "- stands alone: standard input is one file")
        if options.watch:
            return complain("tilelang-check", "--watch cannot watch standard input")
        stdin = (options.stdin_filename or "stdin.py", sys.stdin.buffer.read())
    reporter = Reporter(options, emit)
    how = Options(
        jobs=options.jobs,
        use_cache=not options.no_cache,
        with_instances=reporter.with_instances,
        stdin=stdin,
        trace=options.trace_instances,
        debug=options.debug,
        profile=options.profile or options.profile_json is not None,
    )

    def show(outcome: Outcome) -> int:
        if outcome.output:
            sys.stdout.flush()
            sys.stdout.buffer.write(outcome.output)
        if outcome.run is None:
            return CLEAN
        # Where standard output has the fixed text or a diff, the report goes to standard error.
        return reporter.report(outcome.run, sys.stderr if outcome.output else sys.stdout)

    def start() -> Checkup:
        with _progress(options.quiet or options.watch) as progress:
            checkup = Checkup(paths, _config(options), how, progress)
            started = time.perf_counter()
            checkup.start(reporter.stream() if plan.is_plain else None)
        if how.profile:
            _show_profile(checkup.reports.values(), time.perf_counter() - started, options.profile_json)
        return checkup

    style = Style.of(sys.stdout, options.color)
    if options.watch:
        from tilelang_analyzers.watch import watch

        watch(start, lambda checkup: show(carry_out(plan, checkup, config, style)))
        return CLEAN
    checkup = start()
    rewritten = os.path.abspath(stdin[0]) if stdin else ""  # noqa: PTH100
    outcome = carry_out(plan, checkup, config, style, stdin=rewritten)
    return max(outcome.code, show(outcome))


def _show_profile(files: Iterable[FileReport], seconds: float, file: str | None) -> None:
    from tilelang_analyzers.profile import profile_json, profile_lines
    from tilelang_analyzers.settings import SettingsError

    if file is None:
        emit(profile_lines(files, seconds), sys.stderr)
        return
    try:
        Path(file).write_text(profile_json(files, seconds), encoding="utf-8")
    except OSError as error:
        raise SettingsError(f"--profile-json {file}: {error.strerror or error}") from None


def emit(lines: Iterable[str], stream: TextIO | None = None) -> int:
    """Print lines; what the output's encoding lacks becomes a question mark."""
    out = sys.stdout if stream is None else stream
    encoding = out.encoding or "ascii"
    for line in lines:
        out.write(line.encode(encoding, "replace").decode(encoding) + "\n")
    return CLEAN


def show_version(program: str) -> int:
    from tilelang import __version__

    return emit([f"{program} {__version__}"])


def explain(name: str, color: str = "auto") -> int:
    from tilelang_analyzers.inform import rule_lines
    from tilelang_analyzers.report.style import Style
    from tilelang_analyzers.settings import check_rule

    check_rule(name, "--explain")
    return emit(rule_lines(name, Style.of(sys.stdout, color)))


def list_rules() -> int:
    from tilelang_analyzers.inform import rule_list

    return emit(rule_list())


def _progress(quiet: bool) -> AbstractContextManager[Progress | None]:
    if quiet or not sys.stderr.isatty():
        from contextlib import nullcontext

        return nullcontext(None)
    from tilelang_analyzers.progress import ProgressBar

    return ProgressBar()


if __name__ == "__main__":
    sys.exit(main())
