"""Check many mutants and list the faults: python tests/fuzz/run.py --count 5000 --seed 0."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT), str(ROOT / "analyzers")]

from fuzz.mutate import CORPUS, mutant  # noqa: E402
from fuzz.runner import Limits, Outcome, run  # noqa: E402


def main() -> int:
    """Print one line for each fault and a summary; exit code 1 if there are faults."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=5_000, help="number of mutants (5000)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the mutations (0)")
    parser.add_argument("--start", type=int, default=0, help="number of the first mutant (0)")
    parser.add_argument("--jobs", type=int, default=2, help="worker processes (2)")
    parser.add_argument("--checker", default="fuzz.checkers:check", help="module:function (fuzz.checkers:check)")
    parser.add_argument("--cpu", type=float, default=Limits().cpu, help="processor seconds of a file (2)")
    parser.add_argument("--keep", type=Path, help="folder for the mutants with faults")
    args = parser.parse_args()

    corpus = [path.read_bytes() for path in CORPUS]
    outcomes: list[Outcome] = []
    indices = range(args.start, args.start + args.count)
    for outcome in run(args.checker, args.seed, indices, Limits(cpu=args.cpu), args.jobs):
        outcomes.append(outcome)
        if outcome.fault:
            made = mutant(corpus, args.seed, outcome.index)
            print(f"{outcome.index} ({made.name}): {outcome.fault}", flush=True)
            if args.keep is not None:
                args.keep.mkdir(parents=True, exist_ok=True)
                (args.keep / f"{outcome.index}{made.suffix}").write_bytes(made.data)
    faults = sum(bool(outcome.fault) for outcome in outcomes)
    slowest = max(outcomes, key=lambda outcome: outcome.cpu)
    memory = max(outcome.memory for outcome in outcomes)
    print(
        f"{len(outcomes)} mutants of seed {args.seed}: {faults} faults; slowest {slowest.cpu:.2f} s "
        f"(number {slowest.index}, {slowest.name}), peak memory {memory >> 20} MiB"
    )
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
