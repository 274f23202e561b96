"""GitLab's code quality report: a JSON list of issues.

GitLab compares the fingerprints of two branches to tell which issues a merge request adds, so they do not depend on
lines. In a notebook, lines are those of the `.ipynb` file, which GitLab shows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilelang.diagnostics import Severity
from tilelang_analyzers.fingerprint import fingerprints
from tilelang_analyzers.report.escape import json_text
from tilelang_analyzers.report.places import file_place, repository_path
from tilelang_analyzers.report.remarks import message_in_file, remarks, trouble

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tilelang.diagnostics import Diagnostic
    from tilelang_analyzers.report import Run
    from tilelang_analyzers.report.style import Style
    from tilelang_analyzers.sources import Sources

_SEVERITIES = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.INFO: "info"}


def render(run: Run, style: Style) -> Iterator[str]:
    findings = run.findings()
    names = fingerprints(findings, run.sources)
    issues = [_issue(finding, name, run.sources) for finding, name in zip(findings, names, strict=True)]
    yield json_text([*issues, *(_trouble(*found) for found in trouble(run))])


def _issue(finding: Diagnostic, fingerprint: str, sources: Sources) -> dict[str, Any]:
    here = file_place(finding.span, sources)
    details = "\n\n".join(remarks(finding, sources))
    return {
        "type": "issue",
        "check_name": finding.rule,
        "description": message_in_file(finding, sources),
        **({"content": {"body": details}} if details else {}),
        "categories": ["Bug Risk"],
        "severity": _SEVERITIES[finding.severity],
        "fingerprint": fingerprint,
        "location": {
            "path": repository_path(here.path),
            "positions": {
                "begin": {"line": here.line, "column": here.column},
                "end": {"line": here.end_line, "column": here.end_column},
            },
        },
    }


def _trouble(path: str, rule: str, text: str) -> dict[str, Any]:
    shown = repository_path(path)
    return {
        "type": "issue",
        "check_name": rule,
        "description": text,
        "categories": ["Bug Risk"],
        "severity": "critical",
        "fingerprint": f"{rule}:{shown}",
        "location": {"path": shown, "lines": {"begin": 1}},
    }
