"""Evaluates files in this process and prints what that took, as JSON. Started by ``run.py``.

python benchmarks/inside.py ROOT FILE ...
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path


def main(arguments: list[str]) -> None:
    from tilelang.frontend.evaluator import Evaluator
    from tilelang.frontend.project import EvaluatorSettings, Project

    steps = 0
    step = Evaluator.step

    def counted(self: Evaluator, count: int = 1) -> None:
        nonlocal steps
        steps += count
        step(self, count)

    root, files = Path(arguments[0]), [Path(argument) for argument in arguments[1:]]
    instances = seconds = 0.0
    for counting in (False, True):
        # Twice, on fresh projects: the time without the counter, then the steps.
        if counting:
            Evaluator.step = counted
        project = Project(root, EvaluatorSettings())
        began = time.perf_counter()
        found = sum(len(project.analyse(file).instances) for file in files)
        if not counting:
            instances, seconds = found, time.perf_counter() - began
    print(json.dumps({"seconds": seconds, "instances": instances, "steps": steps, "files": len(files)}))


if __name__ == "__main__":
    main(sys.argv[1:])
