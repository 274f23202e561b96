"""Seeded mutants of kernel files: damaged text, hostile values, files of extreme size or depth.

`mutant(corpus, seed, index)` is a pure function of its arguments, so a failing mutant can be made again from its
number. No mutant is ever run; the hostile ones would write, spawn, exit or loop if it were.
"""

from __future__ import annotations

import codecs
import json
import random
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from fuzz.hostile import HOSTILE_EXPRESSIONS, HOSTILE_STATEMENTS, ODD_TEXT
from fuzz.whole_files import WHOLE_FILES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ROOT = Path(__file__).resolve().parents[2]
CORPUS = (*sorted((ROOT / "examples").glob("*.py")), *sorted((Path(__file__).parent / "data").glob("*.py")))

# Every so many mutants one is no damaged kernel but a whole file of its own, each kind in turn.
_WHOLE_FILE_EVERY = 5

_TOKEN = re.compile(r"[^\W\d]\w*|\d[\w.]*|\"[^\"\n]*\"|'[^'\n]*'|[^\s\w]+")
_NUMBER = re.compile(r"(?<![\w.])\d+(?![\w.])")
_NAME = re.compile(r"(?<![\w.])[^\W\d]\w*")
_BODY_LINE = re.compile(r"^([ ]*)(?![ ]|[@)\]}#\"]|else|elif|except|finally|$)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Mutant:
    """One file to check; `name` tells which mutations made it, `suffix` whether it is a notebook."""

    name: str
    data: bytes
    suffix: str = ".py"


def mutant(corpus: Sequence[bytes], seed: int, index: int) -> Mutant:
    """Mutant number `index` of a seed."""
    rng = random.Random(f"{seed}:{index}")
    turn, rest = divmod(index, _WHOLE_FILE_EVERY)
    if rest == 0:
        names = list(WHOLE_FILES)
        random.Random(seed).shuffle(names)
        name = names[turn % len(names)]
        return Mutant(name, WHOLE_FILES[name](rng).encode("utf-8", "surrogatepass"))
    text = rng.choice(corpus).decode()
    kind = rng.random()
    if kind < 0.05:
        return Mutant("notebook", _notebook(rng, text), ".ipynb")
    names: list[str] = []
    for _ in range(rng.choice((1, 1, 1, 2, 3, 6))):
        name, change = rng.choice(list(_TEXT_CHANGES.items()))
        names.append(name)
        text = change(rng, text)
    data = text.encode("utf-8", "surrogatepass")
    if kind > 0.82:
        name, damage = rng.choice(list(_BYTE_CHANGES.items()))
        names.append(name)
        data = damage(rng, data)
    return Mutant("+".join(names), data)


# Damaged text ---------------------------------------------------------------------------------------------------------


def _truncated(rng: random.Random, text: str) -> str:
    return text[: rng.randrange(len(text) + 1)]


def _token_deleted(rng: random.Random, text: str) -> str:
    tokens = list(_TOKEN.finditer(text))
    for match in sorted(rng.sample(tokens, min(rng.choice((1, 1, 2, 5)), len(tokens))), key=lambda m: -m.start()):
        text = text[: match.start()] + text[match.end() :]
    return text


def _tokens_swapped(rng: random.Random, text: str) -> str:
    tokens = list(_TOKEN.finditer(text))
    if len(tokens) < 2:
        return text
    first, second = sorted(rng.sample(tokens, 2), key=lambda m: m.start())
    return text[: first.start()] + second[0] + text[first.end() : second.start()] + first[0] + text[second.end() :]


def _name_replaced(rng: random.Random, text: str) -> str:
    names = list(_NAME.finditer(text))
    if not names:
        return text
    match, other = rng.choice(names), rng.choice(names)[0]
    return text[: match.start()] + other + text[match.end() :]


def _lines_deleted(rng: random.Random, text: str) -> str:
    lines = text.splitlines(keepends=True)
    start = rng.randrange(len(lines) + 1)
    return "".join(lines[:start] + lines[start + rng.choice((1, 1, 2, 8)) :])


def _lines_repeated(rng: random.Random, text: str) -> str:
    lines = text.splitlines(keepends=True)
    start = rng.randrange(len(lines) + 1)
    end = start + rng.choice((1, 2, 10, 60))
    return "".join(lines[:end] + lines[start:end] * rng.choice((1, 1, 3, 50)) + lines[end:])


def _lines_swapped(rng: random.Random, text: str) -> str:
    lines = text.splitlines(keepends=True)
    if len(lines) > 1:
        first, second = rng.sample(range(len(lines)), 2)
        lines[first], lines[second] = lines[second], lines[first]
    return "".join(lines)


def _odd_text(rng: random.Random, text: str) -> str:
    place = rng.randrange(len(text) + 1)
    return text[:place] + rng.choice(ODD_TEXT) * rng.choice((1, 1, 1, 3)) + text[place:]


def _indents_mixed(rng: random.Random, text: str) -> str:
    lines = text.splitlines(keepends=True)
    for _ in range(rng.choice((1, 3, 20))):
        index = rng.randrange(len(lines) or 1)
        if index < len(lines):
            body = lines[index].lstrip(" ")
            indent = len(lines[index]) - len(body)
            lines[index] = (
                rng.choice(("\t" * (indent // 4), " " * (indent + 1), " " * max(indent - 1, 0), "", "\x0c")) + body
            )
    return "".join(lines)


def _all_tabs(rng: random.Random, text: str) -> str:
    return text.replace("    ", "\t")


def _line_ends(rng: random.Random, text: str) -> str:
    return text.replace("\n", rng.choice(("\r\n", "\r", "\n\n", "\n\x0c\n", "\\\n", "")), rng.choice((1, 10, -1)))


def _spliced(rng: random.Random, text: str) -> str:
    start, end = sorted((rng.randrange(len(text) + 1), rng.randrange(len(text) + 1)))
    place = rng.randrange(len(text) + 1)
    return text[:place] + text[start:end] + text[place:]


def _line_cut(rng: random.Random, text: str) -> str:
    """A line half typed."""
    place = rng.randrange(len(text) + 1)
    end = text.find("\n", place)
    return text[:place] + (text[end:] if end >= 0 else "")


# Hostile values -------------------------------------------------------------------------------------------------------


def _number_replaced(rng: random.Random, text: str) -> str:
    numbers = list(_NUMBER.finditer(text))
    for match in sorted(rng.sample(numbers, min(rng.choice((1, 1, 2, 4)), len(numbers))), key=lambda m: -m.start()):
        text = text[: match.start()] + rng.choice(HOSTILE_EXPRESSIONS) + text[match.end() :]
    return text


def _name_hostile(rng: random.Random, text: str) -> str:
    names = list(_NAME.finditer(text))
    if not names:
        return text
    match = rng.choice(names)
    return text[: match.start()] + f"({rng.choice(HOSTILE_EXPRESSIONS)})" + text[match.end() :]


def _statement_inserted(rng: random.Random, text: str) -> str:
    places = list(_BODY_LINE.finditer(text))
    place = rng.choice(places) if places else None
    statement = rng.choice(HOSTILE_STATEMENTS).replace("%s", f"v{rng.randrange(10)}")
    if rng.random() < 0.5:
        statement = f"v{rng.randrange(10)} = {rng.choice(HOSTILE_EXPRESSIONS)}"
    if place is None:
        return text + statement + "\n"
    indented = "".join(f"{place[1]}{line}\n" for line in statement.split("\n"))
    return (
        text[: place.start()]
        + "import functools, itertools, math, os, re, sys\n" * (not place[1])
        + indented
        + text[place.start() :]
    )


def _deep_inserted(rng: random.Random, text: str) -> str:
    numbers = list(_NUMBER.finditer(text))
    if not numbers:
        return text
    match, levels = rng.choice(numbers), rng.choice((50, 150, 1_000, 20_000))
    before, after = rng.choice(
        (("(", ")"), ("[", "]"), ("-", ""), ("not ", ""), ("1+", ""), ("f(", ")"), ("lambda: ", ""), ("{0:", "}"))
    )
    return text[: match.start()] + before * levels + match[0] + after * levels + text[match.end() :]


_TEXT_CHANGES: dict[str, Callable[[random.Random, str], str]] = {
    "truncated": _truncated,
    "token deleted": _token_deleted,
    "tokens swapped": _tokens_swapped,
    "name replaced": _name_replaced,
    "lines deleted": _lines_deleted,
    "lines repeated": _lines_repeated,
    "lines swapped": _lines_swapped,
    "odd text": _odd_text,
    "indents mixed": _indents_mixed,
    "tabs": _all_tabs,
    "line ends": _line_ends,
    "spliced": _spliced,
    "line cut": _line_cut,
    "number replaced": _number_replaced,
    "number replaced again": _number_replaced,
    "name hostile": _name_hostile,
    "statement inserted": _statement_inserted,
    "statement inserted again": _statement_inserted,
    "deep": _deep_inserted,
}  # fmt: skip


# Damaged bytes --------------------------------------------------------------------------------------------------------


def _bytes_flipped(rng: random.Random, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.choice((1, 2, 8, 64))):
        if changed:
            changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def _bytes_inserted(rng: random.Random, data: bytes) -> bytes:
    place = rng.randrange(len(data) + 1)
    return data[:place] + rng.randbytes(rng.choice((1, 2, 16, 300))) + data[place:]


def _recoded(rng: random.Random, data: bytes) -> bytes:
    text = data.decode("utf-8", "replace")
    coding = rng.choice(("utf-16", "utf-32", "utf-16-le", "latin-1", "cp1252", "utf-7", "shift_jis"))
    cookie = rng.choice(
        ("", f"# -*- coding: {coding} -*-\n", "# coding: rot13\n", "# coding: nosuch\n", "# coding: idna\n")
    )
    return rng.choice((b"", codecs.BOM_UTF8)) + (cookie + text).encode(coding, "replace")


_BYTE_CHANGES: dict[str, Callable[[random.Random, bytes], bytes]] = {
    "bytes flipped": _bytes_flipped,
    "bytes inserted": _bytes_inserted,
    "recoded": _recoded,
}


def _notebook(rng: random.Random, text: str) -> bytes:
    """The file as a notebook, cut into cells at any line, then sometimes damaged."""
    lines = text.splitlines(keepends=True)
    cells: list[dict[str, object]] = []
    while lines:
        size = rng.randrange(1, 30)
        head = rng.choice(("", "", "", "%%time\n", "%%bash\n", "!ls 'x\n", "%cd x\n", "T.copy?\n"))
        cells.append({"cell_type": rng.choice(("code", "code", "code", "markdown")), "source": [head, *lines[:size]]})
        del lines[:size]
    data = json.dumps({"cells": cells, "nbformat": 4}).encode()
    return rng.choice((lambda: data, lambda: _bytes_flipped(rng, data), lambda: data[: rng.randrange(len(data))]))()
