"""`--watch` as a user sees it: one report for each change, of whatever kind, until Ctrl-C."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from queue import Queue

import pytest
from analyzers.projects import Command, kernel, misspelt

STATUS = re.compile(r"\[\d\d:\d\d:\d\d\] \d+\.\d\d s; watching (\d+) files?, Ctrl-C ends\n")


class Watched:
    """A running command whose reports can be waited for."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "tilelang_analyzers.cli", "--watch", "--format", "concise"]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
        )
        self._lines: Queue[str] = Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)

    def report(self) -> tuple[list[str], int]:
        """The findings of the next report, and how many files are watched."""
        found: list[str] = []
        while True:
            line = self._lines.get(timeout=60)
            status = STATUS.fullmatch(line)
            if status:
                return found, int(status[1])
            found += re.findall(r"^(\S+?):\d+:\d+: error\[(?:\S+)\]", line)

    def interrupt(self) -> tuple[int, str]:
        os.killpg(self.process.pid, signal.SIGINT)
        code = self.process.wait(60)
        self._reader.join(60)
        assert self.process.stderr is not None
        assert self.process.stdout is not None
        self.process.stdout.close()
        with self.process.stderr as stream:
            return code, stream.read()


@pytest.fixture
def watched(check: Command) -> Iterator[Watched]:
    check.write("k.py", misspelt())
    check.write("use.py", "from sizes import BLOCK\nfrom k import double\n\ndouble(4096, BLOCK)\n")
    check.write("sizes.py", "BLOCK = 128\n")
    started = Watched()
    yield started
    started.process.kill()
    started.process.wait()
    for stream in (started.process.stdout, started.process.stderr):
        if stream is not None:
            stream.close()


def test_every_kind_of_change_gives_a_report(check: Command, watched: Watched) -> None:
    assert watched.report() == (["k.py"], 3)
    check.write("k.py", kernel())
    assert watched.report() == ([], 3)
    # As editors save: a new file takes the old one's place.
    check.write("k.py.tmp", misspelt())
    Path("k.py.tmp").replace("k.py")
    assert watched.report() == (["k.py"], 3)
    check.write("k.py", kernel())
    assert watched.report() == ([], 3)
    # What editors write beside the file is no change, and neither is a new time.
    check.write(".k.py.swp", "x")
    Path("k.py").touch()
    # What a file reads and a new call count too.
    check.write("sizes.py", "BLOCK = 65536\n")
    assert watched.report() == (["use.py"], 3)
    check.write("new.py", misspelt("other"))
    assert watched.report() == (["new.py", "use.py"], 4)
    Path("new.py").unlink()
    assert watched.report() == (["use.py"], 3)
    check.write("pyproject.toml", "[tool.tilelang]\ntarget = ['h100']\n")
    assert watched.report() == (["use.py"], 3)
    code, errors = watched.interrupt()
    assert (code, errors) == (0, "")


def test_settings_that_are_wrong_for_a_while(check: Command, watched: Watched) -> None:
    assert watched.report() == (["k.py"], 3)
    check.write("pyproject.toml", "[tool.tilelang]\ntarget = ['t4'\n")
    assert watched.process.stderr is not None
    assert "pyproject.toml: " in watched.process.stderr.readline()
    assert watched.process.stderr.readline() == "waiting for a change\n"
    check.write("pyproject.toml", "[tool.tilelang]\ntarget = ['t4']\nignore = ['unknown-name']\n")
    assert watched.report() == ([], 3)
    assert watched.interrupt() == (0, "")


def test_what_cannot_be_watched(check: Command) -> None:
    assert check("--watch", "-") == 2
    assert check.err == "tilelang-check: --watch cannot watch standard input\n"
    assert check("--watch", "--config", "taget=1") == 2
