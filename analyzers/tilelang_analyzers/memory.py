"""What a server remembers between two checks of one file.

An edit changes one kernel of a file, or none. The others are evaluated again, which is fast, and turn out the same;
their resource plans and their clean results, which are slow, need not be made again. Two instances are the same if they
print the same, were given the same values, and every top-level statement that they come from has the same text at the
same place: then all their spans are the same too.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tilelang.ir.printer import print_program
from tilelang.ir.visit import walk
from tilelang_analyzers.results import plain
from tilelang_analyzers.structures import Plans

if TYPE_CHECKING:
    import ast
    from collections.abc import Iterable, Iterator, Sequence

    from tilelang.frontend.instance import FileAnalysis, Instance
    from tilelang.frontend.sources import SourceCache
    from tilelang.ir.program import Program
    from tilelang.ir.span import Span
    from tilelang.targets import Target
    from tilelang_analyzers.results import InstanceResult


class Memory:
    """For one file under one set of settings; :meth:`adopt` comes before the rules."""

    def __init__(self) -> None:
        self._known: dict[object, Instance] = {}
        self._plans: dict[int, Plans] = {}
        self._clean: dict[tuple[int, tuple[Target, ...]], tuple[InstanceResult, ...]] = {}
        self._printed: dict[int, str] = {}

    def adopt(self, analysis: FileAnalysis, sources: SourceCache) -> FileAnalysis:
        """The analysis with the programs of the last one where they are the same. What is gone is forgotten."""
        texts = _Texts(sources)
        known: dict[object, Instance] = {}
        instances: list[Instance] = []
        printed: dict[int, str] = {}
        for instance in analysis.instances:
            text = print_program(instance.program)
            key = _key(instance, text, texts)
            old = self._known.get(key) if key is not None else None
            kept = instance if old is None else replace(instance, program=old.program, problems=old.problems)
            instances.append(kept)
            printed[id(kept.program)] = text
            if key is not None:
                known[key] = kept
        self._known = known
        self._printed = printed
        alive = {id(instance.program) for instance in instances}
        self._plans = {key: value for key, value in self._plans.items() if key in alive}
        self._clean = {key: value for key, value in self._clean.items() if key[0] in alive}
        return replace(analysis, instances=tuple(instances))

    def printed(self, program: Program) -> str | None:
        """The text of a program of the last check, which was printed then."""
        return self._printed.get(id(program))

    def plans(self, instance: Instance) -> Plans:
        """The plans of an instance, shared by all who ask."""
        key = id(instance.program)
        if key not in self._plans:
            self._plans[key] = Plans(instance)
        return self._plans[key]

    def result(self, instance: Instance, targets: Sequence[Target]) -> tuple[InstanceResult, ...] | None:
        """The table rows of an instance that had no finding on these targets; None if it must be checked."""
        return self._clean.get((id(instance.program), tuple(targets)))

    def note(self, instance: Instance, targets: Sequence[Target], rows: Iterable[InstanceResult]) -> None:
        """Remember an instance without findings."""
        self._clean[id(instance.program), tuple(targets)] = tuple(rows)


class _Texts:
    """The top-level statements of files by line: their place and text."""

    def __init__(self, sources: SourceCache) -> None:
        self._sources = sources
        self._blocks: dict[str, dict[int, tuple[int, str]]] = {}

    def around(self, path: str, line: int) -> object:
        if path not in self._blocks:
            self._blocks[path] = dict(self._lines(path))
        return self._blocks[path].get(line)

    def _lines(self, path: str) -> Iterator[tuple[int, tuple[int, str]]]:
        parsed = self._sources.parsed(path)
        if parsed is None:
            return
        source = parsed.source
        for top in parsed.body:
            first, last = _first_line(top), top.end_lineno or top.lineno
            start, end = source.char_offset(first, 0), source.char_offset(last + 1, 0)
            block = (first, source.text[start : end if last < source.line_count else None])
            yield from ((line, block) for line in range(first, last + 1))


def _first_line(node: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def _key(instance: Instance, text: str, texts: _Texts) -> object:
    """None if the printed program does not show all of it."""
    if "…" in text or instance.expected_failure:
        return None
    places = {(instance.path, instance.line), (instance.factory_path, instance.factory_line)}
    places |= {(span.path, span.line) for span in _spans(instance)}
    return (
        text,
        repr(plain(dict(instance.bindings))),
        repr(plain(dict(instance.closure))),
        tuple(link.span for link in instance.chain),
        tuple(sorted((name, str(span)) for name, span in instance.arg_spans.items())),
        (instance.origin, instance.certain, instance.program.complete, instance.arch, instance.requires),
        repr(instance.jit),
        repr(instance.tune),
        tuple(problem.kind for problem in instance.problems),
        frozenset((path, texts.around(path, line)) for path, line in places if path),
    )


def _spans(instance: Instance) -> Iterator[Span]:
    for stmt in walk(instance.program.body):
        yield from stmt.span.chain()
    for link in instance.chain:
        yield link.span
    yield from instance.arg_spans.values()
    for problem in instance.problems:
        yield from problem.span.chain()
