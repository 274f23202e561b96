"""The header of a case file: what the checker should say about it.

A case is a small program. Its first comment lines are the expectation::

    # case: gemm_inner_mismatch
    # about: B is stored transposed and the call does not say so
    # targets: sm_75 sm_80
    # expect: error gemm-shape-mismatch line=27
    # expect: error shared-memory-overflow line=23 target=sm_75 need=131072 have=49152
    # allow: gemm-shape-mismatch line=25

``expect: clean`` expects nothing. ``target=`` narrows an expectation; ``*`` and no target mean every listed one.
Other ``key=number`` pairs are figures of the finding. ``allow`` names another place where the rule may report too.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Expectation:
    """One finding that must come out: on each of ``targets``, at ``line``, with the ``figures`` given."""

    severity: str
    rule: str
    line: int
    targets: tuple[str, ...]
    figures: Mapping[str, int] = field(default_factory=dict[str, int])
    shared: bool = False
    """The figures hold for one of the targets, not for each (``target=*``: the budgets differ)."""


@dataclass(frozen=True, slots=True)
class Case:
    """One case file. ``allowed`` are (rule, line) pairs."""

    path: Path
    name: str
    targets: tuple[str, ...]
    expected: tuple[Expectation, ...]
    allowed: frozenset[tuple[str, int]]


class HeaderError(ValueError):
    """The header of a case file cannot be read."""


def read_case(path: Path) -> Case | None:
    """The case in a file; None if its first line is not ``# case:`` (a module that cases import)."""
    entries = list(_entries(path.read_text(encoding="utf-8")))
    if not entries or entries[0][0] != "case":
        return None
    values: dict[str, list[str]] = {}
    for key, value in entries:
        values.setdefault(key, []).append(value)
    if "targets" not in values or "expect" not in values:
        raise HeaderError(f"{path}: a case needs `# targets:` and `# expect:`")
    targets = tuple(values["targets"][0].split())
    expected = [_expectation(path, text, targets) for text in values["expect"] if text != "clean"]
    if expected and "clean" in values["expect"]:
        raise HeaderError(f"{path}: `clean` stands alone")
    allowed = frozenset(_allowed(path, text) for text in values.get("allow", ()))
    return Case(path, values["case"][0], targets, tuple(expected), allowed)


def _entries(text: str) -> Iterator[tuple[str, str]]:
    """The ``key: value`` pairs of the comment lines at the top."""
    for line in text.splitlines():
        if not line.startswith("#"):
            return
        key, colon, value = line.lstrip("# ").partition(":")
        if colon:
            yield key.strip(), value.strip()


def _expectation(path: Path, text: str, targets: tuple[str, ...]) -> Expectation:
    severity, rule, *pairs = text.split()
    fields: dict[str, str] = {}
    for pair in pairs:
        key, _, value = pair.partition("=")
        fields[key] = value
    if severity not in ("error", "warning", "info") or "line" not in fields:
        raise HeaderError(f"{path}: cannot read `# expect: {text}`")
    line, target = int(fields.pop("line")), fields.pop("target", None)
    chosen = targets if target in (None, "*") else (target,)
    if not set(chosen) <= set(targets):
        raise HeaderError(f"{path}: {target} is not among the targets of the case")
    figures = {name: int(value) for name, value in fields.items()}
    return Expectation(severity, rule, line, chosen, figures, shared=target == "*")


def _allowed(path: Path, text: str) -> tuple[str, int]:
    rule, line, *_ = text.split()
    if not line.startswith("line="):
        raise HeaderError(f"{path}: cannot read `# allow: {text}`")
    return rule, int(line.removeprefix("line="))
