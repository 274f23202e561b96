"""`docs/rules` is what the rules say of themselves."""

from __future__ import annotations

from pathlib import Path

from tilelang_analyzers import rules
from tilelang_analyzers.rules.docs import pages, write

FOLDER = Path(__file__).parents[2] / "docs" / "rules"


def test_the_pages_are_current() -> None:
    actual = {file.name: file.read_text(encoding="utf-8") for file in FOLDER.glob("*.md")}
    wanted = pages()
    stale = sorted(name for name in {*actual, *wanted} if actual.get(name) != wanted.get(name))
    assert stale == [], "run `make docs`"
    assert len(wanted) == len(rules.names()) + 1


def test_writing_removes_pages_of_rules_that_are_gone(tmp_path: Path) -> None:
    (tmp_path / "old-rule.md").write_text("")
    write(tmp_path)
    assert {file.name for file in tmp_path.iterdir()} == set(pages())


def test_the_index_links_to_every_rule() -> None:
    index = pages()["index.md"]
    assert [name for name in rules.names() if f"]({name}.md)" not in index] == []
