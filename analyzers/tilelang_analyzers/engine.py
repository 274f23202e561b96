"""Runs the rules over what the evaluator found in one file.

``check`` is the column of steps: file, instances, targets, policy, merging, suppressions. An exception in a rule is a
bug of this program: it becomes the report's ``failure``, and everything else is still reported.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from tilelang_analyzers.levels import Levels
from tilelang_analyzers.merge import merge
from tilelang_analyzers.policy import Checked, Weighed, weigh
from tilelang_analyzers.results import Failure, FileReport, KernelResult, TraceResult
from tilelang_analyzers.rows import rows_of
from tilelang_analyzers.rule import FileContext, InstanceContext, ProblemContext, Scene, TargetContext
from tilelang_analyzers.suppress import apply_suppressions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tilelang.diagnostics import Diagnostic
    from tilelang.frontend.instance import FileAnalysis, Instance
    from tilelang.ir.problem import Problem
    from tilelang.ir.stmt import Launch
    from tilelang.passes import LaunchPlan
    from tilelang.targets import Target
    from tilelang_analyzers.results import InstanceResult
    from tilelang_analyzers.rule import Finding, Rule
    from tilelang_analyzers.selection import TargetChoice
    from tilelang_analyzers.settings import Settings
    from tilelang_analyzers.sources import Sources

T = TypeVar("T")


def check(analysis: FileAnalysis, sources: Sources, settings: Settings, choice: TargetChoice) -> FileReport:
    """Everything to report about one analysed file."""
    levels = Levels(settings, analysis.path)
    run = _Run(analysis, sources, levels)
    weighed = [Weighed(finding, levels.severity(finding)) for finding in run.file_findings()]
    checked: list[Checked] = []
    rows: list[InstanceResult] = []
    assumed = ""
    for instance in analysis.instances:
        targets, is_assumed = choice.of(instance)
        assumed = assumed or (targets[0].label if is_assumed else "")
        plans = _Plans(instance)
        findings = () if instance.expected_failure else run.instance_findings(instance, targets, plans)
        checked.append(Checked(instance, tuple(target.arch for target in targets), findings))
        rows += run.guarded("tables", lambda: rows_of(instance, targets, plans, findings)) or ()  # noqa: B023  # called at once
    weighed += weigh(checked, levels)
    diagnostics = merge((one for one in weighed if one.severity), analysis)
    diagnostics = apply_suppressions(diagnostics, analysis, sources, levels, targets_chosen=choice.chosen is not None)
    return FileReport(
        path=analysis.path,
        findings=tuple(sorted(diagnostics, key=finding_key)),
        instances=tuple(rows),
        kernels=tuple(
            KernelResult(it.name, it.span.path, it.span.line, it.state, it.instances, it.certain, it.reason)
            for it in analysis.kernels
        ),
        traces=tuple(TraceResult(trace.message, trace.span) for trace in analysis.traces),
        uses_tilelang=analysis.uses_tilelang,
        assumed_target=assumed,
        targets=tuple((target.arch, target.label) for target in choice.chosen or ()),
        dependencies=analysis.dependencies,
        failure=run.failure,
    )


def finding_key(finding: Diagnostic) -> tuple[object, ...]:
    """The order of findings in every report."""
    span = finding.span
    return (span.path, span.line, span.col, -finding.severity, finding.rule, finding.message, finding.targets)


class _Run:
    """The rules of one file, with what they share."""

    def __init__(self, analysis: FileAnalysis, sources: Sources, levels: Levels) -> None:
        self.failure: Failure | None = None
        self._analysis = analysis
        self._sources = sources
        self._rules = [rule for rule, _ in levels.active.values()]
        self._problem_rules = {rule.name: rule for rule in self._rules if rule.problem_hook}

    def file_findings(self) -> list[Finding]:
        """Findings that belong to no instance."""
        scene = Scene(self._analysis, self._sources)
        self._report_problems(self._analysis.problems, scene)
        for rule in self._rules:
            hook = rule.file_hook
            if hook:
                self._call(rule, hook, FileContext(rule, scene))
        return scene.findings

    def instance_findings(
        self, instance: Instance, targets: Iterable[Target], plans: Callable[[Target, Launch], LaunchPlan]
    ) -> tuple[Finding, ...]:
        """Findings of one instance on its targets."""
        scene = Scene(self._analysis, self._sources, instance)
        self._report_problems(instance.problems, scene)
        for rule in self._rules:
            if rule.instance_hook:
                self._call(rule, rule.instance_hook, InstanceContext(rule, scene))
        for target in targets:
            scene.target = target
            scene.plans = lambda launch, target=target: plans(target, launch)
            for rule in self._rules:
                if rule.target_hook:
                    self._call(rule, rule.target_hook, TargetContext(rule, scene))
        return tuple(scene.findings)

    def _report_problems(self, problems: Iterable[Problem], scene: Scene) -> None:
        for problem in problems:
            rule = self._problem_rules.get(problem.kind)
            if rule is not None and rule.problem_hook is not None:
                self._call(rule, rule.problem_hook, ProblemContext(rule, scene), problem)

    def _call(self, rule: Rule, hook: Callable[..., None], *args: object) -> None:
        self.guarded(f"rule {rule.name}", lambda: hook(*args))

    def guarded(self, what: str, action: Callable[[], T]) -> T | None:
        """The result of one step; a bug in it is recorded, and the others go on."""
        try:
            return action()
        except Exception as error:  # noqa: BLE001  # one broken rule must not take the others with it
            if self.failure is None:
                from traceback import format_exc  # noqa: PLC0415

                message = f"{what} failed: {type(error).__name__}: {error}"
                self.failure = Failure(message, detail=format_exc())
            return None


class _Plans:
    """Resource plans of one instance, each computed once."""

    def __init__(self, instance: Instance) -> None:
        self._instance = instance
        self._known: dict[tuple[str, int], LaunchPlan] = {}

    def __call__(self, target: Target, launch: Launch) -> LaunchPlan:
        from tilelang.passes import plan  # noqa: PLC0415

        key = (target.arch, id(launch))
        if key not in self._known:
            self._known[key] = plan(self._instance.program, launch, target, self._instance.jit.pass_configs)
        return self._known[key]
