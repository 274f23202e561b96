"""What we say about the kernels of a repository: instances from source, with their resources on each target."""

from __future__ import annotations

import traceback
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from truth import SourceFacts, read_facts

from tilelang.ir.arith import try_const
from tilelang.ir.stmt import Alloc, Launch
from tilelang.ir.visit import children, walk
from tilelang.passes import plan
from tilelang.passes.expand import expand
from tilelang.targets import resolve

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tilelang.frontend.instance import FileAnalysis, Instance
    from tilelang.ir.buffer import Buffer
    from tilelang_analyzers.results import InstanceResult


@dataclass(frozen=True, slots=True)
class Prediction:
    """One instance. ``path`` is relative to the repository and ``line`` that of the kernel's ``def``; ``root`` is the
    file and the function where its call chain starts, with no name for code of the module itself. ``launches`` are the
    rows of the checker's table."""

    instance: Instance
    launches: tuple[InstanceResult, ...]
    path: str
    line: int
    root: tuple[str, str]

    @property
    def kernel(self) -> str:
        return self.instance.kernel

    @property
    def origin(self) -> str:
        return self.instance.origin

    @property
    def arch(self) -> str | None:
        return self.instance.arch

    @property
    def certain(self) -> bool:
        return self.instance.certain

    @property
    def bindings(self) -> Mapping[str, object]:
        return self.instance.bindings

    @property
    def closure(self) -> Mapping[str, object]:
        return self.instance.closure

    @property
    def tune_index(self) -> int | None:
        return self.instance.tune.index if self.instance.tune else None

    def text(self) -> str:
        return ", ".join(f"{name}={value}" for name, value in self.bindings.items())

    def allocations(self) -> Counter[object]:
        """Scope, dtype and shape of every allocation, those that tile operations make for themselves included."""
        buffers: list[Buffer] = []
        stack = list(reversed(self.instance.program.body))
        while stack:
            stmt = stack.pop()
            if isinstance(stmt, Launch):
                buffers += [inner.buffer for inner in walk(expand(stmt).body) if isinstance(inner, Alloc)]
                continue
            if isinstance(stmt, Alloc):
                buffers.append(stmt.buffer)
            for body in children(stmt):
                stack.extend(body)
        return Counter((one.scope, str(one.dtype), tuple(map(try_const, one.shape))) for one in buffers)

    def figures(self, arch: str) -> Figures:
        """What a launch of the instance costs on a target."""
        target = resolve(arch)
        launches = list(self.instance.program.launches())
        if target is None or not launches:
            return Figures()
        program, configs = self.instance.program, self.instance.jit.pass_configs
        costs = [plan(program, launch, target, configs).resources for launch in launches]
        largest = max(costs, key=lambda cost: cost.shared_total or 0)
        grid = [try_const(extent) for extent in launches[0].grid]
        return Figures(
            largest.shared_dynamic, largest.shared_static, costs[0].threads, [*grid, 1, 1, 1][:3],
            target.shared_memory.budget,
        )  # fmt: skip

    def errors(self, arch: str) -> tuple[str, ...]:
        """The rules that found an error on a target. None are looked for where the program expects to fail."""
        results = [result for launch in self.launches for result in launch.targets if result.arch == arch]
        return tuple(sorted({rule for result in results for rule in result.errors}))


@dataclass(frozen=True, slots=True)
class Figures:
    """Bytes of the launch that takes most, threads and grid of the first one, and the budget of a block."""

    dynamic: int | None = None
    static: int | None = None
    threads: int | None = None
    grid: list[int | None] = field(default_factory=list["int | None"])
    limit: int | None = None


@dataclass(slots=True)
class Predictor:
    """Analyses files of one repository. ``failures`` are files that could not be checked."""

    root: Path
    archs: Sequence[str]
    failures: dict[str, str] = field(default_factory=dict[str, str])
    _sources: dict[str, SourceFacts] = field(default_factory=dict[str, SourceFacts])
    _reasons: dict[tuple[str, int], str] = field(default_factory=dict["tuple[str, int]", str])

    def predict(self, files: Iterable[str]) -> list[Prediction]:
        """The instances of all kernels that the files define, each analysed once."""
        from tilelang.frontend.project import EvaluatorSettings, Project
        from tilelang_analyzers.engine import check
        from tilelang_analyzers.selection import TargetChoice
        from tilelang_analyzers.settings import Settings
        from tilelang_analyzers.sources import Sources

        settings = Settings(root=str(self.root), cache=False)
        targets = tuple(target for target in map(resolve, self.archs) if target is not None)
        choice = TargetChoice(targets)
        project = Project(self.root, EvaluatorSettings(archs=tuple(self.archs), max_instances=settings.max_instances))
        predictions: list[Prediction] = []
        for file in files:
            try:
                analysis = project.analyse(self.root / file)
                report = check(analysis, Sources(), settings, choice)
            except Exception:  # noqa: BLE001  # one broken file must not hide the figures of the others
                self.failures[file] = traceback.format_exc(limit=-4)
                continue
            if report.failure is not None:
                self.failures[file] = report.failure.detail or report.failure.message
            for status in analysis.kernels:
                self._reasons[file, self.definition_line(file, status.span.line)] = f"{status.state} {status.reason}"
            predictions += self._instances(analysis, report.instances)
        return predictions

    def instances(self, files: Iterable[str]) -> list[Prediction]:
        """The instances of all kernels that the files define, without checking them."""
        from tilelang.frontend.project import EvaluatorSettings, Project

        project = Project(self.root, EvaluatorSettings(archs=tuple(self.archs)))
        predictions: list[Prediction] = []
        for file in files:
            try:
                predictions += self._instances(project.analyse(self.root / file), ())
            except Exception:  # noqa: BLE001  # as above
                self.failures[file] = traceback.format_exc(limit=-4)
        return predictions

    def _instances(self, analysis: FileAnalysis, rows: Sequence[InstanceResult]) -> Iterable[Prediction]:
        """Pairs the instances of a file with their rows, which come in the same order, one for each launch."""
        position = 0
        for instance in analysis.instances:
            count = sum(1 for _ in instance.program.launches())
            mine = tuple(rows[position : position + count])
            if any(row.line != instance.line or row.launch != index for index, row in enumerate(mine)):
                mine = ()
            else:
                position += len(mine)
            path = self._relative(instance.path)
            yield Prediction(
                instance, mine, path, self.definition_line(path, instance.line), self._root(instance, path)
            )

    def _root(self, instance: Instance, path: str) -> tuple[str, str]:
        """Where the call chain of an instance starts. The first call of a chain stands in the function that the checker
        starts from, or in the module."""
        if not instance.chain:
            return path, ""
        first = instance.chain[0]
        file = self._relative(first.span.path)
        return file, self._facts(file).function_at(first.span.line) or ""

    def definition_line(self, file: str, line: int) -> int:
        """The line of the ``def`` that a decorator or the ``def`` itself stands for."""
        return self._facts(file).definition_lines.get(line, line)

    def _facts(self, file: str) -> SourceFacts:
        if file not in self._sources:
            self._sources[file] = read_facts(self.root / file)
        return self._sources[file]

    def status(self, file: str, line: int) -> str:
        """How far the kernel was followed, for rows without any instance."""
        return self._reasons.get((file, self.definition_line(file, line)), "not seen as a kernel").strip()

    def _relative(self, path: str) -> str:
        try:
            return str(Path(path).relative_to(self.root))
        except ValueError:
            return path
