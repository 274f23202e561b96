"""Checks DeepSeek's TileKernels as a project: kernels in a package, all their callers in the tests.

    python benchmarks/tilekernels.py PATH_TO_REPOSITORY [--target NAMES] [--show N] [--json FILE]

Prints how many kernels have instances, how many of those are certain, why the rest have none, and every finding of
error level, of which there must be none.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from tilelang_analyzers.checker import Checker, may_use_tilelang
from tilelang_analyzers.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tilelang.diagnostics import Diagnostic
    from tilelang_analyzers.results import KernelResult


@dataclass(slots=True)
class Findings:
    """What the checker says about the whole project."""

    kernels: list[KernelResult] = field(default_factory=list["KernelResult"])
    diagnostics: list[Diagnostic] = field(default_factory=list["Diagnostic"])
    failures: list[str] = field(default_factory=list[str])
    instances: int = 0
    certain: int = 0
    launches_without_bytes: int = 0


def check_project(root: Path, target: tuple[str, ...]) -> Findings:
    """Check every file of the package, with the whole repository as the place where callers are looked for."""
    settings = Settings(root=str(root), target=target, cache=False)
    checker = Checker()
    found = Findings()
    for path in sorted(root.rglob("*.py")):
        data = path.read_bytes()
        if not may_use_tilelang(data):
            continue
        report = checker.check(str(path), data, settings)
        if report.failure is not None:
            found.failures.append(f"{path.relative_to(root)}: {report.failure.detail or report.failure.message}")
        found.kernels += report.kernels
        found.diagnostics += report.findings
        first = [instance for instance in report.instances if instance.launch == 0]
        found.instances += len(first)
        found.certain += sum(instance.certain for instance in first)
        found.launches_without_bytes += sum(
            any(result.shared_bytes is None for result in instance.targets) for instance in report.instances
        )
    return found


def lines(root: Path, found: Findings, show: int) -> Iterable[str]:
    with_instances = [kernel for kernel in found.kernels if kernel.instances]
    certain = [kernel for kernel in found.kernels if kernel.certain]
    states = Counter(kernel.state for kernel in found.kernels)
    yield f"{len(found.kernels)} kernels in {len({kernel.path for kernel in found.kernels})} files"
    yield f"  {len(with_instances):4d} have instances, {len(certain)} of them certain ones"
    yield "  " + ", ".join(f"{count} {state}" for state, count in sorted(states.items()))
    yield f"{found.instances} instances, {found.certain} certain; bytes unknown for {found.launches_without_bytes}"
    rest = [kernel for kernel in found.kernels if kernel.state != "checked"]
    yield f"why the other {len(rest)} are not checked in full"
    for (state, reason), count in Counter((kernel.state, kernel.reason) for kernel in rest).most_common():
        yield f"  {count:4d}  {state}: {reason}"
        members = [kernel for kernel in rest if (kernel.state, kernel.reason) == (state, reason)]
        for kernel in members[:show]:
            yield f"          {Path(kernel.path).relative_to(root)}:{kernel.line} {kernel.name}"
    levels = Counter((finding.severity.label, finding.rule) for finding in found.diagnostics)
    yield "findings"
    for (level, rule), count in sorted(levels.items()):
        yield f"  {count:4d}  {level} {rule}"
    for finding in found.diagnostics:
        if finding.severity.label == "error":
            yield f"error: {finding.span}: {finding.rule}: {finding.message}"
    for failure in found.failures:
        yield f"failed: {failure}"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("repository", type=Path, help="a checkout of deepseek-ai/TileKernels, tests included")
    parser.add_argument("--target", default="h100,b200", help="targets (the library is for h100,b200)")
    parser.add_argument("--show", type=int, default=3, help="kernels to name for each reason (3)")
    parser.add_argument("--json", type=Path, help="write every kernel's state to this file")
    options = parser.parse_args(arguments)
    root = options.repository.resolve()
    began = time.perf_counter()
    found = check_project(root, tuple(options.target.split(",")))
    print(*lines(root, found, options.show), sep="\n")
    print(f"{time.perf_counter() - began:.1f} s")
    if options.json:
        records = [
            {"kernel": kernel.name, "path": str(Path(kernel.path).relative_to(root)), "line": kernel.line,
             "state": kernel.state, "instances": kernel.instances, "certain": kernel.certain, "reason": kernel.reason}
            for kernel in found.kernels
        ]  # fmt: skip
        options.json.write_text(json.dumps(records, indent=1))
    errors = [finding for finding in found.diagnostics if finding.severity.label == "error"]
    return 1 if errors or found.failures else 0


if __name__ == "__main__":
    sys.exit(main())
