"""The descriptions of rules in a SARIF log: what a code host shows beside a result."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tilelang.diagnostics import Severity
from tilelang_analyzers import rules
from tilelang_analyzers.inform import prose
from tilelang_analyzers.report.style import Style

if TYPE_CHECKING:
    from tilelang_analyzers.rule import Rule

LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note", Severity.OFF: "none"}
_PROBLEM_SEVERITIES = {"error": "error", "warning": "warning", "note": "recommendation", "none": "recommendation"}
_FIRST_PARAGRAPH = re.compile(r"(?:#.*\n+)?([^#`\n-](?:.|\n(?!\n))*)")
"""What follows the first heading, if it is prose."""


def descriptor(name: str) -> dict[str, Any]:
    """A ``reportingDescriptor`` of a rule; only the name for one that is not known here."""
    if name not in rules.names():
        return {"id": name}
    rule = rules.load(name)
    level = LEVELS[rule.severity]
    return {
        "id": rule.name,
        "name": "".join(word.capitalize() for word in rule.name.split("-")),
        "shortDescription": {"text": _sentence(rule.summary)},
        "fullDescription": {"text": _full(rule)},
        "help": {
            "text": "\n".join(prose(rule.doc, Style())),
            "markdown": f"# {rule.name}\n\n{rule.summary}\n\n{rule.doc}",
        },
        "defaultConfiguration": {"level": level, "enabled": rule.severity != Severity.OFF},
        "properties": {
            "tags": [rule.group, *(["target-dependent"] if rule.target_dependent else [])],
            "precision": "high",
            "problem.severity": _PROBLEM_SEVERITIES[level],
            "since": rule.since,
            "fixable": rule.fixable,
        },
    }


def _full(rule: Rule) -> str:
    """The summary and the first paragraph of the documentation, as plain text."""
    first = _FIRST_PARAGRAPH.match(rule.doc)
    return " ".join(f"{_sentence(rule.summary)} {first[1] if first else ''}".split())


def _sentence(text: str) -> str:
    return text if text.endswith(".") else f"{text}."
