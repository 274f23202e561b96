"""What goes wrong around a run: it is killed, the disk is full, two run at once, a file takes forever."""

from __future__ import annotations

import faulthandler
import json
import os
import resource  # Unix only, like the signals below
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from analyzers.projects import Command, idle_comment, kernel, misspelt

from tilelang_analyzers import checker, pool
from tilelang_analyzers.results import FileReport
from tilelang_analyzers.settings import Settings

COMMAND = (sys.executable, "-m", "tilelang_analyzers.cli")
FILES = 40


@pytest.fixture
def tree(check: Command) -> Command:
    """Enough files for worker processes, some of them wrong."""
    for number in range(FILES):
        text = misspelt(f"k{number}") if number % 4 == 0 else idle_comment(f"k{number}")
        check.write(f"p{number % 5}/k{number}.py", text)
    return check


def started(*arguments: str, **options: object) -> subprocess.Popen[str]:
    made = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "start_new_session": True, **options}
    return subprocess.Popen([*COMMAND, *arguments], **made)  # type: ignore[call-overload]


def finished(*arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
    process = started(*arguments, **options)
    out, err = process.communicate(timeout=300)
    assert "Traceback" not in err
    return subprocess.CompletedProcess(arguments, process.returncode, out, err)


def expected() -> str:
    return finished("--format", "json", "--no-cache").stdout


def wait_for(condition: object, seconds: float = 60.0) -> None:
    limit = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < limit
        time.sleep(0.01)


def entries() -> list[Path]:
    return list(Path(".tilelang-cache").rglob("*.json"))


def members(group: int) -> list[int]:
    """Processes of a group that still run."""
    found: list[int] = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, of_group = status.read_text().rpartition(")")[2].split()[:3]
        except OSError:
            continue
        if int(of_group) == group and state != "Z":
            found.append(int(status.parent.name))
    return found


# --- the run is ended -------------------------------------------------------------------------------------------------


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")
def test_a_killed_run_leaves_nothing_wrong(tree: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = expected()
    process = started("--format", "json")
    wait_for(lambda: len(entries()) >= 3)
    process.kill()
    process.communicate()
    wait_for(lambda: not members(process.pid))
    done = finished("--format", "json")
    assert (done.stdout, done.stderr) == (wanted, "")
    assert finished("--format", "json").stdout == wanted


def test_a_killed_fix_leaves_every_file_whole(tree: Command) -> None:
    before = {path: path.read_text() for path in Path().glob("p*/*.py")}
    process = started("--fix", "--unsafe-fixes", "--no-cache")
    wait_for(lambda: any(path.read_text() != text for path, text in before.items()))
    process.kill()
    process.communicate()
    good = {kernel(f"k{number}") for number in range(FILES)}
    assert all(path.read_text() in (text, *good) for path, text in before.items())
    assert finished("--fix", "--unsafe-fixes").returncode == 0
    assert {path.read_text() for path in before} == good


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")
def test_an_interrupt_ends_the_run_and_its_workers(tree: Command) -> None:
    process = started("--no-cache", "--jobs", "2", "--timeout", "60")
    wait_for(lambda: len(members(process.pid)) >= 3)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, "", "tilelang-check: interrupted\n")
    wait_for(lambda: not members(process.pid))


def test_a_reader_that_has_seen_enough_ends_it_quietly(tree: Command) -> None:
    process = started("--format", "full", "--no-cache")
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    with process.stderr as stderr:
        assert stderr.read() == ""
    assert process.wait(60) in (0, 1)


# --- the disk ---------------------------------------------------------------------------------------------------------


def no_space() -> None:
    """Files cannot grow in this process and its children."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)


def test_a_full_disk_is_no_cache(tree: Command) -> None:
    wanted = expected()
    done = finished("--format", "json", preexec_fn=no_space)
    assert (done.returncode, done.stdout, done.stderr) == (1, wanted, "")
    assert [path for path in Path(".tilelang-cache").rglob("*") if path.is_file() and path.stat().st_size] == []
    assert finished("--format", "json").stdout == wanted


def test_on_a_full_disk_fixes_are_not_written(tree: Command) -> None:
    before = {path: path.read_text() for path in Path().rglob("*.py")}
    done = finished("--fix", "--no-cache", "p1", preexec_fn=no_space)
    assert done.returncode == 2
    assert done.stderr.count(": not written: File too large\n") == 6
    assert {path: path.read_text() for path in Path().rglob("*.py")} == before
    assert list(Path().rglob("*.tmp")) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_output_that_cannot_be_written(tree: Command) -> None:
    with Path("/dev/full").open("w") as full:
        done = finished("--no-cache", stdout=full)
    assert (done.returncode, done.stderr) == (2, "tilelang-check: cannot write the output: No space left on device\n")


def test_a_read_only_checkout_is_checked(check: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(path: Path, *arguments: object, **options: object) -> None:
        raise OSError(30, "Read-only file system", str(path))

    check.write("k.py", misspelt())
    for name in ("mkdir", "write_bytes", "write_text"):
        monkeypatch.setattr(Path, name, refused)
    assert check() == 1
    assert check.err == ""
    assert not Path(".tilelang-cache").exists()


def test_two_runs_at_once_share_a_cache(tree: Command) -> None:
    wanted = expected()
    processes = [started("--format", "json") for _ in range(3)]
    for process in processes:
        out, err = process.communicate(timeout=300)
        assert (out, err) == (wanted, "")
    assert len(entries()) == FILES
    names = {path.name for path in Path(".tilelang-cache").rglob("*") if path.is_file()}
    assert names == {".gitignore", "CACHEDIR.TAG", *(path.name for path in entries())}
    assert finished("--format", "json").stdout == wanted


def test_a_cache_full_of_rubbish_is_no_cache(tree: Command) -> None:
    wanted = expected()
    finished()
    for number, path in enumerate(entries()):
        data = path.read_bytes()
        half = len(data) // 2
        path.write_bytes(
            [b"", b"\0" * 100, data[:half], data[half:], data[:half] + b"x" + data[half + 1 :]][number % 5]
        )
    entries()[0].unlink()
    entries()[0].with_suffix(".d").mkdir()
    done = finished("--format", "json")
    assert (done.stdout, done.stderr) == (wanted, "")


# --- one file ---------------------------------------------------------------------------------------------------------


def bad_file(monkeypatch: pytest.MonkeyPatch, action: object) -> None:
    """What happens while bad.py is checked; workers are forked, so it happens there."""
    original = checker.Checker.check

    def check(it: checker.Checker, path: str, data: bytes, settings: Settings) -> FileReport:
        if Path(path).name == "bad.py":
            action()  # type: ignore[operator]
        return original(it, path, data, settings)

    monkeypatch.setattr(checker.Checker, "check", check)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the misbehaviour reaches workers by forking")
@pytest.mark.parametrize("files", [1, 3])
def test_a_file_that_takes_too_long_is_given_up(check: Command, monkeypatch: pytest.MonkeyPatch, files: int) -> None:
    for name in ("bad.py", "good.py", "other.py")[:files]:
        check.write(name, misspelt())
    monkeypatch.setattr(pool, "PATIENCE", 1)
    bad_file(monkeypatch, lambda: time.sleep(300))
    assert check("--timeout", "3", "--no-cache", "--format", "concise") == 2
    assert "error: bad.py: took longer than 3 s and was given up (`timeout` in the" in check.out
    assert check.out.count("unknown-name") == files - 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the misbehaviour reaches workers by forking")
def test_a_file_that_crashes_the_interpreter_costs_itself(check: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("bad.py", "good.py"):
        check.write(name, misspelt())

    def crash() -> None:
        faulthandler.disable()  # else the trace of the crash is in the output of the tests
        os.kill(os.getpid(), signal.SIGSEGV)

    bad_file(monkeypatch, crash)
    assert check("--no-cache", "--format", "json") == 2
    report = json.loads(check.out)
    assert [(it["path"], it["message"]) for it in report["failures"]] == [
        ("bad.py", f"the process that checked it ended by signal {int(signal.SIGSEGV)}")
    ]
    assert [it["path"] for it in report["findings"]] == ["good.py"]


@pytest.mark.parametrize("value", ["0", "-1", "soon", "nan"])
def test_a_timeout_is_a_number_of_seconds(check: Command, value: str) -> None:
    assert check(f"--timeout={value}") == 2
    assert check.err.startswith("tilelang-check: command line: `timeout` must be a number of seconds above 0, not ")
