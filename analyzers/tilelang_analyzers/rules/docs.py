"""Writes the pages of `docs/rules` from the rules: ``python -m tilelang_analyzers.rules.docs docs/rules``.

A test compares the folder with what this writes, so the pages are never edited by hand.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tilelang_analyzers import rules
from tilelang_analyzers.inform import facts

if TYPE_CHECKING:
    from tilelang_analyzers.rule import Rule


def pages() -> dict[str, str]:
    """The text of every page by file name."""
    every = rules.load_all()
    return {"index.md": _index(every), **{f"{rule.name}.md": page(rule) for rule in every}}


def write(folder: Path) -> None:
    """Bring a folder up to date; pages of rules that are gone are deleted."""
    folder.mkdir(parents=True, exist_ok=True)
    wanted = pages()
    for stale in folder.glob("*.md"):
        if stale.name not in wanted:
            stale.unlink()
    for name, text in wanted.items():
        (folder / name).write_text(text, encoding="utf-8")


def page(rule: Rule) -> str:
    """The page of one rule."""
    return f"# {rule.name}\n\n{rule.summary}\n\n*{facts(rule)[0].upper()}{facts(rule)[1:]}.*\n\n{rule.doc}\n"


def _index(every: tuple[Rule, ...]) -> str:
    lines = [
        "# Rules",
        "",
        "Written by `make docs` from the rules themselves; `tilelang-check --explain RULE` prints the same text.",
        "A name is the key in `# tl: ignore[...]` comments and in the settings. (t): depends on the target.",
    ]
    for group in rules.GROUPS:
        members = [rule for rule in every if rule.group == group]
        if members:
            lines += ["", f"## {group.capitalize()}", "", "| rule | level | finds |", "| --- | --- | --- |"]
            lines += [_row(rule) for rule in members]
    return "\n".join(lines) + "\n"


def _row(rule: Rule) -> str:
    mark = " (t)" if rule.target_dependent else ""
    return f"| [{rule.name}]({rule.name}.md){mark} | {rule.severity.label} | {rule.summary} |"


if __name__ == "__main__":
    write(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/rules"))
