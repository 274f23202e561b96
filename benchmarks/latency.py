"""How long a compile takes: medians in warm processes.

    .venv/bin/python benchmarks/latency.py [--runs 15] [--upstream-python OTHER_VENV/bin/python]

Two figures for a 128x128x32 GEMM in float16: from tile IR to PTX, SASS with its lines and resources, in a warm worker
process as editors and ``--compile`` use them; and from Python source to a kernel that can be loaded, in a program that
has compiled before. Nothing comes from a cache: every run has a problem size of its own, so its code is new. With
``--upstream-python`` upstream compiles the same kernel with nvcc, which must be on PATH, in turns with ours.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
GOALS = {"worker": 0.6, "program": 0.5}
"""Seconds."""
KERNEL = """\
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1]{target})
def matmul(M, N, K):
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float16")):
        with T.Kernel(T.ceildiv(N, 128), T.ceildiv(M, 128), threads=128) as (bx, by):
            a = T.alloc_shared((128, 32), "float16")
            b = T.alloc_shared((32, 128), "float16")
            acc = T.alloc_fragment((128, 128), "float32")
            T.clear(acc)
            for k in T.Pipelined(T.ceildiv(K, 32), num_stages=2):
                T.copy(A[by * 128, k * 32], a)
                T.copy(B[k * 32, bx * 128], b)
                T.gemm(a, b, acc)
            T.copy(acc, C[by * 128, bx * 128])

    return main
"""
PROGRAM = """
import json, sys, time

first, count = int(sys.argv[1]), int(sys.argv[2])
seconds = []
for number in range(count):
    started = time.perf_counter()
    matmul(1024, 1024, 1024 + 32 * (first + number))
    seconds.append(time.perf_counter() - started)
print(json.dumps(seconds))
"""


def worker_seconds(runs: int) -> list[float]:
    """Tile IR to PTX, SASS and resources."""
    from tilelang.backends.compiling import Job
    from tilelang.backends.workers import Pool
    from tilelang.frontend.project import EvaluatorSettings, Project
    from tilelang.targets import resolve

    target = resolve("sm_80")
    assert target is not None
    calls = "\n".join(f"matmul(1024, 1024, {1024 + 32 * number})" for number in range(runs + 1))
    text = f"{KERNEL.format(target='')}\n\n{calls}\n"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "gemm.py")
        path.write_text(text)
        analysis = Project(Path(folder), EvaluatorSettings(archs=("sm_80",))).analyse(path, text.encode())
    seconds: list[float] = []
    with Pool(1) as pool:
        for instance in analysis.instances:
            started = time.perf_counter()
            outcome = pool.submit(Job(instance.program, target, stages=("ptx", "sass"))).result()
            seconds.append(time.perf_counter() - started)
            assert outcome.artifact is not None, outcome.problems
            assert all(listing.lines for listing in outcome.listings)
    # The first one starts the process.
    return seconds[1:]


def program_seconds(runs: int, python: str = sys.executable, target: str = ', target="sm_80"') -> list[float]:
    """Python source to a loadable kernel, in one process; the first kernel warms it up."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "program.py")
        path.write_text(KERNEL.format(target=target) + PROGRAM)
        done = subprocess.run(
            [python, path, "1", str(runs + 1)], capture_output=True, text=True, check=False, env=dict(os.environ)
        )
    if done.returncode != 0:
        raise SystemExit(f"{python} failed: {done.stderr.strip().splitlines()[-1:]}")
    return json.loads(done.stdout.splitlines()[-1])[1:]


def line(name: str, seconds: list[float], goal: float | None = None) -> str:
    middle = statistics.median(seconds)
    verdict = "" if goal is None else f"  goal {goal:g} s: {'met' if middle <= goal else 'missed'}"
    return f"{name:<52} {middle:6.2f} s  ({min(seconds):.2f} to {max(seconds):.2f}){verdict}"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--runs", type=int, default=15)
    options.add_argument("--upstream-python", metavar="PATH", help="a Python with upstream's tilelang and torch")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as cache:
        # A cache of its own, and the kernels are new, so nothing is found in it.
        os.environ["TILELANG_CACHE_DIR"] = cache
        print(line("tile IR -> PTX + SASS + resources, warm worker", worker_seconds(given.runs), GOALS["worker"]))
        print(line("source -> loadable kernel, warm program", program_seconds(given.runs), GOALS["program"]))
        if given.upstream_python:
            theirs = program_seconds(given.runs, given.upstream_python, ', target="cuda -arch=sm_80"')
            print(line("upstream: source -> loadable kernel, with nvcc", theirs))
    print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
