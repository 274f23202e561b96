"""The difference of two listings as text: a summary, then each source line whose instructions differ."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tilelang.listing import ListingDiff
    from tilelang_lsp.workspace import Workspace


def diff_text(diff: ListingDiff, workspace: Workspace, titles: tuple[str, str]) -> str:
    """``titles``: what the two sides are."""
    return "\n".join(_lines(diff, workspace, titles)) + "\n"


def _lines(diff: ListingDiff, workspace: Workspace, titles: tuple[str, str]) -> Iterator[str]:
    yield f"--- {titles[0]}"
    yield f"    {diff.before.summary}"
    yield f"+++ {titles[1]}"
    yield f"    {diff.after.summary}"
    yield f"    {diff.summary}"
    for each in diff.lines:
        file = workspace.file(each.place.path)
        source = file.source if file is not None else None
        inside = source is not None and each.place.line <= source.line_count
        text = source.line_text(each.place.line).strip() if source is not None and inside else ""
        yield ""
        yield f"@@ {Path(each.place.path).name}:{each.place.line} @@ {text}"
        yield from (f"-   {part}" for part in [each.before.text] if part)
        yield from (f"+   {part}" for part in [each.after.text] if part)
