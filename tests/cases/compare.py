"""Compares the findings of one file with the header of its case."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from cases.header import Case, Expectation


@dataclass(frozen=True, slots=True)
class Found:
    """One finding on one target. ``figures`` are the numbers of its message on that target."""

    severity: str
    rule: str
    line: int
    target: str
    figures: Mapping[str, object]
    message: str = ""

    def __str__(self) -> str:
        return f"{self.severity} {self.rule} line={self.line} target={self.target} ({self.message})"


def differences(case: Case, found: Iterable[Found], rules: frozenset[str]) -> list[str]:
    """What is wrong, one sentence each; empty if the case holds.

    Expectations of rules outside ``rules`` are left out. A finding that nothing expects or allows is wrong if it is
    an error or a warning.
    """
    found = list(found)
    problems: list[str] = []
    explained: set[int] = set()
    for expectation in case.expected:
        if expectation.rule not in rules:
            continue
        matches = [(index, item) for index, item in enumerate(found) if _is_expected(expectation, item)]
        explained.update(index for index, _ in matches)
        problems += _check(expectation, [item for _, item in matches])
    for index, item in enumerate(found):
        allowed = (item.rule, item.line) in case.allowed
        if index not in explained and not allowed and item.severity in ("error", "warning"):
            problems.append(f"unexpected: {item}")
    return problems


def _is_expected(expectation: Expectation, item: Found) -> bool:
    return (
        item.rule == expectation.rule
        and item.line == expectation.line
        and item.severity == expectation.severity
        and item.target in expectation.targets
    )


def _check(expectation: Expectation, items: Sequence[Found]) -> list[str]:
    """Missing targets and wrong figures of one expectation."""
    what = f"{expectation.severity} {expectation.rule} line={expectation.line}"
    missing = [target for target in expectation.targets if all(item.target != target for item in items)]
    if missing:
        return [f"missing: {what} on {', '.join(missing)}"]
    if expectation.shared:
        right = any(_has_figures(item, expectation.figures) for item in items)
        return [] if right else [f"figures: {what} wants {_text(expectation.figures)} on one target"]
    return [
        f"figures: {what} target={target} wants {_text(expectation.figures)}"
        for target in expectation.targets
        if not any(_has_figures(item, expectation.figures) for item in items if item.target == target)
    ]


def _has_figures(item: Found, figures: Mapping[str, int]) -> bool:
    return all(item.figures.get(name) == value for name, value in figures.items())


def _text(figures: Mapping[str, int]) -> str:
    return " ".join(f"{name}={value}" for name, value in figures.items())
