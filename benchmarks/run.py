"""Speed of the checker, beside other checkers on the same file and upstream's compiler on the same kernel.

    python benchmarks/run.py [--rounds N] [--files FOLDER] [--upstream-python PYTHON]

Each figure is the median of several runs; runs of different commands take turns. On a busy machine the processor time
says more than the wall time. ``--files`` takes the many files from
a folder (upstream's examples, say) instead of making them from ours. Peers that are not installed are left out.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from measure import Sample, Series, interleave, run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

ROOT = Path(__file__).resolve().parent.parent
HERE = Path(__file__).resolve().parent
FILE = ROOT / "examples" / "gemm.py"
TARGETS = "t4,a100,l4,h100"
MANY = 150
JOBS = 2
WIDTH = 80
SETTLE = 3.0
"""Seconds until the checker takes a file as settled (``CLOCK_SLACK`` of its cache, and some more)."""


def tool(name: str) -> str | None:
    """A program of this environment, else of the path."""
    beside = Path(sys.executable).with_name(name)
    return str(beside) if beside.exists() else shutil.which(name)


def check(*arguments: str) -> list[str]:
    program = tool("tilelang-check")
    if program is None:
        sys.exit("tilelang-check is not installed here; run `make setup`")
    return [program, "--target", TARGETS, "--quiet", "--exit-zero", *arguments]


def write_many(folder: Path) -> list[Path]:
    """Kernel files of different content, made from the examples: other sizes, so other instances."""
    examples = sorted((ROOT / "examples").glob("*.py"))
    files: list[Path] = []
    for number in range(MANY):
        source = examples[number % len(examples)]
        path = folder / f"{source.stem}_{number}.py"
        text = source.read_text(encoding="utf-8").replace("1024", str(1024 + 1024 * (number // len(examples))))
        path.write_text(f"{text}\n# variant {number}\n", encoding="utf-8")
        files.append(path)
    return files


def copy_many(folder: Path, origin: Path) -> list[Path]:
    """Up to :data:`MANY` kernel files of a folder, with their place in it."""
    files: list[Path] = []
    for path in sorted(origin.rglob("*.py")):
        if b"tilelang" in path.read_bytes() and len(files) < MANY:
            copy = folder / path.relative_to(origin)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, copy)
            files.append(copy)
    return files


class Table:
    """Lines of at most 80 columns: what, wall time or figure, processor time, what it must reach, ratio."""

    def __init__(self) -> None:
        print(f"{'':39s}{'median':>10s}{'cpu':>10s}{'limit':>10s}{'ratio':>11s}")

    def heading(self, text: str) -> None:
        print(f"\n{text}")

    def row(self, what: str, value: str, cpu: str = "", limit: str = "", ratio: str = "") -> None:
        print(f"  {what:37s}{value:>10s}{cpu:>10s}{limit:>10s}{ratio:>11s}")

    def time(self, what: str, series: Series, limit: float) -> None:
        ratio = f"{series.seconds / limit:.2f} of it"
        self.row(what, text(series.seconds), text(series.cpu), text(limit), ratio)

    def note(self, message: str) -> None:
        print(f"  {message}"[:WIDTH])


def text(seconds: float) -> str:
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.2f} s"


def one_file(table: Table, rounds: int, work: Path) -> Series:
    """A cold process on one file, then the same file unchanged."""
    cached = check(str(FILE), "--cache-dir", str(work / "one"))
    run(cached, ROOT)
    series = interleave(
        {
            "cold": lambda: run(check(str(FILE), "--no-cache"), ROOT),
            "cached": lambda: run(cached, ROOT),
            "empty": lambda: run([sys.executable, "-I", "-c", "pass"], ROOT),
            "language": lambda: run([sys.executable, "-c", "import tilelang.language"], ROOT),
        },
        rounds,
    )
    table.heading(f"one file, {FILE.relative_to(ROOT)}, targets {TARGETS}")
    table.time("tilelang-check, cold process", series["cold"], 0.35)
    table.time("tilelang-check, file unchanged", series["cached"], 0.15)
    table.row("start of Python, part of both", text(series["empty"].seconds))
    table.row("import tilelang.language, less start", text(series["language"].seconds - series["empty"].seconds))
    table.row("peak memory, cold", f"{series['cold'].peak:.0f} MB")
    return series["cold"]


def many_files(table: Table, rounds: int, work: Path, origin: Path | None) -> list[Path]:
    """A folder of kernel files on two workers, cold and unchanged."""
    folder = work / "many"
    folder.mkdir()
    files = copy_many(folder, origin) if origin else write_many(folder)
    # Files that have just been written may still change unseen within the clocks' resolution, so the checker does not
    # trust its results of them.
    time.sleep(SETTLE)
    cache = work / "cache"

    def cold() -> Sample:
        shutil.rmtree(cache, ignore_errors=True)
        return run(check(str(folder), "--jobs", str(JOBS), "--cache-dir", str(cache)), folder)

    def cached() -> Sample:
        return run(check(str(folder), "--jobs", str(JOBS), "--cache-dir", str(cache)), folder)

    series = interleave({"cold": cold, "cached": cached}, max(1, rounds // 2))
    table.heading(f"{len(files)} kernel files from {origin or 'examples, with other sizes'}, {JOBS} workers")
    table.time("tilelang-check, cold", series["cold"], 10.0)
    table.time("tilelang-check, unchanged", series["cached"], 1.0)
    table.row("peak memory of one process", f"{series['cold'].peak:.0f} MB")
    return files


def evaluator(table: Table, rounds: int, folder: Path, files: Sequence[Path]) -> None:
    """The evaluator alone, in one process."""
    command = [sys.executable, str(HERE / "inside.py"), str(folder), *map(str, files)]
    series = interleave({"inside": lambda: run(command, ROOT)}, max(1, rounds // 2))["inside"]
    figures = [json.loads(sample.output) for sample in series.samples if sample.code == 0]
    table.heading("the evaluator, one process, the same files")
    if not figures:
        table.note("failed")
        return
    best = sorted(figures, key=lambda item: item["seconds"])[len(figures) // 2]
    table.row("all files", text(best["seconds"]))
    table.row("steps a second", f"{best['steps'] / best['seconds'] / 1e3:.0f} k")
    table.row("time for a step", f"{best['seconds'] / max(best['steps'], 1) * 1e6:.2f} us")
    table.row("instances a second", f"{best['instances'] / best['seconds']:.0f}")
    table.row("peak memory", f"{series.peak:.0f} MB")


def peers(table: Table, rounds: int) -> None:
    """Other checkers on the same file, in turns with ours."""
    commands = {
        "ruff": ["check", "--no-cache", "--exit-zero"],
        "ty": ["check"],
        "basedpyright": [],
    }
    jobs: dict[str, Callable[[], Sample]] = {"tilelang-check": lambda: run(check(str(FILE), "--no-cache"), ROOT)}
    for name, options in commands.items():
        program = tool(name)
        if program is not None:
            jobs[name] = lambda program=program, options=options: run([program, *options, str(FILE)], ROOT)
    series = interleave(jobs, rounds)
    ours = series["tilelang-check"].seconds
    table.heading("peers on the same file, cold processes")
    for name in ("tilelang-check", *commands):
        if name in series:
            one = series[name]
            table.row(name, text(one.seconds), text(one.cpu), "", f"{one.seconds / ours:.2f} x ours")
        else:
            table.note(f"{name} is not installed: left out")


def upstream(table: Table, rounds: int, python: str | None) -> None:
    """Upstream's import and lowering of the kernel that we check, in turns with a check."""
    table.heading("upstream on the same kernel, sm_80, without nvcc")
    if python is None:
        table.note("give --upstream-python to measure it: left out")
        return
    command = [python, "-I", str(HERE / "upstream.py"), str(FILE)]
    work = Path(tempfile.gettempdir())
    jobs = {
        "upstream": lambda: run(command, work),
        "ours": lambda: run(check(str(FILE), "--no-cache"), ROOT),
    }
    series = interleave(jobs, max(3, rounds // 2))
    figures = [json.loads(sample.output.splitlines()[-1]) for sample in series["upstream"].samples if sample.code == 0]
    if not figures:
        table.note(f"{python} cannot lower the kernel: left out")
        return
    ours = series["ours"].seconds
    middle = {key: sorted(item[key] for item in figures)[len(figures) // 2] for key in figures[0]}
    table.row("tilelang-check, process, 4 targets", text(ours), text(series["ours"].cpu))
    for label, seconds in _upstream_rows(middle):
        table.row(label, text(seconds), "", "", f"{seconds / ours:.2f} x ours")
    whole = series["upstream"]
    table.row("upstream, process", text(whole.seconds), text(whole.cpu), "", f"{whole.seconds / ours:.2f} x ours")


def _upstream_rows(middle: dict[str, float]) -> Iterator[tuple[str, float]]:
    yield "upstream, import", middle["import"]
    yield "upstream, build and lower, 1 target", middle["build"] + middle["lower"]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=9, help="runs of each short command (9)")
    parser.add_argument("--files", type=Path, help="folder to take the many files from")
    parser.add_argument("--upstream-python", help="Python of an environment with upstream tilelang")
    options = parser.parse_args()
    os.environ.update(NO_COLOR="1", COLUMNS=str(WIDTH))
    table = Table()
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        one_file(table, options.rounds, work)
        files = many_files(table, options.rounds, work, options.files)
        evaluator(table, options.rounds, work / "many", files)
    peers(table, options.rounds)
    upstream(table, options.rounds, options.upstream_python)


if __name__ == "__main__":
    main()
