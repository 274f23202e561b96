"""The evaluator and the passes make legal IR of every example and case, and print it the same way each time."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tilelang.frontend.project import EvaluatorSettings, Project
from tilelang.ir.printer import print_program
from tilelang.ir.program import Program
from tilelang.ir.spec import check
from tilelang.passes import plan
from tilelang.targets import resolve

if TYPE_CHECKING:
    from tilelang.frontend.instance import Instance

ROOT = Path(__file__).parents[2]
FOLDERS = ("examples", "tests/cases/files")
FILES = sorted(path.relative_to(ROOT).as_posix() for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))


@cache
def instances(name: str) -> tuple[Instance, ...]:
    return tuple(Project(ROOT, EvaluatorSettings(archs=("sm_80", "sm_90"))).analyse(ROOT / name).instances)


@pytest.mark.parametrize("name", FILES)
def test_the_frontend_builds_legal_programs(name: str) -> None:
    for instance in instances(name):
        assert check(instance.program, "frontend") == []
        assert print_program(instance.program) == print_program(instance.program)


@pytest.mark.parametrize("arch", ["sm_80", "sm_90"])
@pytest.mark.parametrize("name", FILES)
def test_opened_launches_are_legal(name: str, arch: str) -> None:
    target = resolve(arch)
    assert target is not None
    for instance in instances(name):
        program = instance.program
        for launch in program.launches():
            found = plan(program, launch, target, instance.jit.pass_configs)
            body = tuple(found.opened if stmt is launch else stmt for stmt in program.body)
            opened = Program(program.name, program.params, body, program.outputs, complete=program.complete)
            assert check(opened, "opened") == []
