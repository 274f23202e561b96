"""Runs over real files: the cache, worker processes, imports, notebooks, and trouble in one file."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tilelang.diagnostics import Severity
from tilelang_analyzers import checker, pool, runner
from tilelang_analyzers.api import check_file, check_source
from tilelang_analyzers.cache import Cache, cache_folder, digest
from tilelang_analyzers.cli import main
from tilelang_analyzers.config import Config
from tilelang_analyzers.deadline import Deadline, OutOfTime
from tilelang_analyzers.relevance import Relevance
from tilelang_analyzers.report import Run
from tilelang_analyzers.results import FileReport
from tilelang_analyzers.runner import Options
from tilelang_analyzers.settings import Settings

KERNEL = """\
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def double(N, block=256):
    @T.prim_func
    def kernel(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, block), threads=128) as bx:
            tile = T.alloc_shared((block,), "float32")
            T.copy(A[bx * block], tile)
            for i in T.Parallel(block):
                tile[i] = tile[i] * 2.0
            T.copy(tile, B[bx * block])

    return kernel
"""
CALL = "double(4096, {block})\n"
FITS, TOO_LARGE = CALL.format(block=256), CALL.format(block=65536)


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text("[tool.tilelang]\ntarget = ['t4']\n")
    return tmp_path


def write(name: str, text: str) -> str:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return str(path.absolute())


def ran(*paths: str, **options: object) -> Run:
    return runner.run(paths or ["."], Config(), Options(**{"in_process": True, **options}))  # type: ignore[arg-type]


def rules(run: Run) -> list[tuple[str, str, int]]:
    return [(it.rule, Path(it.span.path).name, it.span.line) for it in run.findings() if it.severity.label == "error"]


# --- what is checked --------------------------------------------------------------------------------------------------


def test_a_file_is_checked_as_text_and_on_disk() -> None:
    report = check_source("k.py", KERNEL + TOO_LARGE, Settings("/", target=("t4", "h100")))
    assert [(it.rule, it.targets) for it in report.findings] == [("shared-memory-overflow", ("sm_75", "sm_90"))]
    assert [(it.state, it.instances) for it in report.kernels] == [("checked", 1)]
    assert report.instances[0].bindings == {"N": 4096, "block": 65536}
    path = write("k.py", KERNEL + FITS)
    assert check_file(path).findings == ()
    assert check_file("gone.py").failure is not None


def test_a_call_in_another_file_counts_once() -> None:
    write("ops/double.py", KERNEL)
    write("use.py", "from ops.double import double\n" + TOO_LARGE)
    expected = [("shared-memory-overflow", "use.py", 2)]
    assert rules(ran()) == expected
    assert rules(ran("ops")) == expected
    alone = ran("use.py")
    assert rules(alone) == expected
    assert [it.kernels[0].state for it in alone.files] == ["checked"]
    assert len(ran().instances()) == 1


def test_the_lines_of_a_notebook_are_those_of_its_cells(capsys: pytest.CaptureFixture[str]) -> None:
    cells = [("markdown", "# Title"), ("code", "%matplotlib inline\n" + KERNEL), ("code", "x = 1\n" + TOO_LARGE)]
    content = {
        "cells": [{"cell_type": kind, "source": text, "metadata": {}} for kind, text in cells],
        "metadata": {},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    write("n.ipynb", json.dumps(content))
    assert main(["n.ipynb", "--format", "concise", "--no-cache"]) == 1
    assert "n.ipynb:cell 3:2:" in capsys.readouterr().out
    main(["n.ipynb", "--format", "json", "--no-cache"])
    finding = json.loads(capsys.readouterr().out)["findings"][0]
    assert (finding["cell"], finding["line"], finding["end_line"]) == (3, 2, 2)


def test_files_that_matter() -> None:
    root = str(Path.cwd())
    write("pkg/__init__.py", "from .kernels import double\n")
    write("pkg/kernels.py", KERNEL)
    cyclic = write("a.py", "import b\n")
    write("b.py", "import a\n")
    relevance = Relevance()
    for text in (
        "from pkg import double",
        "import pkg.kernels as k",
        "from pkg.kernels import (\n    double,\n)",
        "import tilelang",
    ):
        assert relevance.matters(f"{root}/use.py", text.encode(), root)
    for text in ("import os, sys", "from numpy import array", "import b", "x = 'pkg'"):
        assert not relevance.matters(f"{root}/use.py", text.encode(), root)
    assert not relevance.matters(cyclic, b"import b\n", root)
    assert relevance.matters(f"{root}/pkg/other.py", b"from . import kernels\n", root)
    assert relevance.matters(f"{root}/pkg/sub/other.py", b"from ..kernels import double\n", root)


def test_the_same_input_gives_the_same_bytes() -> None:
    examples = Path(__file__).parents[2] / "examples"
    command = [sys.executable, "-m", "tilelang_analyzers.cli", str(examples), "--no-cache", "--format", "json"]
    outputs: set[bytes] = set()
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run([*command, "--jobs", seed], capture_output=True, check=False, env=environment)
        assert done.returncode == 1
        outputs.add(done.stdout)
    assert len(outputs) == 1
    assert len(json.loads(outputs.pop())["instances"]) > 20


# --- the cache --------------------------------------------------------------------------------------------------------


class Counted:
    """Counts the files that are checked, not taken from the cache."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.files: list[str] = []
        original = checker.Checker.check

        def check(it: checker.Checker, path: str, data: bytes, settings: Settings) -> FileReport:
            self.files.append(Path(path).name)
            return original(it, path, data, settings)

        monkeypatch.setattr(checker.Checker, "check", check)

    def taken(self) -> list[str]:
        files, self.files = sorted(self.files), []
        return files


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counted:
    return Counted(monkeypatch)


def test_unchanged_files_are_not_checked_again(counted: Counted) -> None:
    write("k.py", KERNEL + TOO_LARGE)
    write("plain.py", "x = 1\n")
    first = ran()
    assert counted.taken() == ["k.py"]
    again = ran()
    assert counted.taken() == []
    assert again.files == first.files
    assert again.targets == first.targets == (("sm_75", "T4"),)
    assert ran(with_instances=False).files[0].instances == ()
    ran(use_cache=False)
    assert counted.taken() == ["k.py"]


def test_whatever_a_result_depends_on_makes_it_stale(counted: Counted, monkeypatch: pytest.MonkeyPatch) -> None:
    write("k.py", "from sizes import BLOCK\n" + KERNEL + "double(4096, BLOCK)\n")
    write("sizes.py", "BLOCK = 256\n")
    write("far.py", "y = 1\n")
    # Status changes of new files are as young as the results.
    monkeypatch.setattr("tilelang_analyzers.cache.CLOCK_SLACK", -3600.0)
    assert rules(ran("k.py")) == []
    assert counted.taken() == ["k.py"]
    write("far.py", "y = 2\n")
    assert rules(ran("k.py")) == []
    assert counted.taken() == []
    write("sizes.py", "BLOCK = 65536\n")
    assert rules(ran("k.py")) == [("shared-memory-overflow", "k.py", 18)]
    assert counted.taken() == ["k.py"]
    write("pyproject.toml", "[tool.tilelang]\ntarget = ['t4']\nignore = ['budget']\n")
    assert rules(ran("k.py")) == []
    assert counted.taken() == ["k.py"]


def test_a_new_caller_makes_a_result_stale(counted: Counted) -> None:
    write("k.py", KERNEL)
    ran("k.py")
    counted.taken()
    write("other.py", "z = 'nothing of interest'\n")
    ran("k.py")
    assert counted.taken() == []
    write("use.py", "from k import double\n" + TOO_LARGE)
    assert rules(ran("k.py")) == [("shared-memory-overflow", "use.py", 2)]
    assert counted.taken() == ["k.py"]


@pytest.mark.parametrize("damage", [b"", b"\x00\xff", b'x\n{"content": 1}\n[]', b"[]\n[]\n[]\n[]"])
def test_damaged_entries_are_misses(damage: bytes, counted: Counted) -> None:
    write("k.py", KERNEL + FITS)
    first = ran("k.py")
    counted.taken()
    entries = list(cache_folder(Config().for_file("k.py")).rglob("*.json"))
    assert len(entries) == 1
    entries[0].write_bytes(damage)
    assert ran("k.py").files == first.files
    assert counted.taken() == ["k.py"]
    assert ran("k.py").files == first.files
    assert counted.taken() == []


def test_an_entry_of_another_shape_is_a_miss() -> None:
    path = write("k.py", KERNEL + FITS)
    settings = Config().for_file(path)
    store = Cache(with_instances=True)
    report = FileReport(path, uses_tilelang=True)
    store.store(report, b"data", settings, time.time())
    assert Cache(with_instances=True).load(path, b"data", settings) == report
    assert Cache(with_instances=True).load(path, b"other", settings) is None
    (entry,) = cache_folder(settings).rglob("*.json")
    for old, new in ((b'"FileReport"', b'"Settings"'), (b'"report"', b'"reprt"')):
        _, head, instances = entry.read_bytes().split(b"\n")
        head = head.replace(old, new)
        entry.write_bytes(b"\n".join((digest(head + instances).encode(), head, instances)))
        assert Cache(with_instances=True).load(path, b"data", settings) is None


def test_a_folder_that_cannot_be_written_is_no_cache(counted: Counted) -> None:
    write("k.py", KERNEL + FITS)
    Path(".tilelang-cache").write_text("in the way")
    for _ in range(2):
        assert rules(ran("k.py")) == []
        assert counted.taken() == ["k.py"]


def test_the_cache_keeps_itself_out_of_repositories(monkeypatch: pytest.MonkeyPatch) -> None:
    write("k.py", KERNEL + FITS)
    ran("k.py")
    assert Path(".tilelang-cache/.gitignore").read_text() == "*\n"
    Path("pyproject.toml").unlink()
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert cache_folder(Config().for_file("k.py")) == Path("/somewhere/tilelang-suite")


# --- worker processes and trouble -------------------------------------------------------------------------------------


def test_workers_say_what_one_process_says() -> None:
    for number in range(4):
        write(f"k{number}.py", KERNEL + (TOO_LARGE if number % 2 else FITS))
    alone, shared = ran(jobs=1, use_cache=False), ran(jobs=2, use_cache=False)
    assert alone.files == shared.files
    assert len(rules(shared)) == 2


def misbehaving(monkeypatch: pytest.MonkeyPatch, action: object) -> None:
    """Files called bad.py do something worse than failing."""
    original = checker.Checker.check

    def check(it: checker.Checker, path: str, data: bytes, settings: Settings) -> FileReport:
        if Path(path).name == "bad.py":
            action()  # type: ignore[operator]
        return original(it, path, data, settings)

    monkeypatch.setattr(checker.Checker, "check", check)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the misbehaviour reaches workers by forking")
def test_a_worker_that_dies_costs_its_file_only(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a.py", "bad.py", "z.py"):
        write(name, KERNEL + TOO_LARGE)
    misbehaving(monkeypatch, lambda: os._exit(3))
    run = ran(jobs=2, use_cache=False)
    assert {Path(it.path).name: it.failure.message for it in run.files if it.failure} == {
        "bad.py": "the process that checked it ended with code 3"
    }
    assert len(rules(run)) == 2


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the misbehaviour reaches workers by forking")
def test_a_worker_that_hangs_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    write("bad.py", KERNEL + FITS)
    write("good.py", KERNEL + TOO_LARGE)
    monkeypatch.setattr(pool, "PATIENCE", 1)
    misbehaving(monkeypatch, lambda: time.sleep(60))
    run = runner.run(["."], Config({"timeout": 0.5}), Options(jobs=2, use_cache=False))
    assert [it.failure.message for it in run.files if it.failure] == [
        "took longer than 0.5 s and was given up (`timeout` in the settings)"
    ]
    assert len(rules(run)) == 1


def test_an_exception_costs_its_file_only(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    from tilelang.frontend.project import Project

    original = Project.analyse

    def analyse(it: Project, path: Path, *rest: Any) -> object:
        if path.name == "bad.py":
            raise KeyError("oh")
        return original(it, path, *rest)

    monkeypatch.setattr(Project, "analyse", analyse)
    write("bad.py", KERNEL)
    write("good.py", KERNEL + TOO_LARGE)
    assert main(["--no-cache", "--format", "concise", "--jobs", "1"]) == 2
    out = capsys.readouterr().out
    assert "internal error: bad.py: KeyError: 'oh'\n" in out
    assert "good.py:17:" in out
    assert "Traceback" not in out
    main(["--no-cache", "--debug", "--jobs", "1"])
    assert "Traceback" in capsys.readouterr().out


def test_a_broken_rule_costs_its_findings_only(monkeypatch: pytest.MonkeyPatch) -> None:
    from tilelang_analyzers.rules import load

    def broken(ctx: object) -> None:
        raise ZeroDivisionError("oh")

    monkeypatch.setattr(load("gemm-shape-mismatch"), "instance_hook", broken)
    report = check_source("k.py", KERNEL + TOO_LARGE, Settings("/", target=("t4",)))
    assert report.failure is not None
    assert report.failure.message == "rule gemm-shape-mismatch failed: ZeroDivisionError: oh"
    assert [it.rule for it in report.findings] == ["shared-memory-overflow"]


def test_a_deadline_ends_any_code() -> None:
    def careless() -> None:
        while True:
            with suppress(Exception):
                sum(range(1000))

    with pytest.raises(OutOfTime), Deadline(0.05):
        careless()
    with Deadline(60):
        pass


def test_what_is_too_deep_for_the_checker_is_no_error() -> None:
    report = check_source("deep.py", ("import tilelang\nx = " + "-" * 2_000 + "1\n").encode())
    assert [(finding.rule, finding.severity) for finding in report.findings] == [("syntax-error", Severity.WARNING)]
    report = check_source("broken.py", b"import tilelang\nx = (\n")
    assert [(finding.rule, finding.severity) for finding in report.findings] == [("syntax-error", Severity.ERROR)]
