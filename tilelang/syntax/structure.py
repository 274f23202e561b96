"""The block structure of statements whose indentation or order may be wrong.

`arrange` gives each statement the level it most likely means, adds `pass` where a body is missing, and turns clauses
without their statement (`else` without `if`) into ones that can stand alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import zip_longest

from tilelang.syntax.lines import CONTINUATION_KEYWORDS, indent_width, scan_line
from tilelang.syntax.module import MISSING

# Python's tokenizer keeps 100 indents, the outermost of which is the module's.
MAX_INDENTS = 99

_CHAIN_OF = {"if": "if", "for": "loop", "while": "loop", "try": "try"}
_DESCRIPTION = {"def": "function definition", "class": "class definition"}


@dataclass(slots=True)
class Statement:
    """One logical line; `line` and `end_line` are those of the file, `opens` says that a body must follow."""

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

    `mended` is the statement whose text was changed for it, if any. A problem from line `since` on explains the fault:
    it is then no fault of its own. `is_limit`: no error, but too deep.
    """

    place: Statement | None
    message: str
    since: int
    mended: Statement | None = None
    is_limit: bool = False


@dataclass(slots=True)
class _Suite:
    """Statements of one level. `chain` is the compound statement that a clause may continue, as far as it has come.

    `other_column` is accepted too, once reported. `lost_header`: statements were indented without a header, so that a
    clause may belong to what is not there.
    """

    column: int
    tab_column: int
    level: int
    owner: str
    chain: str = ""
    chain_start: Statement | None = None
    decorator: Statement | None = None
    lost_header: bool = False
    other_column: int = -1


def arrange(statements: list[Statement]) -> tuple[list[Fault], bool]:
    """Set the levels and mend the texts of `statements` in place.

    Returns the faults and whether the indents must be rewritten from the levels.
    """
    faults: list[Fault] = []
    suites = [_Suite(0, 0, 0, "")]
    rewrite = tabs_reported = False
    previous: Statement | None = None
    for statement, following in zip_longest(statements, statements[1:]):
        column, tab_column = indent_width(statement.indent), indent_width(statement.indent, tab=1)
        top = suites[-1]
        if previous is not None and previous.opens:
            if column > indent_width(previous.indent):
                suites.append(_Suite(column, tab_column, previous.level + 1, previous.keyword))
            else:
                faults.append(_bodiless(previous, statement))
        elif following is not None and _strayed(statement, following, suites):
            faults.append(Fault(following, "unexpected indent", statement.line))
            column, tab_column = indent_width(following.indent), indent_width(following.indent, tab=1)
            rewrite = True
        elif column > top.column:
            faults.append(Fault(statement, "unexpected indent", statement.line))
            suites.append(replace(top, column=column, tab_column=tab_column, lost_header=True))
            rewrite = True
        while column < suites[-1].column and column != suites[-1].other_column:
            inner, outer = suites[-1], suites[-2]
            if outer.column >= column:
                _leave(suites, statement, faults)
                continue
            faults.append(Fault(statement, "unindent does not match any outer indentation level", statement.line))
            rewrite = True
            belongs_outside = _continued(outer.chain, statement.keyword) is not None
            if inner.column - column <= column - outer.column and not belongs_outside:
                inner.other_column = column
            else:
                _leave(suites, statement, faults)
                suites.append(replace(outer, column=column, tab_column=tab_column))
        suite = suites[-1]
        if suite.tab_column != tab_column and column == suite.column:
            rewrite = True
            if not tabs_reported:
                faults.append(Fault(statement, "inconsistent use of tabs and spaces in indentation", statement.line))
                tabs_reported = True
        statement.level = suite.level
        _place(statement, suite, faults)
        previous = statement
    if previous is not None and previous.opens:
        faults.append(_bodiless(previous, None))
    while suites:
        _leave(suites, None, faults)
    _limit_depth(statements, faults)
    return faults, rewrite


def _strayed(statement: Statement, following: Statement, suites: list[_Suite]) -> bool:
    """Whether a simple statement stands left of its suite, which goes on below it."""
    column, below = indent_width(statement.indent), indent_width(following.indent)
    if statement.opens or statement.keyword == "@" or not column < below <= suites[-1].column:
        return False
    return {column, below} <= {suite.column for suite in suites}


def _place(statement: Statement, suite: _Suite, faults: list[Fault]) -> None:
    """Check a statement against what precedes it in its suite."""
    keyword = statement.keyword
    decorated = suite.decorator
    if keyword == "@":
        suite.decorator = decorated or statement
        return
    suite.decorator = None
    if decorated is not None and keyword not in ("def", "class", "async"):
        faults.append(_undecorated(decorated, statement))
    following = _continued(suite.chain, keyword)
    if following is not None:
        suite.chain = following
        return
    if suite.chain == "try":
        _finish(suite, statement, faults)
    suite.chain, suite.chain_start = "", None
    stray_case = keyword == "case" and statement.opens and suite.owner != "match"
    if keyword in CONTINUATION_KEYWORDS or stray_case:
        if not suite.lost_header:
            message = f"'{keyword}' without the statement it belongs to"
            faults.append(Fault(statement, message, statement.line, statement))
        _replace_header(statement, f"if {MISSING}:")
        keyword = "if"
    elif suite.owner == "match" and keyword != "case":
        faults.append(Fault(statement, "expected 'case' in the body of 'match'", statement.line, statement))
        if statement.opens:
            _replace_header(statement, "case _:")
        else:
            statement.text = "case _: pass"
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


def _leave(suites: list[_Suite], following: Statement | None, faults: list[Fault]) -> None:
    """Close the innermost suite. One of the same level as its outer one only has another indent: that one goes on."""
    inner = suites.pop()
    if suites and suites[-1].level == inner.level:
        outer = suites[-1]
        outer.chain, outer.chain_start, outer.decorator = inner.chain, inner.chain_start, inner.decorator
        outer.lost_header |= inner.lost_header
    else:
        _finish(inner, following, faults)


def _finish(suite: _Suite, following: Statement | None, faults: list[Fault]) -> None:
    """Mend what a suite leaves open at its end, or before a statement that does not continue it."""
    start = suite.chain_start
    if suite.chain == "try" and start is not None:
        since = following.line if following else start.line
        faults.append(Fault(following, "expected 'except' or 'finally' block", since, start))
        _replace_header(start, "if 1:")
    if suite.decorator is not None:
        faults.append(_undecorated(suite.decorator, following))
    suite.chain, suite.decorator = "", None


def _undecorated(decorator: Statement, following: Statement | None) -> Fault:
    decorator.text = "pass"
    return Fault(following, "expected a function or class after the decorator", decorator.line, decorator)


def _bodiless(header: Statement, following: Statement | None) -> Fault:
    word = header.text.split()[1] if header.keyword == "async" else header.keyword
    description = _DESCRIPTION.get(word, f"'{word}' statement")
    if word == "match":
        header.text = f"if {MISSING}:"
    header.text += " pass"
    header.opens = False
    message = f"expected an indented block after {description} on line {header.line}"
    return Fault(following, message, header.line, header)


def _replace_header(statement: Statement, header: str) -> None:
    colon = scan_line(statement.text, 0, len(statement.text), "", soft=False).colon
    statement.text = header + (statement.text[colon + 1 :] if colon >= 0 else " pass")


def _limit_depth(statements: list[Statement], faults: list[Fault]) -> None:
    """Drop what lies deeper than Python's tokenizer follows."""
    deepest = max((statement.level for statement in statements), default=0)
    if deepest <= MAX_INDENTS:
        return
    first = next(statement for statement in statements if statement.level > MAX_INDENTS)
    faults.append(Fault(first, f"nested too deeply ({deepest} levels)", first.line, is_limit=True))
    kept = [statement for statement in statements if statement.level <= MAX_INDENTS]
    for statement in kept:
        if statement.level == MAX_INDENTS and statement.opens:
            statement.text, statement.opens = "pass", False
    statements[:] = kept
