"""A SARIF 2.1.0 log, which code hosts show as code scanning alerts.

Lines and columns are those of files, columns in code points; in a notebook those of the `.ipynb` file, with the cell as
logical location. Paths are relative to ``SRCROOT``. Nothing depends on the machine, the time or the folder of the
checkout, so equal input gives equal bytes.
"""

from __future__ import annotations

import os
from collections import defaultdict
from pathlib import PurePath
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from tilelang import __version__
from tilelang_analyzers import rules
from tilelang_analyzers.fingerprint import fingerprints
from tilelang_analyzers.report.coverage import coverage
from tilelang_analyzers.report.edits import file_edits, file_snippet, place_of
from tilelang_analyzers.report.escape import json_text
from tilelang_analyzers.report.places import file_place, place, repository_path
from tilelang_analyzers.report.remarks import message, trouble
from tilelang_analyzers.report.sarif_rules import LEVELS, descriptor
from tilelang_analyzers.report.style import clean

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tilelang.diagnostics import Diagnostic, Fix, Note
    from tilelang.ir.span import Span
    from tilelang_analyzers.report import Run
    from tilelang_analyzers.report.edits import FileEdit
    from tilelang_analyzers.report.places import Place
    from tilelang_analyzers.report.style import Style
    from tilelang_analyzers.sources import Sources

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
ROOT = "SRCROOT"
FINGERPRINT = "finding/v1"
FLOW_GROUPS = ("race", "initialisation", "pipeline")
"""Groups whose findings are about an order of places: the notes name the earlier ones."""
_EXIT_CODES = {
    0: "no errors or warnings",
    1: "errors or warnings were found",
    2: "something could not be checked",
}
_NOTIFICATIONS = {
    "internal-error": ("InternalError", "The checker failed on a file: a bug of the checker."),
    "unreadable-file": ("UnreadableFile", "A file could not be read or took too long, so it was not checked."),
}

Json = dict[str, Any]


def render(run: Run, style: Style) -> Iterator[str]:
    yield json_text({"$schema": SCHEMA, "version": "2.1.0", "runs": [_run(run)]})


def _run(run: Run) -> Json:
    findings = run.findings()
    names = sorted({finding.rule for finding in findings})
    index = {name: number for number, name in enumerate(names)}
    prints = fingerprints(findings, run.sources)
    return {
        "tool": {
            "driver": {
                "name": "tilelang-check",
                "version": __version__,
                "semanticVersion": __version__,
                "rules": [descriptor(name) for name in names],
                "notifications": [
                    {
                        "id": name,
                        "name": title,
                        "shortDescription": {"text": text},
                        "defaultConfiguration": {"level": "error"},
                    }
                    for name, (title, text) in _NOTIFICATIONS.items()
                ],
            }
        },
        "automationDetails": {"id": "tilelang-check/"},
        "invocations": [_invocation(run)],
        "originalUriBaseIds": {ROOT: {"description": {"text": "The root of the checkout."}}},
        "columnKind": "unicodeCodePoints",
        "results": [
            _result(finding, index[finding.rule], fingerprint, run.sources)
            for finding, fingerprint in zip(findings, prints, strict=True)
        ],
        "properties": {"coverage": coverage(run), "targets": [arch for arch, _ in run.targets]},
    }


def _invocation(run: Run) -> Json:
    return {
        "executionSuccessful": not run.failed,
        "exitCode": run.exit_code,
        "exitCodeDescription": _EXIT_CODES[run.exit_code],
        "toolExecutionNotifications": [
            {
                "descriptor": {"id": name, "index": list(_NOTIFICATIONS).index(name)},
                "level": "error",
                "message": {"text": text},
                "locations": [{"physicalLocation": {"artifactLocation": _artifact(path)}}],
            }
            for path, name, text in trouble(run)
        ],
    }


def _result(finding: Diagnostic, index: int, fingerprint: str, sources: Sources) -> Json:
    related = [note for note in finding.notes if note.span]
    advice = [clean(note.message) for note in finding.notes if not note.span]
    fix = _fix(finding.fix, sources)
    here = place(finding.span, sources)
    cell = {"cell": here.cell, "cellLine": here.line, "cellColumn": here.column} if here.cell else {}
    return {
        "ruleId": finding.rule,
        "ruleIndex": index,
        "level": LEVELS[finding.severity],
        "message": {"text": _text("\n".join((message(finding), *advice)))},
        "locations": [_primary(finding.span, sources)],
        **({"relatedLocations": _related(related, sources)} if related else {}),
        **({"codeFlows": [_flow(related, finding, sources)]} if related and _has_flow(finding) else {}),
        "partialFingerprints": {FINGERPRINT: fingerprint},
        **({"fixes": [fix]} if fix else {}),
        "properties": {"targets": list(finding.targets), **cell, "data": dict(finding.data)},
    }


def _text(text: str) -> str:
    """Message text. ``[a](b)`` would be a link there."""
    return text.replace("](", "] (")


def _related(notes: list[Note], sources: Sources) -> list[Json]:
    return [
        {"id": number, "message": {"text": _text(clean(note.message))}, **_location(note.span, sources)}
        for number, note in enumerate(notes, 1)
        if note.span
    ]


def _has_flow(finding: Diagnostic) -> bool:
    return finding.rule in rules.names() and rules.load(finding.rule).group in FLOW_GROUPS


def _flow(notes: list[Note], finding: Diagnostic, sources: Sources) -> Json:
    """The places in the order in which they matter: those of the notes, then that of the finding."""
    steps = [(note.message, note.span) for note in notes if note.span]
    steps.append((finding.message, finding.span))
    locations = [
        {"location": {"message": {"text": _text(clean(text))}, **_location(span, sources)}} for text, span in steps
    ]
    return {"threadFlows": [{"locations": locations}]}


def _primary(span: Span, sources: Sources) -> Json:
    """The location of a finding, with the text of its range."""
    location = _location(span, sources)
    snippet = file_snippet(span, sources)
    if snippet:
        location["physicalLocation"]["region"]["snippet"] = {"text": snippet}
    return location


def _location(span: Span, sources: Sources) -> Json:
    here = file_place(span, sources)
    location: Json = {"physicalLocation": {"artifactLocation": _artifact(here.path), "region": _region(here)}}
    if here.cell:
        name = f"cell {here.cell}"
        full = f"{clean(repository_path(here.path))}#{name}"
        location["logicalLocations"] = [{"name": name, "fullyQualifiedName": full, "kind": "module"}]
    return location


def _region(here: Place) -> Json:
    return {
        "startLine": here.line,
        "startColumn": here.column,
        "endLine": here.end_line,
        "endColumn": here.end_column,
    }


def _artifact(path: str) -> Json:
    shown = repository_path(path)
    if PurePath(shown).is_absolute():
        # A drive of Windows has a slash before it.
        return {"uri": f"file://{_quoted(shown if shown.startswith('/') else f'/{shown}')}"}
    return {"uri": _quoted(shown), "uriBaseId": ROOT}


def _quoted(path: str) -> str:
    """A path as part of a URI: the bytes of its name, whatever they are."""
    try:
        return quote(os.fsencode(path))
    except UnicodeEncodeError:
        return quote(path.encode("utf-8", "replace"))


def _fix(fix: Fix | None, sources: Sources) -> Json:
    by_file: dict[str, list[FileEdit]] = defaultdict(list)
    for edit in file_edits(fix, sources):
        by_file[edit.path].append(edit)
    if fix is None or not by_file:
        return {}
    return {
        "description": {"text": clean(fix.title)},
        "artifactChanges": [
            {
                "artifactLocation": _artifact(path),
                "replacements": [
                    {"deletedRegion": _region(place_of(edit, sources)), "insertedContent": {"text": edit.text}}
                    for edit in edits
                ],
            }
            for path, edits in by_file.items()
        ],
        "properties": {"safe": fix.safe},
    }
