"""Runs every Markdown suite of this folder."""

from __future__ import annotations

from pathlib import Path

import pytest
from specs.mdtest import Block, check_block, expectations, read_suite

from tilelang_analyzers import rules

SUITES = sorted(path for path in Path(__file__).parent.glob("*.md") if path.name != "README.md")
BLOCKS = [block for suite in SUITES for block in read_suite(suite)]


def _name(block: Block) -> str:
    return f"{block.suite}: {block.title} (line {block.line})"


@pytest.mark.parametrize("block", BLOCKS, ids=_name)
def test_block(block: Block, tmp_path: Path) -> None:
    problems = check_block(block, tmp_path)
    assert not problems, "\n".join(problems)


def test_suites_name_existing_rules() -> None:
    named = {expected.rule for block in BLOCKS for expected in expectations(block.code)}
    assert named <= set(rules.names())


def test_runner_sees_a_missing_and_an_unexpected_finding(tmp_path: Path) -> None:
    code = "def broken(:  # info: [unused-buffer]\n    pass\n"
    problems = check_block(Block("suite", "title", code, 10), tmp_path)
    assert any("suite.md:10: unexpected error: [syntax-error]" in line for line in problems)
    assert any("suite.md:10: missing info: [unused-buffer]" in line for line in problems)
