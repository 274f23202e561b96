"""What the compiler and the assembler complain about, as problems at source lines."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tilelang.ir.problem import Problem
from tilelang.ir.span import NOWHERE, Span
from tilelang.listing.paths import by_written_path
from tilelang.listing.ptx import places_of_lines

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

MAX_PROBLEMS = 20
"""One mistake often causes many messages."""
_COMPILER = re.compile(r"^(?P<path>.+)\((?P<line>\d+)\): (?:catastrophic )?error(?: #[\w-]+)?: (?P<text>.*)$")
_ASSEMBLER = re.compile(r"^ptxas .*?line (?P<line>\d+); (?:fatal|error)\s*:\s*(?P<text>.*)$")
_FATAL = re.compile(r"^(?:ptxas (?:fatal|error)\s*:|nvrtc: error:|NVRTC )\s*(?P<text>.*)$")
_CARET = re.compile(r"^(\s*)\^\s*$")
_NEXT_MESSAGE = re.compile(r"^.+\(\d+\): |^\d+ errors? detected|^ptxas ")


def is_from_assembler(log: str) -> bool:
    """Whether the compiler was content and the assembler was not."""
    return any(_ASSEMBLER.match(line) for line in log.splitlines())


def problems_of_log(log: str, ptx: str | None, sources: Collection[str]) -> tuple[Problem, ...]:
    """One problem for each error of a log, at the line of one of ``sources``, or nowhere if it is in generated code.

    ``data`` has the ``message``; where the log shows the line, ``code`` is its text and ``column`` the place in it.
    There is always a problem.
    """
    found = list(_problems(log.splitlines(), ptx, sources))
    if not found:
        text = log.strip().splitlines()
        found.append(_problem(text[-1] if text else "NVRTC failed and does not say why", NOWHERE))
    return tuple(_unique(found))[:MAX_PROBLEMS]


def _unique(problems: list[Problem]) -> Iterator[Problem]:
    seen: set[tuple[object, Span]] = set()
    for problem in problems:
        key = (problem.data["message"], problem.span)
        if key not in seen:
            seen.add(key)
            yield problem


def _problems(lines: Sequence[str], ptx: str | None, sources: Collection[str]) -> Iterator[Problem]:
    places = places_of_lines(ptx, sources) if ptx else ()
    paths = by_written_path(sources)
    for index, line in enumerate(lines):
        if (match := _COMPILER.match(line)) is not None:
            path = paths.get(match["path"])
            span = _span(path, int(match["line"])) if path is not None else NOWHERE
            yield _compiler_problem(match["text"], span, lines[index + 1 :])
        elif (match := _ASSEMBLER.match(line)) is not None:
            number = int(match["line"]) - 1
            chain = places[number] if number < len(places) else ()
            user = next((it for it in chain if it.path in sources), None)
            yield _problem(match["text"], NOWHERE if user is None else _span(user.path, user.line))
        elif (match := _FATAL.match(line)) is not None and "aborted due to errors" not in match["text"]:
            yield _problem(match["text"] or line, NOWHERE)


def _compiler_problem(text: str, span: Span, following: Sequence[str]) -> Problem:
    """The message goes on until the line of code that it is about, which a caret points into."""
    texts = [text]
    for number, line in enumerate(following):
        if _NEXT_MESSAGE.match(line) or not line.strip():
            break
        caret = following[number + 1] if number + 1 < len(following) else ""
        pointed = _CARET.match(caret)
        if pointed is not None:
            indent = len(line) - len(line.lstrip())
            return _problem(" ".join(texts), span, code=line.strip(), column=max(len(pointed[1]) - indent, 0))
        texts.append(line.strip())
    return _problem(" ".join(texts), span)


def _problem(text: str, span: Span, **data: object) -> Problem:
    return Problem("compile-error", span, {"message": text.strip(), **data})


def _span(path: str, line: int) -> Span:
    return Span(path, line, 0, line, 0)
