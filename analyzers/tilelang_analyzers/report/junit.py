"""JUnit XML, which most CI services read: one suite a file, one case a file and rule.

A file without findings has one case that passes, so that the report shows what was checked. Findings of level info do
not fail their case. Files without TileLang are left out; the coverage is a property of the first suite.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from tilelang.diagnostics import Severity
from tilelang_analyzers.report.coverage import coverage
from tilelang_analyzers.report.escape import xml_text
from tilelang_analyzers.report.places import display_path
from tilelang_analyzers.report.remarks import message, message_in_file, remarks, trouble, where_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tilelang.diagnostics import Diagnostic
    from tilelang_analyzers.report import Run
    from tilelang_analyzers.report.style import Style
    from tilelang_analyzers.sources import Sources

TOOL = "tilelang-check"
PASSED = "no findings"
"""The name of the case of a file that has none."""


def render(run: Run, style: Style) -> Iterator[str]:
    root = Element("testsuites", name=TOOL)
    summary = SubElement(root, "testsuite", name=TOOL)
    properties = SubElement(summary, "properties")
    SubElement(properties, "property", name="coverage", value=xml_text(coverage(run)))
    targets = ", ".join(arch for arch, _ in run.targets)
    SubElement(properties, "property", name="targets", value=xml_text(targets))
    for path, cases in _cases(run).items():
        suite = SubElement(root, "testsuite", name=path)
        suite.extend(cases)
    for suite in root:
        _count(suite, suite)
    _count(root, root)
    indent(root)
    yield '<?xml version="1.0" encoding="utf-8"?>'
    yield from tostring(root, encoding="unicode").split("\n")


def _cases(run: Run) -> dict[str, list[Element]]:
    """The cases of each file that uses TileLang, has findings or could not be checked."""
    cases: dict[str, list[Element]] = {_name(file.path): [] for file in run.files if file.uses_tilelang}
    by_rule: dict[tuple[str, str], list[Diagnostic]] = defaultdict(list)
    for finding in run.findings():
        by_rule[_name(finding.span.path), finding.rule].append(finding)
    for (path, rule), findings in sorted(by_rule.items()):
        cases.setdefault(path, []).append(_case(path, rule, findings, run.sources))
    for failed, rule, text in trouble(run):
        path = _name(failed)
        case = Element("testcase", name=rule, classname=path)
        SubElement(case, "error", type=rule, message=xml_text(text))
        cases.setdefault(path, []).append(case)
    for path, own in cases.items():
        if not own:
            own.append(Element("testcase", name=PASSED, classname=path))
    return dict(sorted(cases.items()))


def _case(path: str, rule: str, findings: list[Diagnostic], sources: Sources) -> Element:
    case = Element("testcase", name=rule, classname=path)
    worst = max(findings, key=lambda finding: finding.severity)
    text = "\n".join(line for finding in findings for line in _lines(finding, sources))
    if worst.severity > Severity.INFO:
        first = xml_text(message_in_file(worst, sources))
        failure = SubElement(case, "failure", type=worst.severity.label, message=first)
        failure.text = xml_text(text)
    else:
        SubElement(case, "system-out").text = xml_text(text)
    return case


def _lines(finding: Diagnostic, sources: Sources) -> Iterator[str]:
    yield f"{where_text(finding.span, sources)}: {finding.severity.label}: {message(finding)}"
    for remark in remarks(finding, sources):
        yield f"  {remark}"


def _count(element: Element, below: Element) -> None:
    for name, tag in (("tests", "testcase"), ("failures", "failure"), ("errors", "error")):
        element.set(name, str(sum(1 for _ in below.iter(tag))))


def _name(path: str) -> str:
    return xml_text(display_path(path))
