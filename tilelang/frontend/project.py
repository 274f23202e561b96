"""A project: its files, who imports whom, and the analysis of one file.

Callers of a kernel often live elsewhere. The index maps a file to the files that import it; their entry points are
evaluated too, and the instances that they make of the file's kernels count.
"""

from __future__ import annotations

import ast
import gc
import sys
import threading
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tilelang.frontend.cancellation import SPENT, Cancellation
from tilelang.frontend.index import MAX_CALLERS, ProjectIndex
from tilelang.frontend.instance import FileAnalysis, Instance, Trace
from tilelang.frontend.sources import SourceCache
from tilelang.ir.problem import Problem
from tilelang.ir.span import Span

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from tilelang.frontend.evaluator import Evaluator
    from tilelang.frontend.values import Module
    from tilelang.syntax.module import Module as ParsedModule

DEFAULT_ARCH = "sm_80"
FILE_BUDGET = 500_000
"""Steps (expressions and statements) for one file: about two seconds."""

CALLERS_BUDGET = 1_000_000
"""Steps for the callers of one file in other files."""

IMPORT_DEPTH = 3
"""How many imports away a kernel may be for a file to count as a user of the language."""

_STOP_SECONDS = 2.0
_STACK_BYTES = 256 * 1024 * 1024
_RECURSION = 40_000


@dataclass(frozen=True, slots=True)
class EvaluatorSettings:
    """What an evaluation depends on besides files. ``archs``: the targets that a program may ask about."""

    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    max_instances: int = 1_000
    archs: tuple[str, ...] = ()
    budget: int = FILE_BUDGET


class Project:
    """Files below ``root``. Parsed files are kept, so one project should serve many analyses."""

    def __init__(self, root: Path, settings: EvaluatorSettings | None = None) -> None:
        self.root = Path(root).resolve()
        self.settings = settings or EvaluatorSettings()
        self.sources = SourceCache()
        self._index: ProjectIndex | None = None
        self._uses: dict[str, bool] = {}
        self._running: Evaluator | None = None
        self._evaluated: dict[tuple[str, str], _Evaluation] = {}
        self._cancellation = Cancellation()

    def analyse(
        self,
        path: Path,
        source: bytes | None = None,
        parsed: ParsedModule | None = None,
        cancellation: Cancellation | None = None,
    ) -> FileAnalysis:
        """Everything about one file. ``source`` replaces what is on disk; ``parsed`` spares reading it again. Raises
        ``Cancelled`` if ``cancellation`` says so, and nothing on the file's account."""
        name = str(Path(path).absolute())
        if source is not None:
            self.put(name, source, parsed)
        self._cancellation = cancellation or Cancellation()
        return _on_large_stack(lambda: self._analyse(name), self._stop)

    def put(self, path: str, source: bytes, parsed: ParsedModule | None = None) -> None:
        """Use ``source`` as the content of an absolute path from now on: an editor has it open."""
        if self.sources.put(path, source, parsed):
            self._outdate(path)

    def forget(self, path: str) -> None:
        """Read a file from disk again: it was closed, saved, made or removed."""
        self.sources.forget(path)
        self._outdate(path)
        self._index = None

    def _outdate(self, path: str) -> None:
        self._evaluated = {key: value for key, value in self._evaluated.items() if path not in value.read}
        self._uses.clear()

    def _stop(self) -> None:
        """Make the evaluation that is under way end soon: its budget is spent."""
        if self._running is not None:
            self._running.steps = SPENT

    def _analyse(self, path: str) -> FileAnalysis:
        parsed = self.sources.parsed(path)
        if parsed is None:
            return FileAnalysis(path, (), (Problem("unreadable-file", Span(path, 1, 0, 1, 0)),), ())
        syntax = tuple(_syntax_problem(path, problem) for problem in parsed.problems)
        if not self.uses_language(path):
            return FileAnalysis(path, (), syntax, (), uses_tilelang=False, dependencies=(path,))
        own = self._evaluate(path)
        instances = list(own.instances)
        read = set(own.read)
        traces = list(own.traces)
        kernels = _kernel_definitions(path, parsed.body)
        if any(not _has_call(path, node, instances) for node in kernels):
            spent = 0
            callers = self.index().callers(path)
            for count, caller in enumerate(callers):
                if count == MAX_CALLERS or spent > CALLERS_BUDGET:
                    message = f"{count} of {len(callers)} files that may call this one are evaluated"
                    traces.append(Trace(message, Span(path, 1, 0, 1, 0)))
                    break
                other = self._evaluate(caller)
                instances += [i for i in other.instances if path in (i.path, i.factory_path)]
                read |= other.read
                spent += other.steps
        instances = [self._narrowed(instance) for instance in _without_fallbacks(_unique(instances))]
        if parsed.repaired:
            instances = [_in_doubt(one) if _rests_on_repairs(one, path, parsed) else one for one in instances]
        from tilelang.frontend.status import kernel_statuses

        statuses = kernel_statuses(path, kernels, instances, traces, own.dropped)
        return FileAnalysis(
            path,
            tuple(instances),
            (*syntax, *own.problems),
            statuses,
            tuple(traces),
            dependencies=tuple(sorted(read | {path})),
        )

    def uses_language(self, path: str, depth: int = IMPORT_DEPTH) -> bool:
        """Whether a file holds kernels, or imports project files that do."""
        known = self._uses.get(path)
        if known is None:
            self._uses[path] = False
            known = self._uses[path] = self._mentions_or_imports(path, depth)
        return known

    def _mentions_or_imports(self, path: str, depth: int) -> bool:
        parsed = self.sources.parsed(path)
        if parsed is None:
            return False
        if mentions_language(parsed.source.text):
            return True
        if depth == 0 or "import" not in parsed.source.text:
            return False
        from tilelang.frontend.modules import ModuleTable

        modules = ModuleTable(self.sources, self.root)
        imported = (modules.imported_file(name, path) for name in _imported_modules(parsed.body))
        return any(self.uses_language(str(file), depth - 1) for file in imported if file is not None)

    def _narrowed(self, instance: Instance) -> Instance:
        """Apply ``# tilelang: targets=`` comments of the files that define the kernel and its factory."""
        requires = instance.requires
        for path, line in ((instance.path, instance.line), (instance.factory_path, instance.factory_line)):
            table = self._target_comments(path)
            allowed = table.get(line, table.get(None))
            if allowed is not None:
                requires = allowed if requires is None else tuple(arch for arch in requires if arch in allowed)
        return instance if requires == instance.requires else replace(instance, requires=requires)

    def _target_comments(self, path: str) -> dict[int | None, tuple[str, ...]]:
        parsed = self.sources.parsed(path)
        if parsed is None:
            return {}
        from tilelang.frontend.directives import target_directives

        return target_directives(parsed.source, parsed.body)

    # --- evaluation -------------------------------------------------------------------------------------------

    def _evaluate(self, path: str) -> _Evaluation:
        """Evaluate a file's entry points, once per arch if the program asks for its target."""
        archs = self.settings.archs or (DEFAULT_ARCH,)
        first = self._evaluate_for(path, archs[0])
        if not first.asked_for_target or len(archs) == 1:
            return first
        merged = _Evaluation(
            set(first.read), list(first.instances), list(first.problems), list(first.traces), first.dropped
        )
        for arch in archs[1:]:
            other = self._evaluate_for(path, arch)
            merged.read |= other.read
            merged.instances += other.instances
        merged.instances = _unique(merged.instances)
        return merged

    def _evaluate_for(self, path: str, arch: str) -> _Evaluation:
        key = (path, arch)
        known = self._evaluated.get(key)
        if known is None:
            known = self._evaluated[key] = self._run(path, arch)
        return known

    def _run(self, path: str, arch: str) -> _Evaluation:
        from tilelang.frontend.attempts import attempt
        from tilelang.frontend.entry import run_entries
        from tilelang.frontend.evaluator import Evaluator, load_handlers, module_scope
        from tilelang.frontend.modules import ModuleTable
        from tilelang.frontend.recorder import Recorder
        from tilelang.frontend.signals import Exhausted
        from tilelang.frontend.uncalled import run_uncalled
        from tilelang.frontend.values import Module

        load_handlers()
        outer_read, self.sources.read = self.sources.read, set()
        recorder = Recorder()
        modules = ModuleTable(self.sources, self.root)
        ev = Evaluator(
            modules,
            recorder,
            arch=arch,
            environment=dict(self.settings.environment),
            budget=self.settings.budget,
        )
        self._running = ev
        self._cancellation.watch(ev)
        parsed = self.sources.parsed(path)
        module: Module = Module(Path(path).stem, path)
        module.vars.update({"__name__": "__main__", "__file__": path})
        modules.loaded[path] = module
        try:
            if parsed is not None:
                module.state = "running"
                attempt(ev, lambda: ev.exec(parsed.body, module_scope(module)))
                module.state = "done"
                run_entries(ev, module)
                run_uncalled(ev, module, self._directives(path, module, ev))
        except Exhausted:
            ev.trace("the step budget of the file is spent: what follows is not checked", Span(path, 1, 0, 1, 0))
        except RecursionError:
            ev.trace("the file nests deeper than can be followed", Span(path, 1, 0, 1, 0))
        self._cancellation.watch(None)
        read, self.sources.read = self.sources.read, outer_read | self.sources.read
        return _Evaluation(
            read, list(recorder.instances), ev.problems, ev.traces, recorder.dropped, ev.asked_for_target, ev.steps
        )

    def _directives(self, path: str, module: Module, ev: Any) -> dict[int, list[dict[str, Any]]]:
        from tilelang.frontend.directives import instance_directives

        parsed = self.sources.parsed(path)
        return {} if parsed is None else instance_directives(ev, parsed.source, parsed.body, module)

    def index(self) -> ProjectIndex:
        """The index of the project's files, made on first use."""
        if self._index is None:
            self._index = ProjectIndex(self.root)
        return self._index


@dataclass(slots=True)
class _Evaluation:
    read: set[str]
    instances: list[Instance]
    problems: list[Problem]
    traces: list[Trace]
    dropped: dict[tuple[str, int], int] = field(default_factory=dict["tuple[str, int]", int])
    asked_for_target: bool = False
    steps: int = 0


def _on_large_stack(run: Callable[[], FileAnalysis], stop: Callable[[], None]) -> FileAnalysis:
    """Run on a thread whose stack is deep enough for any nesting that the parser lets through. If the caller is
    interrupted while it waits, the evaluation is stopped, so that no thread stays behind."""
    result: list[FileAnalysis] = []
    failure: list[BaseException] = []

    def target() -> None:
        try:
            result.append(run())
        except BaseException as error:  # noqa: BLE001  # handed to the caller below
            failure.append(error)

    old_stack = threading.stack_size()
    old_limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(old_limit, _RECURSION))
    # An evaluation makes many small objects that live until its end. Collecting cycles meanwhile costs a third of
    # the time.
    collecting = gc.isenabled()
    gc.disable()
    try:
        thread = _started(target)
        try:
            thread.join()
        except BaseException:
            deadline = time.monotonic() + _STOP_SECONDS
            while thread.is_alive() and time.monotonic() < deadline:
                stop()
                thread.join(0.02)
            raise
    finally:
        threading.stack_size(old_stack)
        sys.setrecursionlimit(old_limit)
        if collecting:
            gc.enable()
    if failure:
        raise failure[0]
    return result[0]


def _started(target: Callable[[], None]) -> threading.Thread:
    """A thread with a large stack; with a smaller one where the address space is limited and nearly used up."""
    for size in (_STACK_BYTES, _STACK_BYTES // 4):
        threading.stack_size(size)
        thread = threading.Thread(target=target, name="evaluator", daemon=True)
        try:
            thread.start()
        except RuntimeError:
            gc.collect()
        else:
            return thread
    raise MemoryError("no memory for the stack of the evaluator")


def _syntax_problem(path: str, problem: Any) -> Problem:
    span = Span(path, problem.line, problem.column, problem.end_line, problem.end_column)
    return Problem("syntax-error", span, {"message": problem.message, "kind": problem.kind})


def mentions_language(text: str) -> bool:
    return "tilelang" in text or "prim_func" in text or ".Kernel(" in text


def _imported_modules(body: list[ast.stmt]) -> list[str]:
    """Module names that a file imports; a leading dot for each level of a relative import."""
    names: list[str] = []
    for node in body:
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            names.append(base)
            names += [f"{base}{'' if base.endswith('.') else '.'}{alias.name}" for alias in node.names]
    return names


def _kernel_definitions(path: str, body: list[ast.stmt]) -> list[ast.FunctionDef]:
    """Functions that define kernels: prim_funcs, and jit functions that launch by themselves."""
    from tilelang.frontend.scoping import functions_in
    from tilelang.frontend.status import defines_kernel

    return [node for node in functions_in(body) if defines_kernel(node)]


def _rests_on_repairs(instance: Instance, path: str, parsed: ParsedModule) -> bool:
    """Whether a kernel, its factory or its callers in this file hold a statement that could not be read, or module code
    does, on which anything may rest."""
    lines = [link.span.line for link in instance.chain if link.span.path == path]
    lines += [instance.line] if instance.path == path else []
    lines += [instance.factory_line] if instance.factory_path == path else []
    for first, last in parsed.repaired:
        around = [top for top in parsed.body if _first_line(top) <= last and first <= (top.end_lineno or top.lineno)]
        if not around or not all(isinstance(top, (ast.FunctionDef, ast.ClassDef)) for top in around):
            return True
        if any(_first_line(top) <= line <= (top.end_lineno or top.lineno) for top in around for line in lines):
            return True
    return False


def _first_line(node: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def _in_doubt(instance: Instance) -> Instance:
    """An instance from a file with statements that could not be read: nothing follows from what it lacks, and what is
    there may rest on what is missing."""
    return replace(instance, certain=False, program=replace(instance.program, complete=False))


def _has_call(path: str, node: ast.FunctionDef, instances: Iterable[Instance]) -> bool:
    """Whether the file itself calls a kernel; then callers elsewhere are left to the check of their own files."""
    return any(i.path == path and i.line == node.lineno and i.origin not in ("symbolic", "default") for i in instances)


def _unique(instances: Iterable[Instance]) -> list[Instance]:
    from tilelang.frontend.recorder import Recorder

    recorder = Recorder()
    for instance in instances:
        recorder.add(instance)
    return list(recorder.instances)


def _without_fallbacks(instances: list[Instance]) -> list[Instance]:
    """Defaults and symbols stand in only for kernels that nothing calls."""
    called = {(i.factory_path, i.factory_line) for i in instances if i.origin not in ("symbolic", "default")}
    return [
        i
        for i in instances
        if i.origin not in ("symbolic", "default") or (i.factory_path, i.factory_line) not in called
    ]


__all__ = ["EvaluatorSettings", "Project"]
