"""Runs the rules over what the evaluator found in one file.

``check`` is the column of steps: file, instances, targets, policy, merging, suppressions. An exception in a rule is a
bug of this program: it becomes the report's ``failure``, and everything else is still reported.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from tilelang_analyzers.doubt import settle
from tilelang_analyzers.levels import Levels
from tilelang_analyzers.memory import Memory
from tilelang_analyzers.merge import merge
from tilelang_analyzers.policy import Checked, Weighed, is_error, weigh
from tilelang_analyzers.results import Failure, FileReport, KernelResult, TraceResult
from tilelang_analyzers.rows import rows_of
from tilelang_analyzers.rule import COMPILE_GROUPS, FileContext, InstanceContext, ProblemContext, Scene, TargetContext
from tilelang_analyzers.structures import CleanStructures
from tilelang_analyzers.suppress import apply_suppressions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
    from concurrent.futures import Future

    from tilelang.backends.compiling import Outcome
    from tilelang.diagnostics import Diagnostic
    from tilelang.frontend.instance import FileAnalysis, Instance
    from tilelang.ir.problem import Problem
    from tilelang.targets import Target
    from tilelang_analyzers.compiled import Compiled
    from tilelang_analyzers.compiling import Compiler
    from tilelang_analyzers.profile import Stopwatch
    from tilelang_analyzers.results import InstanceResult
    from tilelang_analyzers.rule import Finding
    from tilelang_analyzers.selection import TargetChoice
    from tilelang_analyzers.settings import Settings
    from tilelang_analyzers.sources import Sources
    from tilelang_analyzers.structures import Plans

P = ParamSpec("P")
T = TypeVar("T")


def check(
    analysis: FileAnalysis,
    sources: Sources,
    settings: Settings,
    choice: TargetChoice,
    watch: Stopwatch | None = None,
    memory: Memory | None = None,
    pulse: Callable[[], None] | None = None,
    compiler: Compiler | None = None,
) -> FileReport:
    """Everything to report about one analysed file. ``watch`` measures the rules. ``memory`` has what earlier checks of
    the file found out about instances that are still the same. ``pulse`` is called between instances; it may raise to
    stop. ``compiler``: compile the instances too."""
    levels = Levels(settings, analysis.path)
    run = _Run(analysis, sources, levels, watch, memory or Memory(), pulse, compiler, with_layouts=settings.layouts)
    weighed = [Weighed(finding, levels.severity(finding)) for finding in run.file_findings()]
    checked: list[Checked] = []
    rows: list[InstanceResult] = []
    assumed = ""
    reached: set[tuple[str, int]] = set()
    begun: list[_Begun] = []
    for instance in analysis.instances:
        run.pulse()
        targets, is_assumed = choice.of(instance)
        if targets:
            reached.add((instance.path, instance.line))
        assumed = assumed or (targets[0].label if is_assumed else "")
        begun.append(run.begin(instance, targets))
    for one in begun:
        findings, made = run.finish(one)
        checked.append(Checked(one.instance, tuple(target.arch for target in one.targets), findings))
        rows += made
    weighed += weigh(checked, levels)
    diagnostics = merge((one for one in weighed if one.severity), analysis)
    diagnostics = apply_suppressions(diagnostics, analysis, sources, levels, targets_chosen=choice.chosen is not None)
    return FileReport(
        path=analysis.path,
        findings=tuple(sorted(diagnostics, key=finding_key)),
        instances=tuple(rows),
        kernels=tuple(_kernels(analysis, reached)),
        traces=tuple(TraceResult(trace.message, trace.span) for trace in analysis.traces),
        uses_tilelang=analysis.uses_tilelang,
        assumed_target=assumed,
        targets=tuple((target.arch, target.label) for target in choice.chosen or ()),
        dependencies=tuple(path for path in analysis.dependencies if path != analysis.path),
        failure=run.failure,
    )


def finding_key(finding: Diagnostic) -> tuple[object, ...]:
    """The order of findings in every report."""
    span = finding.span
    return (span.path, span.line, span.col, -finding.severity, finding.rule, finding.message, finding.targets)


NO_TARGET = "not for the chosen targets"
"""Why a kernel is not checked whose instances are all for other targets."""


def _kernels(analysis: FileAnalysis, reached: Set[tuple[str, int]]) -> Iterator[KernelResult]:
    """The kernels of the file, and those of other files that it calls. ``reached``: those that were checked for some
    target."""
    own: set[tuple[str, int]] = set()
    for it in analysis.kernels:
        place = (it.span.path, it.span.line)
        own.add(place)
        state, reason = ("unchecked", NO_TARGET) if it.instances and place not in reached else (it.state, it.reason)
        yield KernelResult(it.name, it.span.path, it.span.line, state, it.instances, it.certain, reason)
    called: dict[tuple[str, int, str], list[Instance]] = {}
    for instance in analysis.instances:
        if (instance.path, instance.line) not in own:
            called.setdefault((instance.path, instance.line, instance.kernel), []).append(instance)
    for (path, line, name), instances in called.items():
        whole = all(instance.program.complete for instance in instances)
        certain = sum(instance.certain for instance in instances)
        reason = "" if whole else "parts of the body are not followed"
        state = "checked" if whole else "partly"
        if (path, line) not in reached:
            state, reason = "unchecked", NO_TARGET
        yield KernelResult(name, path, line, state, len(instances), certain, reason)


@dataclass(slots=True, eq=False)
class _Begun:
    """One instance between the rules and what waits for the compiler. ``known``: rows of an earlier check that hold."""

    instance: Instance
    targets: Sequence[Target]
    scene: Scene
    plans: Plans
    known: Sequence[InstanceResult] | None
    key: object = None
    compiles: list[tuple[Target, Future[Outcome]]] = field(default_factory=list["tuple[Target, Future[Outcome]]"])


def _has_error(findings: Iterable[Finding], target: Target) -> bool:
    """Whether rules say already that a kernel cannot be compiled or launched on a target."""
    return any(
        is_error(finding) and finding.rule.group in COMPILE_GROUPS and finding.arch in ("", target.arch)
        for finding in findings
    )


def _with_compiled(row: InstanceResult, compiled: Mapping[str, Compiled]) -> InstanceResult:
    targets = (
        result._replace(compiled=compiled[result.arch].result_of(row.launch)) if result.arch in compiled else result
        for result in row.targets
    )
    return row._replace(targets=tuple(targets)) if compiled else row


class _Run:
    """The rules of one file, with what they share."""

    def __init__(
        self,
        analysis: FileAnalysis,
        sources: Sources,
        levels: Levels,
        watch: Stopwatch | None,
        memory: Memory,
        pulse: Callable[[], None] | None,
        compiler: Compiler | None,
        *,
        with_layouts: bool,
    ) -> None:
        self._compiler = compiler
        self._with_layouts = with_layouts
        self.pulse = pulse or (lambda: None)
        self._memory = memory
        self.failure: Failure | None = None
        self._watch = watch
        self._analysis = analysis
        self._sources = sources
        self._rules = [rule for rule, _ in levels.active.values()]
        self._problem_rules = {rule.name: rule for rule in self._rules if rule.problem_hook}
        self._clean = CleanStructures()

    def file_findings(self) -> list[Finding]:
        """Findings that belong to no instance."""
        scene = Scene(self._analysis, self._sources)
        self._report_problems(self._analysis.problems, scene)
        for rule in self._rules:
            if rule.file_hook:
                self._guarded(f"rule {rule.name}", rule.file_hook, FileContext(rule, scene))
        return scene.findings

    def begin(self, instance: Instance, targets: Sequence[Target]) -> _Begun:
        """The rules on one instance, for its targets. What has no error is compiled from here on, in the background.
        An instance that is meant to fail has no findings."""
        known = self._memory.result(instance, targets) if self._compiler is None else None
        scene = Scene(self._analysis, self._sources, instance)
        begun = _Begun(instance, targets, scene, self._memory.plans(instance), known)
        if known is not None or instance.expected_failure:
            return begun
        key = begun.key = self._clean.key(instance)
        self._report_problems(instance.problems, scene)
        if not self._clean.known(key, ""):
            self._run_instance_rules(scene, key)
        for target in targets:
            if not self._clean.known(key, target.arch):
                self.pulse()
                self._run_target_rules(scene, target, begun.plans, key)
        for target in targets if self._compiler is not None else ():
            assert self._compiler is not None
            if not _has_error(scene.findings, target):
                future = self._compiler.start(instance, target, key)
                if future is not None:
                    begun.compiles.append((target, future))
        return begun

    def finish(self, begun: _Begun) -> tuple[tuple[Finding, ...], list[InstanceResult]]:
        """Findings and table rows of one instance."""
        if begun.known is not None:
            return (), list(begun.known)
        instance, targets, scene = begun.instance, begun.targets, begun.scene
        compiled = {target.arch: self._read_compile(begun, target, future) for target, future in begun.compiles}
        findings = settle(scene.findings, instance)
        shared = self._clean.results(begun.key)
        rows = self._guarded(
            "the table", rows_of, instance, targets, begun.plans, findings, shared, with_layouts=self._with_layouts
        )
        if rows is not None and not scene.findings and self.failure is None and self._compiler is None:
            self._memory.note(instance, targets, rows)
        return findings, [_with_compiled(row, compiled) for row in rows or []]

    def _read_compile(self, begun: _Begun, target: Target, future: Future[Outcome]) -> Compiled:
        """What a compile gave, with the findings of the rules that look at it."""
        from tilelang_analyzers.compiled import Compiled

        assert self._compiler is not None
        outcome = future.result()
        self.pulse()
        found = Compiled(self._compiler, begun.instance, target, outcome)
        scene, plans = begun.scene, begun.plans
        scene.target, scene.compiled = target, found
        scene.plans = lambda launch: plans(target, launch)
        self._report_problems(outcome.problems, scene)
        for rule in self._rules:
            if rule.group == "compile" and rule.target_hook:
                self._guarded(f"rule {rule.name}", rule.target_hook, TargetContext(rule, scene))
        scene.target = scene.compiled = None
        return found

    def _run_instance_rules(self, scene: Scene, key: object) -> None:
        before = len(scene.findings)
        for rule in self._rules:
            if rule.instance_hook:
                self._guarded(f"rule {rule.name}", rule.instance_hook, InstanceContext(rule, scene))
        self._clean.note(key, "", clean=len(scene.findings) == before)

    def _run_target_rules(self, scene: Scene, target: Target, plans: Plans, key: object) -> None:
        before = len(scene.findings)
        scene.target = target
        scene.plans = lambda launch: plans(target, launch)
        for rule in self._rules:
            if rule.target_hook and rule.group != "compile":
                self._guarded(f"rule {rule.name}", rule.target_hook, TargetContext(rule, scene))
        scene.target = None
        self._clean.note(key, target.arch, clean=len(scene.findings) == before)

    def _report_problems(self, problems: Iterable[Problem], scene: Scene) -> None:
        for problem in problems:
            rule = self._problem_rules.get(problem.kind)
            if rule is not None and rule.problem_hook is not None:
                self._guarded(f"rule {rule.name}", rule.problem_hook, ProblemContext(rule, scene), problem)

    def _guarded(self, what: str, action: Callable[P, T], *args: P.args, **options: P.kwargs) -> T | None:
        """The result of one step. A bug in it is recorded, and the other steps go on."""
        try:
            if self._watch is None:
                return action(*args, **options)
            with self._watch.step(what):
                return action(*args, **options)
        except Exception as error:  # noqa: BLE001  # one broken rule must not take the others with it
            if self.failure is None:
                from traceback import format_exc

                message = f"{what} failed: {type(error).__name__}: {error}"
                self.failure = Failure(message, detail=format_exc())
            return None
