"""Results on disk: found again, safe against damage, bounded."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tilelang.backends.store import Store, digest


def test_another_process_finds_what_was_put(tmp_path: Path) -> None:
    Store(tmp_path).put(digest("a"), b"data")
    assert Store(tmp_path).get(digest("a")) == b"data"
    assert Store(tmp_path).get(digest("b")) is None


def test_damage_is_a_miss_and_is_removed(tmp_path: Path) -> None:
    Store(tmp_path).put(digest("a"), b"data")
    (file,) = tmp_path.glob("??/*")
    for damaged in (file.read_bytes()[:-1], b"", b"x" * 40):
        file.write_bytes(damaged)
        assert Store(tmp_path).get(digest("a")) is None
        assert not file.exists()
        Store(tmp_path).put(digest("a"), b"data")
    assert Store(tmp_path).get(digest("a")) == b"data"


def test_a_folder_that_cannot_be_written_keeps_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    store = Store(tmp_path / "file")
    store.put(digest("a"), b"data")
    assert store.get(digest("a")) == b"data", "memory still has it"
    assert Store(tmp_path / "file").get(digest("a")) is None


def test_what_was_not_used_for_longest_goes(tmp_path: Path) -> None:
    store = Store(tmp_path)
    for age, name in enumerate(("new", "middle", "old")):
        store.put(digest(name), bytes(1000))
        file = tmp_path / digest(name)[:2] / digest(name)[2:]
        os.utime(file, (1_000_000 - age, 1_000_000 - age))
    Store(tmp_path, disk=2000).put(digest("now"), bytes(400))
    fresh = Store(tmp_path)
    kept = [name for name in ("now", "new", "middle", "old") if fresh.get(digest(name)) is not None]
    assert kept == ["now", "new"]


def test_memory_is_bounded() -> None:
    store = Store(None, memory=2000)
    for number in range(10):
        store.put(str(number), bytes(900))
    assert [store.get(str(number)) is not None for number in range(10)] == [False] * 8 + [True] * 2


def test_many_writers(tmp_path: Path) -> None:
    def work(number: int) -> bytes | None:
        store = Store(tmp_path)
        store.put(digest("same"), b"data" * 1000)
        return Store(tmp_path).get(digest("same"))

    with ThreadPoolExecutor(8) as threads:
        assert set(threads.map(work, range(50))) == {b"data" * 1000}
    assert len(list(tmp_path.glob("??/*"))) == 1


def test_parts_do_not_run_together() -> None:
    assert digest("ab", "c") != digest("a", "bc")
