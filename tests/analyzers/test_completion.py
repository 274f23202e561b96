"""The completion scripts in the shells that are there."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tilelang_analyzers.cli import main
from tilelang_analyzers.completion import SHELLS

BASH = """\
source {script}
COMP_WORDS=({words}); COMP_CWORD=$(( ${{#COMP_WORDS[@]}} - 1 ))
{function}
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


@pytest.fixture
def script(request: pytest.FixtureRequest, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """The script for the shell that the test is about."""
    assert main(["--generate-shell-completion", request.param]) == 0
    file = tmp_path / f"completion.{request.param}"
    file.write_text(capsys.readouterr().out)
    return file


def shell(name: str, *arguments: str, folder: Path) -> str:
    program = shutil.which(name)
    if program is None:
        pytest.skip(f"{name} is not installed")
    done = subprocess.run([program, *arguments], check=True, capture_output=True, text=True, cwd=folder)
    assert done.stderr == ""
    return done.stdout


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("--form", ["--format"]),
        ("--format js", ["json", "json-lines"]),
        ("--select rac", ["race"]),
        ("--explain gemm-sh", ["gemm-shape-mismatch"]),
        ("--target a10", ["a10", "a100"]),
        ("ker", ["kernel.py"]),
        ("--output-file ker", ["kernel.py"]),
    ],
)
@pytest.mark.parametrize("script", ["bash", "fish"], indirect=True)
def test_completions(words: str, expected: list[str], script: Path, tmp_path: Path) -> None:
    (tmp_path / "kernel.py").touch()
    if script.suffix == ".bash":
        function = next(line.split()[-2] for line in script.read_text().splitlines() if line.startswith("complete "))
        command = BASH.format(script=script, words=f"tilelang-check {words}", function=function)
        found = shell("bash", "--norc", "-c", command, folder=tmp_path).split()
    else:
        line = f'source {script}; complete -C "tilelang-check {words}"'
        found = [it.split("\t")[0] for it in shell("fish", "-N", "-c", line, folder=tmp_path).splitlines()]
    assert set(expected) <= set(found)
    start = words.rsplit(maxsplit=1)[-1]
    assert all(it.startswith(start) for it in found)


@pytest.mark.parametrize("script", ["bash", "zsh", "fish"], indirect=True)
def test_scripts_are_valid(script: Path, tmp_path: Path) -> None:
    shell(script.suffix[1:], "-n", str(script), folder=tmp_path)


@pytest.mark.parametrize("script", SHELLS, indirect=True)
def test_scripts_name_every_option(script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["--help"])
    options = {word.strip(",:.") for word in capsys.readouterr().out.split() if word.startswith("--")}
    assert len(options) > 20
    text = script.read_text()
    # fish has options without their dashes.
    assert [it for it in options if it.lstrip("-") not in text] == []
