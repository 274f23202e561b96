"""What the passes predict is what the compiler makes: shared memory exactly, registers roughly."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

import pytest
from backends.programs import ROOT, instances, target

from tilelang.backends.build import build
from tilelang.frontend.instance import Instance
from tilelang.ir.printer import print_program
from tilelang.passes import plan
from tilelang.targets import Target
from tilelang_analyzers.compiling import can_compile

pytest.importorskip("tvm")

ARCHS = ("sm_70", "sm_75", "sm_80", "sm_86", "sm_89", "sm_90")
EXAMPLES = sorted(path.stem for path in (ROOT / "examples").glob("*.py"))
CASES = sorted(path.stem for path in (ROOT / "tests" / "cases" / "files").glob("*.py"))
REGISTERS_WITHIN = 0.25
"""Median of the relative error of the predicted registers."""


def programs(name: str, arch: str, most: int = 3) -> Iterator[tuple[Instance, Target]]:
    """Distinct kernels of a file that a GPU can have."""
    seen: set[str] = set()
    for instance in instances(name, arch):
        text = print_program(instance.program) + repr(instance.jit.pass_configs)
        if can_compile(instance, target(arch)) and text not in seen and len(seen) < most:
            seen.add(text)
            yield instance, target(arch)


def differences(name: str, arch: str) -> tuple[int, list[str]]:
    """How many launches were compared, and those whose memory is not what was planned."""
    compared = 0
    found: list[str] = []
    for instance, chosen in programs(name, arch):
        if instance.problems:
            continue
        artifact = build(instance.program, chosen, instance.jit.pass_configs, link=False).artifact
        if artifact is None:
            continue
        for launch, kernel in zip(instance.program.launches(), artifact.kernels, strict=True):
            planned = plan(instance.program, launch, chosen, instance.jit.pass_configs).memory
            compared += 1
            if planned.dynamic != kernel.dynamic_shared:
                found.append(f"{instance.kernel} on {arch}: planned {planned.dynamic}, has {kernel.dynamic_shared}")
    return compared, found


@pytest.mark.parametrize("name", EXAMPLES)
def test_shared_memory_of_the_examples(name: str) -> None:
    counts: list[int] = []
    for arch in ARCHS:
        compared, found = differences(f"examples/{name}.py", arch)
        assert found == []
        counts.append(compared)
    assert sum(counts) >= len(ARCHS) - 1


@pytest.mark.slow
@pytest.mark.parametrize("arch", ARCHS)
def test_shared_memory_of_the_cases(arch: str) -> None:
    total = 0
    for name in CASES:
        compared, found = differences(f"tests/cases/files/{name}.py", arch)
        assert found == [], name
        total += compared
    assert total > len(CASES) // 3


def test_static_shared_memory_and_registers() -> None:
    """The assembler's figures, for the examples on two generations."""
    errors: list[float] = []
    for name in EXAMPLES:
        for arch in ("sm_75", "sm_80"):
            for instance, chosen in programs(f"examples/{name}.py", arch, most=1):
                artifact = build(instance.program, chosen, instance.jit.pass_configs).artifact
                assert artifact is not None, (name, arch)
                for launch, kernel in zip(instance.program.launches(), artifact.kernels, strict=True):
                    planned = plan(instance.program, launch, chosen, instance.jit.pass_configs)
                    assert (kernel.resources.static_shared or 0) == planned.memory.static, (name, arch)
                    real = kernel.resources.registers
                    assert real
                    errors.append(abs(min(planned.registers.total, 255) - real) / real)
    assert len(errors) >= 2 * len(EXAMPLES)
    assert statistics.median(errors) <= REGISTERS_WITHIN
