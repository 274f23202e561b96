"""What a call does with the findings besides reporting them: hide known ones, fix, write comments or a baseline.

:class:`Plan` is what the command line asks for; :func:`carry_out` does it and says what is left to report. What it has
to tell goes to standard error, so that reports and diffs on standard output stay clean.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tilelang_analyzers.exit_codes import CLEAN, FINDINGS, TROUBLE
from tilelang_analyzers.report.places import display_path
from tilelang_analyzers.settings import SettingsError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable

    from tilelang_analyzers.baseline import Baseline, Comparison
    from tilelang_analyzers.config import Config
    from tilelang_analyzers.fixes.fixpoint import Repair
    from tilelang_analyzers.report import Run
    from tilelang_analyzers.report.style import Style
    from tilelang_analyzers.runner import Checkup

DEFAULT_BASELINE = "tilelang-baseline.json"
MAX_STALE_SHOWN = 10


@dataclass(frozen=True, slots=True)
class Plan:
    """``fix`` is also set by what implies it; ``add_ignore`` is the reason to write, None if no comments are wanted."""

    fix: bool = False
    unsafe: bool = False
    only: bool = False
    diff: bool = False
    show: bool = False
    non_zero_on_fix: bool = False
    exit_zero: bool = False
    baseline: Path | None = None
    write_baseline: bool = False
    keep_baseline: bool = False
    diff_base: str | None = None
    add_ignore: str | None = None
    watch: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether every finding is reported as it is found."""
        hides = self.baseline or self.write_baseline or self.diff_base is not None
        return not (self.fix or self.watch or hides or self.add_ignore is not None)

    @staticmethod
    def of(options: argparse.Namespace, config: Config) -> Plan:
        """Raises :class:`SettingsError` for options that exclude each other."""
        fix = options.fix or options.fix_only or options.diff
        changing = {
            "--fix": fix,
            "--write-baseline": options.write_baseline,
            "--add-ignore": options.add_ignore is not None,
            "--watch": options.watch,
        }
        chosen = [name for name, wanted in changing.items() if wanted]
        if len(chosen) > 1:
            raise SettingsError(f"{chosen[0]} and {chosen[1]} cannot be combined")
        if options.add_ignore:
            from tilelang_analyzers.add_ignores import check_reason

            for complaint in check_reason(options.add_ignore):
                raise SettingsError(f"--add-ignore: {complaint}")
        return Plan(
            fix=fix,
            unsafe=options.unsafe_fixes,
            only=options.fix_only or options.diff,
            diff=options.diff,
            show=options.show_fixes,
            non_zero_on_fix=options.exit_non_zero_on_fix,
            exit_zero=options.exit_zero,
            baseline=_baseline_file(options, config),
            write_baseline=options.write_baseline,
            # What an editor holds, or what is on the disk while somebody types, says nothing for good.
            keep_baseline=options.keep_baseline or options.watch or "-" in options.paths,
            diff_base=options.diff_base,
            add_ignore=options.add_ignore,
            watch=options.watch,
        )


def _baseline_file(options: argparse.Namespace, config: Config) -> Path | None:
    if options.baseline is not None:
        return Path(os.path.abspath(options.baseline))  # noqa: PTH100
    settings = config.for_folder(Path.cwd())
    if settings.baseline:
        return Path(settings.root, settings.baseline)
    return Path.cwd() / DEFAULT_BASELINE if options.write_baseline else None


@dataclass(frozen=True, slots=True)
class Outcome:
    """``run`` is what to report, None if nothing; ``code`` is the exit code; ``output`` is for standard output."""

    run: Run | None
    code: int
    output: bytes = b""


def carry_out(plan: Plan, checkup: Checkup, config: Config, style: Style, *, stdin: str = "") -> Outcome:
    """Do what the plan says with a checkup that has been started. ``stdin`` is the path of a text from standard input,
    which is printed instead of written. Raises :class:`SettingsError`."""
    view = _View(plan, checkup, config)
    if plan.write_baseline:
        return _write_baseline(view)
    if plan.add_ignore is not None:
        return _add_ignores(plan, view, stdin)
    fixed = None
    if plan.fix:
        from tilelang_analyzers.fixes.fixpoint import repair

        fixed = repair(checkup, unsafe=plan.unsafe, visible=view.visible)
    run = replace(view.visible(checkup.result()), exit_zero=plan.exit_zero)
    code = run.exit_code
    output = b""
    if fixed is not None:
        trouble, output = _keep(plan, fixed, checkup, style, stdin)
        changed = plan.diff or plan.non_zero_on_fix
        left = TROUBLE if run.failed else CLEAN if plan.only else code
        code = TROUBLE if trouble or run.failed else FINDINGS if changed and fixed.files else left
    if not plan.diff:
        view.settle(run)
    code = CLEAN if code == FINDINGS and plan.exit_zero else code
    return Outcome(None if plan.only and not run.failed else run, code, output)


def tell(lines: Iterable[str]) -> None:
    """Print lines on standard error."""
    encoding = sys.stderr.encoding or "ascii"
    for line in lines:
        sys.stderr.write(line.encode(encoding, "replace").decode(encoding) + "\n")


def plural(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


class _View:
    """Which findings count: neither those of the baseline nor, with a revision, those about untouched kernels."""

    def __init__(self, plan: Plan, checkup: Checkup, config: Config) -> None:
        self.checkup = checkup
        self.baseline: Baseline | None = None
        self._plan = plan
        self._config = config
        self._comparison: Comparison | None = None
        self._only: Callable[[Run], Run] | None = None
        self._untouched = 0
        if plan.baseline is not None:
            from tilelang_analyzers.baseline import Baseline

            new = plan.write_baseline and not plan.baseline.exists()
            self.baseline = Baseline(plan.baseline) if new else Baseline.read(plan.baseline)
        if plan.diff_base is not None:
            from tilelang_analyzers.touched import touched_since

            self._only = touched_since(plan.diff_base, Path.cwd(), checkup.sources).only

    def visible(self, run: Run) -> Run:
        if self.baseline is not None and not self._plan.write_baseline:
            self._comparison = self.baseline.compare(run, self._can_find)
            run = self._comparison.run
        if self._only is not None:
            everything = len(run.findings())
            run = self._only(run)
            self._untouched = everything - len(run.findings())
        return run

    def settle(self, run: Run) -> None:
        """Say what is not shown, and take stale entries out of the baseline."""
        if self._untouched:
            what = plural(self._untouched, "finding")
            tell([f"{what} on kernels that are the same in {self._plan.diff_base} not shown"])
        if self._comparison is None or self.baseline is None:
            return
        name = display_path(str(self.baseline.file))
        if self._comparison.hidden:
            tell([f"{plural(self._comparison.hidden, 'finding')} of the baseline {name} not shown"])
        stale, left = self._comparison.stale, self._comparison.left
        if stale:
            entries = "1 entry has" if len(stale) == 1 else f"{len(stale)} entries have"
            tell([f"in the baseline {name}, {entries} no finding any more:"])
            tell(f"  {entry.path}: {entry.rule}" for entry in stale[:MAX_STALE_SHOWN])
            tell([f"  and {len(stale) - MAX_STALE_SHOWN} more"] if len(stale) > MAX_STALE_SHOWN else [])
        if left != self.baseline.entries and not self._plan.keep_baseline:
            try:
                self.baseline.write(left)
            except OSError as error:
                tell([f"the baseline {name} is not updated: {error.strerror or error}"])

    def _can_find(self, path: str, rule: str) -> bool:
        """Whether the run looked for a rule, or the rule is no more."""
        from tilelang_analyzers import rules
        from tilelang_analyzers.levels import Levels

        return rule not in rules.names() or rule in Levels(self._config.for_file(path), path).active


def _write_baseline(view: _View) -> Outcome:
    baseline = view.baseline
    assert baseline is not None
    run = view.visible(view.checkup.result())
    entries = baseline.of(run)
    name = display_path(str(baseline.file))
    try:
        baseline.write(entries)
    except OSError as error:
        raise SettingsError(f"baseline {name}: {error.strerror or error}") from None
    files = len({entry.path for entry in entries})
    tell([f"wrote {plural(entries.total(), 'finding')} in {plural(files, 'file')} to {name}"])
    return Outcome(run if run.failed else None, TROUBLE if run.failed else CLEAN)


def _add_ignores(plan: Plan, view: _View, stdin: str) -> Outcome:
    from tilelang_analyzers.add_ignores import suppress_all
    from tilelang_analyzers.fixes.fixpoint import write
    from tilelang_analyzers.fixes.show import trouble_lines

    checkup = view.checkup
    added = suppress_all(view.visible(checkup.result()).findings(), checkup.contents, plan.add_ignore or "")
    failed = [] if stdin else list(write(added))
    checkup.update({file.path: file.after for file in added.files})
    run = view.visible(checkup.result())
    tell(trouble_lines(added))
    tell(f"{display_path(path)}: not written: {reason}" for path, reason in failed)
    tell([f"added {plural(added.count, 'comment')} in {plural(len(added.files), 'file')}"])
    code = TROUBLE if failed else run.exit_code
    output = checkup.contents[stdin] if stdin else b""
    return Outcome(run if code else None, CLEAN if code == FINDINGS and plan.exit_zero else code, output)


def _keep(plan: Plan, fixed: Repair, checkup: Checkup, style: Style, stdin: str) -> tuple[bool, bytes]:
    """Write, print or show what was fixed. The result says whether something went wrong, and what to print."""
    from tilelang_analyzers.fixes.fixpoint import write
    from tilelang_analyzers.fixes.show import diff_lines, fixed_lines, trouble_lines

    what = plural(fixed.count, "finding")
    where = f"in {plural(len(fixed.files), 'file')}"
    output = b""
    failed: list[tuple[str, str]] = []
    if plan.diff:
        lines = [line for file in sorted(fixed.files, key=lambda it: it.path) for line in diff_lines(file, style)]
        output = "".join(f"{line}\n" for line in lines).encode(sys.stdout.encoding or "utf-8", "replace")
        summary = f"would fix {what} {where}" if fixed.files else "nothing to fix"
    elif stdin:
        output = checkup.contents[stdin]
        summary = f"fixed {what}"
    else:
        failed = list(write(fixed))
        summary = f"fixed {what} {where}"
    tell(trouble_lines(fixed))
    tell(f"{display_path(path)}: not written: {reason}" for path, reason in failed)
    if fixed.files or plan.diff:
        tell([f"{summary}:" if plan.show and fixed.files else summary])
    if plan.show:
        tell(fixed_lines(fixed))
    return bool(failed or fixed.restless), output
