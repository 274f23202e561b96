"""Several reports in one run, where they go, and what happens if they cannot go there."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tilelang_analyzers.cli import main
from tilelang_analyzers.output import write

KERNEL = """\
import tilelang
import tilelang.language as T


@T.prim_func
def kernel(A: T.Tensor((64,), "float16")):
    with T.Kernel(1, threads=32):
        T.alloc_sharde((64,), "float16")
"""


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("kernel.py").write_text(KERNEL)


def ran(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main([*arguments, "--no-cache", "--isolated"])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_text_on_the_screen_and_reports_in_files(capsys: pytest.CaptureFixture[str]) -> None:
    outputs = ["--output", "sarif=out/check.sarif", "--output=junit=junit.xml", "--output", "gitlab=g=1.json"]
    code, out, err = ran(capsys, "kernel.py", "--format", "concise", *outputs)
    assert (code, err) == (1, "")
    assert out.startswith("kernel.py:8:11: error[unknown-name]")
    assert json.loads(Path("out/check.sarif").read_text())["runs"][0]["results"][0]["ruleId"] == "unknown-name"
    assert ET.parse("junit.xml").getroot().attrib["failures"] == "1"
    assert json.loads(Path("g=1.json").read_text())[0]["check_name"] == "unknown-name"
    assert sorted(it.name for it in Path().rglob("*") if it.is_file()) == [
        "check.sarif",
        "g=1.json",
        "junit.xml",
        "kernel.py",
    ]


def test_a_report_instead_of_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert ran(capsys, "kernel.py", "--format", "json", "--output-file", "o.json") == (1, "", "")
    assert len(json.loads(Path("o.json").read_text())["instances"]) == 1
    assert ran(capsys, "kernel.py", "--format", "json-lines", "-o", "o.jsonl") == (1, "", "")
    assert json.loads(Path("o.jsonl").read_text().splitlines()[-1])["kind"] == "summary"


def test_files_are_written_though_nothing_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    Path("fine.py").write_text("x = 1\n")
    assert ran(capsys, "fine.py", "--quiet", "--output", "json=o.json") == (0, "", "")
    assert json.loads(Path("o.json").read_text())["findings"] == []


@pytest.mark.parametrize("name", ["json", "json-lines", "sarif", "gitlab", "junit", "rdjson"])
def test_documents_are_printed_though_there_is_nothing_in_them(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("fine.py").write_text("x = 1\n")
    code, out, err = ran(capsys, "fine.py", "--quiet", "--format", name)
    assert (code, err) == (0, "")
    assert (ET.fromstring(out) if name == "junit" else json.loads(out)) is not None
    assert ran(capsys, "fine.py", "--quiet", "--format", "github") == (0, "", "")


def test_reports_are_written_though_nobody_reads_the_text(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tilelang_analyzers.cli", "kernel.py", "--no-cache", "--output", "json=o.json"]
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(Path("o.json").read_text())["findings"]


@pytest.mark.parametrize("path", ["kernel.py/o.json", "folder"])
def test_a_file_that_cannot_be_written_is_2_and_the_rest_appears(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("folder").mkdir()
    outputs = ["--output", f"json={path}", "--output", "sarif=o.sarif"]
    code, out, err = ran(capsys, "kernel.py", "--format", "concise", *outputs)
    assert code == 2
    assert out.startswith("kernel.py:8:11: error[unknown-name]")
    assert err.startswith(f"tilelang-check: cannot write {path}: ")
    assert len(err.splitlines()) == 1
    assert Path("o.sarif").exists()
    assert ran(capsys, "kernel.py", "--exit-zero", *outputs)[0] == 2


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--output", "sarif"], "argument --output: expected FORMAT=FILE, not 'sarif'"),
        (["--output", "sarif="], "argument --output: expected FORMAT=FILE, not 'sarif='"),
        (["--output", "sarf=x"], "argument --output: unknown format 'sarf', did you mean `sarif`?"),
        (["--output", "zzz=x"], "argument --output: unknown format 'zzz' (choose from full, concise, "),
        (["--output", "json=x", "--output", "sarif=x"], "--output: two reports for one file, x"),
        (["--output", "json=x", "-o", "./x"], "--output: two reports for one file, ./x"),
        (["--output", "json=-"], "argument --output: a file is needed; --format json prints"),
        (["--statistics", "--format", "sarif"], "--statistics goes with --format full, concise, grouped, json, not"),
    ],
)
def test_wrong_usage(arguments: list[str], complaint: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = ran(capsys, "kernel.py", *arguments)
    assert (code, out) == (2, "")
    assert complaint in " ".join(err.split())
    assert not Path("x").exists()


def test_old_reports_stay_if_new_ones_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "o.json"
    file.write_text("old")

    def full_disk(self: Path, data: bytes) -> int:
        self.open("wb").close()
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full_disk)
    assert write(str(file), ["new"]) == f"cannot write {file}: No space left on device"
    assert file.read_text() == "old"
    assert sorted(it.name for it in tmp_path.iterdir()) == ["kernel.py", "o.json"]


def test_links_and_modes_are_kept(tmp_path: Path) -> None:
    real, link = tmp_path / "real.json", tmp_path / "link.json"
    real.write_text("old")
    real.chmod(0o640)
    link.symlink_to(real)
    assert write(str(link), ["new"]) == ""
    assert link.is_symlink()
    assert real.read_text() == "new\n"
    assert stat.S_IMODE(real.stat().st_mode) == 0o640


def test_pipes_are_written_to(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        assert write(str(path), ["a", "b"]) == ""
        assert os.read(reader, 100) == b"a\nb\n"
    finally:
        os.close(reader)
    assert write("/dev/null", ["a"]) == ""


def test_github_gets_a_step_summary(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    summary = Path("summary.md")
    summary.write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    ran(capsys, "kernel.py", "--format", "concise")
    assert summary.read_text() == "before\n"
    assert ran(capsys, "kernel.py", "--format", "github")[0] == 1
    text = summary.read_text()
    assert text.startswith("before\n### tilelang-check: 1 error\n")
    assert "| `kernel.py:8:11` |" in text
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(Path("kernel.py/no")))
    code, out, err = ran(capsys, "kernel.py", "--format", "github")
    assert (code, out.startswith("::error file=kernel.py,line=8,")) == (2, True)
    assert "cannot write" in err


def test_coverage_is_told_where_the_format_has_no_place_for_it(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (["--format", "gitlab"], ["--format", "rdjson"], ["--statistics", "--format", "json"]):
        _, out, err = ran(capsys, "kernel.py", "gone.py", *arguments)
        json.loads(out)
        assert "error: gone.py: no such file or folder" in err
        assert "1 kernel in 1 file: 0 checked, 1 partly" in err
        assert ran(capsys, "kernel.py", "--quiet", *arguments)[2] == ""
    assert ran(capsys, "kernel.py", "--format", "sarif")[2] == ""
