"""Known findings: they are hidden wherever they move, entries go when their findings go, and nothing else changes."""

from __future__ import annotations

import io
import json
import os
import sys
from pathlib import Path

import pytest
from analyzers.projects import Command, idle_comment, kernel, misspelt

NAME = "tilelang-baseline.json"
NEW = ("k.py", "unknown-name")


@pytest.fixture
def adopted(check: Command) -> Command:
    """A project with two known findings in one file."""
    check.write("k.py", misspelt() + idle_comment("other"))
    assert check("--write-baseline") == 0
    assert check.err == f"wrote 2 findings in 1 file to {NAME}\n"
    check.write("pyproject.toml", f"[tool.tilelang]\ntarget = ['t4']\nbaseline = '{NAME}'\n")
    return check


def entries(check: Command) -> list[tuple[str, str, int]]:
    found = json.loads(check.read(NAME))["findings"]
    return [(entry["path"], entry["rule"], entry.get("count", 1)) for entry in found]


def test_known_findings_are_hidden_and_new_ones_shown(adopted: Command) -> None:
    before = adopted.read(NAME)
    assert adopted() == 0
    assert f"2 findings of the baseline {NAME} not shown\n" in adopted.err
    adopted.write("k.py", misspelt() + idle_comment("other") + kernel("third").replace("T.copy(tile", "T.cpoy(tile"))
    assert adopted.found() == [NEW]
    assert adopted.read(NAME) == before


def test_they_are_known_after_a_move_and_a_change_of_layout(adopted: Command) -> None:
    moved = (
        idle_comment("other")
        + "\n\n\n"
        + misspelt().replace("T.cpoy(A[bx * block], tile)", "T.cpoy( A[bx * block],  tile )")
    )
    adopted.write("k.py", moved.replace("( A", "(A").replace(" )", ")").replace(",  ", ", "))
    before = adopted.read(NAME)
    assert adopted() == 0
    assert adopted.read(NAME) == before


def test_they_follow_a_file_that_is_renamed(adopted: Command) -> None:
    Path("k.py").rename("renamed.py")
    assert adopted() == 0
    assert [path for path, _, _ in entries(adopted)] == ["renamed.py", "renamed.py"]
    adopted.write("copy.py", adopted.read("renamed.py"))
    assert {path for path, _ in adopted.found()} == {"copy.py"}


def test_fixed_findings_leave_the_baseline(adopted: Command) -> None:
    adopted.write("k.py", kernel() + idle_comment("other"))
    assert adopted("--keep-baseline") == 0
    stale = f"in the baseline {NAME}, 1 entry has no finding any more:\n  k.py: unknown-name\n"
    assert stale in adopted.err
    assert len(entries(adopted)) == 2
    assert adopted() == 0
    assert stale in adopted.err
    assert entries(adopted) == [("k.py", "unused-suppression", 1)]
    adopted.write("k.py", misspelt() + idle_comment("other"))
    assert adopted.found() == [NEW]


def test_one_entry_hides_one_finding(adopted: Command) -> None:
    adopted.write("k.py", misspelt() + misspelt("again") + idle_comment("other"))
    assert adopted.found() == [NEW]
    assert adopted("--write-baseline") == 0
    assert ("k.py", "unknown-name", 2) in entries(adopted)
    assert adopted() == 0


def test_what_a_run_could_not_find_stays(adopted: Command) -> None:
    before = adopted.read(NAME)
    adopted.write("other.py", kernel())
    for arguments in (["other.py"], ["--ignore", "unknown-name,unused-suppression"]):
        assert adopted(*arguments) == 0
        assert adopted.read(NAME) == before
    adopted.write("k.py", "import tilelang\nx = (\n")
    assert adopted.found() == [("k.py", "syntax-error")]
    assert adopted.read(NAME) == before


def test_standard_input_does_not_shrink_it(adopted: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    before = adopted.read(NAME)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(misspelt().encode())))
    assert adopted("-", "--stdin-filename", "k.py") == 0
    assert "1 entry has no finding any more" in adopted.err
    assert adopted.read(NAME) == before


def test_another_target_is_new(check: Command) -> None:
    check.write("k.py", kernel(block=65536))
    assert check("--target", "t4", "--baseline", NAME, "--write-baseline") == 0
    before = check.read(NAME)
    assert check("--target", "t4", "--baseline", NAME) == 0
    assert check("--target", "h100", "--baseline", NAME) == 1
    assert check("--target", "t4,h100", "--baseline", NAME) == 1
    assert check.read(NAME) == before
    check.write("k.py", kernel())
    assert check("--target", "h100", "--baseline", NAME) == 0
    assert check.read(NAME) == before
    assert check("--target", "t4,h100", "--baseline", NAME) == 0
    assert entries(check) == []


def test_the_file_has_the_same_bytes_whatever_the_order(adopted: Command) -> None:
    before = adopted.read(NAME)
    Path(NAME).unlink()
    assert adopted("--write-baseline", "--no-cache", "--jobs", "2") == 0
    assert adopted.read(NAME) == before
    assert before.endswith("}\n")
    assert list(json.loads(before)["findings"][0]) == ["path", "rule", "excerpt"]


def test_writing_keeps_the_entries_of_files_that_were_not_checked(adopted: Command) -> None:
    adopted.write("other.py", misspelt())
    assert adopted("other.py", "--write-baseline") == 0
    assert sorted({path for path, _, _ in entries(adopted)}) == ["k.py", "other.py"]
    Path("k.py").unlink()
    assert adopted("other.py", "--write-baseline") == 0
    assert sorted({path for path, _, _ in entries(adopted)}) == ["other.py"]


def test_paths_are_relative_to_the_baseline(adopted: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    adopted.write("sub/x.py", kernel())
    monkeypatch.chdir("sub")
    assert adopted("..") == 0
    assert adopted("..", "--baseline", os.path.join("..", NAME)) == 0  # noqa: PTH118


def test_known_findings_are_not_fixed(adopted: Command) -> None:
    assert adopted("--fix", "--unsafe-fixes") == 0
    assert adopted.read("k.py") == misspelt() + idle_comment("other")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (None, "No such file or directory; --write-baseline makes it"),
        ("[]", "not a baseline: no JSON object"),
        ("{", "not a baseline: "),
        ('{"version": 9, "findings": []}', "not a baseline: version 9 is not known"),
        ('{"version": 1, "findings": [{"path": "k.py"}]}', "not a baseline: "),
        ('{"version": 1, "findings": [{"path": "a", "rule": "b", "excerpt": "c", "count": "d"}]}', "not a baseline: "),
    ],
)
def test_a_file_that_is_no_baseline_is_an_error(check: Command, text: str | None, complaint: str) -> None:
    if text is not None:
        check.write("b.json", text)
    assert check("--baseline", "b.json") == 2
    assert f"tilelang-check: baseline {Path.cwd() / 'b.json'}: {complaint}" in check.err


def test_a_baseline_that_cannot_be_written_is_told(adopted: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*arguments: object, **options: object) -> None:
        raise OSError(28, "No space left on device")

    adopted.write("k.py", kernel())
    before = adopted.read(NAME)
    monkeypatch.setattr(Path, "write_text", full)
    assert adopted() == 0
    assert f"the baseline {NAME} is not updated: No space left on device\n" in adopted.err
    assert adopted.read(NAME) == before
    assert adopted("--write-baseline") == 2
    assert adopted.err == f"tilelang-check: baseline {NAME}: No space left on device\n"
