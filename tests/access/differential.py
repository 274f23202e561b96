"""Compares what the rules say about random kernels with what running them in several orders shows.

As a program it looks at many kernels and prints the recall of each class. In ``tests``::

    python -m access.differential COUNT [FIRST_SEED]
"""

from __future__ import annotations

import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from access.generate import HEAD, Sample, sample
from access.oracle import Outcome, outcome

from tilelang.frontend.project import EvaluatorSettings, Project
from tilelang_analyzers.api import check_source
from tilelang_analyzers.settings import Settings

RACES = frozenset(("parallel-race", "block-race", "missing-sync"))
BOUNDS = frozenset(("out-of-bounds-index", "out-of-bounds-region"))


@dataclass(frozen=True)
class Verdict:
    """One kernel: what the rules found (rule to level), and what happened."""

    sample: Sample
    found: dict[str, str]
    truth: Outcome

    @property
    def false_errors(self) -> list[str]:
        """Errors about something that does not happen."""
        errors = {rule for rule, level in self.found.items() if level == "error"}
        wrong = sorted(errors & BOUNDS) if not (self.truth.outside or self.truth.tensor_outside) else []
        # What is outside of its buffer has no place to collide in.
        return wrong if self.truth.outside else [*wrong, *(sorted(errors & RACES) if not self.truth.race else [])]


def verdicts(seeds: range) -> list[Verdict]:
    """The kernels of some seeds, in one file."""
    samples = [sample(seed, number) for number, seed in enumerate(seeds)]
    text, starts = HEAD, []
    for one in samples:
        starts.append(text.count("\n") + 1)
        text += one.text
    with TemporaryDirectory() as folder:
        path = Path(folder).resolve() / "kernels.py"
        path.write_text(text)
        programs = {}
        for instance in Project(path.parent, EvaluatorSettings()).analyse(path).instances:
            programs[instance.program.name] = instance.program
        settings = Settings(root=folder, target=("sm_80",), cache=False, select=tuple(sorted(RACES | BOUNDS)))
        report = check_source(path, text, settings)
    assert report.failure is None, report.failure.detail
    found: list[dict[str, str]] = [{} for _ in samples]
    for finding in report.findings:
        number = max(index for index, start in enumerate(starts) if start <= finding.span.line)
        found[number][finding.rule] = finding.severity.label
    return [
        Verdict(one, findings, outcome(programs[one.name], automatic=one.automatic))
        for one, findings in zip(samples, found, strict=True)
    ]


@dataclass
class Tally:
    """Kernels of one class that are wrong, and how many of those the rules find."""

    races: int = 0
    races_found: int = 0
    outside: int = 0
    outside_found: int = 0
    kernels: int = 0


def tallies(seen: list[Verdict]) -> dict[str, Tally]:
    """Recall by class. A warning counts as found."""
    result: dict[str, Tally] = defaultdict(Tally)
    for verdict in seen:
        tally = result[verdict.sample.kind]
        tally.kernels += 1
        if verdict.truth.outside:
            tally.outside += 1
            tally.outside_found += bool(verdict.found.keys() & BOUNDS)
        elif verdict.truth.race:
            tally.races += 1
            tally.races_found += bool(verdict.found.keys() & RACES)
    return dict(result)


def table(seen: list[Verdict]) -> str:
    """Recall by class as text."""
    lines = [f"{'class':18} {'kernels':>8} {'races':>8} {'found':>8} {'outside':>8} {'found':>8}"]
    for kind, tally in sorted(tallies(seen).items()):
        lines.append(
            f"{kind:18} {tally.kernels:8} {tally.races:8} {tally.races_found:8} {tally.outside:8} "
            f"{tally.outside_found:8}"
        )
    return "\n".join(lines)


def main(arguments: list[str]) -> int:
    count, first = int(arguments[0]), int(arguments[1]) if len(arguments) > 1 else 0
    seen: list[Verdict] = []
    for start in range(first, first + count, 60):
        seen += verdicts(range(start, min(start + 60, first + count)))
    wrong = [verdict for verdict in seen if verdict.false_errors]
    for verdict in wrong:
        print(f"false {verdict.false_errors} in\n{verdict.sample.text}")
    if "-v" in arguments:
        for verdict in seen:
            if verdict.truth.race and not verdict.truth.outside and not verdict.found.keys() & RACES:
                print(f"missed in\n{verdict.sample.text}")
    print(table(seen))
    print(f"{len(wrong)} false errors in {len(seen)} kernels")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
