"""What `make demo` shows: the examples run on the CPU, checked for four GPUs as a table and as text, and one finding
explained.

Ends with 0 although the faulty example has findings; any other failure of the checker ends it with that exit code.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CHECK = Path(sys.executable).with_name("tilelang-check")
TARGETS = "t4,a100,l4,h100"
FINDINGS_SHOWN = 1
"""The checker's exit code when it has findings to show."""


def show(*arguments: str) -> None:
    """Run the checker on the terminal, with the command line above its output."""
    print(f"\n$ tilelang-check {shlex.join(arguments)}", flush=True)
    done = subprocess.run([CHECK, *arguments], cwd=ROOT, env=environment(), check=False)
    if done.returncode not in (0, FINDINGS_SHOWN):
        sys.exit(done.returncode)


def rule_of_faulty_example() -> str:
    """The rule of the first error in `examples/faulty`, preferably of one that holds for some GPUs only."""
    command = [CHECK, "examples/faulty", "--target", TARGETS, "--format", "json"]
    report = json.loads(
        subprocess.run(command, cwd=ROOT, env=environment(), stdout=subprocess.PIPE, check=False).stdout
    )
    errors = [finding for finding in report["findings"] if finding["severity"] == "error"]
    return min(errors, key=lambda finding: not finding["targets"])["rule"]


def environment() -> dict[str, str]:
    return {"COLUMNS": "80", **os.environ}


def run_examples() -> None:
    """Run the examples on this machine."""
    command = [sys.executable, "tools/run_examples.py"]
    print(f"\n$ {shlex.join(['python', *command[1:]])}", flush=True)
    done = subprocess.run(command, cwd=ROOT, env=environment(), check=False)
    if done.returncode:
        sys.exit(done.returncode)


def show_machine_code() -> None:
    """The instructions that the product of the GEMM became, for three generations of GPUs."""
    lines = (ROOT / "examples/gemm.py").read_text(encoding="utf-8").split("\n")
    product = next(number for number, line in enumerate(lines, 1) if line.strip().startswith("T.gemm("))
    arguments = ["asm", "examples/gemm.py", "--target", "t4,a100,h100", "--line", str(product)]
    print(f"\n$ tilelang {shlex.join(arguments)}", flush=True)
    command = [CHECK.with_name("tilelang"), *arguments]
    done = subprocess.run(command, cwd=ROOT, env=environment(), check=False)
    if done.returncode:
        sys.exit(done.returncode)


def main() -> None:
    run_examples()
    show_machine_code()
    show("examples", "--target", TARGETS, "--format", "table")
    show("examples", "--target", TARGETS)
    show("--explain", rule_of_faulty_example())


if __name__ == "__main__":
    main()
