"""The block structure of statements whose indentation or order may be wrong.

`arrange` gives each statement the level it most likely means, adds `pass` where a body is missing, and turns clauses
without their statement (`else` without `if`) into ones that can stand alone.
"""

from __future__ import annotations

from dataclasses import dataclass

from tilelang.syntax.lines import indent_width, scan_line
from tilelang.syntax.module import MISSING

# Python's tokenizer keeps 100 indents, the outermost of which is the module's.
MAX_INDENTS = 99

_CHAIN_OF = {"if": "if", "for": "loop", "while": "loop", "try": "try"}
_DESCRIPTION = {"def": "function definition", "class": "class definition", "@": "decorator"}


@dataclass(slots=True)
class Statement:
    """One logical line; `line` and `end_line` are 1-based in the block, `opens` says that a body must follow."""

    line: int
    end_line: int
    indent: str
    text: str
    keyword: str
    opens: bool
    level: int = 0


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault of structure at `place`, or at what follows the last statement if that is None.

    `mended` is the statement whose text was changed for it, if any. `is_limit`: not an error, but too deep.
    """

    place: Statement | None
    message: str
    mended: Statement | None = None
    is_limit: bool = False


@dataclass(slots=True)
class _Suite:
    """Statements of one level. `chain` is the compound statement that a clause may continue, as far as it has come."""

    column: int
    tab_column: int
    level: int
    owner: str
    chain: str = ""
    chain_start: Statement | None = None
    decorator: Statement | None = None


def arrange(statements: list[Statement], first_line: int) -> tuple[list[Fault], bool]:
    """Set the levels and mend the texts of `statements` in place.

    Returns the faults and whether the indents must be rewritten from the levels. `first_line` is the line of the file
    at which the block starts, for messages.
    """
    faults: list[Fault] = []
    suites = [_Suite(0, 0, 0, "")]
    rewrite = tabs_reported = False
    previous: Statement | None = None
    for statement in statements:
        column, tab_column = indent_width(statement.indent), indent_width(statement.indent, tab=1)
        top = suites[-1]
        if previous is not None and previous.opens:
            if column > top.column:
                suites.append(_Suite(column, tab_column, previous.level + 1, previous.keyword))
            else:
                faults.append(_bodiless(previous, statement, first_line))
        elif column > top.column:
            faults.append(Fault(statement, "unexpected indent"))
            suites.append(_Suite(column, tab_column, top.level, top.owner, top.chain, top.chain_start))
            rewrite = True
        while column < suites[-1].column:
            closed = suites.pop()
            outer = suites[-1]
            if column > outer.column:
                faults.append(Fault(statement, "unindent does not match any outer indentation level"))
                nearest = closed if closed.column - column <= column - outer.column else outer
                suites.append(
                    _Suite(column, tab_column, nearest.level, nearest.owner, nearest.chain, nearest.chain_start)
                )
                rewrite = True
                break
            if closed.level != outer.level:
                _finish(closed, statement, faults)
            else:
                outer.chain, outer.chain_start = closed.chain, closed.chain_start
        suite = suites[-1]
        if suite.tab_column != tab_column:
            rewrite = True
            if not tabs_reported:
                faults.append(Fault(statement, "inconsistent use of tabs and spaces in indentation"))
                tabs_reported = True
        statement.level = suite.level
        _place(statement, suite, faults)
        previous = statement
    if previous is not None and previous.opens:
        faults.append(_bodiless(previous, None, first_line))
    while suites:
        _finish(suites.pop(), None, faults)
    _limit_depth(statements, faults)
    return faults, rewrite


def _place(statement: Statement, suite: _Suite, faults: list[Fault]) -> None:
    """Check a statement against what precedes it in its suite."""
    keyword = statement.keyword
    decorated = suite.decorator
    if keyword == "@":
        suite.decorator = decorated or statement
        return
    suite.decorator = None
    if decorated is not None and keyword not in ("def", "class", "async"):
        decorated.text = "pass"
        faults.append(Fault(statement, "expected a function or class after the decorator"))
    following = _continued(suite.chain, keyword)
    if following is not None:
        suite.chain = following
        return
    if suite.chain == "try":
        _finish(suite, statement, faults)
    suite.chain, suite.chain_start = "", None
    if keyword in ("elif", "else", "except", "finally") or (
        keyword == "case" and statement.opens and suite.owner != "match"
    ):
        faults.append(Fault(statement, f"'{keyword}' without the statement it belongs to"))
        _replace_header(statement, f"if {MISSING}:")
        keyword = "if"
    elif suite.owner == "match" and keyword != "case":
        faults.append(Fault(statement, "expected 'case' in the body of 'match'"))
        _replace_header(statement, "case _:") if statement.opens else _make_case(statement)
    if keyword == "async" and statement.text.split()[1:2] == ["for"]:
        keyword = "for"
    suite.chain = _CHAIN_OF.get(keyword, "")
    suite.chain_start = statement


def _continued(chain: str, keyword: str) -> str | None:
    """State of a compound statement after the clause `keyword`; None if the clause does not continue it."""
    if keyword == "elif" and chain == "if":
        return "if"
    if keyword == "else" and chain in ("if", "loop", "handled"):
        return "else of try" if chain == "handled" else "done"
    if keyword == "except" and chain in ("try", "handled"):
        return "handled"
    if keyword == "finally" and chain in ("try", "handled", "else of try"):
        return "done"
    return None


def _finish(suite: _Suite, following: Statement | None, faults: list[Fault]) -> None:
    """Mend what a suite leaves open at its end, or before a statement that does not continue it."""
    start = suite.chain_start
    if suite.chain == "try" and start is not None:
        faults.append(Fault(following, "expected 'except' or 'finally' block", start))
        _replace_header(start, "if 1:")
    if suite.decorator is not None:
        faults.append(Fault(following, "expected a function or class after the decorator", suite.decorator))
        suite.decorator.text = "pass"
    suite.chain, suite.decorator = "", None


def _bodiless(header: Statement, following: Statement | None, first_line: int) -> Fault:
    description = _DESCRIPTION.get(header.keyword, f"'{header.keyword}' statement")
    if header.keyword == "async":
        word = header.text.split()[1]
        description = _DESCRIPTION.get(word, f"'{word}' statement")
    line = first_line + header.line - 1
    if header.keyword == "match":
        header.text = f"if {MISSING}:"
    header.text += " pass"
    header.opens = False
    return Fault(following, f"expected an indented block after {description} on line {line}", header)


def _replace_header(statement: Statement, header: str) -> None:
    colon = scan_line(statement.text, 0, len(statement.text), "", soft=False).colon
    statement.text = header + (statement.text[colon + 1 :] if colon >= 0 else " pass")


def _make_case(statement: Statement) -> None:
    statement.text = "case _: pass"


def _limit_depth(statements: list[Statement], faults: list[Fault]) -> None:
    """Drop what lies deeper than Python's tokenizer follows."""
    deepest = max((statement.level for statement in statements), default=0)
    if deepest <= MAX_INDENTS:
        return
    first = next(statement for statement in statements if statement.level > MAX_INDENTS)
    faults.append(Fault(first, f"nested too deeply ({deepest} levels)", is_limit=True))
    kept = [statement for statement in statements if statement.level <= MAX_INDENTS]
    for statement in kept:
        if statement.level == MAX_INDENTS and statement.opens:
            statement.text, statement.opens = "pass", False
    statements[:] = kept
