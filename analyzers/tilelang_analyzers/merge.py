"""From many findings to few diagnostics: one for all instances and all targets that share it."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

from tilelang.diagnostics import Diagnostic, Note
from tilelang_analyzers.results import plain, value_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tilelang.frontend.instance import FileAnalysis, Instance
    from tilelang.ir.span import Span
    from tilelang_analyzers.policy import Weighed

_FIGURE = re.compile(r"\d+(?:[ .,]\d+)*")
MAX_CHAIN_NOTES = 3


def merge(weighed: Iterable[Weighed], analysis: FileAnalysis) -> list[Diagnostic]:
    """The diagnostics of one file, unsorted."""
    population = _Population(analysis.instances)
    same: dict[tuple[object, ...], list[Weighed]] = defaultdict(list)
    for one in weighed:
        finding = one.finding
        text = (_FIGURE.sub("#", finding.message), _FIGURE.sub("#", finding.on))
        same[finding.rule.name, one.severity, _place(finding.span), text, finding.arch].append(one)

    over_targets: dict[tuple[object, ...], list[tuple[Weighed, int]]] = defaultdict(list)
    for group in same.values():
        worst = max(group, key=_need)
        finding = worst.finding
        count = len({id(one.finding.instance) for one in group})
        over_targets[finding.rule.name, worst.severity, _place(finding.span), finding.message].append((worst, count))
    return [_diagnostic(group, analysis.path, population) for group in over_targets.values()]


class _Population:
    """How many instances each kernel has, to tell whether a finding holds for all of them."""

    def __init__(self, instances: Iterable[Instance]) -> None:
        self._counts: dict[tuple[str, str, int], int] = defaultdict(int)
        for instance in instances:
            self._counts[instance.path, instance.kernel, instance.line] += 1

    def of(self, instance: Instance | None) -> int:
        return 0 if instance is None else self._counts[instance.path, instance.kernel, instance.line]


def _place(span: Span) -> tuple[object, ...]:
    """A span without the way to it: the same line reached by two calls is one place."""
    return (span.path, span.line, span.col, span.end_line, span.end_col)


def _need(one: Weighed) -> float:
    need = one.finding.data.get("need")
    return need if isinstance(need, (int, float)) else 0


def _diagnostic(group: list[tuple[Weighed, int]], path: str, population: _Population) -> Diagnostic:
    worst, _ = max(group, key=lambda item: _need(item[0]))
    count = max(count for _, count in group)
    finding = worst.finding
    span, notes = _located(finding.span, finding.notes, finding.instance, path)
    if finding.instance is not None and count < population.of(finding.instance):
        notes += _which_instance(finding.instance, span, notes)
    if count > 1:
        notes += (Note(f"the same holds for {count - 1} more instance{'s' if count > 2 else ''} of this kernel"),)
    return Diagnostic(
        rule=finding.rule.name,
        severity=worst.severity,
        message=finding.message + _on_targets(group),
        span=span,
        notes=notes,
        fix=finding.fix,
        targets=tuple(one.finding.arch for one, _ in group if one.finding.arch),
        data=_data(group),
    )


def _on_targets(group: list[tuple[Weighed, int]]) -> str:
    """The part of the message that differs by target: each phrase once, with the targets it holds for."""
    labels: dict[str, list[str]] = defaultdict(list)
    for one, _ in group:
        if one.finding.on:
            labels[one.finding.on].append(target_label(one.finding.label, one.finding.arch))
    phrases = [phrase.replace("{targets}", _listing(names)) for phrase, names in labels.items()]
    return f" {_listing(phrases)}" if phrases else ""


def target_label(label: str, arch: str) -> str:
    """``T4 (sm_75)``, or the arch alone where nothing else was asked for."""
    return arch if label in ("", arch) else f"{label} ({arch})"


def _listing(items: list[str]) -> str:
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"


def _data(group: list[tuple[Weighed, int]]) -> Mapping[str, object]:
    """The figures of the worst finding, and those of each target where they differ."""
    worst = max((one for one, _ in group), key=_need).finding
    data = {key: plain(value) for key, value in worst.data.items()}
    by_target = {one.finding.arch: {key: plain(value) for key, value in one.finding.data.items()} for one, _ in group}
    if len(by_target) > 1 and len({repr(sorted(figures.items())) for figures in by_target.values()}) > 1:
        data["by_target"] = by_target
    return data


def _located(
    span: Span, notes: tuple[Note, ...], instance: Instance | None, path: str
) -> tuple[Span, tuple[Note, ...]]:
    """Where to show a finding, with the ways that led there as notes.

    What lies in a macro of another file is shown at its nearest use in the file under analysis. What a call in another
    file causes is shown at that call, as when that file is checked itself, with the kernel among the notes.
    """
    links = span.chain()
    here = next((link for link in links if link.path == path), span)
    if here is not span:
        notes = (Note("the place itself", span), *notes)
    elif (
        span.path != path
        and instance is not None
        and all(note.span is None or note.span.path != path for note in notes)
    ):
        notes += (Note(f"`{instance.kernel}` is here", instance.program.span),)
    known = {_place(here), *(_place(note.span) for note in notes if note.span)}
    for link in links[1 : 1 + MAX_CHAIN_NOTES]:
        if _place(link) not in known:
            notes += (Note("reached from here", link),)
            known.add(_place(link))
    return here, notes


def _which_instance(instance: Instance, span: Span, notes: tuple[Note, ...]) -> tuple[Note, ...]:
    """Says which of several instances a finding is about. A call that is shown already is not shown again."""
    site = instance.call_site
    shown = (span, *(note.span for note in notes if note.span))
    if site is not None and any(_contains(site, place) for place in shown):
        site = None
    values = ", ".join(f"{name}={value_text(plain(value))}" for name, value in instance.bindings.items())
    return (Note(f"for {instance.factory}({values})", site),) if values or site else ()


def _contains(outer: Span, inner: Span) -> bool:
    start, end = (inner.line, inner.col), (inner.end_line, inner.end_col)
    inside = (outer.line, outer.col) <= start and end <= (outer.end_line, outer.end_col)
    return outer.path == inner.path and inside
