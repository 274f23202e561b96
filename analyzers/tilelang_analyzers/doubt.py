"""Findings in code that the kernel may not have, and findings that only follow from others.

Where a branch depends on a Python value that is not known, both arms are built, though the kernel has only one of them.
A finding that rests on such an arm is not certain: it becomes ``info``.

A tile of the wrong shape overlaps its neighbours. So races are left out where shapes are wrong.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tilelang.diagnostics import Severity
from tilelang.ir.stmt import Alloc
from tilelang.ir.visit import undecided_branches, walk

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tilelang.frontend.instance import Instance
    from tilelang.ir.span import Span
    from tilelang_analyzers.rule import Finding


def settle(findings: Iterable[Finding], instance: Instance) -> tuple[Finding, ...]:
    """The findings of one instance, those in doubt at ``info``."""
    found = tuple(findings)
    if any(finding.rule.group == "shape" for finding in found):
        found = tuple(finding for finding in found if finding.rule.group != "race")
    branches = list(undecided_branches(instance.program.body)) if found else []
    if not branches:
        return found
    places = [branch.span for branch in branches]
    allocates = any(isinstance(stmt, Alloc) for branch in branches for stmt in walk((*branch.then, *branch.orelse)))
    return tuple(
        _lowered(finding)
        if any(_inside(finding.span, place) for place in places) or (allocates and finding.rule.group == "budget")
        else finding
        for finding in found
    )


def _inside(span: Span, place: Span) -> bool:
    return any(
        link.path == place.path and (place.line, place.col) <= (link.line, link.col) < (place.end_line, place.end_col)
        for link in span.chain()
    )


def _lowered(finding: Finding) -> Finding:
    severity = finding.severity if finding.severity is not None else finding.rule.severity
    return replace(finding, severity=min(severity, Severity.INFO))
