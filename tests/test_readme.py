"""The README shows what the checker prints."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
SAMPLE = re.compile(
    r"(?<=```console\n)\$ (?P<command>tilelang-check examples/faulty/.*)\n(?P<output>(?:.*\n)*?)(?=```)"
)


def test_the_sample_is_what_the_command_prints(update_golden: bool) -> None:
    text = README.read_text(encoding="utf-8")
    sample = SAMPLE.search(text)
    assert sample is not None
    arguments = shlex.split(sample["command"])[1:]
    command = [sys.executable, "-m", "tilelang_analyzers.cli", *arguments, "--no-cache"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=False)
    assert done.returncode == 1, done.stderr
    if update_golden:
        start, end = sample.span("output")
        README.write_text(text[:start] + done.stdout + text[end:], encoding="utf-8")
        return
    assert sample["output"] == done.stdout, "run pytest --update-golden tests/test_readme.py"


def test_links_lead_somewhere() -> None:
    for name in ("README.md", "CONTRIBUTING.md"):
        text = (ROOT / name).read_text(encoding="utf-8")
        links = re.findall(r"\]\((?!https?:)([^)#]+)\)", text)
        assert links or name != "README.md"
        assert [link for link in links if not (ROOT / link).exists()] == [], name
