"""Which generated line comes from which source line.

The lowering puts markers between the statements; the text that TVM prints has them as calls, which become ``#line``
directives. Both the assembler's line tables and the listings follow from these.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tilelang.listing.paths import written_path
from tilelang.lower import tir

if TYPE_CHECKING:
    from tilelang.ir.span import Span

MARKER = "__tl_line"
_MARKED = re.compile(rf"^\s*{MARKER}\((\d+), (\d+)\);$")


class Lines:
    """The files that generated code comes from, by number."""

    def __init__(self) -> None:
        self.files: list[str] = []
        self._numbers: dict[str, int] = {}

    def number_of(self, path: str) -> int:
        """The number of a file that code comes from."""
        number = self._numbers.get(path)
        if number is None:
            number = self._numbers[path] = len(self.files)
            self.files.append(path)
        return number

    def marker(self, span: Span) -> tir.Stmt:
        """What follows comes from this place, the call of a macro rather than its body included by the caller."""
        number = self.number_of(span.path)
        return tir.run(tir.extern("void", MARKER, tir.const(number), tir.const(span.line)))

    def resolve(self, text: str) -> str:
        """Text with markers as text with ``#line`` directives before the lines that they concern."""
        found: list[str] = []
        path, number = "", 0
        after_pragma = False
        for line in text.split("\n"):
            match = _MARKED.match(line)
            if match is not None:
                path = written_path(self.files[int(match[1])])
                number = int(match[2])
                continue
            stripped = line.strip()
            # A pragma stays together with its loop. The end of a block belongs to its last statement;
            # without a directive it would be counted on into lines that have nothing to do with it.
            is_pragma = stripped.startswith("#pragma")
            if number and stripped and stripped != "{" and not after_pragma:
                # The line that a pragma takes must not be missing from the loop behind it.
                found.append(f'#line {max(number - is_pragma, 1)} "{path}"')
            found.append(line)
            after_pragma = is_pragma
        return "\n".join(found)
