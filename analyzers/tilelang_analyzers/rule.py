"""What a rule is, and what it can see.

A rule is one module in ``tilelang_analyzers/rules``. The file name is the rule's name with underscores, and the name
reads as "allow X" (``gemm-shape-mismatch``), since it is also the key in suppressions and settings. The module looks
like this::

    \"\"\"The operands of a `T.gemm` disagree in M, N or K.

    ## What it does
    ...
    ## Why is this bad?
    ...
    ## Example
    ...
    ## Use instead
    ...
    ## Fix safety          (only with a fix)
    ...
    ## Targets             (only if the finding depends on the target)
    ...
    \"\"\"

    RULE = define(__name__, __doc__, group="shape")

    @RULE.check_instance
    def check(ctx: InstanceContext) -> None:
        for stmt in ctx.walk():
            if isinstance(stmt, Gemm) and ...:
                ctx.report(stmt.span, f"T.gemm: K is {k_a} in A but {k_b} in B", notes=[Note("A is here", a_span)])

The first line of the docstring is the summary; the rest is what ``--explain`` and ``docs/rules`` show. Discovery is by
file name: a new module is found without a list to edit. Modules that start with an underscore are helpers of rules.

A rule has one or more of four hooks, each a function that calls ``ctx.report``:

- ``check_problem(ctx, problem)``: the evaluator or a language function recorded a ``Problem`` whose ``kind`` is the
  rule's name. ``ctx.instance`` is None for problems of module code.
- ``check_instance(ctx)``: once per instance, for facts that hold on every target.
- ``check_target(ctx)``: once per instance and target; has ``ctx.target`` and ``ctx.plan(launch)``.
- ``check_file(ctx)``: once per file, for questions about the source text.

Rules state facts; the engine does the policy: levels from the settings, possible and expected-to-fail instances,
entries of a tuner, suppressions, and merging over instances and targets. A rule must not lower a severity for those
reasons.

Messages. The message stands alone on one line, begins with the thing that is wrong, has the numbers in it, and has no
final full stop. What differs by target goes in ``on``, where ``{targets}`` stands for the targets it holds for, so that
one finding can cover several::

    ctx.report(span, f"shared memory {need} B exceeds", on=f"the {have} B of a block on {{targets}}",
               data={"need": need, "have": have})
    # shared memory 131072 B exceeds the 49152 B of a block on T4 (sm_75) and the 101376 B of a block on L4 (sm_89)

Without ``on``, findings of several targets merge if their messages are equal. Figures of several instances at one place
merge into the finding with the worst one, by ``data["need"]`` where it is given. Give other places as notes, with a
short text each. ``data`` holds the figures of the message for JSON reports and tests.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol, TypeVar

from tilelang.diagnostics import Fix, Note, Severity
from tilelang.ir.visit import walk

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from tilelang.frontend.instance import FileAnalysis, Instance
    from tilelang.ir.problem import Problem
    from tilelang.ir.program import Program
    from tilelang.ir.span import Span
    from tilelang.ir.stmt import Block, Launch, Stmt
    from tilelang.passes import LaunchPlan
    from tilelang.targets import Target
    from tilelang_analyzers.results import CompiledResult
    from tilelang_analyzers.sources import Sources

    ProblemHook = Callable[["ProblemContext", Problem], None]
    InstanceHook = Callable[["InstanceContext"], None]
    TargetHook = Callable[["TargetContext"], None]
    FileHook = Callable[["FileContext"], None]

T = TypeVar("T")
Hook = TypeVar("Hook", bound="Callable[..., None]")

Group = Literal[
    "budget",
    "shape",
    "dtype",
    "bounds",
    "race",
    "pipeline",
    "layout",
    "initialisation",
    "language",
    "program",
    "compile",
]

COMPILE_GROUPS = ("budget", "shape", "dtype", "layout", "compile")
"""Groups whose errors stop the compile or the launch of one set of values. At an entry of a tuner, which drops
entries that fail, they become `autotune-infeasible-config`."""


@dataclass(eq=False, slots=True)
class Rule:
    """One rule: its data, its documentation and its hooks. Made by :func:`define`.

    ``severity`` is the default level. ``fixable`` says that some findings carry a fix.
    """

    name: str
    group: Group
    severity: Severity
    summary: str
    doc: str
    since: str
    fixable: bool
    problem_hook: ProblemHook | None = None
    instance_hook: InstanceHook | None = None
    target_hook: TargetHook | None = None
    file_hook: FileHook | None = None

    @property
    def target_dependent(self) -> bool:
        return self.target_hook is not None

    def check_problem(self, hook: Hook) -> Hook:
        """Decorator: the function that turns a problem of this kind into a finding."""
        self.problem_hook = hook
        return hook

    def check_instance(self, hook: Hook) -> Hook:
        """Decorator: the function to run on every instance."""
        self.instance_hook = hook
        return hook

    def check_target(self, hook: Hook) -> Hook:
        """Decorator: the function to run on every instance and target."""
        self.target_hook = hook
        return hook

    def check_file(self, hook: Hook) -> Hook:
        """Decorator: the function to run on every file."""
        self.file_hook = hook
        return hook


def define(
    module: str,
    doc: str | None,
    *,
    group: Group,
    severity: Severity = Severity.ERROR,
    since: str = "0.1.0",
    fixable: bool = False,
) -> Rule:
    """The rule of one module. ``module`` is its ``__name__`` and ``doc`` its docstring."""
    summary, _, rest = (doc or "").strip().partition("\n")
    name = module.rpartition(".")[2].replace("_", "-")
    return Rule(name, group, severity, summary.strip(), rest.strip(), since, fixable)


@dataclass(frozen=True, slots=True, eq=False)
class Finding:
    """What a rule reported, before levels, suppressions and merging. ``arch`` and ``label`` name the target, if any:
    the arch for reports, and what the user calls it for messages."""

    rule: Rule
    message: str
    span: Span
    on: str = ""
    notes: tuple[Note, ...] = ()
    fix: Fix | None = None
    data: Mapping[str, object] = field(default_factory=dict[str, object])
    severity: Severity | None = None
    instance: Instance | None = None
    arch: str = ""
    label: str = ""


@dataclass(slots=True, eq=False)
class Scene:
    """What the contexts of all rules share while one file, instance or target is looked at."""

    analysis: FileAnalysis
    sources: Sources
    instance: Instance | None = None
    target: Target | None = None
    plans: Callable[[Launch], LaunchPlan] | None = None
    compiled: Compiled | None = None
    shared: dict[object, object] = field(default_factory=dict[object, object])
    findings: list[Finding] = field(default_factory=list[Finding])


class Context:
    """What every hook sees: the file, its source, and where to report."""

    __slots__ = ("_rule", "_scene")

    def __init__(self, rule: Rule, scene: Scene) -> None:
        self._rule = rule
        self._scene = scene

    @property
    def analysis(self) -> FileAnalysis:
        """All that the evaluator learned about the file."""
        return self._scene.analysis

    @property
    def path(self) -> str:
        """The file under analysis."""
        return self._scene.analysis.path

    def snippet(self, span: Span) -> str:
        """The source text of a span, or an empty string if the file cannot be read."""
        return self._scene.sources.snippet(span)

    def syntax_tree(self, path: str) -> ast.Module | None:
        """The syntax tree of a file; None if it cannot be read or has syntax errors."""
        return self._scene.sources.tree(path)

    def report(
        self,
        span: Span,
        message: str,
        *,
        on: str = "",
        notes: Iterable[Note] = (),
        fix: Fix | None = None,
        data: Mapping[str, object] | None = None,
        severity: Severity | None = None,
    ) -> None:
        """Add one finding. ``severity`` is for a rule whose findings differ in weight; the settings may lower it."""
        scene, target = self._scene, self._scene.target
        finding = Finding(
            self._rule,
            message,
            span,
            on=on,
            notes=tuple(notes),
            fix=fix,
            data=data or {},
            severity=severity,
            instance=scene.instance,
            arch=target.arch if target else "",
            label=target.label if target else "",
        )
        scene.findings.append(finding)


class Compiled(Protocol):
    """What compiling one instance for one target gave."""

    @property
    def results(self) -> Sequence[CompiledResult]:
        """The figures of each launch, in their order."""
        ...

    def spilled_lines(self) -> Sequence[tuple[Span, int]]:
        """Statements whose machine code uses local memory, with the instructions that do; those with most first."""
        ...


class FileContext(Context):
    """For ``check_file``."""

    __slots__ = ()

    @property
    def text(self) -> str:
        """The source text of the file."""
        return self._scene.sources.text(self.path)

    @property
    def tree(self) -> ast.Module | None:
        """The syntax tree; None if the file has syntax errors."""
        return self._scene.sources.tree(self.path)


class ProblemContext(Context):
    """For ``check_problem``."""

    __slots__ = ()

    @property
    def instance(self) -> Instance | None:
        """The instance that the problem belongs to, if any."""
        return self._scene.instance


class InstanceContext(Context):
    """For ``check_instance``."""

    __slots__ = ()

    @property
    def instance(self) -> Instance:
        instance = self._scene.instance
        assert instance is not None
        return instance

    @property
    def program(self) -> Program:
        return self.instance.program

    @property
    def launches(self) -> tuple[Launch, ...]:
        """The device kernels of the program, in source order."""
        return self.shared(_launches)

    def walk(self, block: Block | None = None) -> Iterator[Stmt]:
        """Every statement of the program, or below ``block``, in source order, parents first."""
        return iter(self.shared(_statements)) if block is None else walk(block)

    def shared(self, compute: Callable[[InstanceContext], T]) -> T:
        """``compute(self)``, done once per instance however many rules ask. Keyed by the function itself, so pass a
        named function, not a lambda. The result must not depend on the rule or the target."""
        shared = self._scene.shared
        if compute not in shared:
            shared[compute] = compute(self)
        return shared[compute]  # type: ignore[return-value]  # the key determines the type

    def text(self, value: object) -> str:
        """An expression, region, buffer or dtype as the source would spell it."""
        from tilelang.ir.printer import text_of

        return text_of(value)

    def arg_span(self, name: str) -> Span | None:
        """Where the value of a factory's parameter is written (call site or entry of a tuner); None if it is a
        default or computed."""
        return self.instance.arg_spans.get(name)


class TargetContext(InstanceContext):
    """For ``check_target``."""

    __slots__ = ()

    @property
    def target(self) -> Target:
        target = self._scene.target
        assert target is not None
        return target

    def plan(self, launch: Launch) -> LaunchPlan:
        """The resource plan of one launch on this target. Computed once for all rules."""
        plans = self._scene.plans
        assert plans is not None
        return plans(launch)

    @property
    def compiled(self) -> Compiled | None:
        """What compiling gave; None without ``--compile`` and for what could not be compiled."""
        return self._scene.compiled


def _launches(ctx: InstanceContext) -> tuple[Launch, ...]:
    return tuple(ctx.program.launches())


def _statements(ctx: InstanceContext) -> tuple[Stmt, ...]:
    return tuple(walk(ctx.program.body))
