"""Names for findings that stay the same when code moves.

A fingerprint is made of the rule, the file and the text of the line, not of line numbers, figures or targets. So
code hosts know a finding again after unrelated edits, and the same finding has one name however a run is started.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import TYPE_CHECKING

from tilelang_analyzers.report.places import repository_path

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tilelang.diagnostics import Diagnostic
    from tilelang_analyzers.sources import Sources

LENGTH = 32
"""Hexadecimal digits: 128 bits, as of the MD5 sums that GitLab's own tools write."""


def fingerprints(findings: Iterable[Diagnostic], sources: Sources) -> list[str]:
    """One fingerprint for each finding, all different. Of findings that nothing tells apart, the order counts."""
    seen: Counter[str] = Counter()
    names: list[str] = []
    for finding in findings:
        basis = _basis(finding, sources)
        names.append(_digest(f"{basis}\0{seen[basis]}"))
        seen[basis] += 1
    return names


def _basis(finding: Diagnostic, sources: Sources) -> str:
    span = finding.span
    line = " ".join(sources.file(span.path).line_text(span.line).split())
    marked = sources.snippet(span) if span.line == span.end_line else ""
    return "\0".join((finding.rule, repository_path(span.path), line, marked))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:LENGTH]
