"""What a completion is, and what one is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from tilelang_lsp.ide.callee import Argument, Callee
    from tilelang_lsp.ide.cursor import Cursor
    from tilelang_lsp.ide.names import Scope
    from tilelang_lsp.ide.surroundings import Surroundings
    from tilelang_lsp.session import Snapshot

Kind = Literal[
    "function", "class", "type", "value", "keyword", "tile", "variable", "module", "snippet", "property", "enum"
]


TENSORS = frozenset(("Tensor", "StridedTensor", "Buffer", "SharedBuffer", "FragmentBuffer", "LocalBuffer", "Ptr"))
"""Types of the parameters of a kernel; the second thing in their brackets is a dtype."""


@dataclass(frozen=True, slots=True)
class Completion:
    """``insert`` replaces the prefix; in a snippet, ``$1`` and ``${1:text}`` are stops. ``score``: higher is better.
    ``item`` is the name of an item of the language, whose documentation is added when one looks at it."""

    label: str
    kind: Kind
    score: float = 0.0
    detail: str = ""
    insert: str = ""
    is_snippet: bool = False
    item: str = ""
    doc: str = ""
    filter: str = ""
    is_deprecated: bool = False

    @property
    def filter_text(self) -> str:
        return self.filter or self.label


@dataclass(frozen=True, eq=False)
class Request:
    """``callee``: what the call around the cursor calls. ``receiver``: the full name of what is before the dot."""

    snapshot: Snapshot
    cursor: Cursor
    around: Surroundings
    callee: Callee | None
    receiver: str

    @cached_property
    def scope(self) -> Scope:
        """The innermost scope around the cursor."""
        cursor = self.cursor
        return self.snapshot.file.names_near(cursor.line).scope_at(cursor.line, cursor.col)

    @cached_property
    def in_tensor_type(self) -> bool:
        """Whether the cursor is between the brackets of ``T.Tensor`` and the like, not in the shape."""
        inner = self.cursor.frames[-1] if self.cursor.frames else None
        return inner is not None and inner.callee.rpartition(".")[2] in TENSORS and inner.index > 0

    @cached_property
    def argument(self) -> Argument | None:
        """The parameter whose value is being written, if the innermost bracket is that of the call."""
        frame = self.cursor.call
        if frame is None or self.callee is None:
            return None
        index = self.callee.active(frame)
        return self.callee.arguments[index] if index is not None else None

    @cached_property
    def is_direct(self) -> bool:
        """Whether the cursor is in the call's own bracket, not in a tuple or index inside it."""
        return bool(self.cursor.frames) and self.cursor.frames[-1] is self.cursor.call
