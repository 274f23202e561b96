"""What a hover shows: what is under the cursor, and what its line became in the last compile."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tilelang.ir.span import Span
from tilelang_lsp.ide.code_hints import LineCode, brief_text, code_at, code_text
from tilelang_lsp.ide.generated import compiled_of, is_current
from tilelang_lsp.ide.hover import Hover, ItemHover, KernelHover, hover
from tilelang_lsp.ide.hover_text import markdown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tilelang_lsp.session import Snapshot


@dataclass(frozen=True, slots=True)
class Page:
    """``named``: what the name under the cursor stands for. ``code``: what the line became. ``compiled``: figures of
    the compiled kernel, for the name of a kernel: target, summary, stale."""

    span: Span
    named: Hover | None
    code: LineCode | None
    compiled: tuple[tuple[str, str, bool], ...] = ()


def hover_page(snapshot: Snapshot, line: int, col: int) -> Page | None:
    """None where there is nothing to say."""
    named = hover(snapshot, line, col)
    code = code_at(snapshot, line)
    text = snapshot.file.source.line_text(line).encode()
    indent = len(text) - len(text.lstrip())
    if named is None and (code is None or col < indent):
        return None
    span = named.span if named is not None else Span(snapshot.file.path, line, indent, line, len(text.rstrip()))
    return Page(span, named, code, tuple(_compiled(snapshot, named)))


def _compiled(snapshot: Snapshot, named: Hover | None) -> Iterator[tuple[str, str, bool]]:
    if not isinstance(named, KernelHover) or snapshot.analysis is None:
        return
    for kernel in snapshot.analysis.kernels:
        if kernel.name == named.name:
            for each in compiled_of(snapshot, kernel):
                if each.code is not None:
                    yield each.wanted.key.arch, each.code.summary, not is_current(snapshot, each)


def page_text(page: Page) -> str:
    """Markdown. On names of the language and beside all names the instructions themselves; elsewhere their counts."""
    parts = [markdown(page.named)] if page.named is not None else []
    for arch, summary, stale in page.compiled:
        parts.append(f"compiled for {arch}{', before the last change' if stale else ''}: {summary}")
    if page.code is not None:
        is_whole = page.named is None or isinstance(page.named, ItemHover)
        parts.append(code_text(page.code) if is_whole else brief_text(page.code))
    return "\n\n".join(part for part in parts if part)
