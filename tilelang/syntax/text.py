"""Source bytes to text, and the positions inside it.

`SourceText` decodes as Python does (byte order mark, PEP 263 coding comment, UTF-8 by default) and keeps line ends
as they are. The fixed kind of position in the core is that of `ast`: a 1-based line and a column in UTF-8 bytes from
0. Line ends are `\\n`, `\\r\\n` and `\\r`, as for Python's tokenizer; form feeds and Unicode separators end no line.
"""

from __future__ import annotations

import codecs
import re
from bisect import bisect_right
from dataclasses import dataclass, replace
from itertools import pairwise

from tilelang.syntax.problem import SyntaxProblem

_LINE_END = re.compile(r"\r\n?|\n")
_LINE_END_BYTES = re.compile(rb"\r\n?|\n")
_COOKIE = re.compile(rb"[ \t\f]*#.*?coding[:=][ \t]*([-_.a-zA-Z0-9]+)")
_BLANK_OR_COMMENT = re.compile(rb"[ \t\f]*(?:#|$)")
_SURROGATE = re.compile("[\ud800-\udfff]")

# UTF-32 first: its little-endian mark starts with that of UTF-16.
_WIDE_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# Text codecs that Python registers but that are no character sets of files; some take quadratic time.
_NOT_A_CHARACTER_SET = frozenset({"idna", "punycode", "unicode-escape", "raw-unicode-escape", "undefined", "utf-7"})
_ASCII = bytes([9, 10, 12, 13, *range(32, 127)])


@dataclass(frozen=True, slots=True)
class SourceText:
    """The text of one file with its line table; `problems` are those met while decoding.

    `has_bad_bytes`: U+FFFD in the text stands for bytes that could not be decoded.

    `line_starts` are offsets in characters, `byte_starts` in UTF-8 bytes; both have one entry a line, the first is 0.
    Columns outside a line are clamped to it, lines outside the text to the first or last.
    """

    path: str
    text: str
    line_starts: tuple[int, ...]
    byte_starts: tuple[int, ...]
    problems: tuple[SyntaxProblem, ...] = ()
    has_bad_bytes: bool = False

    @staticmethod
    def from_bytes(path: str, data: bytes) -> SourceText:
        """Decode a file. Undecodable bytes become U+FFFD and the first one is reported."""
        text, failure = _decode(data)
        source = SourceText.from_text(path, text)
        if failure is None:
            return source
        has_bad_bytes = "\ufffd" in source.text
        offset, message = failure
        line, column = source.position_at(offset)
        end_line, end_column = source.position_at(offset + 1)
        if end_line != line:
            end_line, end_column = line, column
        problem = SyntaxProblem(line, column, end_line, end_column, message, "encoding")
        return replace(source, problems=(problem, *source.problems), has_bad_bytes=has_bad_bytes)

    @staticmethod
    def from_text(path: str, text: str) -> SourceText:
        """Wrap text that is already decoded, as an editor sends it; lone surrogates become U+FFFD."""
        text = text.removeprefix("\ufeff")
        line_starts = (0, *(match.end() for match in _LINE_END.finditer(text)))
        byte_starts = line_starts
        if not text.isascii():
            text = _SURROGATE.sub("\ufffd", text)
            byte_starts = _byte_starts(text, line_starts)
        source = SourceText(path, text, line_starts, byte_starts)
        null = text.find("\0")
        if null < 0:
            return source
        line, column = source.position_at(null)
        problem = SyntaxProblem(line, column, line, column + 1, "source code cannot contain null bytes", "encoding")
        return replace(source, problems=(problem,))

    @property
    def readable(self) -> str:
        """The text with null bytes as spaces: Python refuses them even in comments, and `problems` has the first."""
        return self.text.replace("\0", " ")

    @property
    def line_count(self) -> int:
        """Number of lines; a text that ends with a line end has an empty last line."""
        return len(self.line_starts)

    def line_text(self, line: int) -> str:
        """The text of a line without its line end; empty outside the text."""
        if not 1 <= line <= len(self.line_starts):
            return ""
        end = self.line_starts[line] if line < len(self.line_starts) else len(self.text)
        return self.text[self.line_starts[line - 1] : end].rstrip("\r\n")

    def char_offset(self, line: int, column: int) -> int:
        """Offset in `text` of a position."""
        line = min(max(line, 1), len(self.line_starts))
        return self.line_starts[line - 1] + self.char_column(line, column)

    def position_at(self, char_offset: int) -> tuple[int, int]:
        """Position of an offset in `text`."""
        char_offset = min(max(char_offset, 0), len(self.text))
        line = bisect_right(self.line_starts, char_offset)
        return line, self.byte_column(line, char_offset - self.line_starts[line - 1])

    def byte_offset(self, line: int, column: int) -> int:
        """Offset of a position in the UTF-8 encoding of `text`."""
        line = min(max(line, 1), len(self.line_starts))
        return self.byte_starts[line - 1] + min(max(column, 0), self._line_bytes(line))

    def position_at_byte(self, byte_offset: int) -> tuple[int, int]:
        """Position of an offset in the UTF-8 encoding of `text`."""
        line = max(bisect_right(self.byte_starts, byte_offset), 1)
        return line, min(max(byte_offset - self.byte_starts[line - 1], 0), self._line_bytes(line))

    def char_column(self, line: int, column: int) -> int:
        """UTF-8 column to a column in characters; inside a character, the start of that character."""
        text = self.line_text(line)
        if text.isascii():
            return min(max(column, 0), len(text))
        return len(text.encode()[: max(column, 0)].decode(errors="ignore"))

    def byte_column(self, line: int, char_column: int) -> int:
        """A column in characters to a UTF-8 column."""
        text = self.line_text(line)
        head = text[: max(char_column, 0)]
        return len(head) if text.isascii() else len(head.encode())

    def utf16_column(self, line: int, column: int) -> int:
        """UTF-8 column to a column in UTF-16 code units, as editors count."""
        text = self.line_text(line)
        char_column = self.char_column(line, column)
        return char_column if text.isascii() else len(text[:char_column].encode("utf-16-le")) // 2

    def byte_column_from_utf16(self, line: int, utf16_column: int) -> int:
        """A column in UTF-16 code units to a UTF-8 column; inside a surrogate pair, the start of its character."""
        text = self.line_text(line)
        if text.isascii():
            return min(max(utf16_column, 0), len(text))
        head = text.encode("utf-16-le")[: 2 * max(utf16_column, 0)].decode("utf-16-le", errors="ignore")
        return len(head.encode())

    def _line_bytes(self, line: int) -> int:
        text = self.line_text(line)
        return len(text) if text.isascii() else len(text.encode())


def _byte_starts(text: str, line_starts: tuple[int, ...]) -> tuple[int, ...]:
    starts = [0]
    for start, end in pairwise(line_starts):
        line = text[start:end]
        starts.append(starts[-1] + (end - start if line.isascii() else len(line.encode())))
    return tuple(starts)


def _decode(data: bytes) -> tuple[str, tuple[int, str] | None]:
    """Text of a file and, if it is not what Python accepts, (offset in characters, message)."""
    for mark, wide in _WIDE_MARKS:
        if data.startswith(mark):
            return data.decode(wide, errors="replace"), (0, f"file is encoded as {wide.upper()}, Python reads UTF-8")
    has_mark = data.startswith(codecs.BOM_UTF8)
    if has_mark:
        data = data[len(codecs.BOM_UTF8) :]
    declared = _declared_encoding(data)
    encoding = "utf-8"
    failure = None
    if declared is not None:
        name, offset = declared
        known = _character_set(name)
        if known is None:
            failure = (offset, f"unknown encoding: {name}")
        elif has_mark and known != "utf-8":
            failure = (offset, f"encoding problem: {name} with a UTF-8 byte order mark")
        else:
            encoding = known
    try:
        return data.decode(encoding), failure
    except UnicodeDecodeError as error:
        # What precedes the first bad byte decodes alike alone, except for a stateful codec, where it is close enough.
        offset = len(data[: error.start].decode(encoding, errors="replace"))
        message = f"'{encoding}' codec can't decode byte 0x{data[error.start]:02x}: {error.reason}"
        return data.decode(encoding, errors="replace"), failure or (offset, message)


def _declared_encoding(data: bytes) -> tuple[str, int] | None:
    """Name and offset of a PEP 263 coding comment in the first two lines."""
    start = 0
    for _ in range(2):
        end = _LINE_END_BYTES.search(data, start)
        stop = end.start() if end else len(data)
        cookie = _COOKIE.match(data, start, stop)
        if cookie:
            return cookie[1].decode("ascii"), len(data[: cookie.start(1)].decode(errors="replace"))
        if end is None or not _BLANK_OR_COMMENT.match(data[start:stop]):
            return None
        start = end.end()
    return None


def _character_set(name: str) -> str | None:
    """Canonical codec name, or None unless it is a superset of ASCII, which Python demands of source files."""
    canonical = name.lower().replace("_", "-")
    if canonical == "utf-8" or canonical.startswith("utf-8-"):
        return "utf-8"
    try:
        codec = codecs.lookup(name)
        if codec.name.replace("_", "-") in _NOT_A_CHARACTER_SET or _ASCII.decode(codec.name) != _ASCII.decode("ascii"):
            return None
    except (LookupError, ValueError):
        return None
    return codec.name
