"""`--profile`: where the time goes, as text and as JSON."""

from __future__ import annotations

import json

import pytest
from analyzers.projects import Command, kernel, misspelt


def test_the_profile_is_text_on_standard_error(check: Command) -> None:
    check.write("k.py", kernel())
    check.write("plain.py", "x = 1\n")
    assert check("--profile") == 0
    lines = check.err.splitlines()
    assert lines[0].startswith("checking took ")
    assert lines[0].endswith(" s of work in 1 file")
    assert [line.split()[-1] for line in lines if line.split()[0] == "seconds"] == ["step", "file"]
    assert any(line.endswith("%  evaluation") for line in lines)
    assert lines[-1].endswith("100.0%  k.py")
    assert max(map(len, lines)) <= 80
    assert "seconds" not in check.out


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_the_profile_is_json_in_a_file(check: Command, jobs: str) -> None:
    for name in ("a", "b"):
        check.write(f"{name}.py", misspelt(name))
    assert check() == 1
    assert check("--profile-json", "profile.json", "--jobs", jobs) == 1
    assert check.err == ""
    profile = json.loads(check.read("profile.json"))
    assert profile["version"] == 1
    assert [it["path"] for it in profile["files"]] == ["a.py", "b.py"]
    steps = {step for it in profile["files"] for step in it["steps"]}
    assert {"evaluation", "rule unknown-name", "rule shared-memory-overflow"} <= steps
    assert set(profile["steps"]) == steps
    for step, seconds in profile["steps"].items():
        whole = sum(it["steps"].get(step, 0) for it in profile["files"])
        assert seconds == pytest.approx(whole, abs=1e-4)


def test_a_profile_that_cannot_be_written(check: Command) -> None:
    check.write("k.py", kernel())
    assert check("--profile-json", "no/such/folder.json") == 2
    assert check.err == "tilelang-check: --profile-json no/such/folder.json: No such file or directory\n"
