"""Findings about the kernels of a running program.

``tilelang`` stands below this package and calls it by name, so that a program gets the checker's words and figures.
"""

from __future__ import annotations

import linecache
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from tilelang.diagnostics import Severity
from tilelang.frontend.instance import FileAnalysis
from tilelang_analyzers import rules
from tilelang_analyzers.engine import check, finding_key
from tilelang_analyzers.levels import Levels
from tilelang_analyzers.merge import merge
from tilelang_analyzers.policy import Weighed
from tilelang_analyzers.rule import ProblemContext, Scene
from tilelang_analyzers.selection import TargetChoice
from tilelang_analyzers.settings import Settings
from tilelang_analyzers.sources import Sources

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tilelang.diagnostics import Diagnostic
    from tilelang.frontend.instance import Instance
    from tilelang.ir.problem import Problem
    from tilelang.targets import Target


class _Registered(Mapping[str, bytes]):
    """Texts that exist only in this process: notebook cells and code that was given to ``exec``."""

    def __getitem__(self, path: str) -> bytes:
        lines = [] if Path(path).exists() else linecache.getlines(path)
        if not lines:
            raise KeyError(path)
        return "".join(lines).encode()

    def __iter__(self) -> Iterator[str]:
        return iter(linecache.cache)

    def __len__(self) -> int:
        return len(linecache.cache)


def findings(instance: Instance, target: Target) -> tuple[Diagnostic, ...]:
    """All findings about one instance on a target, as ``tilelang-check`` reports them with its default settings."""
    report = check(_analysis(instance), _sources(), Settings(""), TargetChoice((target,)))
    return report.findings


def rule_names() -> frozenset[str]:
    """Kinds of problems that a rule words."""
    return frozenset(rule.name for rule in rules.load_all() if rule.problem_hook is not None)


def group_of(name: str) -> str:
    """The group of a rule; empty for a name that no rule has."""
    return next((rule.group for rule in rules.load_all() if rule.name == name), "")


def findings_of_problems(instance: Instance, problems: Iterable[Problem]) -> tuple[Diagnostic, ...]:
    """What the rules say about problems that the evaluator or a back end recorded."""
    analysis = _analysis(instance)
    scene = Scene(analysis, _sources(), instance)
    known = {rule.name: rule for rule in rules.load_all()}
    for problem in problems:
        rule = known.get(problem.kind)
        if rule is not None and rule.problem_hook is not None:
            rule.problem_hook(ProblemContext(rule, scene), problem)
    levels = Levels(Settings(""), instance.path)
    weighed = [Weighed(finding, levels.severity(finding)) for finding in scene.findings]
    merged = merge((one for one in weighed if one.severity > Severity.OFF), analysis)
    return tuple(sorted(merged, key=finding_key))


def _analysis(instance: Instance) -> FileAnalysis:
    return FileAnalysis(instance.path, (instance,), (), ())


def _sources() -> Sources:
    return Sources(contents=_Registered())
