"""What the fuzzer runs on a mutant: takes the path of a file and returns None, or what is wrong with the answer."""

from __future__ import annotations

from pathlib import Path


def parse(path: str) -> str | None:
    """The parser alone: every position lies in the file, and valid files have no syntax errors."""
    from tilelang.syntax import SourceText, comments, load_notebook, parse_module

    data = Path(path).read_bytes()
    if path.endswith(".ipynb"):
        load_notebook(path, data)
        return None
    source = SourceText.from_bytes(path, data)
    module = parse_module(source)
    found = comments(source)
    for problem in (*module.problems, *found.problems):
        if not (1 <= problem.line <= problem.end_line <= source.line_count and problem.column >= 0):
            return f"{problem} lies outside the file"
    for statement in module.body:
        if not 1 <= statement.lineno <= (statement.end_lineno or 0) <= source.line_count:
            return f"a statement at line {statement.lineno} of {source.line_count}"
    return None


def check(path: str) -> str | None:
    """The whole checker: no internal error, and every finding lies in a file."""
    from tilelang_analyzers.api import check_file

    report = check_file(path)
    if report.failure is not None:
        where = report.failure.detail.strip().split("\n")[-4:-1]
        return "\n    ".join([report.failure.message, *(line.strip() for line in where)])
    for finding in report.findings:
        span = finding.span
        if span.path == path and not 1 <= span.line <= span.end_line:
            return f"{finding.rule} at {span}"
        if "Traceback" in finding.message:
            return f"{finding.rule} says {finding.message!r}"
    return None
