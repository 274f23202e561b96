"""All fixes on all case files, as Python files and as notebooks: they come to an end, the files still parse, no comment
is lost, and a second run finds nothing to do."""

from __future__ import annotations

import ast
import io
import json
import tokenize
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest
from cases import suite

from tilelang.syntax import SourceText, load_notebook
from tilelang_analyzers.config import Config
from tilelang_analyzers.fixes.fixpoint import Repair, repair, write
from tilelang_analyzers.runner import Checkup, Options
from tilelang_analyzers.settings import validate

SETTINGS = {"target": "t4,h100", "extend-select": "call-annotation,low-occupancy", "respect-gitignore": False}


@dataclass
class Repaired:
    checkup: Checkup
    repair: Repair
    before: dict[str, bytes]


def started(folder: Path) -> Checkup:
    checkup = Checkup([str(folder)], Config(validate(SETTINGS, "test")), Options(use_cache=False))
    checkup.start()
    return checkup


def as_notebook(source: bytes) -> str:
    """A notebook with one cell for each paragraph that starts in the first column after two blank lines."""
    text = SourceText.from_bytes("x", source).text
    cells = [part.strip("\n") for part in text.split("\n\n\n")]
    made = [{"cell_type": "code", "metadata": {}, "source": cell.splitlines(keepends=True)} for cell in cells]
    content = {"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


@pytest.fixture(scope="module", params=["py", "ipynb"])
def done(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Repaired:
    folder = tmp_path_factory.mktemp("cases")
    (folder / "pyproject.toml").write_text("")
    for number, source in enumerate(suite.folders()):
        target = folder / f"from{number}"
        target.mkdir()
        for path in source.glob("*.py"):
            if request.param == "py":
                (target / path.name).write_bytes(path.read_bytes())
            else:
                (target / path.with_suffix(".ipynb").name).write_text(as_notebook(path.read_bytes()))
    checkup = started(folder)
    before = dict(checkup.contents)
    return Repaired(checkup, repair(checkup, unsafe=True), before)


def text_of(path: str, data: bytes) -> str:
    if path.endswith(".ipynb"):
        return load_notebook(path, data).module.source.text
    return SourceText.from_bytes(path, data).text


def comments(path: str, data: bytes) -> Counter[str]:
    tokens = tokenize.generate_tokens(io.StringIO(text_of(path, data)).readline)
    return Counter(token.string for token in tokens if token.type == tokenize.COMMENT)


def test_many_files_have_fixes_and_all_come_to_an_end(done: Repaired) -> None:
    assert len(done.repair.files) > 60
    assert done.repair.dropped == []
    assert done.repair.restless == []
    rules = {finding.rule for file in done.repair.files for finding in file.applied}
    assert len(rules) >= 9


def test_fixed_files_parse(done: Repaired) -> None:
    for file in done.repair.files:
        ast.parse(text_of(file.path, file.after))


def test_no_comment_is_lost_but_those_that_hid_nothing(done: Repaired) -> None:
    for file in done.repair.files:
        lost = comments(file.path, file.before) - comments(file.path, file.after)
        removed = [finding for finding in file.applied if finding.rule == "unused-suppression"]
        assert lost.total() == len(removed), file.path
        assert all("tl: ignore" in comment for comment in lost)


def test_nothing_is_left_to_fix(done: Repaired) -> None:
    assert [it.rule for it in done.checkup.result().findings() if it.fix and it.fix.edits] == []


def test_the_findings_are_gone_and_no_new_error_came(done: Repaired) -> None:
    left = Counter((it.span.path, it.rule) for it in done.checkup.result().findings() if it.severity.label == "error")
    for file in done.repair.files:
        assert not {(file.path, it.rule) for it in file.applied if it.severity.label == "error"} & left.keys()


def test_a_second_run_on_the_disk_changes_nothing(done: Repaired) -> None:
    assert list(write(done.repair)) == []
    for path, data in done.checkup.contents.items():
        assert Path(path).read_bytes() == data
    again = started(Path(next(iter(done.checkup.contents))).parents[1])
    assert repair(again, unsafe=True) == Repair()
    assert again.result().findings() == done.checkup.result().findings()


def test_only_changed_notebook_lines_differ(done: Repaired) -> None:
    for file in done.repair.files:
        before, after = (data.decode().splitlines() for data in (file.before, file.after))
        new = [line for line in after if line not in set(before)]
        # A fix writes few lines: the rest of the file is there as it was.
        assert len(new) <= 4 * len(file.applied), file.path
