"""`SyntaxProblem`: one place of a file that Python, or this package, cannot read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

ProblemKind = Literal["syntax", "encoding", "limit"]


@dataclass(frozen=True, slots=True, order=True)
class SyntaxProblem:
    """A broken place: lines are 1-based, columns are UTF-8 bytes from 0, the end is exclusive.

    `kind` says whose fault it is. "syntax": Python refuses the text. "encoding": the bytes are not the text they
    claim to be. "limit": the text may be valid Python, but it is larger or nested deeper than what is analysed.
    """

    line: int
    column: int
    end_line: int
    end_column: int
    message: str
    kind: ProblemKind = "syntax"
