"""A small project with kernels, for tests of what the command does with its findings."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tilelang_analyzers.cli import main

KERNEL = """\
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def {name}(N, block=256):
    @T.prim_func
    def kernel(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, block), threads=128) as bx:
            tile = T.alloc_shared((block,), "float32")
            T.copy(A[bx * block], tile)
            for i in T.Parallel(block):
                tile[i] = tile[i] * 2.0
            T.copy(tile, B[bx * block])

    return kernel


{name}(4096, {block})
"""
LINES = KERNEL.count("\n")
TOO_LARGE = 65536


def kernel(name: str = "double", block: int = 256) -> str:
    return KERNEL.format(name=name, block=block)


def misspelt(name: str = "double") -> str:
    """A kernel with an error that has an unsafe fix."""
    return kernel(name).replace("T.copy(A", "T.cpoy(A")


def idle_comment(name: str = "double") -> str:
    """A kernel with a warning that has a safe fix."""
    return kernel(name).replace("* 2.0", "* 2.0  # tl: ignore[lossy-cast] why")


def notebook(*cells: str) -> str:
    made = [{"cell_type": "code", "metadata": {}, "source": cell.splitlines(keepends=True)} for cell in cells]
    return json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1) + "\n"


class Command:
    """Runs `tilelang-check` in a folder and keeps what it printed."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self.out = self.err = ""
        self._capsys = capsys

    def __call__(self, *arguments: str) -> int:
        code = main(arguments)
        self.out, self.err = self._capsys.readouterr()
        assert "Traceback" not in self.out + self.err
        return code

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
        return path

    def read(self, name: str) -> str:
        return (self.folder / name).read_bytes().decode()

    def found(self, *arguments: str) -> list[tuple[str, str]]:
        """(file, rule) of every finding that is shown."""
        self(*arguments, "--format", "json")
        findings = json.loads(self.out)["findings"]
        return [(finding["path"], finding["rule"]) for finding in findings]
