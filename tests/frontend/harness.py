"""Programs to evaluate, and what tests ask about the result."""

from __future__ import annotations

import ast
import textwrap
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from tilelang.frontend.evaluator import Evaluator, load_handlers, module_scope
from tilelang.frontend.modules import ModuleTable
from tilelang.frontend.project import EvaluatorSettings, Project
from tilelang.frontend.recorder import Recorder
from tilelang.frontend.sources import SourceCache
from tilelang.frontend.values import Module

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tilelang.frontend.instance import FileAnalysis, Instance

FILL = """
import tilelang
import tilelang.language as T


@tilelang.jit
def fill(N, block=64, stages=2):
    @T.prim_func
    def main(A: T.Tensor((N,), T.float32)):
        with T.Kernel(T.ceildiv(N, block), threads=128) as bx:
            tile = T.alloc_shared((block,), T.float32)
            for k in T.Pipelined(4, num_stages=stages):
                T.copy(A[bx * block], tile)

    return main


"""
"""A lazy factory. Tests append the code that calls it."""


def check_instances(
    source: str,
    files: Mapping[str, str] | None = None,
    *,
    archs: tuple[str, ...] = (),
    environment: Mapping[str, str] | None = None,
) -> FileAnalysis:
    """Analyse ``source`` as the file ``program.py`` of a project that also has ``files`` (name -> text)."""
    with TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        for name, text in {**(files or {}), "program.py": source}.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(textwrap.dedent(text), encoding="utf-8")
        settings = EvaluatorSettings(environment=dict(environment or {}), archs=archs)
        return Project(root, settings).analyse(root / "program.py")


UNKNOWNS = "from elsewhere import flag, items\n"
"""Names of a package that is not there: nothing is known about them."""


def check_value(expression: str, source: str = "", *, environment: Mapping[str, str] | None = None) -> Any:
    """The value of an expression after the statements of ``source``, which may use the unknown names ``flag`` and
    ``items``. Exceptions of the program arrive as ``UserError``."""
    load_handlers()
    modules = ModuleTable(SourceCache(), Path("/nowhere"))
    evaluator = Evaluator(modules, Recorder(), environment=dict(environment or {}))
    module = Module("program", "/nowhere/program.py", {"__name__": "program"})
    scope = module_scope(module)
    evaluator.exec(ast.parse(UNKNOWNS + textwrap.dedent(source)).body, scope)
    return evaluator.eval(ast.parse(expression, mode="eval").body, scope)


def bindings(analysis: FileAnalysis, *names: str) -> list[Any]:
    """The values of some parameters in each instance: tuples, or plain values for one name."""
    found = [tuple(instance.bindings[name] for name in names) for instance in analysis.instances]
    return [values[0] for values in found] if len(names) == 1 else found


def only(analysis: FileAnalysis) -> Instance:
    """The one instance."""
    assert len(analysis.instances) == 1, [dict(instance.bindings) for instance in analysis.instances]
    return analysis.instances[0]


def kinds(analysis: FileAnalysis) -> list[str]:
    """The kinds of all problems: those of the file, then those of the instances."""
    problems = [*analysis.problems, *(problem for instance in analysis.instances for problem in instance.problems)]
    return [problem.kind for problem in problems]


def line_of(source: str, text: str) -> int:
    """The number of the line that contains ``text``; exactly one must."""
    lines = [number for number, line in enumerate(source.splitlines(), start=1) if text in line]
    assert len(lines) == 1, (text, lines)
    return lines[0]
