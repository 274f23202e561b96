"""Fixes and checks again until nothing is left to fix."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tilelang_analyzers.fixes.rewrite import rewrite
from tilelang_analyzers.fixes.write import CannotWrite, replace_content

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tilelang.diagnostics import Diagnostic
    from tilelang_analyzers.report import Run
    from tilelang_analyzers.runner import Checkup

MAX_ROUNDS = 20
"""Checks and repairs of one run; more would mean that two fixes undo each other."""


@dataclass(slots=True)
class FixedFile:
    """One file: its content before and after, and the findings whose fixes are in it."""

    path: str
    before: bytes
    after: bytes
    applied: list[Diagnostic] = field(default_factory=list["Diagnostic"])


@dataclass(slots=True)
class Repair:
    """What was done to the files of a run. ``dropped`` are fixes that could not be applied, with the reason;
    ``restless`` are files whose fixes never came to an end, so that they stay as they were."""

    files: list[FixedFile] = field(default_factory=list[FixedFile])
    dropped: list[tuple[Diagnostic, str]] = field(default_factory=list["tuple[Diagnostic, str]"])
    restless: list[str] = field(default_factory=list[str])

    @property
    def count(self) -> int:
        return sum(len(file.applied) for file in self.files)


def repair(checkup: Checkup, *, unsafe: bool, visible: Callable[[Run], Run] = lambda run: run) -> Repair:
    """Apply the fixes of all findings, safe ones only unless ``unsafe``, in memory. ``checkup`` then has the contents
    and the findings that are left. Only files of the run are changed, even where a fix is about another file, and only
    findings that are ``visible`` count."""
    files: dict[str, FixedFile] = {}
    refused: dict[object, tuple[Diagnostic, str]] = {}
    changed: dict[str, bytes] = {}
    for _ in range(MAX_ROUNDS):
        changed = {}
        for path, findings in _fixable(checkup, visible(checkup.result()), unsafe=unsafe).items():
            content = checkup.contents[path]
            done = rewrite(path, content, [one for one in findings if _key(one) not in refused])
            refused.update({_key(finding): (finding, reason) for finding, reason in done.dropped})
            if done.data != content:
                file = files.setdefault(path, FixedFile(path, content, content))
                file.after = changed[path] = done.data
                file.applied += done.applied
        if not changed:
            return Repair(list(files.values()), list(refused.values()))
        checkup.update(changed)
    checkup.update({path: files[path].before for path in changed})
    settled = [file for file in files.values() if file.path not in changed]
    return Repair(settled, list(refused.values()), sorted(changed))


def write(fixed: Repair) -> Iterator[tuple[str, str]]:
    """Put the fixed files on the disk. Yields (path, reason) for each that stays as it was."""
    for file in fixed.files:
        try:
            replace_content(file.path, file.before, file.after)
        except CannotWrite as error:
            yield file.path, str(error)


def _fixable(checkup: Checkup, run: Run, *, unsafe: bool) -> dict[str, list[Diagnostic]]:
    """Findings with a fix to apply, by the one file that the fix is about."""
    by_file: dict[str, list[Diagnostic]] = defaultdict(list)
    for finding in run.findings():
        fix = finding.fix
        paths = {edit.span.path for edit in fix.edits} if fix else set[str]()
        if fix and len(paths) == 1 and (fix.safe or unsafe) and paths <= checkup.contents.keys():
            by_file[paths.pop()].append(finding)
    return by_file


def _key(finding: Diagnostic) -> object:
    """What a fix is recognised by in the next round, when it may stand on another line."""
    return (finding.rule, finding.message, finding.span.path, finding.fix.title if finding.fix else "")
