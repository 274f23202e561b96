"""Programs for the tests of the back ends."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from tilelang.frontend.project import EvaluatorSettings, Project
from tilelang.targets import resolve

if TYPE_CHECKING:
    from tilelang.frontend.instance import Instance
    from tilelang.targets import Target

ROOT = Path(__file__).parents[2]


@cache
def instances(name: str, *archs: str) -> tuple[Instance, ...]:
    """The kernels of a file of the repository."""
    return tuple(Project(ROOT, EvaluatorSettings(archs=archs or ("sm_80",))).analyse(ROOT / name).instances)


@cache
def target(name: str) -> Target:
    found = resolve(name)
    assert found is not None
    return found
