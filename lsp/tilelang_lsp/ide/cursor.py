"""What surrounds a cursor in unfinished code: read from the text before it, which is all that can be relied on."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tilelang_lsp.files import SourceFile

_TOKEN = re.compile(
    r"(?P<comment>#[^\n]*)"
    r"|(?P<string>[rbfuRBFU]{0,2}(?:'''(?:[^\\]|\\.)*?(?:'''|\Z)|\"\"\"(?:[^\\]|\\.)*?(?:\"\"\"|\Z)"
    r"|'(?:[^'\\\n]|\\.)*(?:'|(?=\n)|\Z)|\"(?:[^\"\\\n]|\\.)*(?:\"|(?=\n)|\Z)))"
    r"|(?P<name>[^\W\d]\w*)|(?P<number>\d[\w.]*)|(?P<newline>\n)|(?P<space>[ \t\r\f\\]+)|(?P<op>.)",
    re.DOTALL,
)
_RESTARTS = frozenset(("def", "class", "with", "return", "while", "import", "@"))
"""Words that no expression has at the start of a line: a bracket that is open there was forgotten."""
_QUOTES = "'\""
MAX_LINES = 400


@dataclass(slots=True)
class Frame:
    """An open bracket. ``callee`` is the dotted text before it; ``index`` counts the commas; ``keyword`` is the name
    whose value is being written; ``used`` the names so far; ``words`` the texts of the positional arguments so far."""

    bracket: str
    callee: str
    index: int = 0
    keyword: str = ""
    used: list[str] = field(default_factory=list[str])
    words: list[str] = field(default_factory=list[str])
    text: str = ""


@dataclass(frozen=True, slots=True)
class Cursor:
    """``prefix``: the part of a name before the cursor, and ``receiver`` the dotted text before its dot. ``frames``:
    open brackets, inner ones last. ``head``: the tokens of the statement before the prefix, outside of brackets.
    ``string``: the part of a string before the cursor, None outside strings."""

    line: int
    col: int
    prefix: str
    receiver: str
    frames: tuple[Frame, ...]
    head: tuple[str, ...]
    string: str | None
    in_comment: bool

    @property
    def call(self) -> Frame | None:
        """The innermost call whose arguments are being written."""
        return next((frame for frame in reversed(self.frames) if frame.bracket == "(" and frame.callee), None)

    @property
    def at_statement(self) -> bool:
        """Whether the prefix begins a statement."""
        return not self.head and not self.frames and not self.receiver


def cursor_at(file: SourceFile, line: int, col: int) -> Cursor:
    """The surroundings of a position."""
    source = file.source
    end = source.char_offset(line, col)
    start = source.char_offset(_start_line(file, line), 0)
    reader = _Reader(source.text[start:end])
    return reader.cursor(line, col)


def _start_line(file: SourceFile, line: int) -> int:
    """The start of the top-level block around a line, not too far above."""
    first = max(line - MAX_LINES, 1)
    starts = [block.start_line for block in file.document.blocks if block.start_line <= line]
    return max(first, starts[-1]) if starts else first


class _Reader:
    def __init__(self, text: str) -> None:
        self.frames: list[Frame] = []
        self.head: list[str] = []
        self.dotted = ""
        self.string: str | None = None
        self.in_comment = False
        self.last = ""
        fresh = True
        for match in _TOKEN.finditer(text):
            kind, token = match.lastgroup or "op", match[0]
            self.string, self.in_comment = None, False
            if kind == "newline":
                fresh = True
                self._newline()
            elif kind == "comment":
                self.in_comment = match.end() == len(text)
            elif kind != "space":
                if fresh and self.frames and token in _RESTARTS:
                    self.frames.clear()
                    self.head.clear()
                fresh = False
                self._token(kind, token, at_end=match.end() == len(text))

    def _newline(self) -> None:
        self.dotted = self.last = ""
        if not self.frames:
            self.head.clear()

    def _token(self, kind: str, token: str, *, at_end: bool) -> None:
        if kind == "string":
            body = token.lstrip("rbfuRBFU")
            quote = body[:3] if body[:3] in ("'''", '"""') else body[:1]
            if at_end and (len(body) < 2 * len(quote) or not body.endswith(quote)):
                self.string = body[len(quote) :]
            self._piece(token)
            self.dotted = ""
        elif kind == "name":
            self.dotted = f"{self.dotted}{token}" if self.last == "." and self.dotted.endswith(".") else token
            self._piece(token)
        elif token == ".":
            self.dotted = f"{self.dotted}." if self.dotted and self.last != "." else ""
            self._piece(token)
        elif token in "([{":
            defines = not self.frames and self.head[-2:-1] in (["def"], ["class"])
            self.frames.append(Frame(token, "" if defines or token == "{" else self.dotted))
            self.dotted = ""
        elif token in ")]}":
            self._close(token)
        elif token == "," and self.frames:
            self._comma()
        elif token == "=" and self.frames and self.frames[-1].bracket == "(" and self.last.isidentifier():
            self._keyword()
        else:
            self._piece(token)
            self.dotted = ""
        self.last = token

    def _piece(self, token: str) -> None:
        if self.frames:
            self.frames[-1].text += token
        else:
            self.head.append(token)

    def _close(self, token: str) -> None:
        self.dotted = ""
        if self.frames:
            frame = self.frames.pop()
            self._piece(f"{frame.bracket}{','.join([*frame.words, frame.text])}{token}")

    def _comma(self) -> None:
        frame = self.frames[-1]
        if frame.keyword:
            frame.used.append(frame.keyword)
        else:
            frame.words.append(frame.text)
        frame.index += 1
        frame.keyword = frame.text = self.dotted = ""

    def _keyword(self) -> None:
        frame = self.frames[-1]
        if frame.text == self.last:
            frame.keyword, frame.text = self.last, ""
        self.dotted = ""

    def cursor(self, line: int, col: int) -> Cursor:
        prefix = receiver = ""
        if self.string is None and not self.in_comment and (self.last == "." or self.last.isidentifier()):
            before, dot, prefix = self.dotted.rpartition(".")
            receiver = before if dot else ""
            pieces = self.head if not self.frames else None
            if pieces is not None:
                # The prefix and what it belongs to are no part of what comes before them.
                count = len(self.dotted.replace(".", " . ").split())
                del pieces[len(pieces) - count :]
        return Cursor(line, col, prefix, receiver, tuple(self.frames), tuple(self.head), self.string, self.in_comment)
