"""The report of ``tilelang doctor``, as text of 80 columns or as JSON."""

from __future__ import annotations

import json as json_format
import platform
import sys
import textwrap
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, TextIO

from tilelang_analyzers.doctor.abilities import abilities
from tilelang_analyzers.doctor.gpus import Gpu, find_gpus
from tilelang_analyzers.doctor.import_name import OWN_DISTRIBUTION, ImportName, inspect_import_name
from tilelang_analyzers.doctor.toolchains import Component, dependencies, installed_version, tools

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

WIDTH = 80
NAME_WIDTH = 20
OLDEST_PYTHON = (3, 10)
FIRST_UNTESTED_PYTHON = (3, 14)


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Everything the report says. ``version`` is that of this distribution, None if it runs from a source tree."""

    version: str | None
    python: str
    executable: str
    platform: str
    python_supported: bool
    import_name: ImportName
    packages: tuple[Component, ...]
    tools: tuple[Component, ...]
    gpus: tuple[Gpu, ...]

    @property
    def problems(self) -> tuple[str, ...]:
        """What keeps the checker from working, in sentences."""
        problems = [
            f"{item.name} is missing, which {item.purpose} needs." for item in self.packages if item.found is None
        ]
        if not self.import_name.works:
            problems.append(f"`import tilelang` does not get this checker's core. {self.import_name.explanation}")
        if not self.python_supported:
            problems.append(f"Python {self.python} is not supported; 3.10 to 3.13 are.")
        return tuple(problems)


def examine() -> Diagnosis:
    """Look at the running interpreter and this machine."""
    return Diagnosis(
        version=installed_version((OWN_DISTRIBUTION,)),
        python=platform.python_version(),
        executable=sys.executable,
        platform=platform.platform(),
        python_supported=OLDEST_PYTHON <= sys.version_info[:2] < FIRST_UNTESTED_PYTHON,
        import_name=inspect_import_name(),
        packages=dependencies(),
        tools=tools(),
        gpus=find_gpus(),
    )


def run(stream: TextIO, json: bool = False) -> int:
    """Write the report. Returns 0 if the checker can work here, 1 if something that it needs is missing."""
    diagnosis = examine()
    if json:
        document = _as_document(diagnosis)
        stream.write(json_format.dumps(document, indent=2) + "\n")
    else:
        stream.write("\n".join(_lines(diagnosis)) + "\n")
    return 1 if diagnosis.problems else 0


def _as_document(diagnosis: Diagnosis) -> dict[str, object]:
    """``version`` is that of this schema, ``suite`` that of the distribution."""
    document = asdict(diagnosis)
    suite = document.pop("version")
    document["import_name"]["explanation"] = diagnosis.import_name.explanation
    possible = [asdict(ability) for ability in abilities(diagnosis.tools, diagnosis.gpus)]
    return {"version": 1, "suite": suite, **document, "abilities": possible, "problems": list(diagnosis.problems)}


def _lines(diagnosis: Diagnosis) -> Iterator[str]:
    yield f"tilelang-suite {diagnosis.version or '(from a source tree)'}"
    yield ""
    yield from _entry("Python", f"{diagnosis.python}, {diagnosis.executable}")
    yield from _entry("Platform", diagnosis.platform)
    yield ""
    yield "Required packages"
    yield from _components(diagnosis.packages)
    yield ""
    yield "import tilelang"
    if diagnosis.import_name.origin is not None:
        yield from _paragraph(diagnosis.import_name.origin)
    yield from _paragraph(diagnosis.import_name.explanation)
    yield ""
    yield "Optional tools"
    yield from _paragraph("Checking needs none of them. Compiling uses them.")
    yield from _components(diagnosis.tools)
    yield ""
    yield "GPUs"
    for gpu in diagnosis.gpus:
        yield from _entry(gpu.arch or "unknown arch", f"{gpu.name} (from {gpu.source})")
    if not diagnosis.gpus:
        yield from _paragraph("None seen. Checking needs none: kernels are checked for any --target.")
    yield ""
    yield "What can be done here beyond checking"
    for ability in abilities(diagnosis.tools, diagnosis.gpus):
        yield from _entry(ability.name, ability.text if ability.possible else f"not: {ability.text}")
    yield ""
    if not diagnosis.problems:
        yield "Everything that checking needs is here."
    for problem in diagnosis.problems:
        yield from textwrap.wrap(f"Problem: {problem}", WIDTH, subsequent_indent="  ")


def _components(components: Iterable[Component]) -> Iterator[str]:
    for item in components:
        if item.found is not None:
            yield from _entry(item.name, item.found)
            continue
        hint = f" ({item.hint})" if item.hint else ""
        yield from _entry(item.name, f"missing; used for {item.purpose}{hint}")


def _entry(name: str, text: str) -> list[str]:
    first = f"  {name:<{NAME_WIDTH}}"
    return _wrap(text, first, " " * len(first))


def _paragraph(text: str) -> list[str]:
    return _wrap(text, "  ", "  ")


def _wrap(text: str, first: str, rest: str) -> list[str]:
    """Lines of at most 80 columns; paths longer than that are broken, too, so that they can be copied whole."""
    return textwrap.wrap(text, WIDTH, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False)
