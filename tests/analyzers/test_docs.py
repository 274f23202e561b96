"""The page about fixing, adopting and watching: its commands run, and it names every option of its subjects."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from analyzers.projects import Command, idle_comment, kernel, misspelt

from tilelang_analyzers.cli import parser
from tilelang_analyzers.settings import OPTIONS

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "working.md").read_text(encoding="utf-8")
COMMANDS = [line.partition("  #")[0].strip() for line in re.findall(r"^\$ (tilelang-check .*)$", PAGE, re.MULTILINE)]


def test_there_are_commands() -> None:
    assert len(COMMANDS) >= 9


@pytest.mark.parametrize("command", COMMANDS)
def test_the_commands_run(check: Command, command: str) -> None:
    check.write("k.py", idle_comment() + misspelt("other"))
    check("--write-baseline")
    for arguments in (
        ["init", "-q"],
        ["add", "-A"],
        ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x"],
    ):
        subprocess.run(["git", *arguments], check=True, capture_output=True)
    subprocess.run(["git", "update-ref", "refs/remotes/origin/main", "HEAD"], check=True)
    check.write("k.py", kernel("first") + idle_comment() + misspelt("other"))
    line = command.replace("tilelang-check", f"{shlex.quote(sys.executable)} -m tilelang_analyzers.cli", 1)
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    assert "usage:" not in done.stderr


def test_every_option_is_documented() -> None:
    text = PAGE + (DOCS / "checking.md").read_text(encoding="utf-8")
    groups = {group.title: group for group in parser("x")._action_groups}
    for title in ("fixing", "known findings"):
        options = [action.option_strings[-1] for action in groups[title]._group_actions]
        assert options
        assert [option for option in options if option not in PAGE] == []
    assert [
        key for key in OPTIONS if f"{key} =" not in text and f"`{key}`" not in text and f"tilelang.{key}" not in text
    ] == []


def test_the_help_says_something_about_everything() -> None:
    for action in parser("x")._actions:
        assert action.help
