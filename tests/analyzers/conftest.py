"""A project in a folder of its own."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from analyzers.projects import Command


@pytest.fixture
def check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """The command, in a project that is checked for a T4."""
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    command = Command(folder, capsys)
    command.write("pyproject.toml", "[tool.tilelang]\ntarget = ['t4']\n")
    return command


@pytest.fixture(autouse=True, scope="session")
def interrupts_arrive() -> None:
    """A shell starts jobs in the background with Ctrl-C ignored, and what a test starts would inherit that."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
