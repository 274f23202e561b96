"""Speed on a large tree, which is generated: cold, unchanged, and with one file changed.

    python benchmarks/tree.py [--files 3000] [--kernels 150] [--jobs 2] [--keep FOLDER]

The tree has packages of Python files with a `.gitignore`, some notebooks, and folders that no run enters. Kernel files
are our examples, each with names of its own; the others are ordinary Python that imports its neighbours. Each figure is
one run of the command in a fresh process; on a busy machine the processor time says more than the wall time.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from measure import run

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
FILES_PER_FOLDER = 40
NOTEBOOK_EVERY = 25
SETTLE = 3.0
"""Seconds until the checker takes a file as settled (``CLOCK_SLACK`` of its cache, and some more)."""

_DEFINITION = re.compile(r"^def (\w+)", re.MULTILINE)

PLAIN = '''\
"""Ordinary code of one module."""

from __future__ import annotations

import os
from dataclasses import dataclass

from pkg{folder} import plain{neighbour}


@dataclass
class Record{number}:
    name: str
    size: int = {number}

    def path(self) -> str:
        return os.path.join(self.name, str(self.size))


def total{number}(records: list[Record{number}]) -> int:
    return sum(record.size for record in records) + len(plain{neighbour}.__name__)
'''


def make_tree(root: Path, n_files: int, n_kernels: int) -> None:
    """Write ``n_files`` files, of which ``n_kernels``, spread evenly, hold kernels."""
    (root / "pyproject.toml").write_text('[tool.tilelang]\ntarget = ["t4", "h100"]\n', encoding="utf-8")
    (root / ".gitignore").write_text(".tilelang-cache\n/out/\n*_pb2.py\n!kept_pb2.py\n", encoding="utf-8")
    for name in (".venv/lib", "out", "node_modules/x", ".git"):
        (root / name).mkdir(parents=True)
        (root / name / "never.py").write_text("import tilelang\n", encoding="utf-8")
    for number in range(n_files):
        folder = root / f"pkg{number // FILES_PER_FOLDER}"
        if number % FILES_PER_FOLDER == 0:
            folder.mkdir()
            (folder / "__init__.py").touch()
            (folder / ".gitignore").write_text("scratch_*.py\n", encoding="utf-8")
        is_kernel = (number + 1) * n_kernels // n_files > number * n_kernels // n_files
        if is_kernel:
            _write_kernel(folder, number)
        else:
            text = PLAIN.format(folder=number // FILES_PER_FOLDER, number=number, neighbour=max(number - 1, 0))
            (folder / f"plain{number}.py").write_text(text, encoding="utf-8")


def _write_kernel(folder: Path, number: int) -> None:
    example = EXAMPLES[number % len(EXAMPLES)]
    text = example.read_text(encoding="utf-8")
    for name in set(_DEFINITION.findall(text)):
        text = re.sub(rf"\b{name}\b", f"{name}_{number}", text)
    if number % NOTEBOOK_EVERY:
        (folder / f"{example.stem}_{number}.py").write_text(text, encoding="utf-8")
        return
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "source": text.splitlines(keepends=True)}
    content = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (folder / f"{example.stem}_{number}.ipynb").write_text(json.dumps(content, indent=1), encoding="utf-8")


def measure(root: Path, jobs: int) -> None:
    """Run the command in each state of the tree and print what it took."""
    checker = [sys.executable, "-m", "tilelang_analyzers.cli", "--format", "json", "--jobs", str(jobs)]
    kernels = sorted(path for path in root.glob("pkg*/*_*.py") if path.name != "__init__.py")

    def show(what: str, *arguments: str) -> None:
        sample = run([*checker, *arguments], root)
        coverage = json.loads(sample.output)["coverage"]
        counted = f"{coverage['files']} files, {coverage['kernels']} kernels"
        print(f"{what:<28} {sample.seconds:8.2f} {sample.cpu:8.2f} {sample.peak:7.0f}  {counted}", flush=True)

    print(f"{'':<28} {'wall s':>8} {'cpu s':>8} {'MiB':>7}")
    show("without a cache", "--no-cache")
    time.sleep(SETTLE)
    show("cold, filling the cache")
    show("unchanged")
    if kernels:
        path = kernels[len(kernels) // 2]
        path.write_text(path.read_text(encoding="utf-8") + "\n# changed\n", encoding="utf-8")
        show("one kernel file changed")
        show("one file by name", str(path))
    plain = next(root.glob("pkg*/plain*.py"), None)
    if plain is not None:
        plain.write_text(plain.read_text(encoding="utf-8") + "\n# changed\n", encoding="utf-8")
        show("one other file changed")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--files", type=int, default=3000, help="files of the tree (3000)")
    parser.add_argument("--kernels", type=int, default=150, help="how many of them hold kernels (150)")
    parser.add_argument("--jobs", type=int, default=2, help="worker processes (2)")
    parser.add_argument("--keep", type=Path, help="write the tree to this folder, which must not exist, and keep it")
    options = parser.parse_args(arguments)
    root = options.keep or Path(tempfile.mkdtemp(prefix="tree-"))
    root.mkdir(parents=True, exist_ok=options.keep is None)
    try:
        make_tree(root, options.files, min(options.kernels, options.files))
        measure(root, options.jobs)
    finally:
        if options.keep is None:
            shutil.rmtree(root)
    return 0


if __name__ == "__main__":
    sys.exit(main())
