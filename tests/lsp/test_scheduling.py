"""Stale checks are given up; settings that cannot be used are named; positions convert both ways."""

from __future__ import annotations

import asyncio
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsp.ide import GEMM, new_session

from tilelang.frontend.cancellation import Cancellation, Cancelled
from tilelang.syntax.text import SourceText
from tilelang_lsp.analysis import Analysis
from tilelang_lsp.files import SourceFile
from tilelang_lsp.options import read
from tilelang_lsp.positions import Encoding, from_editor, to_editor
from tilelang_lsp.scheduler import Scheduler

PATH = "/project/k.py"


@pytest.mark.asyncio
async def test_only_the_newest_text_is_reported() -> None:
    session = new_session()
    finished: list[Analysis] = []
    scheduler = Scheduler(session, finished.append)
    waiting: list[asyncio.Task[Analysis | None]] = []
    for version in range(5):
        file = SourceFile.open(PATH, GEMM + "\n" * version, version)
        session.put(file)
        scheduler.touch(file, 60)
        if version == 0:
            waiting.append(asyncio.ensure_future(scheduler.fresh(PATH)))
            await asyncio.sleep(0)
    newest = await scheduler.fresh(PATH)  # ends the pause of a minute
    assert newest is not None
    assert newest.file.version == 4
    assert finished == [newest]
    assert await waiting[0] is None
    assert await scheduler.fresh(PATH) is newest
    assert not scheduler.busy
    scheduler.shutdown()


@pytest.mark.asyncio
async def test_slow_checks_are_told_of() -> None:
    session = new_session()
    told: list[SourceFile] = []
    scheduler = Scheduler(session, lambda _: None, lambda file, _: told.append(file), patience=0)
    file = SourceFile.open(PATH, GEMM)
    session.put(file)
    scheduler.touch(file)
    assert await scheduler.fresh(PATH) is not None
    assert told == [file]
    scheduler.shutdown()


def test_a_cancelled_check_leaves_nothing_behind() -> None:
    session = new_session()
    file = SourceFile.open(PATH, GEMM)
    cancellation = Cancellation()
    cancellation.cancel()
    with pytest.raises(Cancelled):
        session.examine(file, cancellation)
    expected = new_session().examine(file).report
    assert session.examine(file).report == expected
    assert expected.instances


def test_cancelling_stops_an_endless_evaluation() -> None:
    """The loop would take the whole budget of the file, which is seconds."""
    source = GEMM + "x = 0\nwhile x < 10 ** 9:\n    x += 1\n"
    session = new_session()
    cancellation = Cancellation()
    outcome: list[BaseException] = []

    def run() -> None:
        try:
            session.examine(SourceFile.open(PATH, source), cancellation)
        except Cancelled as error:
            outcome.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    cancellation.cancel()
    thread.join(60)
    assert not thread.is_alive()
    assert len(outcome) == 1


def test_settings_of_an_editor() -> None:
    options, problems = read(
        {"target": ["t4"], "maxInstances": 5, "inlayHints": {"loops": False, "x": 1}, "debounce": 0, "nonsense": True}
    )
    assert options.checker == {"target": ("t4",), "max_instances": 5}
    assert not options.inlay_hints.loops
    assert options.inlay_hints.tiles
    assert options.debounce == 0
    assert [problem.partition("`")[2].partition("`")[0] for problem in problems] == ["inlayHints.x", "nonsense"]


@given(st.text(alphabet="aé🙂\t\n", max_size=40), st.sampled_from(["utf-8", "utf-16", "utf-32"]))
def test_columns_convert_both_ways(text: str, encoding: Encoding) -> None:
    source = SourceText.from_text(PATH, text)
    for line in range(1, source.line_count + 1):
        content = source.line_text(line)
        for count in range(len(content) + 1):
            column = len(content[:count].encode())
            units = to_editor(source, line, column, encoding)
            assert from_editor(source, line, units, encoding) == column
