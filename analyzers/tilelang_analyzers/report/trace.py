"""What ``--trace-instances`` shows: each kernel with its instances, and why others are missing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang_analyzers.report.coverage import kernels_of
from tilelang_analyzers.report.places import line_location, location
from tilelang_analyzers.report.style import clean, wrap
from tilelang_analyzers.results import value_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tilelang_analyzers.report import Run
    from tilelang_analyzers.report.style import Style
    from tilelang_analyzers.results import InstanceResult, KernelResult

_STATES = {"checked": "checked", "partly": "partly checked", "unchecked": "not checked"}


def trace(run: Run, style: Style) -> Iterator[str]:
    for kernel in kernels_of(run):
        yield from _kernel(kernel, run, style)
    for file in run.files:
        for item in file.traces:
            yield from wrap(clean(item.message), style.width, f"{location(item.span, run.sources)}: ", "    ")


def _kernel(kernel: KernelResult, run: Run, style: Style) -> Iterator[str]:
    reason = f" ({kernel.reason})" if kernel.reason else ""
    head = f"{line_location(kernel.path, kernel.line, run.sources)} {kernel.name}: "
    yield from wrap(f"{_STATES[kernel.state]}{reason}", style.width, style.paint(head, "bold"), "    ")
    for instance in run.instances():
        if (instance.path, instance.line, instance.kernel) == (kernel.path, kernel.line, kernel.name):
            yield from _instance(instance, run, style)


def _instance(instance: InstanceResult, run: Run, style: Style) -> Iterator[str]:
    if instance.launch > 0:
        return
    certainty = "certain" if instance.certain else "possible"
    if instance.expected_failure:
        certainty += ", expected to fail"
    values = bindings_text(instance) or "no arguments"
    yield from wrap(clean(f"{values}: {certainty}, {instance.origin}"), style.width, "  ", "      ")
    for link in instance.chain:
        yield f"      {clean(link.function)} at {line_location(link.path, link.line, run.sources)}"


def bindings_text(instance: InstanceResult) -> str:
    """``M=1024 N=1024 dtype=float16``; the factory's arguments, or what the kernel closes over if it has none."""
    values = instance.bindings or instance.closure
    return " ".join(f"{name}={value_text(value).replace(' ', '')}" for name, value in values.items())
