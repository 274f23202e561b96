"""Source positions in the texts of LLVM.

TVM puts the body of a parallel loop into a function of its own and leaves out that function's debug record, so LLVM
drops the positions of its instructions. And it writes one file name only, so the lowering keeps the number of the file
in the columns. Source: the LLVM language reference, on ``DISubprogram`` and ``DILocation``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_PLACE = re.compile(r"^!(\d+) = !DILocation\(line: (\d+), column: (\d+), scope: !(\d+)\)$", re.MULTILINE)
_RECORD = re.compile(r"^!(\d+) = distinct !DISubprogram\(name: \"[^\"]*\", (.*)\)$", re.MULTILINE)
_NUMBER = re.compile(r"^!(\d+) = ", re.MULTILINE)
_USE = re.compile(r", !dbg !(\d+)")
_NAME = re.compile(r"@([\w.$]+)\(")


def with_records(text: str) -> str:
    """LLVM text in which every function with positions has a debug record of its own."""
    places = {match[1]: match.groups()[1:] for match in _PLACE.finditer(text)}
    # Variables belong to one function; none is kept for a debugger.
    records = {match[1]: re.sub(r", retainedNodes: !\d+", "", match[2]) for match in _RECORD.finditer(text)}
    following = max((int(match[1]) for match in _NUMBER.finditer(text)), default=0) + 1
    found: list[str] = []
    added: list[str] = []
    own: dict[str, str] | None = None
    record = scope = name = ""
    head = 0
    for line in text.split("\n"):
        if line.startswith("define ") and " !dbg " not in line:
            own, scope, head = {}, "", len(found)
            match = _NAME.search(line)
            name = match[1] if match else "lambda"
        if own is not None and line == "}":
            if scope:
                start, _, rest = found[head].rpartition(" {")
                found[head] = f"{start} !dbg !{record} {{{rest}"
                added.append(f'!{record} = distinct !DISubprogram(name: "{name}", {records[scope]})')
            own = None
        use = _USE.search(line) if own is not None else None
        if own is None or (use is None and not line.lstrip().startswith("#dbg_")):
            found.append(line)
            continue
        if line.lstrip().startswith("#dbg_"):
            continue
        assert use is not None
        place = places.get(use[1])
        if place is None or place[2] not in records:
            found.append(line.replace(use[0], ""))
            continue
        if not scope:
            scope, record = place[2], str(following)
            following += 1
        if use[1] not in own:
            own[use[1]] = str(following)
            added.append(f"!{following} = !DILocation(line: {place[0]}, column: {place[1]}, scope: !{record})")
            following += 1
        found.append(line.replace(use[0], f", !dbg !{own[use[1]]}"))
    return "\n".join([*found, *added, ""])


_LOCATION = re.compile(r"^\s*\.loc\s+\d+ (\d+) (\d+)(.*)$")


def with_files(assembly: str, files: Sequence[str]) -> str:
    """Assembly whose positions name the source files."""
    found: list[str] = []
    for line in assembly.split("\n"):
        if line.lstrip().startswith(".file\t1 "):
            found += [f'\t.file\t{number} "{path}"' for number, path in enumerate(files, start=1)]
            continue
        match = _LOCATION.match(line)
        if match is None:
            found.append(line)
        elif match[1] != "0" and match[2] != "0":
            found.append(f"\t.loc\t{match[2]} {match[1]} 0")
    return "\n".join(found)
