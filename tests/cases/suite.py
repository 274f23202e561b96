"""Finds the case files and runs the checker on one.

As a program it checks folders of cases and says what differs. In ``tests``::

    python -m cases.suite [FOLDER ...]
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from cases.compare import Found, differences
from cases.header import Case, read_case

from tilelang_analyzers import rules
from tilelang_analyzers.checker import Checker
from tilelang_analyzers.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
OWN = Path(__file__).parent / "files"
BESIDE = ROOT.parent / "shared" / "cases"
"""Cases that lie beside the repository; used where they exist."""
VARIABLE = "TILELANG_CASES"
"""Folders of more cases, separated as in ``PATH``."""


def folders() -> list[Path]:
    """The folders of cases: ours, the one beside the repository, and those of the environment variable."""
    named = [Path(part) for part in os.environ.get(VARIABLE, "").split(os.pathsep) if part]
    return [OWN, *(folder for folder in (BESIDE, *named) if folder.is_dir())]


def cases(folder: Path) -> Iterator[Case]:
    """The cases of one folder, by name."""
    for path in sorted(folder.glob("*.py")):
        case = read_case(path)
        if case is not None:
            yield case


def found(case: Case) -> list[Found]:
    """What the checker says about a case, one entry for each target. Raises ``RuntimeError`` if it fails."""
    settings = Settings(root=str(case.path.parent), target=case.targets, cache=False)
    report = Checker().check(str(case.path), case.path.read_bytes(), settings)
    if report.failure is not None:
        raise RuntimeError(report.failure.detail or report.failure.message)
    entries: list[Found] = []
    for finding in report.findings:
        by_target = finding.data.get("by_target")
        for target in finding.targets or case.targets:
            figures = by_target.get(target, {}) if isinstance(by_target, dict) else finding.data
            label = finding.severity.label
            entries.append(Found(label, finding.rule, finding.span.line, target, figures, finding.message))
    return entries


def problems(case: Case) -> list[str]:
    """How the checker's findings differ from the header of a case."""
    return differences(case, found(case), frozenset(rules.names()))


def main(arguments: list[str]) -> int:
    wrong = total = 0
    for folder in [Path(argument) for argument in arguments] or folders():
        for case in cases(folder):
            total += 1
            try:
                lines = problems(case)
            except RuntimeError as error:
                lines = [str(error).strip().rpartition("\n")[2]]
            if lines:
                wrong += 1
                print(f"{case.path}:", *lines, sep="\n    ")
    print(f"{total - wrong} of {total} cases hold")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
