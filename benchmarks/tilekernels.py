"""Checks DeepSeek's TileKernels as a project: kernels in a package, all their callers in the tests.

A kernel counts where it is defined, once; a factory is the outermost function around it.

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

from truth import read_facts

from tilelang_analyzers.checker import Checker
from tilelang_analyzers.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tilelang.diagnostics import Diagnostic
    from tilelang_analyzers.results import KernelResult


TIMEOUT = 120.0
"""Seconds for one file: a loaded machine must not look like a slow checker."""


@dataclass(slots=True)
class Findings:
    """What the checker says about the whole project."""

    kernels: list[KernelResult] = field(default_factory=list["KernelResult"])
    diagnostics: list[Diagnostic] = field(default_factory=list["Diagnostic"])
    failures: list[str] = field(default_factory=list[str])
    factories: set[tuple[Path, str]] = field(default_factory=set["tuple[Path, str]"])
    called: set[tuple[Path, str]] = field(default_factory=set["tuple[Path, str]"])
    instances: int = 0
    certain: int = 0
    launches: int = 0
    without_bytes: int = 0


def check_project(root: Path, target: tuple[str, ...]) -> Findings:
    """Check every file of the repository, which is also where callers are looked for."""
    settings = Settings(root=str(root), target=target, cache=False, timeout=TIMEOUT)
    checker = Checker()
    found = Findings()
    for path in sorted(root.rglob("*.py")):
        report = checker.check(str(path), path.read_bytes(), settings)
        if report.failure is not None:
            found.failures.append(f"{path.relative_to(root)}: {report.failure.detail or report.failure.message}")
        mine = [kernel for kernel in report.kernels if kernel.path == str(path)]
        facts = read_facts(path)
        found.kernels += mine
        found.factories.update((path, facts.function_at(kernel.line) or kernel.name) for kernel in mine)
        found.called.update(
            (path, facts.function_at(kernel.line) or kernel.name) for kernel in mine if kernel.instances
        )
        found.diagnostics += report.findings
        own = [instance for instance in report.instances if instance.path == str(path)]
        found.instances += sum(instance.launch == 0 for instance in own)
        found.certain += sum(instance.certain for instance in own if instance.launch == 0)
        found.launches += len(own)
        found.without_bytes += sum(any(one.shared_bytes is None for one in instance.targets) for instance in own)
    return found


def lines(root: Path, found: Findings, show: int) -> Iterable[str]:
    with_instances = [kernel for kernel in found.kernels if kernel.instances]
    certain = [kernel for kernel in found.kernels if kernel.certain]
    states = Counter(kernel.state for kernel in found.kernels)
    files = len({kernel.path for kernel in found.kernels})
    yield f"{len(found.kernels)} kernels of {len(found.factories)} factories in {files} files"
    yield f"  {len(found.called):4d} factories have instances"
    yield f"  {len(with_instances):4d} kernels have instances, {len(certain)} of them certain ones"
    yield "  " + ", ".join(f"{count} {state}" for state, count in sorted(states.items()))
    yield f"{found.instances} instances, {found.certain} certain"
    yield f"{found.launches} launches, shared memory unknown for {found.without_bytes}"
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
