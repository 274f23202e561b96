"""A broken logical line is replaced by one that Python accepts and that binds the same names.

What cannot be read becomes the name `MISSING`, which no program defines, so that it evaluates to something unknown. A
statement without a name to bind becomes `pass`. A header keeps its body: only its unreadable part is replaced.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from tilelang.syntax.cpython import parse_error
from tilelang.syntax.lines import (
    HEADER_KEYWORDS,
    LogicalLine,
    logical_lines,
    open_brackets,
    scan_line,
    top_level_characters,
)
from tilelang.syntax.module import MISSING

if TYPE_CHECKING:
    from collections.abc import Iterator

_WORD = re.compile(r"\w+")
_DEF = re.compile(r"((?:async\s+)?def)(?:\s+([^\W\d]\w*))?")
_CLASS = re.compile(r"class\s+([^\W\d]\w*)")
_FOR = re.compile(r"((?:async\s+)?for\s+)(.*?)(?:\s+in(?!\w)|\Z)", re.DOTALL)
_AS = re.compile(r"(?<!\w)as\s+((?:(?!\sas\s).)+)\Z", re.DOTALL)
_TYPE_PARAMETERS = re.compile(r"(?<=\w)\s*\[[^\]]*\](?=\s*(?:\(|\Z))|(?<=except)\s*\*")
_TYPE_ALIAS = re.compile(r"type\s+([^\W\d]\w*)\s*(?:\[[^=]*\])?\s*=")
_LAST_AS = re.compile(r"\s+as\s*\Z")
_DOTTED = re.compile(r"@\s*[^\W\d]\w*(?:\.[^\W\d]\w*)*")
# Shorter versions of a line that are tried, and the longest line for which more than one is.
_TRIES = 12
_LONG_LINE = 5_000


def standalone(line: LogicalLine) -> tuple[str, str]:
    """What to put before and after a logical line so that it is a module by itself, if it is right."""
    keyword = line.keyword
    body = " pass" if line.opens else ""
    if keyword in ("elif", "else"):
        return "if _: pass\n", body
    if keyword in ("except", "finally"):
        return "try: pass\n", body
    if keyword == "try":
        return "", body + "\nfinally: pass"
    if keyword == "case" and line.is_header:
        return "match _:\n ", body
    if keyword == "match" and line.opens:
        return "", "\n case _: pass"
    if keyword == "@":
        return "", "\ndef _(): pass"
    return "", body


def stands_alone(text: str) -> bool:
    """Whether Python accepts `text`, one logical line, in its right place."""
    before, after = standalone(scan_line(text, 0, len(text), "", soft=False))
    return parse_error(f"{before}{text}{after}") is None


def repaired(text: str, keyword: str, *, has_body: bool = False) -> str:
    """A logical line that Python accepts in place of `text`, over no more lines.

    `has_body`: statements indented deeper follow, so that only a header can stand here. Text that goes on after its
    first logical line, as after a bracket lost, is broken as a whole even if that line is not.
    """
    line = scan_line(text, 0, len(text), "", soft=False)
    if keyword == "@":
        dotted = _DOTTED.match(text)
        return f"if {MISSING}:" if has_body else dotted[0] if dotted else f"@{MISSING}"
    if keyword not in HEADER_KEYWORDS:
        head = text[: line.end]
        if has_body:
            return f"if {MISSING}:"
        return _repaired_statement(head) if line.end < len(text) else _repaired_statements(head, line.semicolons)
    header, body = (
        (text[: line.colon], text[line.colon + 1 : line.end].strip()) if line.colon >= 0 else (text[: line.end], "")
    )
    candidates = _header_candidates(header.rstrip(" \t\f:"), keyword)
    header = next(filter(stands_alone, candidates), f"if {MISSING}:")
    if has_body or not body:
        return header
    statement = next(logical_lines(body), None)
    return f"{header} {_repaired_statements(body, statement.semicolons if statement else ())}"


def _repaired_statements(text: str, semicolons: tuple[int, ...]) -> str:
    bounds = (-1, *semicolons, len(text))
    parts = [text[start + 1 : end] for start, end in pairwise(bounds)]
    return ";".join(part if parse_error(part.strip()) is None else _repaired_statement(part) for part in parts)


def _repaired_statement(text: str) -> str:
    margin, text = text[: len(text) - len(text.lstrip())], text.strip()
    word = _WORD.match(text)
    keyword = word[0] if word else ""
    if keyword in ("return", "raise"):
        return f"{margin}{keyword} {MISSING}"
    if keyword in ("import", "from"):
        kept = (candidate for candidate in _trimmed(_LAST_AS.sub("", text)) if parse_error(candidate) is None)
        return margin + next(kept, "pass")
    alias = _TYPE_ALIAS.match(text)
    if alias:
        return f"{margin}{alias[1]} = {MISSING}"
    for end in list(_assignment_ends(text))[: -_TRIES - 1 : -1]:
        candidate = f"{text[:end]} {MISSING}"
        if parse_error(candidate) is None:
            return margin + candidate
    return f"{margin}pass"


def _assignment_ends(text: str) -> Iterator[int]:
    """Offsets after each `=` that assigns."""
    for offset, character in top_level_characters(text, 0, len(text)):
        if character == "=" and text[offset + 1 : offset + 2] != "=":
            before = text[max(offset - 2, 0) : offset]
            if before in ("<<", ">>") or before[-1:] not in tuple("=!<>:"):
                yield offset + 1


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _trimmed(text: str) -> Iterator[str]:
    """`text` with its brackets closed, then without its last list item, without the last two, ..."""
    for _ in range(_TRIES if len(text) < _LONG_LINE else 1):
        yield text + open_brackets(text, 0, len(text))
        comma = text.rfind(",")
        if comma < 0:
            return
        text = text[:comma].rstrip()


def _header_candidates(header: str, keyword: str) -> Iterator[str]:
    """Headers with colon, the one that keeps most first."""
    yield f"{header}:"
    # What later versions of Python add to a header is no loss here.
    yield f"{_TYPE_PARAMETERS.sub(_blank, header)}:"
    word = keyword
    if keyword == "async":
        word = next((kind for kind in ("def", "for", "with") if re.match(rf"async\s+{kind}\b", header)), "")
    if word == "def":
        yield from _function_headers(header)
    elif word == "class":
        name = _CLASS.match(header)
        yield f"class {name[1] if name else MISSING}:"
    elif word == "for":
        target = _FOR.match(header)
        if target:
            yield f"{target[1]}{target[2]} in {MISSING}:"
    elif word in ("with", "except"):
        start = header.partition(word)[0] + f"{word} {MISSING}"
        target = _AS.search(header)
        if target:
            yield f"{start.ljust(target.start()) if target.start() > len(start) else start + ' '}{target[0]}:"
        yield f"{start}:"
    elif word in ("if", "elif", "while", "match"):
        yield f"{word} {MISSING}:"
    elif word == "case":
        yield f"case _ if {MISSING}:"
    elif word in ("try", "else", "finally"):
        yield f"{word}:"


def _function_headers(header: str) -> Iterator[str]:
    match = _DEF.match(header)
    if match is None:
        return
    signature = header.rpartition("->")[0].rstrip() or header
    for candidate in _trimmed(signature):
        yield f"{candidate if '(' in candidate else candidate + '()'}:"
    yield f"{match[1]} {match[2] or MISSING}(*{MISSING}):"
