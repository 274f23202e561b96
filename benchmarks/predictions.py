"""What we say about the kernels of a repository: instances from source, with their resources on each target."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from truth import definition_lines

from tilelang.ir.buffer import const_int
from tilelang.ir.stmt import Alloc
from tilelang.ir.visit import walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tilelang.frontend.instance import FileAnalysis, Instance
    from tilelang_analyzers.results import InstanceResult, TargetResult


@dataclass(frozen=True, slots=True)
class Prediction:
    """One instance. ``path`` is relative to the repository and ``line`` that of the kernel's ``def``; ``root`` is the
    file and the function where its call chain starts. ``launches`` are the rows of the checker's table."""

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
        """Scope, dtype and shape of every allocation."""
        buffers = [stmt.buffer for stmt in walk(self.instance.program.body) if isinstance(stmt, Alloc)]
        return Counter((one.scope, str(one.dtype), tuple(map(const_int, one.shape))) for one in buffers)

    def _on(self, arch: str) -> TargetResult | None:
        """The launch that takes the most shared memory on a target."""
        results = [result for launch in self.launches for result in launch.targets if result.arch == arch]
        return max(results, key=lambda result: result.shared_bytes or 0, default=None)

    def figures(self, arch: str) -> tuple[int | None, int | None, int | None, tuple[int | str, ...]]:
        """Dynamic and static bytes, threads of a block and the grid of the first launch."""
        result, launch = self._on(arch), self.launches[0] if self.launches else None
        if result is None or launch is None:
            return None, None, None, ()
        return result.dynamic_bytes, result.static_bytes, _product(launch.threads), (*launch.grid, 1, 1)[:3]

    def limit(self, arch: str) -> int | None:
        result = self._on(arch)
        return result.shared_limit if result else None

    def errors(self, arch: str) -> tuple[str, ...]:
        """The rules that found an error on a target."""
        results = [result for launch in self.launches for result in launch.targets if result.arch == arch]
        return tuple(sorted({rule for result in results for rule in result.errors}))


@dataclass(slots=True)
class Predictor:
    """Analyses files of one repository. ``failures`` are files that could not be checked."""

    root: Path
    archs: Sequence[str]
    failures: dict[str, str] = field(default_factory=dict[str, str])
    _lines: dict[str, dict[int, int]] = field(default_factory=dict[str, "dict[int, int]"])
    _reasons: dict[tuple[str, int], str] = field(default_factory=dict["tuple[str, int]", str])

    def predict(self, files: Iterable[str]) -> list[Prediction]:
        """The instances of all kernels that the files define, each analysed once."""
        from tilelang.frontend.project import EvaluatorSettings, Project
        from tilelang.targets import resolve
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
            analysis = project.analyse(self.root / file)
            report = check(analysis, Sources(), settings, choice)
            if report.failure is not None:
                self.failures[file] = report.failure.detail or report.failure.message
            for status in analysis.kernels:
                self._reasons[file, self.definition_line(file, status.span.line)] = f"{status.state} {status.reason}"
            predictions += self._instances(analysis, report.instances)
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
            first = instance.chain[0] if instance.chain else None
            root = (self._relative(first.span.path), first.function) if first else (path, "")
            yield Prediction(instance, mine, path, self.definition_line(path, instance.line), root)

    def definition_line(self, file: str, line: int) -> int:
        """The line of the ``def`` that a decorator or the ``def`` itself stands for."""
        if file not in self._lines:
            path = self.root / file
            try:
                self._lines[file] = definition_lines(path.read_text(encoding="utf-8"))
            except (OSError, SyntaxError):
                self._lines[file] = {}
        return self._lines[file].get(line, line)

    def status(self, file: str, line: int) -> str:
        """How far the kernel was followed, for rows without any instance."""
        return self._reasons.get((file, self.definition_line(file, line)), "not seen as a kernel").strip()

    def _relative(self, path: str) -> str:
        try:
            return str(Path(path).relative_to(self.root))
        except ValueError:
            return path


def _product(extents: Iterable[int | str]) -> int | None:
    result = 1
    for extent in extents:
        if not isinstance(extent, int):
            return None
        result *= extent
    return result
