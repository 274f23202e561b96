"""What stops a kernel of a running program, as an exception."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from tilelang.diagnostics import Diagnostic, Note, Severity
from tilelang.ir.problem import argument_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tilelang.frontend.instance import Instance
    from tilelang.ir.problem import Problem
    from tilelang.ir.span import Span
    from tilelang.targets import Target


class CompileError(ValueError, TypeError, RuntimeError, AssertionError):
    """The language or the compiler refuses a kernel. ``diagnostics`` are its findings, errors first.

    Upstream raises several of Python's exceptions for such kernels, so this is one of each.
    """

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__("\n".join(_text(finding) for finding in self.diagnostics))


def place(span: Span) -> str:
    """A place as ``path:line``."""
    return f"{span.path}:{span.line}"


def _text(finding: Diagnostic) -> str:
    lines = [f"{place(finding.span)}: {finding.message} [{finding.rule}]"]
    lines += [f"  {note.message}" + (f": {place(note.span)}" if note.span else "") for note in finding.notes]
    return "\n".join(lines)


_CHECKER = "tilelang_analyzers.running"
"""The checker's module for running programs: it words what the evaluator and the passes found. It stands above this
package, so it is looked up by name when it is needed."""


def checker() -> Any:
    """The checker, or ``None`` where only the compiler is installed."""
    if find_spec(_CHECKER.partition(".")[0]) is None:
        return None
    return import_module("tilelang_analyzers.running")


def worded(instance: Instance, problems: Iterable[Problem]) -> tuple[Diagnostic, ...]:
    """Problems of an instance as findings, in the words of their rules."""
    given = tuple(problems)
    if not given:
        return ()
    found = checker()
    by_rule = frozenset[str]() if found is None else found.rule_names()
    # A program compiles for one target, which it knows: what a back end says needs no rule to name it.
    ruled = [problem for problem in given if problem.kind in by_rule and problem.kind != "compile-error"]
    own = tuple(_plain(problem) for problem in given if problem not in ruled)
    return own if found is None or not ruled else (*own, *found.findings_of_problems(instance, ruled))


def _plain(problem: Problem) -> Diagnostic:
    """A problem that no rule words: one of a back end, which brings its message."""
    message = argument_text(problem.data) if problem.kind == "invalid-argument" else problem.data.get("message")
    figures = ", ".join(f"{name}={value}" for name, value in problem.data.items() if value)
    notes = tuple(Note(text, span) for text, span in problem.notes)
    return Diagnostic(problem.kind, Severity.ERROR, str(message or figures or problem.kind), problem.span, notes)


def raise_errors(findings: Iterable[Diagnostic]) -> None:
    """Raise :class:`CompileError` if there is an error among the findings."""
    errors = [finding for finding in findings if finding.severity == Severity.ERROR]
    if errors:
        raise CompileError(errors)


def check_instance(instance: Instance, target: Target) -> tuple[Diagnostic, ...]:
    """All findings of the checker about an instance on a target. Raises ``RuntimeError`` without the checker."""
    found = checker()
    if found is None:
        raise RuntimeError("the checker (tilelang_analyzers) is not installed beside tilelang")
    return found.findings(instance, target)
